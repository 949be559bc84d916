"""The panel below the tree: a long text, or bytes, edited without losing a character."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QWidget

from dynodesk.domain.cells import byte_text
from dynodesk.domain.errors import InvalidFile, InvalidValue
from dynodesk.domain.item_json import binary_to_base64
from dynodesk.domain.progress import Ticket
from dynodesk.domain.spelled_text import spelled
from dynodesk.domain.typed_values import base64_typed, hex_typed, text_typed
from dynodesk.domain.values import MAX_ITEM_BYTES, Binary, String, Value
from dynodesk.ui.asking import Asker
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.models.item_nodes import Node
from dynodesk.ui.pages.browse_parts import ShortText
from dynodesk.ui.pages.item_editor_texts import ExactText
from dynodesk.ui.theme import metrics
from dynodesk.ui.widgets.controls import button, sub_tabs
from dynodesk.ui.widgets.layouts import Area, area, column, row

HEX, BASE64 = range(2)
HEX_LINE, BASE64_LINE = 16, 76
"""Bytes, and characters, in a line."""
ANY_FILE = ("Any file (*)",)
ESCAPES = r"escapes: \r \t \u00a0 \\"


class ValuePanel(Area):
    """A text with visible escapes, or bytes as hexadecimal or base64, from a file and to one."""

    typed = Signal(str, object)
    """What is in the editor now, and the function that reads it as a value (raises `InvalidValue`)."""
    failed = Signal(object)
    """A `DynodeskError` of a file."""

    def __init__(self, runner: JobRunner, asker: Asker | None) -> None:
        super().__init__("window", "t")
        self._runner, self._asker = runner, asker
        self._value: Value | None = None
        self.title = ShortText("text", "medium")
        self.form = sub_tabs("Bytes as", "Hex", "Base64")
        self.edit = ExactText("Value of the attribute")
        self.open_button = button("From a file…", tone="quiet")
        self.save_button = button("To a file…", tone="quiet")
        self._files = QWidget()
        self._files.setLayout(row(self.open_button, self.save_button, None, gap=1))
        self.hint = ShortText("muted")
        head = area(row(self.title, None, self.form, margins=(3, 0, 1, 0)), "window", "b", metrics().tab)
        foot = area(column(self.hint, self._files, gap=0, margins=(3, 1, 2, 1)), "window", "t")
        layout = column(head, self.edit, foot, gap=0, margins=(0, 0.25, 0, 0))
        layout.setStretch(1, 1)
        self.setLayout(layout)
        self.begin_at(self.edit)
        self.edit.setMinimumHeight(4 * metrics().line)
        self.edit.textChanged.connect(self._typed)
        self.form.currentChanged.connect(self._show_value)
        self.open_button.clicked.connect(self._ask_for_file)
        self.save_button.clicked.connect(self._ask_where_to)

    def show_node(self, node: Node, path: str, *, editable: bool) -> None:
        """Show the value of a text or binary node, or what was typed instead of one."""
        self._value = node.value
        is_binary = isinstance(node.value, Binary)
        self.title.set_text(path)
        self.edit.setAccessibleName(f"Value of {path}")
        self.edit.setReadOnly(not editable)
        self.form.setVisible(is_binary)
        self._files.setVisible(is_binary and self._asker is not None)
        self.open_button.setEnabled(editable)
        if node.typed is None:
            self._show_value()
        else:
            self._fill(node.typed)
        self._say()

    @Slot()
    def _show_value(self) -> None:
        match self._value:
            case String(text):
                self._fill(spelled(text, lines=True))
            case Binary(data):
                self._fill(_base64(data) if self.form.currentIndex() == BASE64 else _hex(data))
            case _:
                pass

    def _fill(self, text: str) -> None:
        with QSignalBlocker(self.edit):
            self.edit.setPlainText(text)

    def _say(self) -> None:
        match self._value:
            case String(text):
                length = byte_text(len(text.encode("utf-8", "surrogatepass")))
                self.hint.set_text(f"{length} · {ESCAPES}")
            case Binary(data):
                self.hint.set_text(byte_text(len(data)))
            case _:
                pass

    @Slot()
    def _typed(self) -> None:
        read = text_typed
        if isinstance(self._value, Binary):
            read = base64_typed if self.form.currentIndex() == BASE64 else hex_typed
        text = self.edit.typed
        with suppress(InvalidValue):  # whoever listens reads it too, and says so
            self._value = read(text)
        self._say()
        self.typed.emit(text, read)

    # -- files

    @Slot()
    def _ask_for_file(self) -> None:
        if self._asker is not None:
            self._asker.open_file("The bytes of a file as the value", ANY_FILE, self._read_file)

    def _read_file(self, path: Path) -> None:
        def read(_ticket: Ticket) -> bytes:
            try:
                if path.stat().st_size > MAX_ITEM_BYTES:
                    raise InvalidFile(f"{path.name} has more bytes than an item can hold", hint="At most 400 KB.")
                return path.read_bytes()
            except OSError as problem:
                raise InvalidFile(f"{path.name} cannot be read: {problem.strerror}") from None

        self._runner.start(read, title=f"Read {path.name}", done=self._take_bytes, failed=self.failed.emit)

    @Slot(object)
    def _take_bytes(self, data: bytes) -> None:
        if isinstance(self._value, Binary):
            self._value = Binary(data)
            self._show_value()
            self._typed()

    @Slot()
    def _ask_where_to(self) -> None:
        if self._asker is not None:
            self._asker.save_file("Write the value to a file", ANY_FILE, "value.bin", self._write_file)

    def _write_file(self, path: Path) -> None:
        data = self._value.data if isinstance(self._value, Binary) else b""

        def write(_ticket: Ticket) -> None:
            try:
                path.write_bytes(data)
            except OSError as problem:
                raise InvalidFile(f"{path.name} cannot be written: {problem.strerror}") from None

        self._runner.start(write, title=f"Write {path.name}", done=self._written, failed=self.failed.emit)

    @Slot(object)
    def _written(self, _nothing: object) -> None:
        self._say()


def _hex(data: bytes) -> str:
    """Pairs of bytes, in lines."""
    return "\n".join(data[start : start + HEX_LINE].hex(" ", -2) for start in range(0, len(data), HEX_LINE))


def _base64(data: bytes) -> str:
    text = binary_to_base64(data)
    return "\n".join(text[start : start + BASE64_LINE] for start in range(0, len(text), BASE64_LINE))
