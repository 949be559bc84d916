"""How the items of a Browse page are named: the types of its table, and the dialog that changes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from dynodesk.domain.entities import EntityTypes
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item
from dynodesk.ui.actions import Action, make
from dynodesk.ui.dialogs.entity_types import COUNTED, EntityTypesDialog
from dynodesk.ui.pages.browse_inspector import Inspector
from dynodesk.ui.pages.browse_pane import CollectionPane

ENTITY_TYPES = Action(
    "entity-types", "Entity types…", "Name the types of items, by patterns of their keys.", "Ctrl+Alt+Y", "tag"
)


class TypeNaming(QObject):
    """Shows one set of types in both panes and in the inspector."""

    def __init__(self, table: TableInfo, panes: Sequence[CollectionPane], inspector: Inspector, page: QWidget) -> None:
        super().__init__(page)
        self._table, self._panes, self._inspector, self._page = table, tuple(panes), inspector, page
        self._keep: Callable[[EntityTypes], object] = self.show
        self.types = EntityTypes()
        self.action = make(ENTITY_TYPES, page, self._ask)

    def remember(self, types: EntityTypes, keep: Callable[[EntityTypes], object]) -> None:
        """Begin with types named before, and hand over what is named from now on."""
        self._keep = keep
        self.show(types)

    def show(self, types: EntityTypes) -> None:
        self.types = types
        self._inspector.types = types
        for pane in self._panes:
            pane.model.set_types(types)

    @Slot()
    def _ask(self) -> None:
        EntityTypesDialog(self._table, self.types, self._loaded(), self._keep, self._page.window()).open()

    def _loaded(self) -> list[Item]:
        """Of both sides, each item once."""
        found = {entry.identity: entry.item for pane in self._panes for entry in pane.model.rows.entries[:COUNTED]}
        return list(found.values())
