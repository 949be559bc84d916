"""The journal: every write that was made, what became of it, whether it is all still there, and the way back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QCheckBox, QComboBox, QDialog, QWidget

from dynodesk.composing.log import LoggedRequest, RequestLog
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import Place
from dynodesk.domain.table_log import LoggedChange, TableLog
from dynodesk.domain.write_requests import request_json
from dynodesk.editing.log import EditLog, LoggedBatch, LoggedEdit
from dynodesk.reconcile.ledger import Ledger, LoggedWrite
from dynodesk.store.journal import Journal
from dynodesk.store.paths import write_private
from dynodesk.ui.asking import Asker
from dynodesk.ui.dialogs import journal_edit_rows as edit_rows
from dynodesk.ui.dialogs import journal_request_rows as request_rows
from dynodesk.ui.dialogs import journal_rows as rows
from dynodesk.ui.dialogs import journal_table_rows as table_rows
from dynodesk.ui.dialogs.outcome import Outcome
from dynodesk.ui.dialogs.repair_work import Logged, read_journal
from dynodesk.ui.dialogs.writing import json_lines
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.reconcile_rows import RowsModel
from dynodesk.ui.theme import Row, Text, metrics, px, ui_font
from dynodesk.ui.widgets.code import CodeView
from dynodesk.ui.widgets.controls import button, combo, search_field
from dynodesk.ui.widgets.grids import Grid, dress_grid
from dynodesk.ui.widgets.layouts import FlowLayout, area, column, row

CSV_FILES, JSON_FILES = "Writes (*.csv)", "All records (*.jsonl)"

AnyWrite = LoggedWrite | LoggedEdit | LoggedBatch | LoggedRequest | LoggedChange

ANY_KIND, ANY_OUTCOME = "All kinds", "All outcomes"
KIND_AT, OUTCOME_AT = 1, 5
"""Columns whose values can be chosen among."""


@dataclass(frozen=True, slots=True)
class _Read:
    logged: Logged
    log: EditLog
    entries: list[_Entry]
    """The newest first: it is what somebody comes for."""


@dataclass(frozen=True, slots=True)
class _Entry:
    write: AnyWrite
    shown: AnyWrite
    """The same without what is sensitive in it."""
    row: Row
    text: str
    """What is searched in, in small letters: what is shown, and where it was written."""
    place: Place

    def told(self, column: int) -> str:
        """The value of a column without what follows a comma: `applied, then ok` is one that was applied."""
        return self.row.cells[column].text.partition(",")[0]


class JournalDialog(QDialog):
    """Reads the journal when it is made, and again when it is asked to check it. Show it with `open`."""

    undo_asked = Signal(object)
    """`LoggedWrite`s to take back, as a tuple. The dialog is closed by then."""
    undo_edits_asked = Signal(object)
    """The ids of edits to take back, as a tuple. The dialog is closed by then."""

    def __init__(
        self,
        journal: Journal,
        place: Place,
        runner: JobRunner,
        asker: Asker,
        window: QWidget | None = None,
        *,
        undoes_edits: bool = False,
    ) -> None:
        """`place` is the connection's: only what was written there can be taken back from here.

        `undoes_edits`: somebody hears `undo_edits_asked`.
        """
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Journal")
        self._journal, self._place, self._runner, self._asker = journal, place, runner, asker
        self._undoes_edits = undoes_edits
        self._found: _Read | None = None
        self._all: list[_Entry] = []
        self._shown: list[_Entry] = []
        self._count = Text("", "text2")
        self.search = search_field("Search the journal", "Key, table, rule, day, account…", 240)
        self.kind, self.of_outcome = combo("Kind of write", 130), combo("Outcome", 150)
        for box, word in ((self.kind, ANY_KIND), (self.of_outcome, ANY_OUTCOME)):
            box.addItem(word)
        self.here = QCheckBox("Only this connection")
        self.here.setFont(ui_font())
        self.here.setAccessibleName(self.here.text())
        filters = FlowLayout(self.search, self.kind, self.of_outcome, self.here, gap=2)
        heading = row(Text("Journal", size="title", weight="semibold"), self._count, None, gap=3)
        says = "What was about to be sent, what came back, and what was counted afterwards. Only ever added to."
        told = column(heading, Text(says, "text2", wrap=True), filters, gap=1.5, margins=(5, 4, 5, 3))
        head = area(told, "window", "b")
        self.model = RowsModel(rows.COLUMNS, self)
        self.grid = Grid()
        self.grid.setModel(self.model)
        dress_grid(self.grid, "Journal")
        self.grid.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        for at, of in enumerate(rows.COLUMNS):
            self.grid.setColumnWidth(at, px(of.width))
        self.grid.horizontalHeader().setStretchLastSection(True)
        self.detail = Text("", "text2", wrap=True)
        self.detail.setContentsMargins(*[round(part * metrics().unit) for part in (5, 2, 5, 0)])
        self.request = CodeView("Request, as it was sent", margin=5)
        self.outcome = Outcome()
        self._why_not = Text("", "muted")
        self.verify_button = button("Check the chain", "check-all")
        self.export_button = button("Export…", "export")
        self.undo_button = button("Undo…", "discard")
        self.close_button = button("Close", keys="Esc")
        foot = row(
            self.verify_button, self.export_button, None, self._why_not, self.close_button, self.undo_button,
            gap=2, margins=(5, 0, 5, 0),
        )  # fmt: skip
        below = area(column(self.detail, self.request, gap=0), "base", "t")
        parts = column(
            head, self.grid, below, self.outcome,
            area(foot, "window", "t", metrics().control + 6 * metrics().unit), gap=0,
        )  # fmt: skip
        parts.setStretch(1, 3)
        parts.setStretch(2, 2)
        self.setLayout(parts)
        self.grid.setMinimumHeight(5 * metrics().row)
        self.request.setMinimumHeight(5 * metrics().line)
        room = self.screen().availableSize()
        self.resize(min(px(1000), round(0.95 * room.width())), min(px(640), round(0.9 * room.height())))
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self.grid)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self._copy_rows)
        self.grid.selectionModel().currentRowChanged.connect(self._show_current)
        self.grid.selectionModel().selectionChanged.connect(self._show_state)
        self.search.textChanged.connect(self._filter)
        self.kind.currentIndexChanged.connect(self._filter)
        self.of_outcome.currentIndexChanged.connect(self._filter)
        self.here.toggled.connect(self._filter)
        self.verify_button.clicked.connect(self._verify)
        self.export_button.clicked.connect(self._ask_file)
        self.undo_button.clicked.connect(self._undo)
        self.close_button.clicked.connect(self.reject)
        self._show_current()
        self._read(is_check=False)

    @property
    def chosen(self) -> tuple[AnyWrite, ...]:
        """In the order in which they are shown."""
        at = sorted({index.row() for index in self.grid.selectionModel().selectedRows()})
        return tuple(self._shown[row_].write for row_ in at)

    # -- reading

    def _read(self, *, is_check: bool) -> None:
        self.outcome.show_running("Reading the journal…")
        self.verify_button.setEnabled(False)
        self._runner.start(
            partial(_read_entries, self._journal),
            title="Read the journal",
            done=self._checked if is_check else self._show_read,
            failed=self._failed,
        )

    @Slot()
    def _verify(self) -> None:
        self._read(is_check=True)

    @Slot(object)
    def _show_read(self, read: _Read) -> None:
        self._found, self._all = read, read.entries
        self.verify_button.setEnabled(True)
        self.outcome.clear()
        self._offer(self.kind, KIND_AT)
        self._offer(self.of_outcome, OUTCOME_AT)
        self._filter()
        if read.logged.contents.broken is not None:
            self._say_chain(read.logged)

    @Slot(object)
    def _checked(self, read: _Read) -> None:
        self._show_read(read)
        self._say_chain(read.logged)

    def _say_chain(self, logged: Logged) -> None:
        contents = logged.contents
        records = f"{len(contents.records):,} record{'' if len(contents.records) == 1 else 's'}"
        torn = " It ends in a line that was never finished: a program ended while it wrote." if contents.torn else ""
        last = f"Last record {contents.head}."
        if contents.broken is None:
            self.outcome.show_end("pass", f"{records}, whole", f"{last}{torn}")
        else:
            self.outcome.show_end(
                "warning",
                f"Changed at {contents.broken}",
                f"What stands before it is as it was written: {records}. {last} Nothing is added to it, and nothing "
                f"is repaired, before its folder is moved away: {logged.path.parent}",
            )

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self.verify_button.setEnabled(True)
        self.outcome.show_error(error)

    # -- what is shown

    def _offer(self, box: QComboBox, column_: int) -> None:
        """The values that there are, below the one that stands for all."""
        chosen = box.currentText()
        with QSignalBlocker(box):
            while box.count() > 1:
                box.removeItem(1)
            box.addItems(sorted({entry.told(column_) for entry in self._all}))
            box.setCurrentIndex(max(0, box.findText(chosen)))

    @Slot()
    def _filter(self) -> None:
        words = self.search.text().casefold().split()
        found = [entry for entry in self._all if all(word in entry.text for word in words)]
        for box, column_ in ((self.kind, KIND_AT), (self.of_outcome, OUTCOME_AT)):
            if box.currentIndex() > 0:
                found = [entry for entry in found if entry.told(column_) == box.currentText()]
        if self.here.isChecked():
            found = [entry for entry in found if entry.place == self._place]
        self._shown = found
        self.model.set_rows([entry.row for entry in found])
        of = f" of {len(self._all):,}" if len(found) != len(self._all) else ""
        self._count.setText(f"{len(found):,}{of} write{'' if len(self._all) == 1 else 's'}")
        if found:
            self.grid.setCurrentIndex(self.model.index(0, 0))
        self._show_current()

    @Slot()
    def _show_current(self) -> None:
        at = self.grid.currentIndex().row()
        entry = self._shown[at] if 0 <= at < len(self._shown) else None
        nothing = "Nothing was written yet." if not self._all else "No write is like this."
        self.detail.setText(nothing if entry is None else _detail_words(entry))
        self.request.setPlainText("" if entry is None else json_lines(_request(entry.shown)))
        self._show_state()

    @Slot()
    def _show_state(self) -> None:
        why = self._why_not_undone()
        self.undo_button.setEnabled(self._found is not None and not why)
        self._why_not.setText(why if self._all else "")
        self.undo_button.setAccessibleDescription(why)
        self.export_button.setEnabled(bool(self._all))

    def _why_not_undone(self) -> str:
        found, chosen = self._found, self.chosen
        if found is None:
            return ""
        repairs = [write for write in chosen if isinstance(write, LoggedWrite)]
        edits = [write for write in chosen if isinstance(write, LoggedEdit | LoggedBatch)]
        if any(isinstance(write, LoggedChange) for write in chosen):
            return "A change of a table is not taken back."
        if len(repairs) + len(edits) < len(chosen):
            return "Compose its mirror to take it back."
        if not edits:
            return rows.why_not_undone(repairs, found.logged.ledger, self._place)
        if repairs:
            return "Choose repairs, or edits."
        if not self._undoes_edits:
            return "Edits are taken back from the journal of a table's tab."
        return edit_rows.why_not_undone(edits, found.log, self._place)

    @Slot()
    def _copy_rows(self) -> None:
        at = sorted({index.row() for index in self.grid.selectionModel().selectedRows()})
        lines = ["\t".join(cell.text for cell in self.model.row_at(row_).cells) for row_ in at]
        QGuiApplication.clipboard().setText("\n".join(lines))

    # -- out of it

    @Slot()
    def _undo(self) -> None:
        chosen = self.chosen
        self.accept()
        if all(isinstance(write, LoggedWrite) for write in chosen):
            self.undo_asked.emit(chosen)
        else:
            self.undo_edits_asked.emit(tuple(write.id for write in chosen))

    @Slot()
    def _ask_file(self) -> None:
        self._asker.save_file("Export the journal", (CSV_FILES, JSON_FILES), "journal.csv", self._export)

    def _export(self, path: Path) -> None:
        if self._found is None:
            return
        self._runner.start(
            partial(_export, self._found.logged, [entry.row for entry in self._shown], path),
            title=f"Write {path.name}",
            done=self._exported,
            failed=self.outcome.show_error,
        )

    @Slot(object)
    def _exported(self, path: Path) -> None:
        hides = any(entry.shown != entry.write for entry in self._all)
        self.outcome.show_end(
            "pass", "Exported", f"Without what a rule calls sensitive: {path}" if hides else str(path)
        )


def _read_entries(journal: Journal, ticket: Ticket) -> _Read:
    logged = read_journal(journal, ticket)
    records, shown = logged.contents.records, logged.contents.shown().records
    ledger, log, requests = logged.ledger, EditLog.of(records), RequestLog.of(records)
    shown_log, tables = EditLog.of(shown), TableLog.of(records)
    made: list[_Entry] = [
        _entry(ledger.writes[id_], write, rows.journal_row(write, ledger))
        for id_, write in Ledger.of(shown).writes.items()
    ]
    made += [_entry(log.edits[id_], edit, edit_rows.edit_row(edit, log)) for id_, edit in shown_log.edits.items()]
    made += [_entry(log.batches[id_], one, edit_rows.edit_row(one, log)) for id_, one in shown_log.batches.items()]
    made += [
        _entry(requests.runs[id_], run, request_rows.request_row(run, requests.runs[id_]))
        for id_, run in RequestLog.of(shown).runs.items()
    ]
    made += [_entry(change, change, table_rows.change_row(change)) for change in tables.changes.values()]
    made.sort(key=lambda entry: entry.write.at)
    return _Read(logged, log, made[::-1])


def _entry(write: AnyWrite, shown: AnyWrite, row_: Row) -> _Entry:
    place = _place_of(write)
    said = [*(cell.text for cell in row_.cells), place.identity, place.endpoint, place.region]
    return _Entry(write, shown, row_, " ".join(said).casefold(), place)


def _detail_words(entry: _Entry) -> str:
    match entry.shown:
        case LoggedWrite() as write:
            return rows.detail_words(write)
        case LoggedChange() as change:
            return table_rows.detail_words(change)
        case LoggedRequest() as run:
            return request_rows.detail_words(run, cast(LoggedRequest, entry.write))
        case edit:
            return edit_rows.detail_words(edit)


def _request(write: AnyWrite) -> Mapping[str, object]:
    match write:
        case LoggedWrite():
            return request_json(write.update)
        case LoggedRequest() | LoggedChange():
            return write.parameters
        case edit:
            return edit_rows.request(edit)


def _place_of(write: AnyWrite) -> Place:
    match write:
        case LoggedWrite():
            return write.run.place
        case LoggedEdit() | LoggedBatch():
            return write.commit.place
        case LoggedRequest() | LoggedChange():
            return write.place


def _export(logged: Logged, shown: Sequence[Row], path: Path, ticket: Ticket) -> Path:
    """What is shown as CSV; with the ending .jsonl all records, byte for byte but for what is sensitive.

    Raises `FileNotWritten`.
    """
    ticket.checkpoint()
    if path.suffix.lower() == ".jsonl":
        data = b"".join(record.line for record in logged.contents.shown().records)
    else:
        data = rows.as_csv(shown)
    write_private(path, data)
    return path
