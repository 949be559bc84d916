"""Requests as a person makes them: recipes, a rehearsal, runs, refusals, the way back, by clicks and keys alone.

The program itself, in processes of its own: the second one finds what the first one left.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QTabBar, QWidget

from dynodesk.domain.profiles import Profile
from dynodesk.ui.dialogs.journal import JournalDialog
from dynodesk.ui.dialogs.recipe import RecipeDialog
from dynodesk.ui.dialogs.recipe_fields import TypedBox, ValueBox
from dynodesk.ui.dialogs.rehearsal import RehearsalDialog
from dynodesk.ui.dialogs.run_request import RunRequestDialog
from dynodesk.ui.main_window import MainWindow
from dynodesk.ui.models.table_tree import Place, TableTree
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.pages.compose import ComposePage
from dynodesk.ui.pages.reconcile import ReconcilePage
from dynodesk.ui.theme import Text
from dynodesk.wiring import Connections
from tests.aws.tables import make_table, plain_client
from tests.helpers.driving import run_program
from tests.ui.pages.compose_desk import rows_of
from tests.ui.walking import Steps, Walker

POST = {"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}}
LIKE = {"PK": {"S": "POST#a91f"}, "SK": {"S": "LIKE#USER#nova"}}
COMMAND = """aws dynamodb transact-write-items --client-request-token like-of-nova --transact-items '[
  {"Put": {"TableName": "Social", "Item": {"PK": {"S": "POST#a91f"}, "SK": {"S": "LIKE#USER#nova"}},
           "ConditionExpression": "attribute_not_exists(#sk)", "ExpressionAttributeNames": {"#sk": "SK"}}},
  {"Update": {"TableName": "Social", "Key": {"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}},
              "UpdateExpression": "SET rev = rev + :one ADD likeTally :one",
              "ConditionExpression": "attribute_exists(PK)",
              "ExpressionAttributeValues": {":one": {"N": "1"}}}}]'"""
PASTED = [
    "1  Put  LIKE#USER#nova",
    "PK | S | POST#a91f",
    "SK | S | LIKE#USER#nova",
    "if attribute_not_exists(SK)",
    "2  Update  META",
    "PK | S | POST#a91f",
    "SK | S | META",
    "SET rev = rev + | N | 1",
    "ADD likeTally | N | 1",
    "if attribute_exists(PK)",
]

ITEMS: list[dict[str, Any]] = [
    {**POST, "likeTally": {"N": "41"}, "rev": {"N": "55"}, "title": {"S": "Harbour walk"}},
    {"PK": {"S": "POST#a91f"}, "SK": {"S": "LIKE#USER#0522"}, "likedAt": {"N": "1750636800"}},
]
WRITING, READING = "a", "b"
"""Names of connections."""
ELSEWHERE = "SocialOfTheJourney"
WITH_KEYS = {**os.environ, "AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any"}


