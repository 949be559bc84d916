"""The form of a load and the load that runs, by clicks: what it takes, what becomes of it, pause, stop, going on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from dynodesk.domain.bulk import RawPage, RawPageReader
from dynodesk.domain.capacity import Meter
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import ReadPlan
from dynodesk.domain.tables import Key
from dynodesk.domain.values import String
from dynodesk.sandbox.samples_types import type_zoo
from dynodesk.wiring import Workspace
from tests.ui.pages.sql_desk import Desk, OpenSql

LEFT = Qt.MouseButton.LeftButton


def export(folder: Path) -> Path:
    (folder / "data").mkdir(parents=True)
    lines = "".join(json.dumps({"Item": item}) + "\n" for item in type_zoo().items)
    (folder / "data" / "a.json").write_text(lines, encoding="utf-8")
    entry = {"itemCount": len(type_zoo().items), "md5Checksum": "", "dataFileS3Key": "x/data/a.json"}
    (folder / "manifest-files.json").write_text(json.dumps(entry), encoding="utf-8")
    return folder


def test_the_form_says_the_cost_first_and_the_set_then_where_it_comes_from(sql: Desk) -> None:
    form = sql.page.form
    assert form.isHidden()
    sql.open_form("Social")
    assert form.isVisible()
    assert form.words.startswith("A Scan of the whole table, eventually consistent. By the last estimate 1,607 items")
    form.rate.setText("2")
    assert form.words.endswith(" s at this rate.")
    form.budget.setText("0.1")
    assert form.words.endswith("It ends after about 0.1 RCU, with what there is by then.")
    form.rate.setText("fast")
    assert form.words == "Read units a second: fast is not a number of units. Empty: no limit."
    form.rate.clear()
    form.budget.clear()
    assert form.read is not None
    form.read.consistent.setChecked(True)
    assert "strongly consistent" in form.words
    sql.press_load()
    sql.wait()
    assert form.isHidden()
    name, state, source, how, cost, columns = sql.tree
    assert (name, state, source, columns) == ("Social", "Complete", "Scan of Social", "Columns")
    assert how.startswith("consistent, ")
    assert cost.endswith(" pages")
    assert sql.page.sets.progress == ""
    assert sql.page.editor.toPlainText() == "SELECT * FROM Social LIMIT 100;"


def test_a_form_that_is_closed_loads_nothing(sql: Desk) -> None:
    sql.open_form("Social")
    QTest.mouseClick(sql.page.form.close_button, LEFT)
    assert sql.page.form.isHidden()
    assert sql.page.sets.current is None


def test_one_collection_and_a_range_of_it(sql: Desk) -> None:
    sql.open_form("Social")
    read = sql.page.form.read
    assert read is not None
    assert read.low is not None
    QTest.keyClicks(read.partition[0], "POST#a91f")
    assert sql.page.form.words.startswith("A Query, eventually consistent.")
    read.operator.setCurrentText("begins_with")
    sql.press_load()
    assert sql.page.form.words.startswith("the fields of the key are not filled in")
    QTest.keyClicks(read.low, "LIKE#")
    sql.page.form.name.setText("likes")
    sql.press_load()
    sql.wait()
    assert sql.tree[:3] == ["likes", "Complete", "Query of Social, PK POST#a91f, SK begins_with LIKE#"]
    assert sql.run("SELECT count(*) FROM likes") == [["37"]]


def test_chosen_collections_of_an_index_or_the_table(sql: Desk) -> None:
    sql.open_form("Social")
    form = sql.page.form
    form.of_collections.setChecked(True)
    assert form.words == "Name the collections to load."
    form.lines.edit.setPlainText("POST#a91f\nPOST#e001\nPOST#a91f\n")
    assert form.words.startswith("2 Queries, eventually consistent.")
    form.lines.edit.appendPlainText("x" * 2049)
    assert form.words.startswith("line 5: ")
    sql.press_load()
    assert form.isVisible()
    form.lines.edit.setPlainText("POST#a91f\nPOST#e001")
    sql.press_load()
    sql.wait()
    assert sql.tree[2] == "Query of 2 collections of Social"
    assert sql.run("SELECT count(DISTINCT PK) FROM Social") == [["2"]]


def test_files_of_an_export_whose_rows_open_in_their_table(sql: Desk, tmp_path: Path) -> None:
    form = sql.page.form
    sql.page.tables.actions()[-1].trigger()
    assert not form.of_table.isEnabled()
    sql.asker.path = export(tmp_path / "zoo") / "manifest-files.json"
    form.choose.click()
    sql.wait(lambda: form.words.startswith("export zoo (1 file, "))
    sql.press_load()
    assert form.words.startswith("items in files need the key")
    form.key_of.setCurrentText("of TypeZoo")
    sql.press_load()
    sql.wait()
    assert sql.tree[:2] == ["TypeZoo", "Complete"]
    sql.run("SELECT pk, sk FROM TypeZoo WHERE pk = 'documents' AND sk = '01'")
    QTest.keyClick(sql.page.result.grid, Qt.Key.Key_Return)
    key: Key = {"pk": String("documents"), "sk": String("01")}
    assert sql.opened == [("TypeZoo", {"pk": String("documents")}, key)]


def test_files_with_a_key_that_is_typed_and_a_mistake_in_them(sql: Desk, tmp_path: Path) -> None:
    form = sql.page.form
    file = tmp_path / "zoo.jsonl"
    file.write_text("".join(json.dumps(item) + "\n" for item in type_zoo().items) + "{}\n", encoding="utf-8")
    sql.page.tables.actions()[-1].trigger()
    form.paths.edit.setPlainText(str(tmp_path / "nothing"))
    sql.wait(lambda: "nothing cannot be read" in form.words)
    form.paths.edit.setPlainText(str(file))
    sql.wait(lambda: form.words.startswith("file zoo.jsonl ("))
    QTest.keyClicks(form.key, "pk,sk")
    sql.press_load()
    sql.wait()
    line = len(type_zoo().items) + 1
    assert sql.tree[1] == f"Partial: zoo.jsonl, line {line}: key attribute pk is missing, the table says S"
    assert sql.run("SELECT count(*) FROM zoo") == [[str(line - 1)]]
    assert f"zoo is not complete (zoo.jsonl, line {line}:" in sql.page.result.banner.text
    sql.run("SELECT pk, sk FROM zoo")
    assert not sql.page.open_action.isEnabled()


class GatedReader:
    """The first collection is read once it is let go. `asked` counts the collections."""

    def __init__(self, reader: RawPageReader, go: Event) -> None:
        self._reader, self._go = reader, go
        self.asked = 0

    def raw_pages(
        self, plan: ReadPlan, ticket: Ticket, *, start: str | None = None, segment: int = 0, segments: int = 1
    ) -> Iterator[RawPage]:
        self.asked += 1
        while not self._go.is_set():
            ticket.sleep(0.01)
        yield from self._reader.raw_pages(plan, ticket, start=start, segment=segment, segments=segments)


Gated = tuple[Desk, Event, list[GatedReader]]


@pytest.fixture
def gated(open_sql: OpenSql, own: Workspace) -> Gated:
    """A page whose load of two collections, one after the other, waits within the first."""
    go = Event()
    readers: list[GatedReader] = []

    def new_raw_reader(meter: Meter) -> RawPageReader:
        readers.append(GatedReader(own.new_raw_reader(meter), go))
        return readers[-1]

    desk = open_sql(replace(own, new_raw_reader=new_raw_reader))
    desk.open_form("Social")
    form = desk.page.form
    form.of_collections.setChecked(True)
    form.lines.edit.setPlainText("POST#a91f\nPOST#e001")
    form.segments.setCurrentText("1")
    desk.press_load()
    desk.wait(lambda: bool(readers) and readers[0].asked == 1)
    return desk, go, readers


def test_a_paused_load_asks_for_no_more_and_goes_on(gated: Gated) -> None:
    desk, go, (reader,) = gated
    sets = desk.page.sets
    QTest.mouseClick(sets.pause_button, LEFT)
    assert sets.progress.endswith("Paused")
    assert sets.pause_button.accessibleName() == "Go on with the load"
    go.set()
    desk.wait(lambda: "38 items in 1 page," in sets.progress)
    assert sets.progress.endswith(" · Paused")
    assert reader.asked == 1
    QTest.mouseClick(sets.pause_button, LEFT)
    desk.wait()
    assert reader.asked == 2
    assert desk.tree[1] == "Complete"
    assert sets.pause_button.accessibleName() == "Pause the load"


def test_a_paused_load_that_is_stopped_is_partial_and_can_be_taken_up(gated: Gated) -> None:
    desk, go, readers = gated
    sets = desk.page.sets
    QTest.mouseClick(sets.pause_button, LEFT)
    go.set()
    desk.wait(lambda: "38 items in 1 page," in sets.progress)
    QTest.mouseClick(sets.stop_button, LEFT)
    desk.wait()
    assert desk.tree[1] == "Partial: stopped before the end"
    assert readers[0].asked == 1
    desk.page.go_on_action.trigger()
    desk.wait()
    assert readers[1].asked == 1
    assert desk.tree[1:3] == ["Complete", "Query of 2 collections of Social"]


def test_one_load_at_a_time(gated: Gated) -> None:
    desk, go, _ = gated
    desk.page.load_table("Members")
    desk.wait(desk.page.form.isVisible)
    desk.press_load()
    assert desk.messages.current is not None
    assert desk.messages.current.title == "A load is running"
    go.set()
    desk.wait()
