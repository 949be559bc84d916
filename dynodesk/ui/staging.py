"""The edits of one connection that are not written yet, shared by everything that shows them."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from dynodesk.domain.collections import Identity
from dynodesk.domain.edits import Change, Edit, StagedEdits, edit_from_json, edit_to_json
from dynodesk.domain.errors import InvalidFile, InvalidRequest
from dynodesk.domain.past_runs import account_of
from dynodesk.domain.profiles import Profile
from dynodesk.domain.progress import Ticket
from dynodesk.domain.values import Item
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.keeping import Keeper
from dynodesk.ui.shell import SavedSettings, Workspace


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
        self._before: tuple[Edit, ...] = ()
        """What was staged before the last revert, while nothing else has changed since."""

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
        before = self.edits
        for edit in edits:
            self._staged.unstage(edit.table, edit.key)
        self._changed(before)

    def revert_change(self, edit: Edit, change: Change) -> None:
        """Give one attribute of an edited item the value it was read with.

        Raises `InvalidRequest` where the whole is new or deleted, and where its key would be another edit's.
        """
        if edit.before is None or edit.after is None:
            raise InvalidRequest(f"the item {edit.title} is {edit.kind} as a whole")
        before = self.edits
        anew = Edit(edit.table, edit.key, edit.before, change.path.put_into(edit.after, change.before))
        self._replace(edit, anew)
        self._changed(before)

    @property
    def can_undo_revert(self) -> bool:
        return bool(self._before)

    def undo_revert(self) -> None:
        """Stage again what was reverted last."""
        if self._before:
            self._staged = StagedEdits(self._before)
            self._changed()

    def _replace(self, old: Edit, new: Edit | None) -> None:
        """In its place."""
        anew = (new if edit == old else edit for edit in self._staged)
        self._staged = StagedEdits(edit for edit in anew if edit is not None)

    def _changed(self, before_revert: tuple[Edit, ...] = ()) -> None:
        self._before = before_revert
        self.changed.emit()


class Stagings:
    """What is staged at each connection: on the disk as soon as it is staged, and back with the next run."""

    def __init__(self, open_store: Callable[[Profile, str], SavedSettings], runner: JobRunner) -> None:
        """`open_store` is given a connection and the place where it leads."""
        self._open_store, self._runner = open_store, runner
        self._of: dict[tuple[str, str], Staging] = {}

    def of(self, workspace: Workspace) -> Staging:
        profile, place = workspace.profile, _place(workspace)
        if (profile.id, place) not in self._of:
            self._of[profile.id, place] = staging = Staging(self._runner)
            _Kept(staging, self._open_store(profile, place), self._runner)
        return self._of[profile.id, place]


def _place(workspace: Workspace) -> str:
    """Differs where other tables are reached: what was staged for one must not be written to the other.

    Every sandbox is the same: its address is new each time, its tables are not.
    """
    if workspace.profile.kind == "sandbox":
        return ""
    return f"{workspace.endpoint} {workspace.region} {account_of(workspace.identity)}".rstrip()


class _Kept(QObject):
    """Holds the edits of a connection on the disk: each under a name of its own, as several programs may stage."""

    def __init__(self, staging: Staging, store: SavedSettings, runner: JobRunner) -> None:
        super().__init__(staging)
        self._staging, self._runner = staging, runner
        self._store = store
        self._run = uuid.uuid4().hex[:8]
        self._names: dict[tuple[str, Identity], str] = {}
        """By table and item. Edits of one item that two programs stage have two names: neither takes the other away."""
        self._written: dict[str, tuple[Edit, dict[str, object]]] = {}
        self._unread: dict[str, object] = {}
        self._keeper = Keeper(self._values, store, runner, self, encode=self._encoded)
        staging.changed.connect(self._keeper.look)
        runner.start(partial(_load, store), title="Read staged edits", done=self._take_back, quiet=True)

    def _values(self) -> dict[str, object]:
        """The edits as they are: thousands are no values of JSON at once."""
        staged: dict[str, object] = {}
        for edit in self._staging.edits:
            name = self._names.setdefault(
                (edit.table, edit.identity), json.dumps([edit.table, *edit.identity, self._run])
            )
            staged[name] = edit
        return {**self._unread, **staged}

    def _encoded(self, values: dict[str, object]) -> dict[str, object]:
        """In the background. What was written before is not made anew."""
        before, self._written = self._written, {}
        encoded: dict[str, object] = {}
        for name, value in values.items():
            if isinstance(value, Edit):
                known = before.get(name)
                self._written[name] = known if known is not None and known[0] is value else (value, edit_to_json(value))
                encoded[name] = self._written[name][1]
            else:
                encoded[name] = value
        return encoded

    @Slot(object)
    def _take_back(self, found: dict[str, object]) -> None:
        edits: dict[str, Edit] = {}
        waiting: dict[str, str] = {}
        """Why: each of two programs may have staged an edit that the other one's leaves no room for."""
        for name, value in found.items():
            try:
                edit = edit_from_json(value)
            except InvalidFile:
                self._unread[name] = value
                continue
            place = (edit.table, edit.identity)
            if place in self._names:
                waiting[name] = f"{edit.title}: another edit of it is staged"
            elif self._staging.find(*place) is None:  # else: staged since, and newer
                edits[name], self._names[place] = edit, name
        if self._unread:
            self._tell(f"{len(self._unread):,} staged edits of an earlier run could not be read: they stay in the file")
        for left in self._staging.stage_all(edits.values()):
            place = (left.edit.table, left.edit.identity)
            waiting[self._names.pop(place)] = f"{left.edit.title}: {left.reason}"
        self._unread |= {name: found[name] for name in waiting}
        if waiting:
            self._tell(
                f"{len(waiting):,} staged edits of an earlier run wait in the file until the program starts again: "
                f"{next(iter(waiting.values()))}"
            )
        self._keeper.begin({name: edits.get(name, value) for name, value in found.items()})
        self._keeper.look()
        if self._store.notice:
            self._tell(self._store.notice)

    def _tell(self, words: str) -> None:
        self._runner.error_raised.emit(InvalidFile(words))


def _load(store: SavedSettings, _ticket: Ticket) -> dict[str, object]:
    return store.load()
