"""What the inspector is made of: the title of the item, its forms, what is said of it, facts and buttons."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QStackedWidget, QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.collections import Identity
from dynodesk.domain.errors import DynodeskError
from dynodesk.ui.actions import Action, button_for
from dynodesk.ui.asking import Asker
from dynodesk.ui.dialogs.form import Remark, Tone
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.browse_inspector_facts import ItemFacts
from dynodesk.ui.pages.browse_inspector_head import ItemTitle
from dynodesk.ui.pages.item_editor import ItemEditor
from dynodesk.ui.theme import Text, metrics
from dynodesk.ui.widgets.controls import tool
from dynodesk.ui.widgets.layouts import FlowLayout, area, column, panel_header, row

EDIT = Action("edit-item", "Edit", "Change the selected item; nothing is written.", "F2", "edit")
NEW = Action("new-item", "New item", "Begin an item in the collection that is seen.", "Ctrl+Shift+N", "add")
DUPLICATE = Action("duplicate-item", "Duplicate item", "Begin a new item from the selected one.", "Ctrl+D", "copy")
DELETE = Action("delete-item", "Delete item", "Stage the deletion; nothing is written.", "Del", "trash")
STAGE = Action("stage-item", "Stage", "Put the change among those to be committed (Ctrl+Enter).", "", "check")
DISCARD = Action("discard-item", "Discard", "Forget what was changed here.", "", "discard")

SELECT = "Select an item to see it whole."


@dataclass(frozen=True, slots=True)
class ItemActions:
    """What can be done with the item that is shown."""

    edit: QAction
    new: QAction
    duplicate: QAction
    delete: QAction
    stage: QAction
    discard: QAction


def draft_words(count: int) -> str:
    return f"{count:,} {'draft' if count == 1 else 'drafts'}"


class InspectorFace(QWidget):
    """Shows what it is told, and does nothing by itself."""

    close_asked = Signal()
    draft_asked = Signal(object)
    """The identity of an item, or None for a new one."""

    def __init__(self, actions: ItemActions, follow: QPushButton, runner: JobRunner, asker: Asker | None) -> None:
        super().__init__()
        close = tool("close", "Close the inspector")
        close.clicked.connect(self.close_asked)
        self.copy = tool("copy", "Copy the item as JSON")
        self.more = tool("ellipsis", "What else can be done with the item")
        menu = QMenu(self.more)
        menu.addActions([actions.new, actions.duplicate, actions.delete])
        self.more.setMenu(menu)
        self.more.setPopupMode(self.more.ToolButtonPopupMode.InstantPopup)
        self.drafts = tool("edit", "Drafts: changes that are not staged")
        self.drafts.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.drafts.setPopupMode(self.drafts.ToolButtonPopupMode.InstantPopup)
        self.drafts.setMenu(QMenu(self.drafts))
        self.drafts.hide()
        self._shown_drafts: tuple[Identity | None, ...] = ()
        self.title = ItemTitle()
        self.editor = ItemEditor(runner, asker)
        self.facts = ItemFacts()
        self.remark = Remark()
        self._said = area(row(self.remark, margins=(3, 1, 3, 0)), "window", "t")
        self.nothing = Text(SELECT, "muted", wrap=True)
        self._follow = follow
        self.edit_button = button_for(actions.edit)
        self.stage_button = button_for(actions.stage, primary=True)
        self.stage_button.setProperty("keys", "Ctrl+Enter")
        self.discard_button = button_for(actions.discard, tone="quiet")
        new = button_for(actions.new, tone="quiet")
        head = area(row(self.title, None, self.copy, self.more, gap=1.5, margins=(3, 1, 1.5, 1)), "window", "b")
        buttons = area(FlowLayout(self.edit_button, follow, self.stage_button, self.discard_button, gap=1.5))
        foot = area(column(self.facts, buttons, gap=3, margins=(3, 2.5, 3, 3)), "window", "t")
        tabs = area(row(self.editor.tabs, None, margins=(1, 0, 1, 0)), "window", "b", metrics().tab)
        layout = column(head, tabs, self.editor, self._said, foot, gap=0)
        layout.setStretch(2, 1)
        self._pages = QStackedWidget()
        self._pages.addWidget(area(column(self.nothing, row(new, None), None, gap=2, margins=(3, 3, 3, 3))))
        self._pages.addWidget(area(layout))
        self.setLayout(column(panel_header("Inspector", self.drafts, close), self._pages, gap=0))

    def show_drafts(self, places: tuple[Identity | None, ...]) -> None:
        """Offer the items with changes that are not staged."""
        if places == self._shown_drafts:
            return
        self._shown_drafts = places
        menu = self.drafts.menu()
        menu.clear()
        for place in places:
            words = "New item" if place is None else visible(" / ".join(place)).replace("&", "&&")
            menu.addAction(words).triggered.connect(partial(self._ask_for_draft, place))
        self.drafts.setText(draft_words(len(places)))
        self.drafts.setVisible(bool(places))

    def _ask_for_draft(self, place: Identity | None) -> None:
        self.draft_asked.emit(place)

    def show_page(self, *, with_item: bool, instead: str = "") -> None:
        """The item, or what to do where there is none: `instead` says why it is not there any more."""
        self.nothing.setText(f"{instead} {SELECT}".strip())
        self._pages.setCurrentIndex(1 if with_item else 0)

    @property
    def has_item(self) -> bool:
        return self._pages.currentIndex() == 1

    def show_buttons(self, *, editing: bool, busy: bool) -> None:
        """`busy`: the whole item is being read."""
        self.edit_button.setVisible(not editing and not busy)
        self._follow.setVisible(not editing and not busy)
        self.stage_button.setVisible(editing)
        self.discard_button.setVisible(editing or busy)

    def say(self, tone: Tone, words: str) -> None:
        """What there is to say of the item, below its forms; nothing for no words."""
        self.remark.say(tone, words)
        self._said.setVisible(bool(words))

    @Slot(object)
    def say_error(self, error: BaseException) -> None:
        self.say("problem", f"{error.message} {error.hint}".strip() if isinstance(error, DynodeskError) else str(error))
