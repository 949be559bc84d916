"""Staged edits on a Browse page: shown, reverted, committed, taken back; made for many rows at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from PySide6.QtCore import QObject, Qt, Slot

from dynodesk.domain.collections import Entry, Identity
from dynodesk.domain.edits import Edit
from dynodesk.domain.errors import DynodeskError, InvalidRequest
from dynodesk.domain.tables import Key
from dynodesk.domain.values import Item
from dynodesk.ui.actions import Action, make
from dynodesk.ui.dialogs.bulk import BulkDialog, Rows
from dynodesk.ui.dialogs.commit_work import EditTools
from dynodesk.ui.dialogs.journal_door import JournalDoor
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.messages import MessageBar
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.pages.browse_changes_panel import ChangesPanel
from dynodesk.ui.pages.browse_parts import switch_for
from dynodesk.ui.pages.browse_written import show_written
from dynodesk.ui.staging import Staging, Written

CHANGES = Action("changes", "Changes", "Show or hide the staged edits of the connection.", "Ctrl+Shift+M", "diff")
COMMIT = Action(
    "commit", "Review and commit…", "See the exact requests of the staged edits, and send them.", "Ctrl+S", "save"
)
REVERT = Action("revert", "Revert", "Forget the chosen edits, or the chosen attributes of them.", "Del", "discard")
REVERT_ALL = Action("revert-all", "Revert all", "Forget every staged edit of the connection.", "", "clear-all")
UNDO_REVERT = Action("undo-revert", "Undo the revert", "Stage again what was reverted last.", "Ctrl+Z", "history")
DELETE_ROWS = Action(
    "delete-rows", "Delete rows…", "Stage the deletion of selected or of all shown rows.", "Shift+Del", "trash"
)
CHANGE_ROWS = Action(
    "change-rows",
    "Change rows…",
    "Set or remove an attribute of selected or of all shown rows.",
    "Ctrl+Shift+U",
    "edit",
)

GoTo = Callable[[str, Key, Key], object]
"""A table, a partition key in it, and the key of the item to select."""


class Changes(QObject):
    """One for each page. The staging is the connection's."""

    def __init__(
        self,
        page: BrowsePage,
        staging: Staging,
        tools: EditTools,
        runner: JobRunner,
        messages: MessageBar,
        go_to: GoTo,
        journal: JournalDoor,
    ) -> None:
        super().__init__(page)
        self._staging, self._tools = staging, tools
        self._runner, self._messages = runner, messages
        self._go_to, self._journal = go_to, journal
        self._is_planning = False
        self._is_telling = False
        """The inspector has just said what is to be staged: it shows that by itself."""
        here = Qt.ShortcutContext.WidgetShortcut
        self.switch = make(CHANGES, page, self._show_or_hide)
        self.switch.setCheckable(True)
        self.commit_action = make(COMMIT, page, self.commit)
        self.revert_action = make(REVERT, page, self.revert, here)
        self.revert_all_action = make(REVERT_ALL, page, self.revert_all)
        self.undo_revert_action = make(UNDO_REVERT, page, self.undo_revert, here)
        self.delete_action = make(DELETE_ROWS, page, self.delete_rows)
        self.change_action = make(CHANGE_ROWS, page, self.change_rows)
        self.panel = ChangesPanel(
            page.table, self.commit_action, self.revert_action, self.revert_all_action, self.undo_revert_action
        )
        self.panel.hide()
        page.add_below(self.panel)
        page.add_switch(switch_for(self.switch))
        for pane in (page.left, page.right):
            pane.grid.addActions([self.change_action, self.delete_action])
        page.staged_edit = self._staged_edit
        page.inspector.edited.connect(self.stage)
        page.inspector.changed_state.connect(self._show_state)
        self.panel.chosen.connect(self._show_edit)
        self.panel.opened.connect(self._open_edit)
        self.panel.selection_changed.connect(self._show_state)
        self.panel.close_asked.connect(self.switch.trigger)
        staging.changed.connect(self._changed)
        staging.written.connect(self._written)
        self._explain_read_only()
        self._changed()

    @property
    def edits(self) -> tuple[Edit, ...]:
        """All that is staged at the connection."""
        return self._staging.edits

    @property
    def _page(self) -> BrowsePage:
        """Not kept: page and part would keep each other for ever."""
        return cast(BrowsePage, self.parent())

    @property
    def why_not(self) -> str:
        """Why nothing can be staged here, or written however much it is allowed; "" where it can be."""
        return self._tools.access.setting_refusal

    def _explain_read_only(self) -> None:
        if not self.why_not:
            return
        for action in (self.commit_action, self.delete_action, self.change_action):
            action.setEnabled(False)
            action.setToolTip(self.why_not)
        self._page.inspector.set_read_only(self.why_not)

    # -- staging

    def _staged_edit(self, identity: Identity) -> Edit | None:
        edit = self._staging.find(self._page.table.name, identity)
        if edit is None or edit.identity == identity:
            return edit
        # It is to make an item with this key. A row that was read is of another one, which is in its way.
        panes = (self._page.left, self._page.right)
        return None if any(pane.model.rows.is_read(identity) for pane in panes) else edit

    @Slot(object)
    def stage(self, edit: Edit) -> None:
        self._is_telling = True
        try:
            staged = self._stage(edit)
        except InvalidRequest as refused:
            self._page.inspector.refuse()
            self._messages.show_error(refused)
            return
        finally:
            self._is_telling = False
        if staged is not None and staged.kind == "new" and staged.target is not None:
            self._page.left.select(staged.target)

    def _stage(self, edit: Edit) -> Edit | None:
        if self._page.inspector.overlooks(self._staging.find(edit.table, edit.identity)):
            raise InvalidRequest(
                f"an edit of {edit.title} was staged since this change of it was begun",
                hint="Revert that one, or discard this change and begin it again.",
            )
        return self._staging.stage(edit)

    @Slot()
    def _changed(self) -> None:
        edits = self._staging.edits
        if edits and not self.panel.model.lines and not self.panel.isVisible():
            self.switch.setChecked(True)
        elif not edits and not self._staging.can_undo_revert:
            self.switch.setChecked(False)
        self.panel.setVisible(self.switch.isChecked())
        self.panel.show_edits(edits)
        self.switch.setText(f"Changes {len(edits):,}" if edits else CHANGES.text)
        self._page.show_staged(self._staging.of(self._page.table.name))
        if not self._is_telling:
            self._page.show_item_again()
        self._show_state()

    @Slot(object)
    def _written(self, items: tuple[Written, ...]) -> None:
        for pane in (self._page.left, self._page.right):
            show_written(pane, items)
        self._page.show_written({one.identity: one.item for one in items if one.table == self._page.table.name})

    @Slot()
    def _show_state(self) -> None:
        has_edits = len(self._staging) > 0
        selected = bool(self.panel.selected)
        self.revert_action.setEnabled(has_edits and selected)
        self.revert_all_action.setEnabled(has_edits)
        self.undo_revert_action.setEnabled(self._staging.can_undo_revert)
        if not self.why_not:
            self.commit_action.setEnabled((has_edits or self._page.inspector.is_editing) and not self._is_planning)

    @Slot()
    def _show_or_hide(self) -> None:
        self.panel.setVisible(self.switch.isChecked())
        if self.switch.isChecked():
            self.panel.grid.setFocus()

    @Slot(object)
    def _show_edit(self, edit: Edit) -> None:
        """The item of the edit, where it is one of this table."""
        if edit.table != self._page.table.name:
            return
        for identity in (edit.identity, edit.target):
            if identity is not None and self._page.left.model.rows.find(identity) is not None:
                self._page.left.select(identity)
                return
        self._page.show_edit(edit)

    @Slot(object)
    def _open_edit(self, edit: Edit) -> None:
        key = edit.key if edit.before is not None else edit.new_key
        self._go_to(edit.table, dict([next(iter(key.items()))]), key)

    # -- reverting

    @Slot()
    def revert(self) -> None:
        """The chosen rows: an attribute alone where one row of an edit with several is chosen."""
        lines = self.panel.selected
        if len(lines) == 1 and lines[0].change is not None and lines[0].edit.kind in {"edited", "moved"}:
            try:
                self._staging.revert_change(lines[0].edit, lines[0].change)
            except DynodeskError as refused:
                self._messages.show_error(refused)
        elif lines:
            self._staging.revert(tuple({(line.edit.table, line.edit.identity): line.edit for line in lines}.values()))

    @Slot()
    def revert_all(self) -> None:
        self._staging.revert(self._staging.edits)

    @Slot()
    def undo_revert(self) -> None:
        self._staging.undo_revert()

    # -- committing

    @Slot()
    def commit(self) -> None:
        """What is being edited is staged first; where that cannot be, nothing is committed before it is mended."""
        inspector = self._page.inspector
        if inspector.is_editing and inspector.is_changed:
            inspector.stage()
            if inspector.is_editing:
                return
        if len(self._staging):
            self.commit_edits(self._staging.edits)

    @Slot(object)
    def commit_edits(self, edits: Sequence[Edit]) -> None:
        self._is_planning = True
        self._show_state()
        job = self._journal.commit_edits(edits)
        job.ended.connect(self._planned)

    @Slot()
    def _planned(self) -> None:
        self._is_planning = False
        self._show_state()

    # -- many rows

    @Slot()
    def delete_rows(self) -> None:
        self._open_bulk(is_deletion=True)

    @Slot()
    def change_rows(self) -> None:
        self._open_bulk(is_deletion=False)

    def _open_bulk(self, *, is_deletion: bool) -> None:
        pane = self._page.row_actions.pane
        rows, reading = pane.model.rows, pane.reading
        if reading is None:
            return
        passes = rows.wish.passes
        shown = rows.entries if passes is None else [entry for entry in rows.entries if passes(entry)]
        whole = pane.view.index is None and not reading.plan.attributes
        read = Rows(_items(pane.grid.selected_entries()), _items(shown), whole, is_filtered=passes is not None)
        dialog = BulkDialog(
            self._page.table, read, self._staging, self._tools, self._runner, is_deletion, self._page.window()
        )
        dialog.commit_asked.connect(self.commit_edits)
        dialog.open()


def _items(entries: Sequence[Entry]) -> tuple[Item, ...]:
    return tuple(entry.item for entry in entries)
