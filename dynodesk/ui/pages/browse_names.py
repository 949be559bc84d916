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
        self._completer: QCompleter | None = None

    def focusInEvent(self, event: QFocusEvent) -> None:
        if self._completer is None:  # made for who types, not for every line that is shown
            self._completer = self.make_completer()
            self._completer.setModel(self._known)
            self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            popup = QListView()
            popup.setFont(mono_font())
            popup.setAccessibleName("Names")
            self._completer.setPopup(popup)
            self.setCompleter(self._completer)
        self._known.setStringList(list(self._names()))
        super().focusInEvent(event)

    def make_completer(self) -> QCompleter:
        completer = QCompleter(self)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        return completer
