"""Fitted models in the words of other systems: SQL, ONNX, and a card for people who decide about them.

From the value that a file holds, so a loaded model exports as the fitted one does. All names and levels are untrusted text: each
format quotes them in its own way, in one place.
"""
# SPDX-License-Identifier: MIT

from twosdr.export.card import model_card
from twosdr.export.dialects import DIALECTS
from twosdr.export.onnx import to_onnx
from twosdr.export.sql import to_sql

__all__ = ["DIALECTS", "model_card", "to_onnx", "to_sql"]