class Journey(Walker):
    """Whatever a person would do is a click or a key; what is there is read beside the program, too."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.table = "Social"
        self.copied = ""
        """The request of the first paste, as JSON."""

    # -- hands

    def click(self, widget: QWidget) -> Steps:
        assert widget.isVisible()
        assert widget.isEnabled(), widget.accessibleName()
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton)
        yield from self.settle()

    def press(self, keys: str) -> Steps:
        self.keys.press(keys)
        yield from self.settle()

    def choose(self, of: QComboBox, words: str) -> None:
        """With the arrow keys, from the top."""
        of.setFocus()
        QTest.keyClick(of, Qt.Key.Key_Home)
        while of.currentText() != words:
            assert of.currentIndex() < of.count() - 1, f"there is no {words}"
            QTest.keyClick(of, Qt.Key.Key_Down)

    def type(self, field: QLineEdit, text: str) -> None:
        QTest.mouseClick(field, Qt.MouseButton.LeftButton)
        QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(field, text)

    def click_tab(self, of: QTabBar, at: int) -> Steps:
        QTest.mouseClick(of, Qt.MouseButton.LeftButton, pos=of.tabRect(at).center())
        yield from self.settle()

    # -- what is there

    @property
    def tabs(self) -> QTabBar:
        return self.window.tabs.findChildren(QTabBar)[0]

    @property
    def compose(self) -> ComposePage:
        return self.page(ComposePage)

    @property
    def rows(self) -> list[str]:
        """Of the actions, without what they take."""
        return [row.split(" [")[0] for row in rows_of(self.compose)]

    @property
    def failures(self) -> list[str]:
        """The notes of rows where something failed, or was not looked at."""
        return [row for row in rows_of(self.compose) if "[failed" in row or "[not evaluated" in row]

    @property
    def client(self) -> Any:
        workspace = self.window.opener.current_workspace
        assert workspace is not None
        return client_at(workspace.endpoint)

    def stored(self, key: Any) -> Any:
        return self.client.get_item(TableName=self.table, Key=key, ConsistentRead=True).get("Item")

    def number(self, key: Any, attribute: str) -> int:
        return int(self.stored(key)[attribute]["N"])

    def lists(self, tables: TableTree, place: Place) -> bool:
        return tables.find(place).isValid() and self.idle()

    # -- parts of the way

    def new_request(self) -> Steps:
        self.keys.press("Ctrl+N")
        yield self.shows(ComposePage)
        yield from self.settle()

    def recipe(self, title: str, **typed: str) -> Steps:
        """Fill one in by what it proposes and what only a person knows, and take it."""
        yield from self.press("Ctrl+E")
        yield self.asks(RecipeDialog)
        dialog = self.dialog(RecipeDialog)
        self.choose(dialog.recipes, title)
        for name, value in typed.items():
            box, text = dialog.form.boxes[name], value
            if isinstance(box, ValueBox):
                kind, text = value.split(" ")
                self.choose(box.kind, kind)
            lines = box.edits if isinstance(box, TypedBox) else box.findChildren(QLineEdit)
            for line, part in zip(lines, text.split("/"), strict=True):
                self.type(line, part)
        yield from self.click(dialog.go_button)
        yield self.shows(ComposePage)
        yield from self.settle()
        assert not [check for check in self.compose.checks.checks if check.word == "error"]

    def run(self) -> Steps:
        """By the key; where the name is asked for, it is typed."""
        yield from self.press("Ctrl+Return")
        yield self.asks(RunRequestDialog)
        yield from self.agree(self.dialog(RunRequestDialog))

    def agree(self, dialog: RunRequestDialog) -> Steps:
        if dialog.needs_name:
            QTest.keyClicks(dialog.approval.field, self.table)
        yield from self.click(dialog.go_button)
        yield lambda: not self.compose.runs.is_running and self.idle()
        yield from self.settle()

    # -- the way

    def in_the_sandbox(self) -> Steps:
        yield from self.settle()
        yield from self.click(self.window.welcome.first)
        yield self.shows(BrowsePage)
        yield from self.settle()
        for part in (self.like, self.like_again, self.unlike, self.follow, self.count, self.shards, self.paste):
            sys.stderr.write(f"{part.__name__}\n")
            yield from part()
        print(json.dumps([self.titles, self.compose.draft.token]))  # noqa: T201 (read by the test)

    def after_a_restart(self) -> Steps:
        """The tab that was seen last is there, as it was; then at an emulator, and where nothing may be written."""
        yield self.shows(ComposePage)
        yield from self.settle()
        assert self.rows == PASTED
        print(json.dumps([self.titles, self.compose.draft.token]))  # noqa: T201 (read by the test)
        self.table = ELSEWHERE
        for name, parts in ((WRITING, (self.like, self.like_again, self.unlike)), (READING, (self.only_read,))):
            yield from self.open_table(name * 16)
            for part in parts:
                sys.stderr.write(f"{name}: {part.__name__}\n")
                yield from part()

    @property
    def titles(self) -> list[str]:
        return [page.windowTitle() for page in self.window.tabs.pages]

    def open_table(self, connection: str) -> Steps:
        """By the list at the left: the connection, then the table."""
        tree = self.window.navigator.tree
        model = tree.model()
        assert isinstance(model, TableTree)
        for place in (Place("connection", connection), Place("table", connection, self.table)):
            yield partial(self.lists, model, place)
            tree.scrollTo(model.find(place))
            at = tree.visualRect(model.find(place)).center()
            QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=at)
            QTest.mouseDClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=at)
            yield from self.settle()
        yield self.shows(BrowsePage)

    def like(self) -> Steps:
        browse = self.tabs.currentIndex()
        yield from self.new_request()
        composing = self.tabs.currentIndex()
        yield from self.recipe("Like, with guards", me="nova")
        assert self.compose.windowTitle() == "Like, with guards"
        assert [row for row in self.rows if row.startswith(("SET", "ADD", "if", "1", "2"))] == [
            "1  Put  LIKE#USER#nova",
            "if attribute_not_exists(SK)",
            "2  Update  META",
            "SET rev = if_not_exists(rev, 0) + | N | 1",
            "ADD likeTally | N | 1",
            "if attribute_exists(PK)",
        ]
        yield from self.click(self.button("Rehearse on a copy"))
        yield self.asks(RehearsalDialog)
        rehearsal = self.dialog(RehearsalDialog)
        assert rehearsal.rehearsal is not None
        assert rehearsal.rehearsal.is_done
        assert ["likeTally", "changed", "41", "42"] in foretold(rehearsal)
        assert self.number(POST, "likeTally") == 41  # nothing was written so far
        yield from self.click(rehearsal.run_button)
        yield self.asks(RunRequestDialog)
        yield from self.agree(self.dialog(RunRequestDialog))
        assert self.compose.response.title == "Done: everything was written."
        self.keys.expect(self.compose.panel.tree)
        assert self.number(POST, "likeTally") == 42
        assert self.stored(LIKE) is not None
        yield from self.click_tab(self.tabs, browse)  # what belongs to a page is there after another was seen
        yield self.shows(BrowsePage)
        yield from self.press("Ctrl+J")
        yield self.asks(JournalDialog)
        journal = self.dialog(JournalDialog)
        written = [[journal.model.index(0, column).data() for column in (1, 2, 3, 4, 5)]]
        assert written == [["request", self.table, "2 actions", "Put, Update", "applied"]]
        yield from self.click(journal.close_button)
        yield from self.click_tab(self.tabs, composing)
        yield self.shows(ComposePage)

    def like_again(self) -> Steps:
        yield from self.run()  # with the token that it was sent with: the service says what became of it
        assert self.compose.response.title.startswith("Done")
        assert self.number(POST, "likeTally") == 42
        before = self.stored(POST), self.stored(LIKE)
        yield from self.click(self.compose.panel.clock.renew_button)
        yield from self.run()
        response = self.compose.response
        assert response.title == "Cancelled: nothing was written."
        assert response.said.startswith("Put LIKE#USER#nova")
        assert self.failures == [
            "if attribute_not_exists(SK) [failed: the item exists]",
            "if attribute_exists(PK) [not evaluated]",
        ]
        shown = [[str(response.grid.model().index(row, column).data()) for column in (0, 1)] for row in (0, 1)]
        assert shown == [["1  Put LIKE#USER#nova", "ConditionalCheckFailed"], ["2  Update META", "None"]]
        assert str(before[1]["likedAt"]["N"]) in str(response.grid.model().index(0, 2).data())
        assert (self.stored(POST), self.stored(LIKE)) == before

    def unlike(self) -> Steps:
        yield from self.click(self.button("Mirror"))
        yield self.shows(ComposePage)
        yield from self.settle()
        assert self.compose.windowTitle() == "Undo of Like, with guards"
        assert [row for row in self.rows if row[0] in "12"] == ["1  Delete  LIKE#USER#nova", "2  Update  META"]
        yield from self.run()
        assert self.compose.response.title == "Done: everything was written."
        assert self.number(POST, "likeTally") == 41
        assert self.stored(LIKE) is None

    def only_read(self) -> Steps:
        yield from self.new_request()
        yield from self.recipe("Like, with guards", me="nova")
        yield from self.press("Ctrl+Return")
        yield self.asks(RunRequestDialog)
        dialog = self.dialog(RunRequestDialog)
        assert not dialog.go_button.isEnabled()
        assert any("is read-only" in text.text() for text in dialog.outcome.findChildren(Text))
        yield from self.click(dialog.cancel_button)
        assert self.stored(LIKE) is None

    def follow(self) -> Steps:
        ends = [{"PK": {"S": f"USER#{who}"}, "SK": {"S": "META"}} for who in ("carol", "bob")]
        before = self.number(ends[0], "followingCount"), self.number(ends[1], "followerCount")
        yield from self.press("Ctrl+R")
        yield self.shows(ReconcilePage)
        yield from self.new_request()
        yield from self.recipe("Follow, once", me="carol", other="bob")  # what edges are says the rules file
        yield from self.run()
        assert self.compose.response.title == "Done: everything was written."
        after = self.number(ends[0], "followingCount"), self.number(ends[1], "followerCount")
        assert after == (before[0] + 1, before[1] + 1)

    def count(self) -> Steps:
        for title, wanted in (("Increment with ADD", 42), ("Increment with SET", 43)):
            yield from self.recipe(title, key="POST#a91f/META", attribute="likeTally", delta="1")
            yield from self.run()
            assert self.compose.response.title == "Done: it was written."
            assert self.number(POST, "likeTally") == wanted
        seen = self.number(POST, "rev")
        title = "Update if the version is as seen"
        yield from self.recipe(
            title, key="POST#a91f/META", attribute="pinned", new="S yes", version="rev", seen=f"N {seen}"
        )
        for outcome in ("Done: it was written.", "Refused: nothing was written."):
            yield from self.run()
            assert self.compose.response.title == outcome
            assert self.number(POST, "rev") == seen + 1
        why = f"rev = {seen} does not hold: rev is Number {seen + 1}"
        assert self.failures == [f"if rev = {seen} [failed: {why}]"]

    def shards(self) -> Steps:
        keys = [{"PK": {"S": f"VID#5c08#{shard}"}, "SK": {"S": "STATS"}} for shard in range(4)]
        self.table = "Stats"
        before = sum(self.number(key, "play_count") for key in keys)
        yield from self.new_request()
        field = self.compose.panel.table.lineEdit()
        assert field is not None
        self.type(field, self.table)
        QTest.keyClick(field, Qt.Key.Key_Return)
        yield from self.settle()
        shard = {"key": "VID#5c08#{shard}/STATS", "shards": "4", "attribute": "play_count"}
        yield from self.recipe("Sharded increment", **shard, delta="5")
        yield from self.run()
        assert self.compose.response.title == "Done: it was written."
        yield from self.recipe("Read a sharded counter", **shard)
        yield from self.press("Ctrl+Return")  # a read is not asked about
        yield lambda: self.compose.response.report is not None and self.idle()
        assert f"{before + 5:,}" in self.compose.response.said
        assert sum(self.number(key, "play_count") for key in keys) == before + 5

    def paste(self) -> Steps:
        self.table = "Social"
        for text in (COMMAND, None):
            yield from self.new_request()
            QGuiApplication.clipboard().setText(text or self.copied)
            yield from self.press("Ctrl+Shift+V")
            assert self.rows == PASTED
            yield from self.click(self.compose.preview.copy_button)
            self.copied = QGuiApplication.clipboard().text()
        yield from self.click_tab(self.compose.preview.forms, 2)
        yield lambda: self.compose.preview.is_settled
        yield from self.press("Ctrl+Shift+C")
        code = QGuiApplication.clipboard().text()
        assert "transact_write_items" in code
        before = self.number(POST, "likeTally")
        for _ in range(2):  # it has its token in it
            subprocess.run([sys.executable, "-c", code], env=WITH_KEYS, check=True, capture_output=True)
        assert self.number(POST, "likeTally") == before + 1

    def button(self, words: str) -> QAbstractButton:
        return next(
            one
            for one in self.compose.bar.findChildren(QAbstractButton)
            if one.isVisible() and one.text().startswith(words)
        )


@cache
def client_at(endpoint: str) -> Any:
    return plain_client(endpoint)


def foretold(dialog: RehearsalDialog) -> list[list[str]]:
    model = dialog.model
    heads = [model.index(row, 0) for row in range(model.rowCount())]
    return [
        [str(model.index(row, column, head).data()) for column in range(4)]
        for head in heads
        for row in range(model.rowCount(head))
    ]


def walk(part: str) -> int:
    def script(window: MainWindow) -> Steps:
        try:
            yield from getattr(Journey(window), part)()
        except Exception:
            traceback.print_exc()
            raise

    return run_program(script, open_sandbox=False)


def walked(part: str, home: Path) -> Any:
    """What the walk printed."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.ui.pages.test_requests_journey", part],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "DYNODESK_HOME": str(home)},
        capture_output=True,
        encoding="utf-8",
        timeout=180,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout, ran.stderr
    return json.loads(ran.stdout)


@pytest.fixture
def home(ministack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two connections to an emulator, of which one only reads, and a table with a post."""
    monkeypatch.setenv("DYNODESK_HOME", str(tmp_path))
    for name in (WRITING, READING):
        endpoint = Profile(name * 16, name, "endpoint", "dummy", endpoint_url=ministack, region="us-east-1")
        Connections().save(replace(endpoint, stage="dev", read_only=name == READING))
    client: Any = plain_client(ministack)
    make_table(client, ITEMS, name=ELSEWHERE)
    return tmp_path


@pytest.mark.gui
@pytest.mark.slow
@pytest.mark.server
def test_requests_from_the_recipe_to_the_way_back(home: Path) -> None:
    tabs, token = walked("in_the_sandbox", home)
    assert tabs.count("Undo of Like, with guards") == 1
    assert walked("after_a_restart", home) == [tabs, token]


if __name__ == "__main__":
    sys.exit(walk(sys.argv[1]))
