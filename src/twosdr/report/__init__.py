"""Findings as one HTML file that opens from disk: nothing in it is from elsewhere; the same findings give the same bytes.

    contents.py   what a report is made of: an audit (or a comparison), and what stands beside it
    page.py       contents -> HTML, by page.html.jinja with style.css and slider.js written into it
    pictures/     one picture a file: numbers of the audit -> SVG; drawing.py has the strokes
    wording.py    untrusted text for a page; roles and goals in words
    notebook.py   a fitted model in a notebook; the frontier as a matplotlib figure

Nothing is measured here, and no estimator is known: every number comes from an audit, a model's value, a frontier or carriers.
"""
# SPDX-License-Identifier: MIT

from twosdr.report.contents import Column, Contents, File
from twosdr.report.notebook import of_model, plot_frontier
from twosdr.report.page import render

__all__ = ["Column", "Contents", "File", "of_model", "plot_frontier", "render"]
