"""What other programs show wrong in a grid, in the shape of reports of it: every digit, every type, at any size."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from dynodesk.domain.collections import View, prepare
from dynodesk.domain.loaded_rows import LoadedRows
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.row_order import ordered_by
from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.domain.values import Binary, Boolean, Item, List, Map, Null, Number, String, StringSet, Value, numbers
from dynodesk.ui import theme
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.models.collection_model import CollectionModel
from dynodesk.ui.pages.browse_bars import FilterBar, FindBar
from dynodesk.ui.pages.browse_grid import CollectionGrid
from dynodesk.ui.theme import CELL
from tests.helpers.small_tables import NAMES

pytestmark = pytest.mark.gui
VIEW = View(NAMES)
SHOWN: dict[str, tuple[Value, str]] = {
    "beyond 64 bits": (Number("18446744073709551616"), "18446744073709551616"),
    "the largest of 63": (Number("9223372036854775807"), "9223372036854775807"),
    "beyond a double": (Number("72057594037927937123"), "72057594037927937123"),
    "38 digits": (Number("-99999999999999999999999999999999999999"), "-99999999999999999999999999999999999999"),
    "tenths": (Number("12.3"), "12.3"),
    "kept zeros": (Number("12.30"), "12.30"),
    "no separators": (Number("1234567.89"), "1234567.89"),
    "no exponent": (Number("123456789012.5"), "123456789012.5"),
    "as written": (Number("1E40"), "1E40"),
    "truth": (Boolean(value=True), "true"),
    "strings": (StringSet(("red", "blue")), "{blue, red}"),
    "numbers": (numbers(["100300.50", "9", "100200"]), "{9, 100200, 100300.50}"),
    "document": (Map({"n": Number("9007199254740993")}), "{n: 9007199254740993}"),
    "list": (List(()), "[]"),
    "bytes": (Binary(b"\x01\xff"), "2 B 01ff"),
    "nothing": (Null(), "NULL"),
    "empty": (String(""), '""'),
}


@pytest.fixture
def model(qapp: QApplication) -> CollectionModel:
    item: Item = {"id": String("1"), **{name: value for name, (value, _) in SHOWN.items()}}
    model = CollectionModel(LoadedRows(VIEW, grouped=False))
    model.append(prepare([item, {"id": String("2")}], VIEW))
    return model


@pytest.mark.parametrize("name", SHOWN)
def test_a_cell_says_what_is_stored(model: CollectionModel, name: str) -> None:
    index = model.index(0, model.columns.index(name))
    assert index.data() == SHOWN[name][1]
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == SHOWN[name][1]


def test_every_cell_is_painted(model: CollectionModel, qtbot: QtBot) -> None:
    grid = CollectionGrid(model, "Rows")
    qtbot.addWidget(grid)
    grid.resize(4000, 200)
    grid.show()
    picture = grid.viewport().grab().toImage()
    for name in SHOWN:
        cell = picture.copy(grid.visualRect(model.index(0, model.columns.index(name))))
        colours = {cell.pixel(x, y) for x in range(cell.width()) for y in range(cell.height())}
        assert len(colours) > 2, f"{name} is blank"


def test_three_kinds_of_nothing_look_like_three(qapp: QApplication, qtbot: QtBot) -> None:
    model = CollectionModel(LoadedRows(VIEW, grouped=False))
    nothings: list[Item] = [{"v": Null()}, {"v": String("")}, {}]
    model.append(prepare([{"id": String(str(at)), **item} for at, item in enumerate(nothings)], VIEW))
    grid = CollectionGrid(model, "Rows")
    qtbot.addWidget(grid)
    grid.resize(600, 200)
    grid.show()
    picture = grid.viewport().grab().toImage()
    looks = [picture.copy(grid.visualRect(model.index(row, 1))) for row in range(3)]
    assert all(one != other for at, one in enumerate(looks) for other in looks[:at])
    assert [model.index(row, 1).data(CELL).kind for row in range(3)] == ["null", "empty", "missing"]


class Listener(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.heard: list[object] = []

    @Slot(object)
    def hear(self, what: object) -> None:
        self.heard.append(what)


@pytest.mark.parametrize("done", [2**31 - 1, 2**31, 2**40, 2**63, 2**70])
def test_progress_beyond_32_and_64_bits_arrives_as_it_was(done: int, qapp: QApplication, qtbot: QtBot) -> None:
    runner, listener, reported = JobRunner(threads=1), Listener(), threading.Event()

    def work(ticket: Ticket) -> int:
        ticket.checkpoint(Progress(done, 2 * done, "bytes"))
        reported.set()
        return done

    job: Job = runner.start(work, title="Count", done=listener.hear)
    assert reported.wait(10)  # before anybody listens
    job.progressed.connect(listener.hear)
    qtbot.waitUntil(lambda: done in listener.heard)
    assert Progress(done, 2 * done, "bytes") in listener.heard
    assert runner.shutdown()
    runner.deleteLater()


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (["a", "｡", "Z", "𐀂", "é", "z"], ["Z", "a", "z", "é", "｡", "𐀂"]),
        (["ﬁ", "😀", "\ue000", "\uffff"], ["\ue000", "ﬁ", "\uffff", "😀"]),
    ],
)
def test_strings_stand_in_the_order_of_their_bytes(values: list[str], wanted: list[str]) -> None:
    """Programs that compare UTF-16 put what is beyond it before the end of the first plane."""
    entries = prepare([{"id": String(value)} for value in values], VIEW).entries
    assert [entry.item["id"] for entry in ordered_by(entries, "id")] == [String(value) for value in wanted]


def test_numbers_stand_in_the_order_of_their_values() -> None:
    table = View(TableInfo("T", KeySchema((KeyAttribute("n", "N"),))))
    entries = prepare(
        [{"n": Number(text)} for text in ["10", "9", "100", "-5", "0.5", "1", "1E2", "-1E1"]], table
    ).entries
    found = [entry.item["n"] for entry in ordered_by(entries, "n")]
    assert [number.text for number in found if isinstance(number, Number)] == [
        "-1E1", "-5", "0.5", "1", "9", "10", "100", "1E2",
    ]  # fmt: skip


@pytest.fixture(params=[9.75, 12, 18])
def size_of_text(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[float]:
    theme.apply(qapp, theme.LIGHT, request.param)
    yield request.param
    theme.apply(qapp, theme.LIGHT, 9.75)


def test_rows_headings_and_bars_are_as_high_as_their_text(
    size_of_text: float, model: CollectionModel, qtbot: QtBot
) -> None:
    grid, filter_bar, find_bar = CollectionGrid(model, "Rows"), FilterBar(), FindBar()
    for widget in (grid, filter_bar, find_bar):
        qtbot.addWidget(widget)
        widget.resize(600, widget.height())
        widget.show()
    text = theme.face(mono=True).measure.height()
    assert grid.rowHeight(0) >= text
    assert grid.horizontalHeader().height() >= theme.face("caption", "medium").measure.height()
    for bar in (filter_bar, find_bar):
        assert bar.edit.height() >= bar.edit.fontMetrics().height()
        assert bar.height() >= bar.edit.minimumSizeHint().height()
