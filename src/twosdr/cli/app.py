"""The list of commands. Imported on every start, so it stands on typer alone."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Annotated

import typer

from twosdr import __version__
from twosdr.cli import audit, compare, datasets, demo, export, fit, monitor, predict, reproduce

app = typer.Typer(
    name="twosdr",
    help="Models whose predictions are uncorrelated with what must not matter, and audits of any model.\n\n"
    "From a table to a model, a report and predictions:\n\n"
    "  twosdr fit people.csv --target income --sensitive sex -o model.json --report report.html\n\n"
    "  twosdr predict model.json new.csv -o predictions.csv\n\n"
    "  twosdr audit scored.csv --prediction hired --sensitive sex,age --fail-under .8",
    epilog="Exit codes: 0 fine, 1 below --fail-under, 2 usage, 3 data, 70 a bug of ours, 130 interrupted. "
    "--debug anywhere shows the traceback. The manual: docs/cli.md.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"twosdr {__version__}")
        raise typer.Exit()


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.", is_eager=True, callback=_show_version)
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """What stands before any command."""


# In the order in which a newcomer meets them.
for _command in (demo, fit, predict, audit, compare, export, monitor, reproduce):
    app.command(**_command.LISTED)(_command.run)
app.add_typer(datasets.app, name="datasets")
