"""Which attributes a read returns."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex
from PySide6.QtWidgets import QCompleter

from dynodesk.domain.errors import InvalidExpression, InvalidRequest
from dynodesk.domain.expressions import parse_paths
from dynodesk.domain.expressions.spelling import WRITTEN_OUT
from dynodesk.ui.pages.browse_names import NameField, Names
from dynodesk.ui.theme import px


class ProjectionField(NameField):
    """Names parted by commas, each as in a filter. Empty: all that the table or index has."""

    def __init__(self, names: Names) -> None:
        super().__init__("Attributes to return", "all attributes", names)
        self.setFixedWidth(px(220))

    def make_completer(self) -> QCompleter:
        return _LastName(self)

    def attributes(self) -> tuple[str, ...]:
        """The names, each once. Raises `InvalidRequest` for what is no list of them."""
        if not self.text().strip():
            return ()
        try:
            paths = parse_paths(self.text()).paths
        except InvalidExpression as problem:
            raise InvalidRequest(
                f"attributes to return: {problem.message}",
                hint="Part names by commas; one with other characters stands in double quotes.",
            ) from None
        for path in paths:
            if len(path.steps) > 1:
                raise InvalidRequest(
                    f"attributes to return: {path.text(WRITTEN_OUT)} is inside {path.attribute}",
                    hint=f'Name {path.attribute}, or one attribute "{path.text(WRITTEN_OUT)}" in double quotes.',
                )
        return tuple(dict.fromkeys(path.attribute for path in paths))

    def set_attributes(self, attributes: Sequence[str]) -> None:
        self.setText(", ".join(map(WRITTEN_OUT.name, attributes)))
        self.setCursorPosition(0)


class _LastName(QCompleter):
    """Completes the last of several names."""

    def splitPath(self, path: str) -> list[str]:
        return [path.rpartition(",")[2].strip()]

    def pathFromIndex(self, index: QModelIndex | QPersistentModelIndex) -> str:
        field = self.widget()
        before = field.text().rpartition(",")[0] if isinstance(field, ProjectionField) else ""
        return f"{before}, {index.data()}" if before else str(index.data())
