"""The SQL page: tables of a connection loaded into a database on this computer, and statements over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu, QSplitter

from dynodesk.domain.errors import DynodeskError, explanation
from dynodesk.domain.progress import Progress
from dynodesk.domain.tables import Key, TableInfo
from dynodesk.ui.actions import Action, button_for, make
from dynodesk.ui.asking import Asker
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.messages import MessageBar
from dynodesk.ui.pages import sql_work as work
from dynodesk.ui.pages.browse_parts import ShortText, switch_for
from dynodesk.ui.pages.sql_editor import SqlEditor
from dynodesk.ui.pages.sql_keys import key_in_row
from dynodesk.ui.pages.sql_load_form import LoadForm
from dynodesk.ui.pages.sql_loads import Loads
from dynodesk.ui.pages.sql_queries import ReadyQuery, write_query
from dynodesk.ui.pages.sql_results import FaultStrip, ResultPane
from dynodesk.ui.pages.sql_sets import SetsPanel
from dynodesk.ui.pages.sql_text import at_its_line, bare_or_quoted, line_in
from dynodesk.ui.pages.sql_work import Answer, SetInfo, Stock
from dynodesk.ui.shell import Workspace
from dynodesk.ui.theme import icon, metrics, px
from dynodesk.ui.widgets.controls import button
from dynodesk.ui.widgets.layouts import Area, area, column, divider, row

RUN = Action("run-sql", "Run", "Run the selection, or the statement at the cursor.", "Ctrl+Return", "play")
GO_ON = Action("load-on", "Go on loading", "Read on where the selected set's load stopped.", "", "debug-continue")
REMOVE = Action("remove-set", "Remove the set", "Take the selected set out of the database.", "", "trash")
OPEN_ROW = Action(
    "open-result-row", "Open the item", "Show the item of the current row in its table.", "", "go-to-file"
)

FIRST = "Load a table, then write SQL: nothing here reads or writes DynamoDB but the loading."
OpenCollection = Callable[[str, Key, Key | None], object]


class SqlPage(Area):
    """One for a connection. What is loaded belongs to the connection and stays when the page is closed."""

    def __init__(
        self,
        workspace: Workspace,
        runner: JobRunner,
        asker: Asker,
        messages: MessageBar,
        open_collection: OpenCollection,
    ) -> None:
        super().__init__("window")
        self._workspace, self._runner, self._asker, self._messages = workspace, runner, asker, messages
        self._open_collection = open_collection
        self._stock = Stock(())
        self._running: Job | None = None
        self._writing: Job | None = None
        self._run_again = ""
        self._last_run = ""
        self.setWindowTitle("SQL")
        self.setWindowIcon(icon("terminal"))
        self.setAccessibleName("SQL")

        self.run_action = make(RUN, self, self.run)
        self.run_action.setShortcuts([QKeySequence("Ctrl+Return"), QKeySequence("Ctrl+Enter")])
        self.go_on_action = make(GO_ON, self, self._go_on)
        self.remove_action = make(REMOVE, self, self._remove)
        self.open_action = make(OPEN_ROW, self, self._open_current)
        self.tables = QMenu(self)
        self.exports = QMenu(self)
        for form, name in work.FORMS.items():
            export = Action(f"export-result-{form}", f"{name}…", f"Write the result as {name}.", "", "export")
            self.exports.addAction(make(export, self, partial(self._export, form)))

        self.sets = SetsPanel(self.tables, (self.go_on_action, self.remove_action))
        self.loads = Loads(workspace, runner, self.sets, self)
        self.form = LoadForm()
        self.editor = SqlEditor()
        self.fault = FaultStrip()
        self.result = ResultPane()
        self.run_button = button_for(self.run_action, primary=True)
        self.run_button.setProperty("keys", "Ctrl+Enter")
        self.stop_button = button("Stop", "debug-stop", "Esc")
        self._count = ShortText("text", "semibold")
        self._facts = ShortText("text2")
        self.addAction(self.result.chart_action)
        self._opener = button_for(self.open_action)
        self._opener.setProperty("keys", "Enter")
        self._exporter = button("Export", "export")
        self._exporter.setMenu(self.exports)
        bar = row(
            *(self.run_button, self.stop_button, 1, self._count, self._facts),
            *(self._opener, self._exporter, divider(), switch_for(self.result.chart_action)),
            gap=1.5,
            margins=(3, 1, 2, 2),
        )
        bar.setStretch(4, 1)
        above = area(column(self.editor, self.fault, gap=0), "base")
        below = area(column(area(bar, "window", "tb"), self.result, gap=0))
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.split.addWidget(above)
        self.split.addWidget(below)
        self.split.setSizes([px(290), px(500)])
        self.split.setStretchFactor(1, 1)
        self.split.setChildrenCollapsible(False)
        above.setMinimumHeight(4 * metrics().row)
        self.outer = QSplitter()
        self.outer.addWidget(self.sets)
        right = column(self.form, self.split, gap=0)
        right.setStretch(1, 1)
        self.outer.addWidget(area(right))
        self.outer.setSizes([px(250), px(900)])
        self.outer.setStretchFactor(1, 1)
        self.outer.setChildrenCollapsible(False)
        self.setLayout(column(self.outer, gap=0))
        self.begin_at(self.editor)

        self.loads.loaded.connect(self._loaded)
        self.loads.failed.connect(self._not_loaded)
        self.loads.changed.connect(self._show_state)
        self.form.load_asked.connect(self._load)
        self.form.files_changed.connect(self._look_for_files)
        self.form.file_asked.connect(self._choose_file)
        self.stop_button.clicked.connect(self.stop)
        self.sets.query_asked.connect(self._write_query)
        self.sets.current_changed.connect(self._show_state)
        self.result.banner.go_on.clicked.connect(self._go_on_and_run)
        self.result.row_opened.connect(self._open_row)
        self.result.grid.selectionModel().currentRowChanged.connect(self._show_state)
        self.editor.textChanged.connect(self._show_state)
        self.result.show_note(FIRST)
        self._show_state()
        self._look()

    # -- what is loaded

    def _look(self) -> None:
        """Opens the engine, and asks for the names of the tables."""
        self._runner.start(
            partial(work.take_stock, self._workspace), title="Open the SQL engine", done=self._show_stock
        )
        self._runner.start(self._workspace.catalog.table_names, title="List tables to load", done=self._show_tables)

    @Slot(object)
    def _show_tables(self, names: tuple[str, ...]) -> None:
        self.tables.clear()
        for name in names:
            self.tables.addAction(icon("table"), name.replace("&", "&&"), partial(self.load_table, name))
        self.tables.addSeparator()
        self.tables.addAction(icon("file"), "Files…", self._open_for_files)
        self.form.set_tables(names)

    @Slot(object)
    def _show_stock(self, stock: Stock, choose: str = "") -> None:
        self._stock = stock
        self.sets.show_stock(stock, choose)
        names = [one.loaded.name for one in stock.sets] + [c.name for one in stock.sets for c in one.columns]
        self.editor.set_names(map(bare_or_quoted, names))
        self._show_state()

    def load_table(self, table: str) -> None:
        """Open the form of a load for a table, with what it would cost."""
        self._runner.start(
            partial(work.describe, self._workspace, table), title=f"Describe {table}", done=self._open_form
        )

    @Slot(object)
    def _open_form(self, info: TableInfo) -> None:
        self.form.open_for_table(info, self._free_name)

    @Slot()
    def _open_for_files(self) -> None:
        self.form.open_for_files(self._free_name)

    def _free_name(self, wanted: str) -> str:
        return self._stock.free_name(wanted)

    @Slot()
    def _choose_file(self) -> None:
        filters = ("Items (*.json *.jsonl *.ndjson *.gz)", "All files (*)")
        self._asker.open_file("Choose a file of items", filters, self.form.add_path)

    @Slot()
    def _look_for_files(self) -> None:
        paths = self.form.file_paths
        if not paths:
            self.form.show_words("Name the files to load.")
            return
        self._runner.start(
            partial(work.files_words, paths),
            title="Look for files",
            done=self.form.show_words,
            failed=self._not_found,
        )

    @Slot(object)
    def _not_found(self, error: BaseException) -> None:
        if isinstance(error, DynodeskError):
            self.form.show_problem(error)
        else:
            self._messages.show_error(error)

    @Slot()
    def _load(self) -> None:
        if self.loads.job is not None:
            self._messages.notice("A load is running", "Wait for it, or stop it with Esc.", "warning")
            return
        try:
            wish = self.form.wish()
        except DynodeskError as error:
            self.form.show_problem(error)
            return
        self.loads.start(wish, self.form.set_name(wish))
        self.form.hide()
        self.editor.setFocus()

    @Slot(str, object)
    def _loaded(self, name: str, stock: Stock) -> None:
        self._show_stock(stock, name)
        if stock.named(name) is not None and not self.editor.text.strip():
            self.editor.add_statement(f"SELECT * FROM {bare_or_quoted(name)} LIMIT 100;")
        again, self._run_again = self._run_again, ""
        if again and self.run_action.isEnabled():
            self._run_text(again)

    @Slot(object)
    def _not_loaded(self, error: BaseException) -> None:
        self._run_again = ""
        self._messages.show_error(error)
        self._look()

    @Slot()
    def _go_on(self) -> None:
        info = self.sets.current
        if info is not None:
            self.loads.go_on(info.loaded)

    @Slot()
    def _go_on_and_run(self) -> None:
        """Take the load up again, and run the statement anew once it has ended."""
        outcome = self.result.outcome
        partial_set = next((s for s in outcome.sets if not s.provenance.complete), None) if outcome else None
        if partial_set is not None and self.loads.job is None:
            self._run_again = self._last_run
            self.loads.go_on(partial_set)

    @Slot()
    def _remove(self) -> None:
        info = self.sets.current
        if info is not None:
            self._runner.start(
                partial(work.remove_set, self._workspace, info.loaded),
                title=f"Remove {info.loaded.name}",
                done=self._show_stock,
            )

    # -- running

    @Slot()
    def run(self) -> None:
        stretch = self.editor.chosen
        if stretch is not None and self.run_action.isEnabled():
            self.editor.remember(stretch.text)
            self._run_text(at_its_line(self.editor.text, stretch))

    def _run_text(self, text: str) -> None:
        self._last_run = text
        self.fault.show_fault("")
        self.editor.mark_fault(None)
        self._running = job = self._runner.start(
            partial(work.run_text, self._workspace, text), title="Run SQL", done=self._answered, failed=self._refused
        )
        job.progressed.connect(self._run_progressed)
        job.cancelled.connect(self._stopped)
        self.destroyed.connect(job.cancel)
        self.result.show_note("Running…")
        self._say("Running", "")
        self._show_state()

    @Slot()
    def stop(self) -> None:
        """The statement that runs, else the load."""
        if self._running is not None:
            self._running.cancel()
        else:
            self.loads.stop()

    @Slot(object)
    def _run_progressed(self, progress: Progress) -> None:
        if self._running is not None and not self._running.stopping and progress.total is None:
            self._say("Running", f"{progress.done:,} rows so far")

    @Slot(object)
    def _answered(self, answer: Answer) -> None:
        self._running = None
        self.result.show_answer(answer)
        rows = len(answer.outcome.result)
        of = f"the last of {answer.statements} statements · " if answer.statements > 1 else ""
        self._say(
            f"{rows:,} row{'' if rows == 1 else 's'}",
            f"{of}{answer.seconds * 1000:,.0f} ms · DuckDB, on this computer, no units used",
        )
        self._show_state()

    @Slot(object)
    def _refused(self, error: BaseException) -> None:
        self._running = None
        self.result.show_note("")
        self._say("", "")
        if isinstance(error, DynodeskError):
            self.fault.show_fault("\n".join(explanation(error)))
            self.editor.mark_fault(line_in(error.message))
        else:
            self._messages.show_error(error)
        self._show_state()

    @Slot()
    def _stopped(self) -> None:
        self._running = None
        self.result.show_note("Stopped.")
        self._say("", "")
        self._show_state()

    # -- ready queries

    @Slot(object)
    def _write_query(self, query: ReadyQuery) -> None:
        info = self.sets.current
        if info is not None:
            self._runner.start(
                partial(write_query, self._workspace, query, info),
                title=f"Write {query.title.lower()}",
                done=self.editor.add_statement,
            )

    # -- rows

    @Slot()
    def _open_current(self) -> None:
        self._open_row(self.result.grid.currentIndex().row())

    @Slot(int)
    def _open_row(self, at: int) -> None:
        outcome = self.result.outcome
        found = None if outcome is None or at < 0 else key_in_row(outcome, self.result.model.row(at))
        if found is not None:
            self._open_collection(found.table, found.partition, found.key)

    # -- kept over a restart

    def state(self) -> dict[str, object]:
        """The text: what is loaded is in memory only, and goes with the program."""
        return {"text": self.editor.text}

    def restore(self, state: Mapping[str, object]) -> None:
        text = state.get("text")
        if isinstance(text, str):
            self.editor.setPlainText(text)

    # -- the result as a file

    def _export(self, form: str) -> None:
        outcome = self.result.outcome
        if outcome is not None:
            filters = (f"{work.FORMS[form]} (*.{form})",)
            self._asker.save_file("Export the result", filters, f"result.{form}", self._write)

    def _write(self, path: Path) -> None:
        outcome = self.result.outcome
        if outcome is not None:
            self._writing = job = self._runner.start(
                partial(work.write_result, outcome, path),
                title=f"Write {path.name}",
                done=self._written,
                failed=self._messages.show_error,
            )
            job.ended.connect(self._write_ended)
            self.destroyed.connect(job.cancel)
            self._show_state()

    @Slot()
    def _write_ended(self) -> None:
        self._writing = None
        self._show_state()

    @Slot(object)
    def _written(self, path: Path) -> None:
        self._messages.notice("Result written", str(path))

    # -- what is shown

    @property
    def words(self) -> str:
        """The line beside the run button."""
        return f"{self._count.text} {self._facts.text}".strip()

    def _say(self, count: str, facts: str) -> None:
        self._count.set_text(count)
        self._facts.set_text(facts)

    @Slot()
    def _show_state(self) -> None:
        info: SetInfo | None = self.sets.current
        busy = self._running is not None
        is_read = self._writing is not None  # the result that is shown stays until it is written
        self.run_action.setEnabled(not busy and not is_read and bool(self.editor.text.strip()))
        self.stop_button.setEnabled(busy or self.loads.job is not None)
        self.go_on_action.setEnabled(
            info is not None and not info.loaded.provenance.complete and self.loads.job is None
        )
        self.result.banner.go_on.setEnabled(self.loads.job is None)
        self.remove_action.setEnabled(info is not None and self.loads.job is None)
        outcome, at = self.result.outcome, self.result.grid.currentIndex().row()
        self._exporter.setEnabled(outcome is not None and not is_read)
        for action in self.exports.actions():
            action.setEnabled(outcome is not None and not is_read)
        self.open_action.setEnabled(
            outcome is not None and at >= 0 and key_in_row(outcome, self.result.model.row(at)) is not None
        )
