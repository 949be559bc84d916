"""What the window remembers between runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QMainWindow, QSplitter, QWidget
from pytestqt.qtbot import QtBot

from dynodesk.domain.column_choice import ColumnChoice
from dynodesk.domain.entities import EntityRule, EntityTypes
from dynodesk.store.settings import Settings
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.memory import PANELS, TableColumns, TableTypes, WindowMemory
from dynodesk.ui.pages.browse import BrowsePage
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.small_tables import SOCIAL


@pytest.fixture
def runner(qapp: QApplication) -> Iterator[JobRunner]:
    runner = JobRunner(threads=1)
    yield runner
    assert runner.shutdown()
    runner.deleteLater()


def test_columns_are_kept_for_each_table_of_each_connection(tmp_path: Path, runner: JobRunner, qtbot: QtBot) -> None:
    path = tmp_path / "settings.json"
    settings = Settings(path)
    settings.save({"scheme": "dark"})
    columns = TableColumns(settings, runner)
    page = BrowsePage(SOCIAL, MemoryReader(SOCIAL), runner)
    qtbot.addWidget(page)
    columns.serve(page, "one")
    choice = ColumnChoice(("title",), frozenset({"kind"}))
    page.left.columns_chosen.emit(choice)
    qtbot.waitUntil(lambda: "columns" in Settings(path).load())
    assert page.right.model.choice == choice, "both sides show one table"
    again = TableColumns(Settings(path), runner)
    assert again.columns_of("one", "Social") == choice
    assert again.columns_of("two", "Social") == again.columns_of("one", "Other") == ColumnChoice()
    assert Settings(path).load()["scheme"] == "dark"
    page.left.columns_chosen.emit(ColumnChoice())
    qtbot.waitUntil(lambda: Settings(path).load()["columns"] == {})


@pytest.mark.parametrize("written", [None, [], "x", {"one/Social": 7}, {"one/Social": {"order": [1], "hidden": 2}}])
def test_columns_that_make_no_sense_are_as_good_as_none(
    written: object, tmp_path: Path, runner: JobRunner, qtbot: QtBot
) -> None:
    settings = Settings(tmp_path / "settings.json")
    settings.save({"columns": written})
    assert TableColumns(settings, runner).columns_of("one", "Social") == ColumnChoice()
    qtbot.wait(0)


def test_types_are_kept_by_table_and_shown_on_all_of_its_pages(tmp_path: Path, runner: JobRunner, qtbot: QtBot) -> None:
    path = tmp_path / "settings.json"
    kept = TableTypes(Settings(path), runner)
    here, there, elsewhere = (BrowsePage(SOCIAL, MemoryReader(SOCIAL), runner) for _ in range(3))
    for page, connection in ((here, "one"), (there, "one"), (elsewhere, "two")):
        qtbot.addWidget(page)
        kept.serve(page, connection)
    types = EntityTypes((EntityRule.of("Reaction", {"SK": "LIKE#{user}"}, "rose"),))
    kept.keep_types("one", "Social", types)
    assert [page.naming.types for page in (here, there, elsewhere)] == [types, types, EntityTypes()]
    assert here.inspector.types == types
    qtbot.waitUntil(lambda: Settings(path).load().get("entity types") == {"one/Social": types.to_json()})
    again = TableTypes(Settings(path), runner)
    assert again.types_of("one", "Social") == types
    assert again.types_of("two", "Social") == again.types_of("one", "Other") == EntityTypes()
    kept.keep_types("one", "Social", EntityTypes())
    qtbot.waitUntil(lambda: Settings(path).load()["entity types"] == {})


def test_columns_and_types_saved_at_once_are_both_kept(tmp_path: Path, runner: JobRunner, qtbot: QtBot) -> None:
    path = tmp_path / "settings.json"
    settings = Settings(path)
    columns, kept = TableColumns(settings, runner), TableTypes(settings, runner)
    for at in range(5):
        columns.keep_columns("one", f"t{at}", ColumnChoice((f"a{at}",)))
        kept.keep_types("one", f"t{at}", EntityTypes((EntityRule.of("A", {"PK": "A#{a}"}),)))

    def all_there() -> bool:
        stored = Settings(path).load()
        written = stored.get("columns"), stored.get("entity types")
        return all(isinstance(part, dict) and len(part) == 5 for part in written)

    qtbot.waitUntil(all_there)


@pytest.mark.parametrize(
    "saved",
    [
        {"window": "\ud800"},
        {"window": 7},
        {"panels": [10**30, 1, 1]},
        {"panels": [-1, 1, 1]},
        {"panels": "x", "walk": []},
    ],
    ids=lambda saved: next(iter(saved)),
)
def test_a_window_that_makes_no_sense_is_as_good_as_none(
    tmp_path: Path, qtbot: QtBot, saved: dict[str, object]
) -> None:
    settings = Settings(tmp_path / "settings.json")
    settings.save(saved)
    window, splitter = QMainWindow(), QSplitter()
    qtbot.addWidget(window)
    *_, walk = widgets = [QWidget() for _ in PANELS]
    for widget in widgets:
        splitter.addWidget(widget)
    window.setCentralWidget(splitter)
    WindowMemory(settings).restore(window, splitter, walk)
    assert window.size().width() > 300
    assert not walk.isHidden()
