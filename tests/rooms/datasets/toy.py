"""A data set of two columns, for whatever can be tested without real data."""

from twosdr.datasets._reading import with_header
from twosdr.datasets.base import File, Original, Recipe, Roles, digest

CONTENT = b"s,y\n1,2\n3,5\n"
NAME = "toy.csv"


def read(folder):
    import pyarrow as pa

    text = with_header(folder / NAME, ("s", "y"))
    return pa.table({name: text.integers(name) for name in ("s", "y")})


def recipe(**changes):
    file = File(NAME, digest(CONTENT), **changes)
    return Recipe(
        name="toy",
        title="Toy",
        source="nowhere",
        licence="none",
        citation="nobody (2020)",
        card="Two rows.",
        originals=(Original((file,), read),),
        roles=lambda table: Roles("y", sensitive=("s",)),
        prepare=lambda table: (table, Roles("y", sensitive=("s",))),
    )
