"""The dialog that proposes rules: tables chosen, samples read, what agrees shown with its evidence, and kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QDialog, QFrame, QListWidget, QListWidgetItem, QSplitter, QWidget

from dynodesk.domain.cells import visible
from dynodesk.domain.ports import ItemReader, TableCatalog
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.reconcile.proposing import USUAL_SAMPLE, Proposal, propose, rules_file
from dynodesk.ui.asking import Asker
from dynodesk.ui.dialogs.outcome import Outcome
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.pages import reconcile_texts as texts
from dynodesk.ui.shell import Workspace
from dynodesk.ui.theme import Text, metrics, px, ui_font
from dynodesk.ui.widgets.code import CodeView
from dynodesk.ui.widgets.controls import button, field, search_field
from dynodesk.ui.widgets.layouts import Area, area, column, panel_header, row

LEAST_SAMPLE, MOST_SAMPLE = 100, 10_000_000
SAYS = (
    "Numbers on items that agree with what other items add up to, each tried on five parents that are read anew. "
    "What comes out is a beginning: only you know how your application writes. Nothing is written to a table."
)


class SuggestDialog(QDialog):
    """Stays open until rules are kept or the person gives up. Show it with `open`."""

    kept = Signal(object)
    """The path of the file that has the rules now. The dialog is closed by then."""

    def __init__(
        self,
        workspace: Workspace,
        tables: Collection[str],
        file: Path | None,
        why_not_file: str,
        runner: JobRunner,
        asker: Asker,
        window: QWidget | None = None,
    ) -> None:
        """`tables` are ticked at first. `file` is the open rules file, and `why_not_file` why it is not added to."""
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Suggest rules")
        self._workspace, self._file, self._why_not_file = workspace, file, why_not_file
        self._runner, self._asker = runner, asker
        self._ticked = frozenset(tables)
        self._job: Job | None = None
        self._proposals: tuple[Proposal, ...] = ()

        self.filter = search_field("Filter tables", "Filter tables")
        self.tables = _list("Tables to read a sample of")
        self.sample = field("Items to read of each table", width=90, mono=False)
        self.sample.setText(str(USUAL_SAMPLE))
        self.sample.setValidator(QIntValidator(LEAST_SAMPLE, MOST_SAMPLE, self.sample))
        self.look_button = button("Look for rules", "lightbulb", primary=True)
        self.proposals = _list("Proposed rules")
        self.preview = CodeView("The rules that are ticked, as they will be written")
        self.outcome = Outcome()
        self.close_button = button("Close", keys="Esc")
        self.new_button = button("Save as a new file…", "new-file")
        name = "" if file is None else visible(file.name)
        self.add_button = button(f"Add to {name}" if file else "Add", "add")
        self.add_button.setHidden(file is None)
        self.add_button.setToolTip(why_not_file or str(file))
        self._arrange()
        self.filter.textChanged.connect(self._filter)
        self.tables.itemChanged.connect(self._show_state)
        self.sample.textChanged.connect(self._show_state)
        self.proposals.itemChanged.connect(self._show_preview)
        self.look_button.clicked.connect(self._look)
        self.close_button.clicked.connect(self.reject)
        self.new_button.clicked.connect(self._ask_file)
        self.add_button.clicked.connect(self._add)
        self._show_preview()
        self._begin(workspace.catalog.table_names, "List the tables", self._listed)

    def _arrange(self) -> None:
        heading = Text("Suggest rules", size="title", weight="semibold")
        head = area(column(heading, Text(SAYS, "text2", wrap=True), gap=1.5, margins=(5, 4, 5, 3)), "window", "b")
        asked = row(Text("Sample", "text2"), self.sample, Text("items each", "muted"), None, gap=1.5)
        below = area(column(asked, self.look_button, gap=2, margins=(3, 2, 3, 2)), "window", "t")
        left = _panel(
            panel_header("Tables"), area(row(self.filter, margins=(3, 1.5, 3, 1.5)), "window", "b"), self.tables, below
        )
        self._found = Text("", "muted")
        title = area(
            row(Text("Proposed rules", weight="semibold"), self._found, None, gap=1.5, margins=(3, 0, 3, 0)),
            "window", "b", metrics().bar + 2,
        )  # fmt: skip
        right = QSplitter(Qt.Orientation.Vertical)
        right.setChildrenCollapsible(False)
        right.addWidget(_panel(title, self.proposals))
        right.addWidget(_panel(panel_header("Rules file", note="what is ticked, as it will be written"), self.preview))
        both = QSplitter()
        both.setChildrenCollapsible(False)
        both.addWidget(left)
        both.addWidget(right)
        both.setStretchFactor(1, 1)
        both.setSizes([px(240), px(640)])
        foot = row(None, self.close_button, self.new_button, self.add_button, gap=2, margins=(5, 0, 5, 0))
        parts = column(
            head, both, self.outcome, area(foot, "window", "t", metrics().control + 6 * metrics().unit), gap=0
        )
        parts.setStretch(1, 1)
        self.setLayout(parts)
        room = self.screen().availableSize()
        self.resize(min(px(900), round(0.95 * room.width())), min(px(660), round(0.92 * room.height())))

    @property
    def job(self) -> Job | None:
        return self._job

    # -- what is asked

    @property
    def chosen_tables(self) -> tuple[str, ...]:
        return tuple(str(item.data(Qt.ItemDataRole.UserRole)) for item in _ticked(self.tables))

    @property
    def chosen(self) -> tuple[Proposal, ...]:
        """The proposals that are ticked."""
        return tuple(self._proposals[self.proposals.row(item)] for item in _ticked(self.proposals))

    @Slot(object)
    def _listed(self, names: tuple[str, ...]) -> None:
        for name in names:
            item = _item(visible(name), ticked=name in self._ticked)
            item.setData(Qt.ItemDataRole.UserRole, name)
            self.tables.addItem(item)
        self.tables.setFocus()
        first = next(iter(_ticked(self.tables)), self.tables.item(0))
        self.tables.setCurrentItem(first)

    @Slot()
    def _filter(self) -> None:
        words = self.filter.text().casefold()
        for at in range(self.tables.count()):
            item = self.tables.item(at)
            item.setHidden(words not in item.text().casefold())

    # -- looking

    @Slot()
    def _look(self) -> None:
        catalog, reader = self._workspace.catalog, self._workspace.reader
        tables, most = self.chosen_tables, int(self.sample.text())
        self._begin(partial(_propose, tables, most, catalog, reader), "Look for rules", self._show_proposals)

    @Slot(object)
    def _show_proposals(self, proposals: tuple[Proposal, ...]) -> None:
        self._proposals = ()
        self.proposals.clear()
        for proposal in proposals:
            name, evidence = visible(proposal.suggestion.name), visible(proposal.evidence)
            words = f"{name}  ·  {visible(str(proposal.suggestion.attribute))} of {visible(proposal.suggestion.table)}"
            item = _item(f"{words}\n{evidence}", ticked=True)
            self.proposals.addItem(item)
        self._proposals = proposals
        number = len(proposals)
        self._found.setText("1 rule" if number == 1 else f"{number:,} rules")
        if number:
            self.proposals.setCurrentRow(0)
            self.proposals.setFocus()
        else:
            self.outcome.show_end(
                "warning",
                "No number looks like a count of other items",
                "Choose other tables or a larger sample, or write a rule by hand: the editor has templates.",
            )
        self._show_preview()

    @Slot()
    def _show_preview(self) -> None:
        self.preview.setPlainText(rules_file(self.chosen) if self.chosen else "")
        self._show_state()

    # -- keeping

    @Slot()
    def _ask_file(self) -> None:
        self._asker.save_file("Save the rules", ("Rules (*.toml)",), "rules.toml", self._save)

    def _save(self, path: Path) -> None:
        self._begin(partial(texts.new_rules, path, self.chosen), f"Write {path.name}", self._kept)

    @Slot()
    def _add(self) -> None:
        if self._file is not None:
            work = partial(texts.add_rules, self._file, self.chosen)
            self._begin(work, f"Write {self._file.name}", self._kept)

    @Slot(object)
    def _kept(self, path: Path) -> None:
        self.accept()
        self.kept.emit(path)

    # -- jobs

    def _begin(self, work: Callable[[Ticket], object], title: str, done: Callable[[Any], object]) -> None:
        self.outcome.show_running(f"{title}…")
        self._job = self._runner.start(work, title=title, done=self._end, failed=self._failed)
        self._job.succeeded.connect(done)
        self._job.progressed.connect(self._progressed)
        self._job.cancelled.connect(self._stopped)
        self._job.ended.connect(self._show_state)
        self._show_state()

    @Slot(object)
    def _end(self, _result: object) -> None:
        self._stopped()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._stopped()
        self.outcome.show_error(error)

    @Slot()
    def _stopped(self) -> None:
        self._job = None
        self.outcome.clear()
        self._show_state()

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        if self._job is not None and not self._job.stopping:
            self.outcome.show_progress(progress)

    @Slot()
    def _show_state(self) -> None:
        idle = self._job is None
        self.look_button.setEnabled(idle and bool(self.chosen_tables) and self.sample.hasAcceptableInput())
        self.tables.setEnabled(idle)
        self.sample.setEnabled(idle)
        has_chosen = idle and bool(self.chosen)
        self.new_button.setEnabled(has_chosen)
        self.add_button.setEnabled(has_chosen and not self._why_not_file)
        self.close_button.setText("Close" if idle else "Stop")
        self.close_button.setAccessibleName(self.close_button.text())

    def reject(self) -> None:
        """Esc stops what runs; the next one closes the dialog."""
        if self._job is None:
            super().reject()
        else:
            self._job.cancel()
            self.outcome.show_running("Stopping…")


def _propose(
    tables: Sequence[str], most: int, catalog: TableCatalog, reader: ItemReader, ticket: Ticket
) -> tuple[Proposal, ...]:
    return propose(tables, most, catalog, reader, ticket, now=time.time())


def _list(name: str) -> QListWidget:
    made = QListWidget()
    made.setFont(ui_font())
    made.setFrameShape(QFrame.Shape.NoFrame)
    made.setAccessibleName(name)
    made.setSpacing(metrics().unit // 2)
    made.setTextElideMode(Qt.TextElideMode.ElideRight)
    return made


def _item(text: str, *, ticked: bool) -> QListWidgetItem:
    item = QListWidgetItem(text)
    item.setToolTip(text)
    item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
    item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
    return item


def _ticked(of: QListWidget) -> list[QListWidgetItem]:
    items = [of.item(at) for at in range(of.count())]
    return [item for item in items if item.checkState() == Qt.CheckState.Checked]


def _panel(*parts: QWidget) -> Area:
    """What can grow takes the room."""
    layout = column(*parts, gap=0)
    for at, part in enumerate(parts):
        layout.setStretch(at, int(not isinstance(part, Area)))
    return area(layout, "base")
