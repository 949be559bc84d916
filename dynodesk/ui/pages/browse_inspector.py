"""The item that is selected, whole: as a tree, as JSON, with its size and what it costs. Edited here, and staged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QPushButton, QWidget

from dynodesk.domain.collections import Entry, Identity, View, identity
from dynodesk.domain.edits import Edit, check_edit
from dynodesk.domain.entities import EntityTypes
from dynodesk.domain.errors import InvalidFile, InvalidValue
from dynodesk.domain.values import MAX_ITEM_BYTES, Item
from dynodesk.ui.actions import make
from dynodesk.ui.asking import Asker, Question
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.browse_inspector_face import (
    DELETE,
    DISCARD,
    DUPLICATE,
    EDIT,
    NEW,
    STAGE,
    InspectorFace,
    ItemActions,
)
from dynodesk.ui.pages.browse_inspector_facts import largest
from dynodesk.ui.pages.browse_whole_item import Complete, WholeItem
from dynodesk.ui.pages.item_drafts import ItemDrafts
from dynodesk.ui.pages.item_editor import DYNAMODB_JSON, JSON, TREE, written
from dynodesk.ui.pages.item_work import MOVED, Work, in_words
from dynodesk.ui.theme import px
from dynodesk.ui.widgets.layouts import Area, column

__all__ = ["DYNAMODB_JSON", "JSON", "TREE", "Inspector"]

JUDGE_AFTER = 60
"""Milliseconds after a change before the whole item is looked at."""


class Inspector(Area):
    """Shows one item, and edits it after the whole of it was read. Nothing is written: `edited` carries an `Edit`."""

    edited = Signal(object)
    close_asked = Signal()
    needed = Signal()
    """An item is opened here to be changed."""
    draft_asked = Signal(object)
    """The draft of the item with this identity is to be gone on with; None: of a new item."""
    changed_state = Signal()
    """`is_changed` may be another."""

    def __init__(
        self,
        base: View,
        follow: QPushButton,
        runner: JobRunner,
        complete: Complete,
        template: Callable[[], Item],
        asker: Asker | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """`base`: the table itself. `template`: what a new item begins with."""
        super().__init__("window", "l", parent)
        self._template, self._asker = template, asker
        self._whole_item = WholeItem(complete, self)
        self.types = EntityTypes()
        """What tells the type of an item by its key."""
        self._table, self._view = base.table, base
        self._entry: Entry | None = None
        self._seen = ""
        self._whole = False
        self._staged: Edit | None = None
        self.last: Identity | None = None
        """The item that is shown, or was last: by the key that it is to have."""
        self._work: Work | None = None
        self._drafts = ItemDrafts()
        self._edit: Edit | None = None
        self._finishing: Work | None = None
        self._is_refused = False
        self._why_read_only = ""

        here = Qt.ShortcutContext.WidgetWithChildrenShortcut
        self.edit_action = make(EDIT, self, self.begin_edit, here)
        self.new_action = make(NEW, self, self.begin_new)
        self.duplicate_action = make(DUPLICATE, self, self.begin_duplicate, here)
        self.delete_action = make(DELETE, self, self.delete, Qt.ShortcutContext.WidgetShortcut)
        self.stage_action = make(STAGE, self, self.stage)
        self.discard_action = make(DISCARD, self, self.discard)

        self.face = InspectorFace(
            ItemActions(
                self.edit_action,
                self.new_action,
                self.duplicate_action,
                self.delete_action,
                self.stage_action,
                self.discard_action,
            ),
            follow,
            runner,
            asker,
        )
        self.editor, self.facts, self.remark = self.face.editor, self.face.facts, self.face.remark
        self.tree, self.text = self.editor.tree, self.editor.text
        self.copy, self.edit_button, self.stage_button = self.face.copy, self.face.edit_button, self.face.stage_button
        self.setLayout(column(self.face, gap=0, margins=(0.25, 0, 0, 0)))
        self.setMinimumWidth(px(240))
        self.face.close_asked.connect(self.close_asked)
        self.face.draft_asked.connect(self.draft_asked)
        self.changed_state.connect(self._show_drafts)
        self.copy.clicked.connect(self._copy_shown)
        self._judging = QTimer(self)
        self._judging.setSingleShot(True)
        self._judging.setInterval(JUDGE_AFTER)
        self._judging.timeout.connect(self._judge)
        self.editor.changed.connect(self._changed)
        self.editor.edit_asked.connect(self.begin_edit)
        self.editor.failed.connect(self.face.say_error)
        self._whole_item.failed.connect(self._incomplete)
        self._whole_item.gone.connect(self._gone)
        self._show()

    def sizeHint(self) -> QSize:
        return QSize(px(300), px(400))

    # -- what is shown

    def show_entry(
        self, entry: Entry | None, view: View, seen: str = "", *, whole: bool = True, staged: Edit | None = None
    ) -> None:
        """Show an item as read through `view`; `seen` says when and how.

        `whole`: it has all of its attributes. `staged`: what is to become of it. What was being changed is kept, and
        gone on with when its item is shown again.
        """
        same = entry is not None and self._entry is not None and entry.identity == self._entry.identity
        if same and self._work is not None and self._work.before is not None:
            self._entry, self._view, self._seen = entry, view, seen
            return  # the same item, read again, is no reason to leave it
        self._put_aside()
        self._entry, self._view, self._seen, self._staged = entry, view, seen, staged
        self._whole = whole and view.index is None
        if entry is not None and entry.identity in self._drafts:
            self._take_up(entry.identity)
        else:
            self._show()

    def show_nothing(self, why: str = "") -> None:
        """`why`: what became of the item that was shown."""
        self.show_entry(None, self._view)
        self.face.show_page(with_item=False, instead=why)

    @property
    def staged(self) -> Edit | None:
        """The staged edit that is shown, if one is."""
        return self._staged

    def fact(self, name: str) -> str:
        """What stands beside `Size`, `Read`, `Next write` or `Seen`."""
        return self.facts.fact(name)

    def show_as(self, form: int) -> None:
        """`TREE`, `JSON` or `DYNAMODB_JSON`."""
        self.editor.show_as(form)

    def set_read_only(self, why: str) -> None:
        """Nothing is edited here, and why."""
        self._why_read_only = why
        for action in (self.edit_action, self.new_action, self.duplicate_action, self.delete_action):
            action.setToolTip(why)
        self.edit_button.setToolTip(why)
        self._show_state()

    @property
    def is_editing(self) -> bool:
        return self._work is not None

    @property
    def is_judging(self) -> bool:
        """Whether the whole item is still to be looked at."""
        return self._judging.isActive()

    @property
    def drafts(self) -> tuple[Identity | None, ...]:
        """The items with changes that are not staged, here or looked at before; None stands for a new one."""
        here = (self._place,) if self._has_changes() else ()
        return tuple(dict.fromkeys((*self._drafts.places, *here)))

    @property
    def is_changed(self) -> bool:
        """Whether something was changed that is not staged, here or in an item looked at before."""
        return len(self._drafts) > 0 or self._has_changes()

    def _has_changes(self) -> bool:
        work = self._work
        if work is None:
            return False
        shown = self._staged.after if self._staged is not None else work.before
        editor = self.editor
        return editor.is_checking or bool(editor.problem) or shown is None or editor.item != shown

    def _show(self) -> None:
        """What was read, or what is staged: not being edited."""
        self._work, self._edit = None, None
        entry, staged = self._entry, self._staged
        shown = entry is not None or staged is not None
        self.face.show_page(with_item=shown)
        self._show_state()
        if staged is not None:
            self.last = staged.target or staged.identity
        elif entry is not None:
            self.last = entry.identity
        if staged is not None:
            after = staged.after or {}
            self.editor.show_item(after, staged.before, self._keys, editable=False)
            self._head(after or staged.before or {})
            self.facts.show_edit(staged, after, self._table, f"{staged.kind}: staged, not written")
            self.face.say("notice" if staged.kind in {"moved", "deleted"} else "hint", in_words(staged))
        elif entry is not None:
            self.editor.show_item(entry.item, entry.item, self._keys, editable=False)
            self._head(entry.item)
            self.facts.show_entry(entry, self._view, self._seen)
            self.face.say("hint", "")

    @property
    def _keys(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self._table.key_schema.names, *self._view.schema.names)))

    def _head(self, item: Item, *, is_new: bool = False) -> None:
        self.face.title.show_item(item, self._table.key_schema, self.types, is_new=is_new)

    @Slot()
    def _show_drafts(self) -> None:
        self.face.show_drafts(self.drafts)

    def _show_state(self) -> None:
        editing, busy = self._work is not None, self._whole_item.is_reading
        some = self._entry is not None or (self._staged is not None)
        self.edit_action.setEnabled(some and not editing and not busy)
        self.duplicate_action.setEnabled(some and not editing and not busy)
        gone = self._staged is not None and self._staged.after is None
        self.delete_action.setEnabled(some and not editing and not busy and not gone)
        self.new_action.setEnabled(not (editing and self._work == Work(None)))
        if self._why_read_only:
            for action in (self.edit_action, self.new_action, self.duplicate_action, self.delete_action):
                action.setEnabled(False)
        self.discard_action.setEnabled(editing or busy)
        self.face.show_buttons(editing=editing, busy=busy)
        if not editing:
            self.stage_action.setEnabled(False)
        self.changed_state.emit()

    # -- beginning

    @Slot()
    def begin_edit(self) -> None:
        """Change the item that is shown, once the whole of it is there."""
        if self.edit_action.isEnabled():
            self._with_whole(self._edit_whole)

    def _edit_whole(self, before: Item) -> None:
        staged = self._staged
        self._work = Work(before) if staged is None else Work(staged.before, began=staged.after)
        self._open(before if staged is None or staged.after is None else staged.after)

    @Slot()
    def begin_new(self) -> None:
        """A new item, with the keys of the collection; or the one that was begun before."""
        self._put_aside()
        self._entry, self._staged = None, None
        if None in self._drafts:
            self._take_up(None)
            return
        self._work = Work(None)
        self._open(self._template())

    @Slot()
    def begin_duplicate(self) -> None:
        if self.duplicate_action.isEnabled():
            self._with_whole(self._duplicate_whole)

    def _duplicate_whole(self, item: Item) -> None:
        source = item if self._staged is None or self._staged.after is None else self._staged.after
        self._drafts.forget(None)
        self._entry, self._staged = None, None
        self._work = Work(None, identity(source, self._table.key_schema.names))
        self._open(source)

    @Slot()
    def delete(self) -> None:
        """Stage the deletion of the item."""
        if self.delete_action.isEnabled():
            self._with_whole(self._delete_whole)

    def _delete_whole(self, item: Item) -> None:
        before = item if self._staged is None else self._staged.before or self._staged.after or item
        self._finish(Edit(self._table.name, self._table.key_schema.key_of(before), before, None))

    def _with_whole(self, then: Callable[[Item], object]) -> None:
        """Go on with all of the item: a row of an index or of a projection has only some of it."""
        staged, entry = self._staged, self._entry
        whole = entry.item if staged is None and entry is not None else None
        if staged is not None:
            whole = staged.before or staged.after
        if whole is not None and (self._whole or staged is not None):
            then(whole)
        elif entry is not None:
            self._whole_item.read(entry, then)
            self.face.say("hint", "Reading the whole item from the base table…")
            self._show_state()

    @Slot(object)
    def _incomplete(self, error: BaseException) -> None:
        self._show_state()
        self.face.say_error(error)

    @Slot()
    def _gone(self) -> None:
        self._show_state()
        self.face.say("problem", "The item is not in the base table any more: this copy of it is older. Run again.")

    def _open(self, item: Item) -> None:
        """Begin to change `item`, for the work that was set."""
        work = self._work
        if work is None:
            return
        fixed = self._table.key_schema.names
        self.face.show_page(with_item=True)
        self.needed.emit()
        self.editor.show_item(item, work.before, self._keys, fixed, editable=True)
        self._show_state()
        self.stage_action.setEnabled(False)
        self._judging.start()
        self.editor.begin()

    # -- being edited

    @Slot()
    def _changed(self) -> None:
        if self._work is not None:
            self._judging.start()

    @Slot()
    def _judge(self) -> None:
        """Look at the whole item: whether it could be written, how large it is, what writing it costs."""
        work, table = self._work, self._table
        if work is None:
            return
        item, problem, self._edit = self.editor.item, self.editor.problem, None
        if not problem:
            try:
                self._edit = work.edit(item, table)
                check_edit(self._edit, table)
            except InvalidValue as wrong:
                problem = _sentence(f"{wrong.message}. {wrong.hint}".strip(), item)
        self._head(item, is_new=work.before is None)
        seen = "being changed, not written" if work.before is not None else "new, not written"
        if self.facts.show_edit(self._edit, item, table, seen) > MAX_ITEM_BYTES:
            problem = f"The item is too large. The largest attributes: {largest(item)}."
        if problem:
            self.face.say("hint" if self.editor.is_naming else "problem", problem)
        elif self._edit is not None and self._edit.kind == "moved":
            self.face.say("notice", MOVED)
        elif self._edit is not None:
            self.face.say("hint", in_words(self._edit))
        self.stage_action.setEnabled(self._edit is not None and not problem and self._has_changes())
        self.changed_state.emit()

    @Slot()
    def stage(self) -> None:
        """Hand over the change. What cannot be written stays in the editor, with what is wrong."""
        if self._work is None:
            return
        self.editor.settle()
        if self._judging.isActive():
            self._judging.stop()
            self._judge()
        if self.stage_action.isEnabled() and self._edit is not None:
            self._finish(self._edit)

    def refuse(self) -> None:
        """For whoever is told of an edit, right then: it cannot be staged. It is changed here on."""
        self._is_refused = True

    def overlooks(self, staged: Edit | None) -> bool:
        """For whoever is told of an edit, right then: whether `staged`, of the same item, is not in it."""
        return self._finishing is not None and not self._finishing.is_on_top_of(staged)

    def _finish(self, edit: Edit) -> None:
        before = self._entry, self._view, self._staged
        work, place = self._work, self._place
        written_down = {} if work is None else self.editor.draft()
        nothing = edit.before is not None and edit.before == edit.after
        self._work, self._staged, self._is_refused = None, None if nothing else edit, False
        self._show()
        if work is not None and work.before is None and work.began is not None:
            # An item that is staged as new: it may have another key by now, and is the same one.
            edit = Edit(edit.table, self._table.key_schema.key_of(work.began), work.began, edit.after)
        self._finishing = work
        self.edited.emit(edit)
        self._finishing = None
        if not self._is_refused:
            self.tree.setFocus()
            return
        self._entry, self._view, self._staged = before
        if work is None:
            self._show()
        else:
            self._drafts.keep(place, work, written_down)
            self._take_up(place)

    @Slot()
    def discard(self) -> None:
        """Leave the editor; asked first where something was changed."""
        if self._whole_item.is_reading:
            self._whole_item.forget()
            self._show()
        elif self._has_changes() and self._asker is not None:
            question = Question(
                "Discard", "Forget what was changed in this item and is not staged?", "Discard", danger=True
            )
            self._asker.confirm(question, self._discard)
        else:
            self._discard()

    def _discard(self) -> None:
        self._drafts.forget(self._place)
        self._show()
        self.tree.setFocus()

    # -- drafts

    @property
    def _place(self) -> Identity | None:
        """Where the draft of the current work belongs: None for a new item."""
        return None if self._work is None else self._work.place(self._table.key_schema)

    def _put_aside(self) -> None:
        """Keep what is being changed, until its item is shown again."""
        self._whole_item.forget()
        if self._work is None:
            return
        self.editor.settle()
        if self._has_changes():
            self._drafts.keep(self._place, self._work, self.editor.draft())
        self._work = None
        self._judging.stop()

    def _take_up(self, place: Identity | None) -> None:
        """Go on with a draft."""
        self._work, written_down = self._drafts.take(place)
        self.face.show_page(with_item=True)
        try:
            self.editor.restore(written_down, self._work.before, self._keys, self._table.key_schema.names)
        except InvalidFile as problem:
            self._show()
            self.face.say_error(problem)
            return
        self._show_state()
        self._judging.start()

    def open_draft(self, place: Identity | None, staged: Edit | None = None) -> None:
        """Go on with the draft of an item that is not among the rows; `staged`: what is to become of it."""
        if self._work is not None and self._place == place:
            return
        self._put_aside()
        if place in self._drafts:
            self._entry, self._staged = None, staged
            self._take_up(place)

    def draft(self) -> dict[str, Any]:
        """Everything that was changed and is not staged, as JSON can hold it."""
        place, is_open = self._place, self._work is not None and self._has_changes()
        if self._work is not None and is_open:
            self._drafts.keep(place, self._work, self.editor.draft())
        found = self._drafts.to_json()
        if is_open:
            self._drafts.forget(place)
        return found

    def restore(self, found: Mapping[str, Any]) -> None:
        """Take back what `draft` gave: gone on with when its item is shown, or a new one is asked for.

        Raises `InvalidFile` for anything else.
        """
        self._drafts.add_from_json(found)
        if self._entry is not None and self._work is None and self._entry.identity in self._drafts:
            self._take_up(self._entry.identity)
        self.changed_state.emit()

    # -- keys and the clipboard

    def event(self, event: QEvent) -> bool:
        """While an item is edited, Ctrl+Enter stages it; elsewhere on the page it runs the Query."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._stages(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._stages(event):
            self.stage()
        else:
            super().keyPressEvent(event)

    def _stages(self, event: QKeyEvent) -> bool:
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        return self._work is not None and enter and held == Qt.KeyboardModifier.ControlModifier

    @Slot()
    def _copy_shown(self) -> None:
        form = self.editor.form
        QGuiApplication.clipboard().setText(written(self.editor.item, DYNAMODB_JSON if form == DYNAMODB_JSON else JSON))


def _sentence(words: str, item: Item) -> str:
    """With a capital, but where it begins with the name of an attribute, which stays as it is."""
    return words if any(name and words.startswith(name) for name in item) else words[:1].upper() + words[1:]
