"""The rules file as text: checked while it is typed, saved as a whole. A run uses what is saved."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QMenu, QSplitter

from dynodesk.domain.cells import visible
from dynodesk.domain.errors import InvalidFile
from dynodesk.domain.ports import TableCatalog
from dynodesk.domain.progress import Ticket
from dynodesk.reconcile.rules import rules_text
from dynodesk.ui.actions import Action, button_for, make
from dynodesk.ui.asking import Asker
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.messages import MessageBar
from dynodesk.ui.pages import reconcile_texts as texts
from dynodesk.ui.pages.reconcile_problems import ProblemList
from dynodesk.ui.pages.reconcile_templates import TEMPLATES, new_file
from dynodesk.ui.pages.reconcile_texts import Checked, KnownTables
from dynodesk.ui.theme import Glyph, Text, metrics
from dynodesk.ui.widgets.code import CodeColours
from dynodesk.ui.widgets.controls import button
from dynodesk.ui.widgets.layouts import Area, area, column, row
from dynodesk.ui.widgets.line_editor import LineEditor
from dynodesk.ui.widgets.lines import Line

SAVE = Action("save-rules", "Save", "Save the rules file as it is in the editor.", "Ctrl+S", "save")
SAVE_AS = Action("save-rules-as", "Save as…", "Save the rules in another file.", "Ctrl+Shift+A", "save-as")
CHECK_AFTER = 300
"""Milliseconds after the last key before the text is checked."""


class TextEditor(LineEditor):
    def __init__(self) -> None:
        super().__init__("Rules file")
        self._colours = CodeColours(self.document())

    def add(self, text: str) -> None:
        """Puts text at the end, with the cursor before it. One undo takes it away."""
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        before = "" if self.document().isEmpty() else "\n" * (2 - (len(self.text) - len(self.text.rstrip("\n"))))
        cursor.insertText(before + text)
        cursor.setPosition(cursor.position() - len(text))
        self.setTextCursor(cursor)
        self.centerCursor()

    def go_to(self, line: int) -> None:
        block = self.document().findBlockByNumber(max(0, line - 1))
        if block.isValid():
            self.setTextCursor(QTextCursor(block))
            self.centerCursor()
        self.setFocus()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._colours.renew()


class RulesEditor(Area):
    """One file at a time, or a new one that has no name yet."""

    saved = Signal(object)
    """The path of the file that was written."""
    closed = Signal()

    def __init__(
        self, catalog: TableCatalog, samples: tuple[Path, ...], runner: JobRunner, asker: Asker, messages: MessageBar
    ) -> None:
        """`samples` come with the program: they are saved as other files only."""
        super().__init__("base")
        self._catalog, self._samples = catalog, samples
        self._runner, self._asker, self._messages = runner, asker, messages
        self._path: Path | None = None
        self._as_read: str | None = None
        self._newline = "\n"
        self._saved_text = ""
        self._checks = 0
        self._line_wanted = 0
        self._tables = KnownTables(catalog)
        self._checked: Checked | None = None

        self.save_action = make(SAVE, self, self.save)
        self.save_as_action = make(SAVE_AS, self, self.save_as)
        self.name = Text("", weight="semibold")
        self._state = Text("", "muted")
        self._signs = {name: Glyph(name, ink) for name, ink in (("pass", "ok"), ("error", "danger"), ("sync", "muted"))}
        self.said = Line()
        templates = QMenu(self)
        for title in TEMPLATES:
            templates.addAction(title, partial(self._add_template, title))
        template = button("Add a rule", "add", tone="quiet")
        template.setMenu(templates)
        self.save_button = button_for(self.save_action)
        self.close_button = button("Close the editor", tone="quiet")
        head = row(
            self.name, self._state, 1, *self._signs.values(), self.said, template,
            button_for(self.save_as_action, tone="quiet"), self.save_button, self.close_button,
            gap=1.5, margins=(3, 0, 2, 0),
        )  # fmt: skip
        self.text = TextEditor()
        self.problems = ProblemList("Marked at their lines.")
        panes = QSplitter(Qt.Orientation.Vertical)
        panes.setChildrenCollapsible(False)
        panes.addWidget(self.text)
        panes.addWidget(self.problems)
        panes.setStretchFactor(0, 3)
        panes.setStretchFactor(1, 2)
        layout = column(area(head, "window", "b", metrics().control + 2 * metrics().unit + 2), panes, gap=0)
        layout.setStretch(1, 1)
        self.setLayout(layout)
        self.begin_at(self.text)
        self.text.setMinimumHeight(6 * metrics().line)
        self.problems.hide()

        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(CHECK_AFTER)
        self._typing.timeout.connect(self._check)
        self.text.textChanged.connect(self._changed)
        self.problems.line_asked.connect(self.text.go_to)
        self.close_button.clicked.connect(self.closed)
        self._show_state()

    # -- a file

    @property
    def path(self) -> Path | None:
        """None: a new file, or none at all."""
        return self._path

    @property
    def is_dirty(self) -> bool:
        """Whether there is something that is not saved."""
        return self.text.text != self._saved_text

    def draft(self) -> dict[str, object]:
        """What is not saved, as values of JSON; nothing where all is."""
        if not self.is_dirty:
            return {}
        path = None if self._path is None else str(self._path)
        return {"path": path, "as_read": self._as_read, "text": self.text.text}

    def restore(self, draft: Mapping[str, object]) -> bool:
        """Take back what `draft` gave; False, and nothing is done, for anything else."""
        path, as_read, text = draft.get("path"), draft.get("as_read"), draft.get("text")
        if not isinstance(text, str) or not all(isinstance(one, str | None) for one in (path, as_read)):
            return False
        self._path = None if path is None else Path(str(path))
        self._as_read = None if as_read is None else str(as_read)
        self._newline = "\r\n" if "\r\n" in (self._as_read or "") else "\n"
        self._saved_text = (self._as_read or "").replace("\r\n", "\n")
        self._tables = KnownTables(self._catalog)
        self.text.setPlainText(text)
        self._changed()
        return True

    @property
    def checked(self) -> Checked | None:
        """What the last check found; None while one is due."""
        return self._checked

    def edit(self, path: Path, line: int = 0) -> None:
        """Opens a file, at a line; what was in the editor is given up, unless it is that file already."""
        self._line_wanted = line
        if path == self._path and self.is_dirty:
            self.text.go_to(line or 1)
            return
        self._runner.start(
            partial(_read, path), title=f"Read {path.name}", done=self._show_file, failed=self._messages.show_error
        )

    def begin(self, template: str) -> None:
        """A new file from a template."""
        self._path, self._as_read, self._newline, self._saved_text = None, None, "\n", ""
        self._tables = KnownTables(self._catalog)
        self.text.setPlainText(new_file(template))
        self.text.setFocus()

    @Slot(object)
    def _show_file(self, read: tuple[Path, str]) -> None:
        path, text = read
        self._newline = "\r\n" if "\r\n" in text else "\n"
        plain = text.replace("\r\n", "\n")
        self.text.setPlainText(plain)
        if self.text.text != plain:
            self.text.clear()
            self._messages.show_error(
                InvalidFile(f"{path.name} has characters that end a line in some programs only", hint="Edit it there.")
            )
            return
        self._path, self._as_read, self._saved_text = path, text, plain
        self._tables = KnownTables(self._catalog)
        self.text.document().setModified(False)
        self.text.go_to(self._line_wanted or 1)
        self._changed()

    def _add_template(self, title: str) -> None:
        self.text.add(TEMPLATES[title] if self.text.text.strip() else new_file(title))
        self.text.setFocus()

    # -- checking

    @Slot()
    def _changed(self) -> None:
        self._checks += 1
        self._checked = None
        self._typing.start()
        self._show_state()

    @Slot()
    def _check(self) -> None:
        file = "new rules" if self._path is None else self._path.name
        self._runner.start(
            partial(texts.check_text, self.text.text, file, self._checks, self._tables),
            title="Check the rules as typed",
            done=self._show_checked,
        )

    @Slot(object)
    def _show_checked(self, checked: Checked) -> None:
        if checked.number != self._checks:
            return  # it was typed on since
        self._checked = checked
        self.text.mark_faulty({problem.line for problem in checked.problems})
        self.problems.setVisible(bool(checked.problems))
        if checked.problems:
            self.problems.show_problems("the text", checked.problems)
        self._show_state()

    def _show_state(self) -> None:
        checked = self._checked
        sign = "sync" if checked is None else "error" if checked.problems else "pass"
        for name, glyph in self._signs.items():
            glyph.setVisible(name == sign)
        self.said.set_text("Checking…" if checked is None else visible(checked.words))
        self.name.setText("New rules" if self._path is None else visible(self._path.name))
        dirty = self.is_dirty
        is_sample = self._path in self._samples
        state = "not saved: a run uses what is saved" if dirty else "a sample: saved under another name" * is_sample
        self._state.setText(state)
        self.save_action.setEnabled(dirty or self._path is None)

    # -- saving

    @Slot()
    def save(self) -> None:
        if self._path is None or self._path in self._samples:
            self.save_as()
        else:
            self._write(self._as_read, self._path)

    @Slot()
    def save_as(self) -> None:
        suggested = "rules.toml" if self._path is None else self._path.name
        self._asker.save_file("Save the rules", ("Rules (*.toml)",), suggested, partial(self._write, None))

    def _write(self, as_read: str | None, path: Path) -> None:
        plain = self.text.text
        whole = plain.replace("\n", self._newline)
        self._writing = (plain, whole)
        self._runner.start(
            partial(texts.save_rules, path, whole, as_read),
            title=f"Write {path.name}",
            done=self._written,
            failed=self._messages.show_error,
        )

    @Slot(object)
    def _written(self, path: Path) -> None:
        self._saved_text, self._as_read = self._writing
        self._path = path
        self._show_state()
        self.saved.emit(path)


def _read(path: Path, ticket: Ticket) -> tuple[Path, str]:
    ticket.checkpoint()
    return path, rules_text(path)
