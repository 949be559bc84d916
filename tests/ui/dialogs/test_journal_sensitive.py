"""The journal page and all that leaves it show nothing of what a rule calls sensitive; undo has it nevertheless."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QLineEdit, QPlainTextEdit

from dynodesk.domain.actions import SingleWrite, UpdateAction
from dynodesk.domain.batches import PlainWrite, plain_to_json
from dynodesk.domain.expressions import parse_changes
from dynodesk.domain.progress import Ticket
from dynodesk.domain.sensitive import HIDDEN, SensitiveAttributes, SensitiveJournal
from dynodesk.domain.values import Map, String, Value
from dynodesk.domain.writing import INTENT
from dynodesk.editing.log import BATCH, COMMIT, commit_payload
from dynodesk.ui.dialogs.journal import JournalDialog
from tests.composing.request_bench import META, RequestBench
from tests.editing.edit_bench import HERE, edit, post
from tests.ui.dialogs.conftest import NewEditShop
from tests.ui.dialogs.edit_shop import EditShop, column_of


def person(canary: str) -> dict[str, Value]:
    return post(email=String(canary), profile=Map({"ssn": String(f"{canary}-ssn"), "city": String("Bern")}))


def noting(shop: EditShop) -> SensitiveJournal:
    """The shop's journal, as that of a connection at which a rule was read."""
    attributes = SensitiveAttributes()
    attributes.by_table = {"Posts": frozenset({("email",), ("profile", "ssn")})}
    return SensitiveJournal(shop.journal, attributes)


def full_of_canaries(shop: EditShop) -> None:
    """An edit, a composed request and a batch, each with sensitive values."""
    journal = noting(shop)
    desk = shop.tools.new_desk
    desk = replace(desk, hands=replace(desk.hands, journal=journal))
    change = edit(person("canary-old"), person("canary-new"))
    assert desk.commit(desk.plan([change], Ticket()), Ticket()).is_done
    journal.append(COMMIT, commit_payload("c", HERE, 1))
    puts = [plain_to_json(PlainWrite(META, person("canary-batch")))]
    journal.append(INTENT, {"what": BATCH, "id": "b", "commit": "c", "table": "Posts", "writes": puts})
    requests = RequestBench(person("canary-new"))
    requests.desk = replace(requests.new_desk(HERE), journal=journal)
    requests.run(SingleWrite(UpdateAction("Posts", META, parse_changes("SET email = 'canary-sent'"))))


def everything_shown(dialog: JournalDialog) -> str:
    """Every text of the page with each row chosen in turn, with all tips."""
    told: list[str] = []
    for at in range(dialog.model.rowCount()):
        dialog.grid.selectRow(at)
        told += [widget.text() for widget in dialog.findChildren(QLabel)]
        told += [widget.toPlainText() for widget in dialog.findChildren(QPlainTextEdit)]
    told += [widget.text() + widget.toolTip() for widget in dialog.findChildren(QAbstractButton)]
    told += [widget.text() for widget in dialog.findChildren(QLineEdit)]
    told += [box.itemText(at) for box in dialog.findChildren(QComboBox) for at in range(box.count())]
    told += [text for column in range(dialog.model.columnCount()) for text in column_of(dialog, column)]
    return "\n".join(told)


def test_the_page_shows_none_of_it(edit_shop: NewEditShop) -> None:
    shop = edit_shop(person("canary-old"))
    full_of_canaries(shop)
    dialog = shop.open_journal()
    assert dialog.model.rowCount() == 3
    text = everything_shown(dialog)
    assert "canary" not in text
    assert "email = (sensitive)" in text
    assert '"(sensitive)"' in text
    dialog.grid.selectAll()
    dialog._copy_rows()
    assert "(sensitive)" in QGuiApplication.clipboard().text()
    assert "canary" not in QGuiApplication.clipboard().text()
    dialog.search.setText("canary")
    assert dialog.model.rowCount() == 0  # nor can it be found out by searching


def test_exports_have_none_of_it_and_can_be_held_against_the_journal(edit_shop: NewEditShop, tmp_path: Path) -> None:
    shop = edit_shop(person("canary-old"))
    full_of_canaries(shop)
    dialog = shop.open_journal()
    for name in ("journal.csv", "journal.jsonl"):
        shop.asker.path = tmp_path / name
        dialog.export_button.click()
        shop.wait_for(lambda name=name: dialog.outcome.said.endswith(name))  # type: ignore[misc]
    assert b"canary" not in (tmp_path / "journal.csv").read_bytes()
    assert b"canary" not in (tmp_path / "journal.jsonl").read_bytes()
    exported = [json.loads(line) for line in (tmp_path / "journal.jsonl").read_bytes().splitlines()]
    contents = shop.journal.read()
    assert contents.broken is None
    assert [record["sequence"] for record in exported] == [record.sequence for record in contents.records]
    hidden = [record for record in exported if record["payload"].get("hidden")]
    assert [record["payload"]["what"] for record in hidden if record["kind"] == INTENT] == ["edit", "batch", "request"]
    whole = {record.sequence: json.loads(record.line) for record in contents.records}
    assert all(record["payload"] == whole[record["sequence"]]["payload"] for record in exported if record not in hidden)
    before = [record for record in exported if record["sequence"] < hidden[0]["sequence"]]
    assert before
    assert all(record == whole[record["sequence"]] for record in before)
    assert {record["hash"] for record in exported[len(before) :]} == {HIDDEN}  # of few values the right one has it
    assert {record["previous"] for record in exported[len(before) + 1 :]} == {HIDDEN}
    assert not any(record["payload"].get("left") not in {None, HIDDEN} for record in exported)


def test_undo_from_the_page_brings_back_what_is_hidden(edit_shop: NewEditShop) -> None:
    shop = edit_shop(person("canary-old"))
    journal = noting(shop)
    desk = shop.tools.new_desk
    desk = replace(desk, hands=replace(desk.hands, journal=journal))
    change = edit(person("canary-old"), person("canary-new"))
    assert desk.commit(desk.plan([change], Ticket()), Ticket()).is_done
    dialog = shop.open_journal()
    asked: list[tuple[str, ...]] = []
    dialog.undo_edits_asked.connect(asked.append)
    assert dialog.undo_button.isEnabled()
    dialog.undo_button.click()
    undoing = shop.open_undo(asked[0])
    undoing.approval.field.setText("Posts")
    undoing.go_button.click()
    shop.wait_for(lambda: undoing.state == "over")
    assert shop.bench.item() == person("canary-old")
    again = shop.open_journal()
    assert column_of(again, 1) == ["undo", "edit"]
    assert "canary" not in everything_shown(again)  # the undo itself was written where no rule was read
