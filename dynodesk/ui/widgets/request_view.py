"""A request of DynamoDB's API, exactly as it is sent, or as code that sends it from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtGui import QGuiApplication

from dynodesk.codegen import as_boto3, as_cli, as_json
from dynodesk.ui.theme import Text, metrics
from dynodesk.ui.widgets.code import CodeView
from dynodesk.ui.widgets.controls import sub_tabs, tool
from dynodesk.ui.widgets.layouts import Area, area, column, row

FORMS: Mapping[str, Callable[[str, Mapping[str, Any]], str]] = {
    "JSON": as_json,
    "boto3": as_boto3,
    "AWS CLI": as_cli,
}


class RequestView(Area):
    """Shows nothing until it is told a request."""

    def __init__(self, name: str) -> None:
        """`name` is read aloud."""
        super().__init__("base", "l")
        self._operation = ""
        self._parameters: Mapping[str, Any] | None = None
        self._nothing = ""
        self._title = Text("", weight="semibold")
        self.forms = sub_tabs(f"{name} as", *FORMS)
        self.code = CodeView(name)
        self.copy_button = tool("copy", f"Copy: {name}")
        bar = row(self._title, None, self.forms, self.copy_button, gap=2, margins=(3, 0, 1.5, 0))
        self.setLayout(column(area(bar, "window", "b", metrics().tab + 1), self.code, gap=0, margins=(0.25, 0, 0, 0)))
        self.setMinimumWidth(60 * metrics().unit)
        self.forms.currentChanged.connect(self._show)
        self.copy_button.clicked.connect(self._copy)
        self._show()

    def show_request(self, operation: str, parameters: Mapping[str, Any]) -> None:
        self._operation, self._parameters = operation, parameters
        self._show()

    def show_nothing(self, why: str) -> None:
        self._parameters, self._nothing = None, why
        self._show()

    @Slot()
    def _show(self) -> None:
        has_request = self._parameters is not None
        self._title.setText(self._operation if has_request else "No request")
        self.copy_button.setEnabled(has_request)
        if self._parameters is None:
            self.code.setPlainText(self._nothing)
            return
        form = tuple(FORMS.values())[self.forms.currentIndex()]
        text = form(self._operation, self._parameters)
        if text != self.code.toPlainText():
            self.code.setPlainText(text)

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.code.toPlainText())
