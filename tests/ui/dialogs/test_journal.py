"""The journal as a person reads it: what, when, before and after, whether it is whole, and out to a file."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

from dynodesk.domain import table_work
from dynodesk.domain.actions import BoundStatement, SingleStatement
from dynodesk.domain.values import String
from dynodesk.reconcile.ledger import LoggedWrite
from tests.composing.request_bench import COUNT, LOST, RequestBench, like, likes
from tests.editing.edit_bench import HERE
from tests.ui.dialogs.conftest import NewShop
from tests.ui.dialogs.repair_shop import Shop, texts_of


def test_an_empty_journal_says_so(shop: Shop) -> None:
    dialog = shop.open_journal()
    assert dialog.detail.text() == "Nothing was written yet."
    assert not dialog.undo_button.isEnabled()
    assert not dialog.export_button.isEnabled()
    dialog.verify_button.click()
    shop.wait_for(lambda: bool(dialog.outcome.said))
    assert dialog.outcome.said.startswith("0 records, whole.")


def test_writes_are_readable_and_the_newest_is_first(shop: Shop) -> None:
    shop.apply_all()
    dialog = shop.open_journal()
    assert texts_of(dialog, 1) == ["repair", "repair"]
    assert texts_of(dialog, 3) == ["POST#b / META", "POST#a / META"]
    assert texts_of(dialog, 4) == ["1 → 4", "5 → 3"]
    assert texts_of(dialog, 5) == ["applied, then ok"] * 2
    assert "Counted again: ok. Drift before: -3." in dialog.detail.text()


def test_words_are_searched_in_everything_that_is_shown(shop: Shop) -> None:
    shop.apply_all()
    dialog = shop.open_journal()
    dialog.search.setText("post#a social")
    assert texts_of(dialog, 3) == ["POST#a / META"]
    dialog.search.setText("nothing like it")
    assert texts_of(dialog, 3) == []
    assert dialog.detail.text() == "No write is like this."


def test_the_repairs_that_are_chosen_are_handed_on_to_be_undone(shop: Shop) -> None:
    shop.apply_all()
    dialog = shop.open_journal()
    asked: list[object] = []
    dialog.undo_asked.connect(asked.append)
    dialog.grid.selectAll()
    chosen = dialog.chosen
    dialog.undo_button.click()
    assert asked == [chosen]
    assert {write.parent_text for write in chosen if isinstance(write, LoggedWrite)} == {
        "POST#a / META",
        "POST#b / META",
    }


def test_what_cannot_be_undone_says_why(shop: Shop) -> None:
    shop.apply_all()
    undoing = shop.open_undo()
    undoing.approval.field.setText("Social")
    undoing.go_button.click()
    shop.wait_for(lambda: undoing.state == "over")
    dialog = shop.open_journal()
    assert texts_of(dialog, 1) == ["undo", "undo", "repair", "repair"]
    assert dialog.undo_button.accessibleDescription() == "What was undone is repaired by a new plan."
    dialog.grid.selectRow(2)
    assert not dialog.undo_button.isEnabled()
    assert dialog.undo_button.accessibleDescription().endswith("was undone before.")
    assert texts_of(dialog, 5)[2].endswith("undone")


def test_a_changed_record_is_named(shop: Shop) -> None:
    shop.apply_all()
    text = shop.journal.path.read_text(encoding="utf-8")
    shop.journal.path.write_text(text.replace('"tries":1', '"tries":2').replace("POST#b", "POST#c"), encoding="utf-8")
    dialog = shop.open_journal()
    assert dialog.outcome.said.startswith("Changed at record ")
    assert "as it was written" in dialog.outcome.said


def test_exports_what_is_shown_or_every_byte(new_shop: NewShop, tmp_path: Path) -> None:
    shop = new_shop()
    shop.apply_all()
    dialog = shop.open_journal()
    shop.asker.path = tmp_path / "journal.csv"
    dialog.export_button.click()
    shop.wait_for(lambda: "Exported" in dialog.outcome.said)
    rows = list(csv.reader(shop.asker.path.read_text(encoding="utf-8-sig").splitlines()))
    assert rows[0][:3] == ["When (UTC)", "What", "Table"]
    assert [row[3] for row in rows[1:]] == texts_of(dialog, 3)
    shop.asker.path = tmp_path / "journal.jsonl"
    dialog.export_button.click()
    shop.wait_for(shop.asker.path.exists)
    assert shop.asker.path.read_bytes() == shop.journal.path.read_bytes()


def test_values_of_the_table_are_no_formulas_in_an_export(new_shop: NewShop, tmp_path: Path) -> None:
    shop = new_shop()
    shop.apply_all()
    shop.bench.change("a", note=String("x"))
    dialog = shop.open_journal()
    shop.asker.path = tmp_path / "journal.csv"
    dialog.export_button.click()
    shop.wait_for(shop.asker.path.exists)
    cells = [cell for row in csv.reader(shop.asker.path.read_text("utf-8-sig").splitlines()) for cell in row]
    assert not [cell for cell in cells if cell[:1] in "=+@" and cell]


def test_composed_requests_are_listed_with_what_can_still_be_done(shop: Shop) -> None:
    requests = RequestBench(likes(41))
    requests.desk = replace(requests.new_desk(HERE), journal=shop.journal)
    requests.run(COUNT)
    requests.service.before = dict.fromkeys(range(1, 30), LOST)
    requests.run(like())
    requests.run(SingleStatement(BoundStatement("DELETE FROM Posts WHERE PK = 'a' AND SK = 'b'")))
    dialog = shop.open_journal()
    assert texts_of(dialog, 1) == ["request"] * 3
    assert texts_of(dialog, 2) == ["Posts"] * 3
    assert texts_of(dialog, 3) == ["1 statement", "2 actions", "POST#a91f / META"]
    assert texts_of(dialog, 4) == ["DELETE", "Put, Update", "likes + 1"]
    assert texts_of(dialog, 5) == ["unknown", "unknown", "applied"]
    assert "it must not be sent again blindly" in dialog.detail.text()
    assert dialog.undo_button.accessibleDescription() == "Compose its mirror to take it back."
    dialog.grid.selectRow(1)
    assert "Sent 8 times. " in dialog.detail.text()
    assert "it can be sent again safely, with its token." in dialog.detail.text()
    assert '"ClientRequestToken": "0123456789abcdef0123456789abcdef0123"' in dialog.request.toPlainText()


def note_table_change(shop: Shop) -> None:
    """Somewhere else."""
    place = {"identity": "", "endpoint": "https://elsewhere", "region": "eu-west-1"}
    change = {"id": "t1", "what": "delete", "table": "Old", "index": "", "table_id": "", "keys": []}
    shop.journal.append(
        table_work.INTENT, {**change, **place, "operation": "DeleteTable", "request": {"TableName": "Old"}}
    )
    shop.journal.append(table_work.OUTCOME, {"id": "t1", "outcome": "refused", "why": "it is protected"})


def test_changes_of_tables_are_listed_and_not_taken_back(shop: Shop) -> None:
    note_table_change(shop)
    dialog = shop.open_journal()
    assert [texts_of(dialog, column)[0] for column in (1, 2, 4, 5)] == ["table", "Old", "delete", "refused"]
    assert dialog.detail.text() == "DeleteTable. It is protected. At https://elsewhere · eu-west-1."
    assert '"TableName": "Old"' in dialog.request.toPlainText()
    assert dialog.undo_button.accessibleDescription() == "A change of a table is not taken back."


def test_writes_are_found_by_kind_outcome_and_connection(shop: Shop) -> None:
    shop.apply_all()
    note_table_change(shop)
    dialog = shop.open_journal()
    assert [dialog.kind.itemText(at) for at in range(dialog.kind.count())] == ["All kinds", "repair", "table"]
    dialog.kind.setCurrentText("table")
    assert texts_of(dialog, 1) == ["table"]
    dialog.of_outcome.setCurrentText("applied")
    assert texts_of(dialog, 1) == []
    dialog.kind.setCurrentIndex(0)
    assert texts_of(dialog, 1) == ["repair", "repair"]
    dialog.of_outcome.setCurrentIndex(0)
    dialog.here.click()
    assert texts_of(dialog, 1) == ["repair", "repair"]
    dialog.here.click()
    dialog.search.setText("elsewhere")
    assert texts_of(dialog, 1) == ["table"]
    dialog.verify_button.click()
    shop.wait_for(lambda: bool(dialog.outcome.said))
    assert texts_of(dialog, 1) == ["table"]
