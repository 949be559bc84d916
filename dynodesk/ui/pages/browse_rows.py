"""What can be done with loaded rows: find, filter, choose columns, copy. For the pane that has the focus."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication, QWidget

from dynodesk.ui.actions import Action, make
from dynodesk.ui.pages.browse_pane import CollectionPane

FIND = Action("find-rows", "Find in rows", "Find a text in the rows shown.", "Ctrl+F", "search")
FIND_NEXT = Action("find-next", "Find next", "Go to the next cell with the text.", "F3", "arrow-down")
FIND_PREVIOUS = Action("find-previous", "Find previous", "Go to the cell with the text before.", "Shift+F3", "arrow-up")
FILTER = Action(
    "filter-rows", "Filter loaded rows", "Hide loaded rows by a text or condition.", "Ctrl+Shift+L", "filter"
)
COLUMNS = Action("columns", "Columns…", "Choose columns and their order, for this table.", "Ctrl+Shift+H", "layout")
COPY_JSON = Action("copy-json", "Copy as JSON", "Copy the selected items as JSON.", "Ctrl+Shift+C", "copy")
COPY_DYNAMODB_JSON = Action("copy-dynamodb-json", "Copy as DynamoDB JSON", "Copy the selected items with type tags.")
COPY_CSV = Action("copy-csv", "Copy as CSV", "Copy the selected rows, in the columns shown.")
COPY_PYTHON = Action("copy-python", "Copy as Python", "Copy the selected items as boto3 takes them.")
COPY_KEY = Action("copy-key", "Copy key", "Copy the keys of the selected items as JSON.")


class RowActions(QObject):
    """Made once for the panes of a page; the first of them is meant where none has the focus."""

    def __init__(self, page: QWidget, *panes: CollectionPane) -> None:
        super().__init__(page)
        self._panes = panes
        self.columns = make(COLUMNS, page, self._choose_columns)
        self.filter = make(FILTER, page, self._filter)
        make(FIND, page, self._find)
        make(FIND_NEXT, page, self._find_next)
        make(FIND_PREVIOUS, page, self._find_previous)
        self._copies = (
            make(COPY_JSON, page, self._copy_json),
            make(COPY_DYNAMODB_JSON, page, self._copy_dynamodb_json),
            make(COPY_CSV, page, self._copy_csv),
            make(COPY_PYTHON, page, self._copy_python),
            make(COPY_KEY, page, self._copy_keys),
        )

    def offer_copies(self) -> None:
        """In the menus of the grids, below what they offer by now."""
        for pane in self._panes:
            pane.grid.addActions(self._copies)

    @property
    def pane(self) -> CollectionPane:
        focus = QApplication.focusWidget()
        return next((pane for pane in self._panes if focus and pane.isAncestorOf(focus)), self._panes[0])

    @Slot()
    def _find(self) -> None:
        self.pane.find_bar.open()

    @Slot()
    def _find_next(self) -> None:
        self.pane.finder.next()

    @Slot()
    def _find_previous(self) -> None:
        self.pane.finder.previous()

    @Slot()
    def _filter(self) -> None:
        self.pane.filter_bar.open()

    @Slot()
    def _choose_columns(self) -> None:
        self.pane.choose_columns()

    @Slot()
    def _copy_json(self) -> None:
        self.pane.copy_rows("json")

    @Slot()
    def _copy_dynamodb_json(self) -> None:
        self.pane.copy_rows("dynamodb-json")

    @Slot()
    def _copy_csv(self) -> None:
        self.pane.copy_rows("csv")

    @Slot()
    def _copy_python(self) -> None:
        self.pane.copy_rows("python")

    @Slot()
    def _copy_keys(self) -> None:
        self.pane.copy_rows("keys")
