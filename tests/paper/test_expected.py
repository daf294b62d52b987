"""expected.toml and the tables say the same, and a verdict is what the file's head says it is."""

from collections import Counter

import pytest

from twosdr.paper.contents import TABLES
from twosdr.paper.expected import ROUNDING, Printed, expected
from twosdr.paper.results import VERDICTS, Absent, Cell, Number

KEYS = ("table", "row", "metric", "paper", "ours", "se", "n_splits", "tolerance", "verdict", "note")


def test_there_are_seventy_five_cells_of_results():
    results = {name: table.cells for name, table in expected().items() if name[0] == "T" and name != "T1"}
    counted = {name: sum(not cell.quoted for cell in cells) for name, cells in results.items()}
    assert sum(counted.values()) == 75
    assert [(name, c.row) for name, cells in results.items() for c in cells if c.quoted][::3] == [
        ("T2", "SEM-S"),
        ("T2", "SEM-MP"),
    ]
    assert list(counted) == ["T2", "T3", "T4", "T6", "T7", "T8", "T9", "T10", "T11"]


@pytest.mark.parametrize("module", TABLES, ids=lambda module: module.TABLE.id)
def test_every_declared_number_has_a_printed_one_and_the_other_way_round(module):
    table = module.TABLE
    declared = [(row.name, metric) for row in table.rows for metric in row.metrics]
    assert Counter(declared) == Counter((cell.row, cell.metric) for cell in expected()[table.id].cells)


def test_no_printed_number_is_out_of_place():
    for name, table in expected().items():
        for cell in table.cells:
            assert name in ("datasets", "T1") or 0 <= cell.paper <= 1
            assert (
                cell.pinned is None or abs(cell.pinned - cell.paper) < 0.02
            )  # pins are of cells that come out, or nearly


@pytest.mark.parametrize(
    ("ours", "se", "verdict"),
    [
        (0.505, 0.0, "match"),
        (0.495, 0.0, "match"),
        (0.5051, 0.0, "within noise"),
        (0.51, 0.0, "within noise"),
        (0.5101, 0.0, "differs"),
        (0.489, 0.0, "differs"),
        (0.5101, 0.003, "within noise"),
        (0.52, 0.0075, "within noise"),
        (0.5201, 0.0075, "differs"),
        (0.505, 1.0, "match"),
    ],
)
def test_a_verdict_is_rounding_then_noise_and_never_less_than_the_floor(ours, se, verdict):
    assert Printed("a row", "acc", 0.5, floor=0.01).verdict(ours, se) == verdict


def test_without_a_floor_the_tolerance_is_rounding_and_two_standard_errors():
    assert Printed("a row", "N", 10.0).tolerance(0.0) == ROUNDING
    assert Printed("a row", "N", 10.0).tolerance(0.01) == pytest.approx(0.025)


def test_a_cell_is_published_with_exactly_these_keys():
    printed = Printed("a row", "acc", 0.5, floor=0.01, note="as printed")
    cell = Cell.of("T3", printed, Number(0.5071, 0.0, 0.0, 1), "stand-in", Number(0.5, 0.0, 0.0, 1))
    assert tuple(cell.public()) == KEYS
    assert cell.public()["note"] == "as printed; stand-in; closed form: 0.5000"
    assert cell.public()["tolerance"] == 0.01
    assert cell.verdict == "within noise"
    absent = Cell.of("T7", printed, Absent("fetch it"))
    assert (absent.ours, absent.verdict, absent.note) == (None, "no data", "fetch it")
    assert {cell.verdict, absent.verdict} <= set(VERDICTS)


def test_the_standard_error_is_that_of_what_chance_drew():
    folds = [0.1, 0.3, 0.2, 0.4]
    assert Number.of(folds).se == 0.0  # given folds: nothing was drawn
    assert Number.of(folds).sd == pytest.approx(0.129, abs=0.001)
    drawn = Number.of(folds, 4)
    assert drawn.se == pytest.approx(drawn.sd / 2)
    assert Number.of(folds, 2).se == pytest.approx(0.05)  # two draws, 0.2 and 0.3, of two folds each
    assert Number.of([0.3]) == Number(0.3, 0.0, 0.0, 1)
