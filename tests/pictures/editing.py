"""Edits: in the inspector, staged, before they are sent, and where somebody else was faster."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from dynodesk.domain.edits import Edit
from dynodesk.domain.values import Item, Map, Number, String
from dynodesk.ui.dialogs.commit import CommitDialog
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.pages.browse_changes import Changes
from dynodesk.ui.shell import SANDBOX
from tests.aws.tables import plain_client
from tests.pictures.browsing import to_browse
from tests.pictures.taking import Camera, Steps

META = {"PK": String("POST#a91f"), "SK": String("META")}


def staged(camera: Camera) -> Steps:
    yield from to_browse(camera)
    page = camera.page(BrowsePage)
    page.open_collection({"PK": META["PK"]}, META)
    yield camera.idle
    yield from camera.still()
    page.inspector.edit_action.trigger()
    yield lambda: page.inspector.is_editing
    for name, typed in (("title", "Harbour walk, take three"), ("rev", "60.0")):
        page.inspector.tree.go_to(name)
        page.inspector.tree.edit_value()
        field = QApplication.focusWidget()
        assert field is not None
        QTest.keyClicks(field, typed)  # over what was there
        if name == "title":
            QTest.keyClick(field, Qt.Key.Key_Return)
            yield lambda: not page.inspector.is_judging
    yield from camera.still()
    camera.take("editing")
    page.inspector.stage_action.trigger()
    edits = _edits(page)
    for edit in edits:
        page.inspector.edited.emit(edit)
    page.left.select(edits[0].identity)
    yield camera.idle
    page.left.grid.setFocus()
    page.left.grid.scrollToTop()
    yield from camera.still()
    camera.take("staged")


def committed(camera: Camera) -> Steps:
    """Not sent: the next picture needs what is staged."""
    changes = _changes(camera)
    changes.commit_action.trigger()
    yield camera.asks
    dialog = camera.dialog(CommitDialog)
    dialog.approval.field.setText("Social")
    yield from camera.still()
    camera.take("commit", dialog)
    dialog.reject()


def lost_race(camera: Camera) -> Steps:
    workspace = camera.window.sessions.workspace(SANDBOX)
    assert workspace is not None
    other: Any = plain_client(workspace.endpoint)
    other.update_item(
        TableName="Social",
        Key={"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}},
        UpdateExpression="SET title = :title, pinned = :pinned",
        ExpressionAttributeValues={":title": {"S": "Harbour walk, third take"}, ":pinned": {"BOOL": True}},
    )
    changes = _changes(camera)
    changes.commit_action.trigger()
    yield camera.asks
    dialog = camera.dialog(CommitDialog)
    dialog.approval.field.setText("Social")
    dialog.go_button.click()
    yield lambda: dialog.state == "over" and camera.idle()
    yield from camera.still()
    camera.take("race", dialog)
    dialog.reject()
    changes.revert_all_action.trigger()
    yield camera.idle


def _changes(camera: Camera) -> Changes:
    changes = camera.page(BrowsePage).findChild(Changes)
    assert changes is not None
    return changes


def _edits(page: BrowsePage) -> list[Edit]:
    """Of some of the likes of a post: changed, deleted, moved and new."""
    likes = [entry.item for entry in page.left.model.rows.entries if entry.item["SK"] != META["SK"]]
    changes: list[tuple[Item | None, Item | None]] = [
        (likes[0], {**likes[0], "client": Map({"app": String("web 8.2.0")}), "weight": Number("1.50")}),
        (likes[1], None),
        (likes[2], {**likes[2], "SK": String("LIKE#USER#moved")}),
        (None, {**META, "SK": String("LIKE#USER#noor"), "likedAt": Number("1750636800")}),
    ]
    key = page.table.key_schema
    return [Edit(page.table.name, key.key_of(before or after or {}), before, after) for before, after in changes]
