"""A field for the name of an attribute."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QStringListModel, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView

from dynodesk.ui.theme import metrics, mono_font

Names = Callable[[], Sequence[str]]
"""The names of attributes that are known, each as it is written in a filter."""


class NameField(QLineEdit):
    """The name of an attribute, or a path into it. Known names are offered while it is typed."""

    def __init__(self, name: str, hint: str, names: Names) -> None:
        super().__init__()
        self._names = names
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.setFont(mono_font())
        self.setTextMargins(metrics().unit, 0, metrics().unit, 0)
        self._known = QStringListModel(self)
        completer = QCompleter(self._known, self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        popup = QListView()
        popup.setFont(mono_font())
        popup.setAccessibleName("Names")
        completer.setPopup(popup)
        self.setCompleter(completer)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._known.setStringList(list(self._names()))
        super().focusInEvent(event)
