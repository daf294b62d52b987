"""twosdr datasets: what there is to try, fetching an original, and writing a data set to a file."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Annotated, Any

import typer

from twosdr.cli import options as o

app = typer.Typer(
    help="The data sets of the paper: list, fetch, export.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
Name = Annotated[
    str,
    typer.Argument(metavar="NAME", help="adult, communities, compas, german or lsac.", autocompletion=o.data_set_names),
]


@app.command("list", epilog="Example: twosdr datasets list --json")
def show(json: o.Json = False) -> int:
    """What there is, and which copy is on this machine."""
    from twosdr import datasets
    from twosdr.cli import codes, saying
    from twosdr.datasets.base import recipe_of
    from twosdr.errors import DataNotFound, NotReadable

    found: list[dict[str, Any]] = []
    for name in datasets.names():
        recipe = recipe_of(name)
        row: dict[str, Any] = {"name": name, "title": recipe.title, "licence": recipe.licence}
        try:
            data = datasets.load(name)
            row |= {
                "rows": data.n_rows,
                "target": data.target,
                "sensitive": list(data.sensitive),
                "copy": data.provenance.copy,
            }
        except (DataNotFound, NotReadable) as why:
            row |= {"rows": None, "target": None, "sensitive": [], "copy": None, "why": str(why)}
        found.append(row)
    if json:
        saying.put_json(found)
        return codes.FINE
    from twosdr.audit import Sheet

    rows = tuple(
        (
            r["name"],
            r["rows"],
            r["target"] or "-",
            ", ".join(r["sensitive"]) or "-",
            r["copy"] or f"none: twosdr datasets fetch {r['name']}",
            r["title"],
        )
        for r in found
    )
    for k, line in enumerate(
        Sheet("", ("name", "rows", "target", "sensitive", "copy", "title"), rows).lines(saying.width())
    ):
        (saying.out_heading if k == 0 else saying.out)(line)
    return codes.FINE


@app.command("fetch", epilog="Example: twosdr datasets fetch adult")
def fetch(
    name: Name,
    home: Annotated[
        str | None, typer.Option(help="The folder to write to (TWOSDR_HOME, or the platform's cache folder).")
    ] = None,
    mirror: Annotated[
        str | None, typer.Option(help="A URL of a folder that holds the files, instead of the public address.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Download even what is there.")] = False,
) -> int:
    """Download the original of a data set, check it, and say where it is."""
    from twosdr import datasets
    from twosdr.cli import codes, saying

    for path in datasets.fetch(name, home=home, mirror=mirror, force=force):
        saying.out(str(path))
    return codes.FINE


@app.command("export", epilog="Example: twosdr datasets export adult -o adult.csv")
def export(
    name: Name,
    output: Annotated[
        str, typer.Option("--output", "-o", help="A .csv or .parquet file; - for CSV on standard output.")
    ] = "-",
    paper: Annotated[bool, typer.Option("--paper", help="The numeric table of the paper's experiments.")] = False,
) -> int:
    """Write a data set to a file, and its card to standard error."""
    from twosdr import datasets
    from twosdr.cli import codes, saying, writing

    writing.format_of(output)
    data = datasets.load(name, paper=paper)
    table = data.table
    if data.part is not None and "part" not in table.column_names and set(data.part.tolist()) == {"train", "test"}:
        saying.note(
            "The official division into training and test rows is not written; twosdr.datasets has it as .splits."
        )
    with writing.opened(output) as stream:
        tables = writing.Tables(stream, output)
        tables.write(table)
        tables.close()
    saying.note(data.card.strip())
    roles = f"--target {data.target} --sensitive {','.join(data.sensitive)}"
    left_out = f" --drop {','.join(data.left_out)}" if data.left_out else ""
    where = (
        ""
        if output == writing.STDOUT
        else f"\nWritten: {output} ({table.num_rows:,} rows)\nNext: twosdr fit {output} {roles}{left_out}"
    )
    saying.note(where.strip())
    return codes.FINE
