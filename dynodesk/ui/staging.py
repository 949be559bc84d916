"""The edits of one connection that are not written yet, shared by everything that shows them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from dynodesk.domain.collections import Identity
from dynodesk.domain.edits import Change, Edit, StagedEdits
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.values import Item
from dynodesk.ui.shell import Workspace


@dataclass(frozen=True, slots=True)
class Written:
    """An item as a write left it."""

    table: str
    identity: Identity
    """Of the key in the table."""
    item: Item | None
    """None: there is none with this key any more."""


@dataclass(frozen=True, slots=True)
class NotStaged:
    edit: Edit
    reason: str


class Staging(QObject):
    """Staged edits, and the way back from the last revert. Nothing here reads or writes a table."""

    changed = Signal()
    written = Signal(object)
    """What items are now, as a tuple of `Written`: pages that show them follow."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._staged = StagedEdits()
        self._reverted: tuple[Edit, ...] = ()

    @property
    def edits(self) -> tuple[Edit, ...]:
        """In the order in which they began."""
        return tuple(self._staged)

    def __len__(self) -> int:
        return len(self._staged)

    def of(self, table: str) -> tuple[Edit, ...]:
        return self._staged.of(table)

    def find(self, table: str, identity: Identity) -> Edit | None:
        return self._staged.find(table, identity)

    # -- staging

    def stage(self, edit: Edit) -> Edit | None:
        """As `StagedEdits.stage`, and raises what it raises."""
        staged = self._staged.stage(edit)
        self._changed()
        return staged

    def stage_all(self, edits: Iterable[Edit]) -> tuple[NotStaged, ...]:
        """Stage many; those that could not be, and why."""
        left = []
        for edit in edits:
            try:
                self._staged.stage(edit)
            except InvalidRequest as refused:
                left.append(NotStaged(edit, refused.message))
        self._changed()
        return tuple(left)

    def rebase(self, edit: Edit, anew: Edit | None) -> None:
        """Put an edit of the same item as it was found in the place of one that lost its race; None: give it up.

        Raises `InvalidRequest` as `stage` does: then the old one is staged still.
        """
        self._replace(edit, anew)
        self._changed()

    def settle(self, edits: Iterable[Edit], items: Iterable[Written] = ()) -> None:
        """Forget edits that were written. What was changed since in one of them stays, and will find that out."""
        for edit in edits:
            if self._staged.find(edit.table, edit.identity) == edit:
                self._staged.unstage(edit.table, edit.key)
        self._changed()
        found = tuple(items)
        if found:
            self.written.emit(found)

    # -- reverting

    def revert(self, edits: Iterable[Edit]) -> None:
        """Forget edits; `undo_revert` brings them back."""
        self._reverted = tuple(
            gone for edit in edits if (gone := self._staged.unstage(edit.table, edit.key)) is not None
        )
        self.changed.emit()

    def revert_change(self, edit: Edit, change: Change) -> None:
        """Give one attribute of an edited item the value it was read with.

        Raises `InvalidRequest` where the whole is new or deleted, and where its key would be another edit's.
        """
        if edit.before is None or edit.after is None:
            raise InvalidRequest(f"the item {edit.title} is {edit.kind} as a whole")
        anew = Edit(edit.table, edit.key, edit.before, change.path.put_into(edit.after, change.before))
        self._replace(edit, anew)
        self._reverted = (edit,)
        self.changed.emit()

    @property
    def can_undo_revert(self) -> bool:
        return bool(self._reverted)

    def undo_revert(self) -> None:
        """Stage again what was reverted last. Raises `InvalidRequest` where a later edit needs the same key."""
        for edit in self._reverted:
            self._replace(self._staged.find(edit.table, edit.identity), edit)
        self._changed()

    # -- kept over a restart

    def to_json(self) -> dict[str, Any]:
        return self._staged.to_json()

    def restore(self, found: Any) -> None:
        """Take back what `to_json` gave. Raises `InvalidFile` for anything else."""
        self._staged = StagedEdits.from_json(found)
        self._changed()

    def _replace(self, old: Edit | None, new: Edit | None) -> None:
        if old is not None:
            self._staged.unstage(old.table, old.key)
        if new is None:
            return
        try:
            self._staged.stage(new)
        except InvalidRequest:
            if old is not None:
                self._staged.stage(old)
            raise

    def _changed(self) -> None:
        self._reverted = ()
        self.changed.emit()


class Stagings:
    """What is staged at each connection. It outlives the connection's being closed and opened again."""

    def __init__(self, parent: QObject) -> None:
        self._parent = parent
        self._of: dict[str, Staging] = {}
        self._sandbox: Workspace | None = None

    def of(self, workspace: Workspace) -> Staging:
        """Every sandbox begins with new tables, and so with nothing staged."""
        profile = workspace.profile
        if profile.kind == "sandbox" and workspace is not self._sandbox:
            self._sandbox = workspace
            self._of.pop(profile.id, None)
        if profile.id not in self._of:
            self._of[profile.id] = Staging(self._parent)
        return self._of[profile.id]
