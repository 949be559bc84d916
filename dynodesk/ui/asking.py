"""The one place that opens modal dialogs. Pages receive an `Asker` and are told the answer later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget


@dataclass(frozen=True, slots=True)
class Question:
    """A question with one way forward; the other answer is Cancel."""

    title: str
    text: str
    accept: str
    """The word on the button that goes ahead: a verb."""
    danger: bool = False


class Asker(Protocol):
    """Asks and returns at once. `then` is called on a positive answer, never otherwise."""

    def confirm(self, question: Question, then: Callable[[], object]) -> None: ...

    def open_file(self, title: str, filters: tuple[str, ...], then: Callable[[Path], object]) -> None:
        """An existing file. `filters` such as "Rules (*.toml)"."""

    def save_file(self, title: str, filters: tuple[str, ...], suggested: str, then: Callable[[Path], object]) -> None:
        """A file to write; the dialog has asked before an existing one is replaced."""


class DialogAsker:
    """Asks in dialogs of the window it is given."""

    def __init__(self, window: QWidget) -> None:
        self._window = window

    def confirm(self, question: Question, then: Callable[[], object]) -> None:
        box = QMessageBox(self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setWindowTitle(question.title)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(question.text)
        box.setAccessibleName(question.title)
        accept = box.addButton(question.accept, QMessageBox.ButtonRole.AcceptRole)
        accept.setProperty("tone", "danger" if question.danger else "")
        cancel = box.addButton(QMessageBox.StandardButton.Cancel)
        box.setEscapeButton(cancel)
        box.setDefaultButton(cancel if question.danger else accept)

        def answered() -> None:
            if box.clickedButton() is accept:
                then()

        box.finished.connect(answered)
        box.open()

    def open_file(self, title: str, filters: tuple[str, ...], then: Callable[[Path], object]) -> None:
        dialog = self._file_dialog(title, filters, then)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.open()

    def save_file(self, title: str, filters: tuple[str, ...], suggested: str, then: Callable[[Path], object]) -> None:
        dialog = self._file_dialog(title, filters, then)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(Path(suggested).suffix.removeprefix("."))
        dialog.selectFile(suggested)
        dialog.open()

    def _file_dialog(self, title: str, filters: tuple[str, ...], then: Callable[[Path], object]) -> QFileDialog:
        dialog = QFileDialog(self._window, title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setNameFilters(filters)

        def chosen(path: str) -> None:
            then(Path(path))

        dialog.fileSelected.connect(chosen)
        return dialog
