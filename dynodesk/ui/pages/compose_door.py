"""From rows of a table to a request about their items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QObject, Slot

from dynodesk.domain.actions import MAX_ACTIONS, ActionKind
from dynodesk.domain.values import Item
from dynodesk.ui.actions import Action, make
from dynodesk.ui.pages.browse import BrowsePage

COMPOSE = Action(
    "compose-items",
    "Compose a request from these items",
    "Begin a request with an Update of each selected item.",
    "Ctrl+Alt+R",
    "symbol-operator",
)
COMPOSE_CHECKS = Action(
    "compose-checks", "Check that these items exist", "Begin a request with a ConditionCheck of each selected item."
)


class Compose(Protocol):
    """Opens a page with an action of the kind for each item."""

    def __call__(self, items: Sequence[Item], kind: ActionKind, are_whole: bool, /) -> object: ...


class ComposeDoor(QObject):
    """One for a Browse page; it acts on the rows of the grid that has the focus."""

    def __init__(self, page: BrowsePage, compose: Compose) -> None:
        super().__init__(page)
        self._page, self._compose = page, compose
        self.update_action = make(COMPOSE, page, self._compose_updates)
        self.check_action = make(COMPOSE_CHECKS, page, self._compose_checks)
        for pane in (page.left, page.right):
            pane.grid.addActions([self.update_action, self.check_action])

    @Slot()
    def _compose_updates(self) -> None:
        self._open("Update")

    @Slot()
    def _compose_checks(self) -> None:
        self._open("ConditionCheck")

    def _open(self, kind: ActionKind) -> None:
        pane = self._page.row_actions.pane
        items = [entry.item for entry in pane.grid.selected_entries()]
        if not items:
            pane.warn("select the items first")
        elif len(items) > MAX_ACTIONS:
            pane.warn(f"a transaction has at most {MAX_ACTIONS} actions: select fewer items")
        else:
            reading = pane.reading
            are_whole = reading is not None and pane.view.index is None and not reading.plan.attributes
            self._compose(items, kind, are_whole)
