"""One picture a file: from records of the audit, and of the baseline's, to SVG; None where there is nothing to see."""
# SPDX-License-Identifier: MIT
