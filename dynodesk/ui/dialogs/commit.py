"""The dialog that commits staged edits, or takes written ones back: exact requests first, then what became of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHeaderView, QStackedWidget, QWidget

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.batches import MAX_BATCH, PlainWrite, batch_json
from dynodesk.domain.edit_races import Race
from dynodesk.domain.edits import Edit
from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.writes import GuardedMove, GuardedWrite
from dynodesk.editing.committing import EditResult, PlannedEdit
from dynodesk.editing.desk import ResolvedEdit
from dynodesk.ui.dialogs import commit_rows as rows
from dynodesk.ui.dialogs import commit_work as work
from dynodesk.ui.dialogs.approval import Approval
from dynodesk.ui.dialogs.commit_model import CommitModel
from dynodesk.ui.dialogs.commit_race import RacePanel
from dynodesk.ui.dialogs.commit_work import Committed, EditTools, PlannedCommit
from dynodesk.ui.dialogs.writing import ResultStream, WritesDialog
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.reconcile_rows import Column, RowsModel
from dynodesk.ui.staging import Staging, Written
from dynodesk.ui.theme import Text, metrics, px, ui_font
from dynodesk.ui.widgets.controls import button, sub_tabs
from dynodesk.ui.widgets.grids import Grid, dress_grid
from dynodesk.ui.widgets.layouts import Area, area, column

SAYS = "Each request applies only while what it changes is as it was read. A write that arrives meanwhile wins."
SAYS_UNDO = "Each item gets back what it was, only while it is as the commit left it."
MANY = 25
"""Edits up to which a commit without deletions, outside production, needs no name typed."""
GIVEN_UP, STAGED_ANEW = "theirs stands", "staged anew"
SETTLED = {
    GIVEN_UP: "Theirs stands: the edit is not staged any more.",
    STAGED_ANEW: "Staged anew, as shown here, and not written yet: commit again.",
}
"""What is said beside both versions of a race that was decided."""
REQUEST, VERSIONS, LEFT_OUT = range(3)
SAYS_BATCHES = "Deletions have no condition: each item is deleted whatever it has become since it was read."
SAYS_OTHERS = "Every other request applies only while what it changes is as it was read."
JOURNALED = "Written before a request is sent."
IN_BATCHES = "Items are deleted whatever they have become since, and it cannot be taken back."
INSTEAD = "Fewer requests. In exchange, items are deleted whatever they have become since, without an undo."


class CommitDialog(WritesDialog):
    """For one plan, used once. What was written leaves the staging; what was not stays there."""

    undo_asked = Signal(object)
    """The ids of commits to take back, as a tuple. The dialog is closed by then."""
    journal_asked = Signal()
    again_asked = Signal(object)
    """Edits that were staged anew and are to be committed, as a tuple. The dialog is closed by then."""

    def __init__(
        self,
        planned: PlannedCommit,
        staging: Staging,
        tools: EditTools,
        runner: JobRunner,
        window: QWidget | None = None,
    ) -> None:
        self._planned, self._staging, self._tools = planned, staging, tools
        self._edits = planned.plan.edits
        self._races: dict[str, Race] = {}
        self._choices: dict[str, Mapping[AttributePath, bool]] = {}
        """Of lost races that were decided, by the id of the write."""
        self._anew: list[Edit] = []
        self._committed: Committed | None = None
        self._commit = ""
        number = len(self._edits)
        is_production = tools.profile.stage == "production" and number > 0
        self._needs_name = is_production or planned.deletions > 0 or number > MANY
        go = f"{'Take back' if planned.is_undo else 'Commit'} {rows.edits_words(number)}"
        super().__init__(
            rows.title_of(planned),
            SAYS_UNDO if planned.is_undo else SAYS,
            tools.access,
            Approval(planned.tables, is_production=is_production),
            rows.COLUMNS,
            go,
            runner,
            window,
            "discard" if planned.is_undo else "save",
        )
        self.journal_button = button("Journal…", "book", tone="quiet")
        self.undo_button = button("Undo…", "discard")
        self.read_back_button = button("Read back", "refresh")
        self.again_button = button("Commit again…", "save")
        self.tabs = sub_tabs("Below")
        self.tabs.setUsesScrollButtons(False)
        self.race = RacePanel()
        self.unguarded = QCheckBox(f"Delete {planned.deletions:,} items in batches of {MAX_BATCH}, without conditions")
        self.arrange(
            self._make_facts(),
            (self.journal_button,),
            (self.read_back_button, self.undo_button, self.again_button),
            self.tabs,
        )
        self._add_pages()
        if len(planned.tables) == 1:  # the title names it, and the others need the room
            self.grid.setColumnHidden(rows.TABLE, True)
        header = self.grid.horizontalHeader()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(rows.ONLY_IF, QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(rows.CHANGE, QHeaderView.ResizeMode.Stretch)
        self.grid.setColumnWidth(rows.ONLY_IF, px(rows.COLUMNS[rows.ONLY_IF].width))
        if number:
            self.grid.setCurrentIndex(self.rows.index(0, 0))
        self._show_all()
        self.journal_button.clicked.connect(self.journal_asked)
        self.undo_button.clicked.connect(self._undo)
        self.read_back_button.clicked.connect(self._read_back)
        self.again_button.clicked.connect(self._commit_again)
        self.race.taken.connect(self._take_theirs)
        self.race.rebased.connect(self._rebase)
        self.race.failed.connect(self.outcome.show_error)
        self.note.set_text(rows.cost_words(planned))
        self.note.setToolTip("Write units. A refused request costs as well.")
        if not number:
            self.refuse("Each edit is left out, and why is said above.")
        else:
            self.refuse(tools.access.refusal)
        if not self._needs_name:
            self.go_button.setProperty("tone", "")
            self.go_button.setFocus()

    # -- building

    def _make_facts(self) -> Area:
        u = metrics().unit
        grid = QGridLayout()
        grid.setContentsMargins(5 * u, 2 * u, 5 * u, 2 * u)
        grid.setHorizontalSpacing(3 * u)
        grid.setVerticalSpacing(u)
        grid.setColumnStretch(1, 1)
        self._not_guarded = Text("", "text2", wrap=True)
        self.journal_note = Text("", "text2", wrap=True)
        self.batches_warning = Text(IN_BATCHES, "warn", wrap=True)
        self.batches_note = Text(INSTEAD, "muted", wrap=True)
        facts: list[tuple[str, QWidget]] = [
            ("Not guarded", self._not_guarded),
            ("Journal", self.journal_note),
        ]
        if self._offers_batches:
            self.unguarded.setFont(ui_font())
            self.unguarded.setAccessibleName(self.unguarded.text())
            self.unguarded.setAccessibleDescription(IN_BATCHES)
            self.unguarded.toggled.connect(self._show_all)
            facts[:0] = [("Many", self.unguarded), ("", area(column(self.batches_warning, self.batches_note, gap=0)))]
        for at, (name, content) in enumerate(facts):
            grid.addWidget(Text(name, "muted"), at, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(content, at, 1)
        self._facts = area(grid, "window", "t")
        return self._facts

    def _add_pages(self) -> None:
        self.left_out = Grid()
        self._left_rows = RowsModel(rows.LEFT_OUT_COLUMNS, self)
        self.left_out.setModel(self._left_rows)
        dress_grid(self.left_out, "Left out")
        for at, of in enumerate(rows.LEFT_OUT_COLUMNS):
            self.left_out.setColumnWidth(at, px(of.width))
        self.left_out.horizontalHeader().setStretchLastSection(True)
        self._left_rows.set_rows([rows.left_out_row(left) for left in self._planned.left_out])
        self._below = QStackedWidget()
        layout = self.layout()
        if layout is not None:
            layout.replaceWidget(self._middle, self._below)
        for page in (self._middle, self.race, self.left_out):
            self._below.addWidget(page)
        self.tabs.currentChanged.connect(self._tab_chosen)

    # -- rows and requests

    def new_rows(self, _columns: Sequence[Column]) -> CommitModel:
        self._model = CommitModel(self._edits, self._planned.tables, self)
        return self._model

    @property
    def _offers_batches(self) -> bool:
        return self._planned.deletions > MAX_BATCH and not self._planned.is_undo

    @property
    def is_unguarded(self) -> bool:
        """Whether deletions go in batches without conditions, because somebody said so."""
        return self.unguarded.isChecked()

    @property
    def results(self) -> dict[str, EditResult]:
        """What became of the edits so far, by the ids of the writes."""
        return self._model.results

    @Slot()
    def _show_all(self) -> None:
        self._model.in_batches = self.is_unguarded
        self._model.show_again()
        words = " ".join(rows.unguarded_words(self._planned, batches=self.is_unguarded))
        self._not_guarded.setText(words or "Nothing: whole items are guarded by their keys.")
        self._show_promises()
        self.show_current()

    def _show_promises(self) -> None:
        """What is said of conditions and of the way back holds for the way that is chosen."""
        batches, has_others = self.is_unguarded, self._planned.deletions < len(self._edits)
        if not self._planned.is_undo:
            guarded = f"{SAYS_BATCHES} {SAYS_OTHERS}" if has_others else SAYS_BATCHES
            self.says.setText(guarded if batches else SAYS)
        undo = "Undo is in it." if not batches else "Undo is in it, but not of deletions in batches."
        self.journal_note.setText(f"{JOURNALED} {undo}")
        if self._offers_batches:
            self.batches_warning.setVisible(batches)
            self.batches_note.setVisible(not batches)
        self.make_room()

    def update_at(self, at: int) -> GuardedWrite | None:
        return self._edits[at].write

    def request_at(self, at: int) -> Mapping[str, object] | None:
        planned = self._edits[at]
        if not self._model.goes_in_batch(planned):
            return super().request_at(at)
        return batch_json(planned.edit.table, [PlainWrite(one.edit.key) for one in self._model.batch_of(planned)])

    def request_words(self, at: int, count: int) -> str:
        planned = self._edits[at]
        if not self._model.goes_in_batch(planned):
            return f"{planned.write.operation} {at + 1:,} of {count:,}, exactly as sent"
        return f"BatchWriteItem of {len(self._model.batch_of(planned)):,} deletions, exactly as sent"

    def result_at(self, at: int) -> str:
        planned = self._edits[at]
        result = self.results.get(planned.id)
        if result is None or self.state == "asking":
            return ""
        return rows.result_words(result, self._model.settled.get(planned.id, ""))

    def show_current(self) -> None:
        super().show_current()
        at = self.current
        race = self._races.get(self._edits[at].id) if 0 <= at < len(self._edits) else None
        self._offer_pages(has_race=race is not None)
        if race is not None:
            id_ = self._edits[at].id
            settled, choices = self._model.settled.get(id_, ""), self._choices.get(id_, {})
            words = SETTLED.get(settled, "")
            self.race.show_race(race, choices, words, may_choose=not settled and not self._planned.is_undo)
            self._show_page(VERSIONS)

    def _offer_pages(self, *, has_race: bool) -> None:
        """A tab for each page there is. Tabs that come and go are made anew: hidden ones keep the bar too narrow."""
        pages = [("Request", REQUEST)] if self._edits else []
        pages += [("Both versions", VERSIONS)] if has_race else []
        pages += [(f"Left out {len(self._planned.left_out):,}", LEFT_OUT)] if self._planned.left_out else []
        if [page for _, page in pages] != [self.tabs.tabData(at) for at in range(self.tabs.count())]:
            shown = self._below.currentIndex()
            while self.tabs.count():
                self.tabs.removeTab(0)
            for title, page in pages:
                self.tabs.setTabData(self.tabs.addTab(title), page)
            self._show_page(shown if shown in [page for _, page in pages] else pages[0][1])
        self.tabs.setVisible(len(pages) > 1)

    def _show_page(self, page: int) -> None:
        at = next((at for at in range(self.tabs.count()) if self.tabs.tabData(at) == page), 0)
        self.tabs.setCurrentIndex(at)
        self._tab_chosen()

    @Slot()
    def _tab_chosen(self) -> None:
        page = self.tabs.tabData(self.tabs.currentIndex())
        if page is not None:
            self._below.setCurrentIndex(page)

    @property
    def page(self) -> int:
        """`REQUEST`, `VERSIONS` or `LEFT_OUT`, which is seen below the rows."""
        return self._below.currentIndex()

    # -- writing

    @property
    def is_approved(self) -> bool:
        return bool(self._edits) and (not self._needs_name or super().is_approved)

    @Slot()
    def go(self) -> None:
        stream = ResultStream(self._runner)
        stream.told.connect(self._told, Qt.ConnectionType.QueuedConnection)
        written = partial(work.write_edits, self._tools, self._planned, stream.take, unguarded=self.is_unguarded)
        job = self.start(written, self.windowTitle(), self._show_end)
        job.ended.connect(stream.deleteLater)
        self._facts.hide()

    @Slot(object)
    def _told(self, result: EditResult) -> None:
        if self.state == "running":
            self._show_result(result)

    def _show_result(self, result: EditResult) -> None:
        if self._model.take(result) == self.current:
            self.show_current()

    def _show_end(self, committed: Committed) -> None:
        self._commit, self._committed = committed.commit, committed
        for result in committed.results:
            self._note_race(result, committed)
            self.results[result.planned.id] = result
        self._show_all()
        self._go_to_first_trouble()
        self._tell_end(committed)
        self.note.set_text("")
        applied = [result.planned.edit for result in committed.results if result.outcome == "applied"]
        items = [*_now(committed.results), *self._found(committed)]
        self._staging.settle(applied, items)

    def _tell_end(self, committed: Committed) -> None:
        is_done = all(result.outcome == "applied" for result in committed.results)
        undecided = len(self._races.keys() - self._model.settled.keys())
        said = rows.end_words(committed, undecided=undecided, anew=len(self._anew))
        words = " ".join((*said, work.resolved_words(committed.resolved))).strip()
        self.outcome.show_end("pass" if is_done else "warning", rows.counted(committed), words)

    def _note_race(self, result: EditResult, committed: Committed) -> None:
        """There is something to choose where the item is known, and is not as it was read."""
        planned = result.planned
        if planned.id in committed.found and not result.at_target:
            found = committed.found[planned.id]
            if found != planned.edit.before:
                self._races[planned.id] = Race(planned.edit, found)

    def _found(self, committed: Committed) -> Iterator[Written]:
        for id_, item in committed.found.items():
            edit = self.results[id_].planned.edit
            if id_ in self._races:
                yield Written(edit.table, edit.identity, item)

    def _go_to_first_trouble(self) -> None:
        """What needs a person comes first."""
        for at, one in enumerate(self._edits):
            if self.results[one.id].outcome != "applied":
                self.grid.setCurrentIndex(self.rows.index(at, 0))
                self.show_current()
                return

    @Slot()
    def show_state(self) -> None:
        super().show_state()
        if not self._needs_name:
            self.approval.hide()
        is_over = self.state == "over"
        self.grid.setColumnHidden(rows.OUTCOME, self.state == "asking")  # nothing is in it
        outcomes = {result.outcome for result in self.results.values()}
        self.unguarded.setEnabled(self.state == "asking")
        self.undo_button.setVisible(is_over and bool(self._commit) and self._has_undo)
        self.read_back_button.setVisible(is_over and "unknown" in outcomes)
        self.journal_button.setVisible(self.state != "running")
        self.again_button.setVisible(is_over and bool(self._anew))
        self.again_button.setDefault(is_over and bool(self._anew))

    @property
    def _has_undo(self) -> bool:
        return any(
            self.results[one.id].outcome == "applied" and not self._model.goes_in_batch(one)
            for one in self._edits
            if one.id in self.results
        )

    # -- afterwards

    @property
    def _current_edit(self) -> PlannedEdit:
        return self._edits[self.current]

    @Slot()
    def _take_theirs(self) -> None:
        planned = self._current_edit
        self._staging.rebase(planned.edit, None)
        self._settle(GIVEN_UP, {one.path: False for one in self._races[planned.id].attributes})

    @Slot(object)
    def _rebase(self, anew: Edit | None) -> None:
        try:
            self._staging.rebase(self._current_edit.edit, anew)
        except DynodeskError as refused:
            self.outcome.show_error(refused)
            return
        self._anew += [] if anew is None else [anew]
        self._settle(GIVEN_UP if anew is None else STAGED_ANEW, self.race.choices)

    def _settle(self, words: str, choices: Mapping[AttributePath, bool]) -> None:
        self._model.settled[self._current_edit.id] = words
        self._choices[self._current_edit.id] = choices
        self._model.show_again(self.current)
        if self._committed is not None:
            self._tell_end(self._committed)
        self.show_state()
        self.show_current()
        self.grid.setFocus()

    @Slot()
    def _commit_again(self) -> None:
        self.accept()
        self.again_asked.emit(tuple(self._anew))

    @Slot()
    def _undo(self) -> None:
        self.accept()
        self.undo_asked.emit((self._commit,))

    @Slot()
    def _read_back(self) -> None:
        self.read_back_button.setEnabled(False)
        self.outcome.show_running("Reading back…")
        self._runner.start(
            partial(work.read_back, self._tools),
            title="Read back what became of edits",
            done=self._show_read_back,
            failed=self._not_read_back,
        )

    @Slot(object)
    def _not_read_back(self, error: BaseException) -> None:
        self.read_back_button.setEnabled(True)
        self.outcome.show_error(error)

    @Slot(object)
    def _show_read_back(self, resolved: tuple[ResolvedEdit, ...]) -> None:
        self.read_back_button.setEnabled(True)
        found = {one.write.id: one for one in resolved}
        applied, number = [], 0
        for planned in self._edits:
            one = found.get(planned.id)
            if one is None or self.results[planned.id].outcome != "unknown":
                continue
            number += one.outcome != "unknown"
            self._show_result(EditResult(planned, one.outcome, one.reason))
            if one.outcome == "applied":
                applied.append(planned.edit)
        left = sum(result.outcome == "unknown" for result in self.results.values())
        words = f"{number:,} found out, {len(applied):,} of them applied"
        self.outcome.show_end("warning" if left else "pass", words, f"{left:,} still unknown." if left else "")
        self._staging.settle(applied)
        self.show_state()


def _now(results: tuple[EditResult, ...]) -> Iterator[Written]:
    """The items that writes left behind, and the keys that they left without one."""
    for result in results:
        edit = result.planned.edit
        if result.outcome != "applied":
            continue
        if isinstance(result.planned.write, GuardedMove):
            yield Written(edit.table, edit.identity, None)
        if edit.target is None:
            yield Written(edit.table, edit.identity, None)
        elif result.seen is not None:
            yield Written(edit.table, edit.target, result.seen)
