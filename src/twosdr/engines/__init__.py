"""Anything that turns rows into Moments lives here, one file an engine."""
# SPDX-License-Identifier: MIT
