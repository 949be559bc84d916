"""The model of a result: any number of rows, exact texts, and what a grid paints of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QAbstractItemModel, Qt
from pytestqt.modeltest import ModelTester

from dynodesk.domain.cells import MAX_SHOWN
from dynodesk.domain.progress import Ticket
from dynodesk.ui.models.result_model import WINDOW_ROWS, WINDOWS_KEPT, ResultModel
from dynodesk.ui.theme import CELL, Cell
from dynodesk.workbench.bench import Bench
from dynodesk.workbench.results import Result, run

RunOne = Callable[[str], Result]


@pytest.fixture
def run_one() -> Iterator[RunOne]:
    with Bench.open() as bench:

        def one(text: str) -> Result:
            (outcome,) = run(bench, text, Ticket())
            return outcome.result

        yield one


@pytest.mark.gui
def test_the_model_keeps_qts_contract(qtmodeltester: ModelTester, run_one: RunOne) -> None:
    check: Callable[[QAbstractItemModel], None] = qtmodeltester.check
    model = ResultModel()
    check(model)
    for text in ("SELECT i, 'x' AS t FROM range(600) AS r(i)", "SELECT 1 WHERE false"):
        with run_one(text) as result:
            model.show_result(result)
            check(model)
            model.show_result(None)


def test_rows_are_right_wherever_one_looks(run_one: RunOne) -> None:
    model = ResultModel()
    many = 12_345
    assert many > (WINDOWS_KEPT + 10) * WINDOW_ROWS
    with run_one("SELECT i FROM range(12345) AS r(i)") as result:
        model.show_result(result)
        assert model.rowCount() == many
        for at in (0, many - 1, WINDOW_ROWS, *range(0, many, WINDOW_ROWS - 1), 1):
            assert model.index(at, 0).data() == str(at)
        model.show_result(None)
    assert model.rowCount() == model.columnCount() == 0


def test_a_cell_says_its_kind_and_its_text_is_exact(run_one: RunOne) -> None:
    model = ResultModel()
    text = "SELECT 'a' || chr(10) || 'b' AS t, NULL::INT AS n, '' AS e, repeat('x', 5000) AS l, true AS b, 1e30::DOUBLE"
    with run_one(text) as result:
        model.show_result(result)
        shown = [model.index(0, at).data(CELL) for at in range(6)]
        assert shown == [
            Cell("a⏎b", "S"),
            Cell("NULL", "N", ink="muted"),
            Cell('""', "empty"),
            Cell("x" * MAX_SHOWN + "…", "S"),
            Cell("true", "bool"),
            Cell("1e+30", "N"),
        ]
        assert [model.index(0, at).data() for at in range(5)] == ["a\nb", "NULL", "", "x" * 5000, "true"]
        model.show_result(None)


def test_numbers_of_a_partial_set_say_so_in_their_heads(run_one: RunOne) -> None:
    model = ResultModel()
    with run_one("SELECT 1 AS n, 'x' AS t, 2 AS \"<b>m</b>\"") as result:
        model.show_result(result, is_partial=True)
        tip = model.headerData(2, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
        assert tip == "<qt>&lt;b&gt;m&lt;/b&gt;: INTEGER</qt>"
        heads = [model.headerData(at, Qt.Orientation.Horizontal) for at in range(2)]
        assert heads == ["n, partial", "t"]
        model.show_result(None)
