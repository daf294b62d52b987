"""Beyond the paper: goals that it leaves open, each with a bar that was set before. One experiment a file; `--beyond` runs them."""
# SPDX-License-Identifier: MIT
