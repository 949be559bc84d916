"""A request tried on copies of its items: what each would be like afterwards, or why it would be refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QDialog, QTreeView, QWidget

from dynodesk.composing import words
from dynodesk.composing.rehearsal import Rehearsal
from dynodesk.domain.access import Access
from dynodesk.domain.actions import SingleWrite, TransactWrite
from dynodesk.domain.cells import visible
from dynodesk.domain.progress import Ticket
from dynodesk.ui.dialogs import rehearsal_rows as rows
from dynodesk.ui.dialogs.outcome import Outcome
from dynodesk.ui.jobs import Job, JobRunner
from dynodesk.ui.theme import Text, icon, metrics, px, ui_font
from dynodesk.ui.widgets.connection_bar import STAGES
from dynodesk.ui.widgets.controls import button
from dynodesk.ui.widgets.layouts import area, column, row
from dynodesk.ui.widgets.marks import Chip
from dynodesk.ui.widgets.tips import plain_tip
from dynodesk.ui.widgets.trees import FACE, GROUND, INK, NOTE, dress_tree

Rehearse = Callable[[SingleWrite | TransactWrite, Ticket], Rehearsal]
"""For a worker thread: `RehearsalDesk.rehearse`."""

Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()
MOST_ROWS = 500
"""Rows that are shown at once: more of them would hold the window up."""
_FOLDED = Qt.ItemDataRole.UserRole + 20
"""What is below a row that has not been unfolded yet."""
TITLES = ("Attribute", "Change", "Before", "After")
WIDTHS = (200, 100, 210)
SAYS = "Its items are read and copied to a private server, where the same request is sent. Nothing is written here."
DIFFER = "The copy and the rules of expressions do not agree, so that the service may do either."


class RehearsalDialog(QDialog):
    """Rehearses as soon as it is made. Show it with `open`."""

    run_asked = Signal()
    """The request is to be run. The dialog is closed by then."""
    rehearsed = Signal(object)
    """The `Rehearsal` that is shown now."""

    def __init__(
        self,
        request: SingleWrite | TransactWrite,
        tables: words.Tables,
        access: Access,
        rehearse: Rehearse,
        runner: JobRunner,
        window: QWidget | None = None,
    ) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._request, self._tables, self._access = request, tables, access
        self._profile = access.profile
        self._rehearse, self._runner = rehearse, runner
        self._job: Job | None = None
        self.rehearsal: Rehearsal | None = None
        """What is shown; None while there is nothing."""
        title = f"Rehearsal of {request.operation}"
        self.setWindowTitle(title)
        self.model = _Rows(self)
        self.model.setHorizontalHeaderLabels(list(TITLES))
        self.tree = QTreeView()
        self.tree.setModel(self.model)
        dress_tree(self.tree, "What the request would do to each item")
        self.tree.setHeaderHidden(False)
        self.tree.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        for at, width in enumerate(WIDTHS):
            self.tree.setColumnWidth(at, px(width))
        header = self.tree.header()
        header.setFont(ui_font("caption", "medium"))
        header.setFixedHeight(metrics().bar - 3)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setStretchLastSection(True)
        self.tree.setMinimumHeight(5 * metrics().row)
        self.says = Text(SAYS, "text2", wrap=True)
        self.outcome = Outcome()
        self.differs = Text("", "warn", wrap=True)
        self._doubt = area(column(self.differs, margins=(5, 2, 5, 2)), "warn_soft", "t")
        self._doubt.hide()
        self.close_button = button("Close", keys="Esc")
        self.again_button = button("Rehearse again", "refresh")
        self.run_button = button("Run it now…", "play")
        self._arrange(title)
        self.close_button.clicked.connect(self.reject)
        self.again_button.clicked.connect(self.begin)
        self.run_button.clicked.connect(self._run)
        self.begin()

    def _arrange(self, title: str) -> None:
        word, glyph, solid, ink = STAGES[self._profile.stage]
        tables = ", ".join(map(visible, words.tables_of(self._request)))
        heading = row(
            Text(title, size="title", weight="semibold"), Text(tables, "text2", mono=True), None,
            Text(visible(self._profile.name), "text2"), Chip(word, glyph, solid, ink), gap=2,
        )  # fmt: skip
        head = area(column(heading, self.says, gap=1.5, margins=(5, 4, 5, 3)), "window", "b")
        foot = row(None, self.close_button, self.again_button, self.run_button, gap=2, margins=(5, 0, 5, 0))
        parts = column(
            head, self.tree, self._doubt, self.outcome,
            area(foot, "window", "t", metrics().control + 6 * metrics().unit), gap=0,
        )  # fmt: skip
        parts.setStretch(1, 1)
        self.setLayout(parts)
        room = self.screen().availableSize()
        self.resize(min(px(820), round(0.95 * room.width())), min(px(600), round(0.92 * room.height())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrapped words need their height at this width: without it they would be cut."""
        super().resizeEvent(event)
        layout = self.layout()
        if layout is not None:
            room = round(0.95 * self.screen().availableSize().height())
            self.setMinimumHeight(min(layout.totalMinimumHeightForWidth(event.size().width()), room))

    # -- rehearsing

    @Slot()
    def begin(self) -> None:
        """Rehearse, from the items as they are now."""
        if self._job is not None:
            return
        self._forget()
        self.outcome.show_running("Reading the items")
        self._job = self._runner.start(
            partial(_shown, self._rehearse, self._request, self._tables),
            title=f"Rehearse {self._request.operation}",
            done=self._show,
            failed=self.outcome.show_error,
        )
        self._job.progressed.connect(self.outcome.show_progress)
        self._job.cancelled.connect(self.outcome.clear)
        self._job.ended.connect(self._ended)
        self._show_state()

    def _forget(self) -> None:
        self.rehearsal = None
        self.model.removeRows(0, self.model.rowCount())
        self._doubt.hide()
        self.says.setText(SAYS)

    @Slot()
    def _ended(self) -> None:
        self._job = None
        self._show_state()

    def done(self, result: int) -> None:
        if self._job is not None:
            self._job.cancel()
        super().done(result)

    @Slot()
    def _run(self) -> None:
        self.accept()
        self.run_asked.emit()

    # -- what it shows

    @property
    def is_running(self) -> bool:
        return self._job is not None

    @Slot()
    def _show_state(self) -> None:
        refusal = self._access.setting_refusal
        is_known = self.rehearsal is not None and not self.is_running
        self.again_button.setEnabled(not self.is_running)
        self.run_button.setEnabled(is_known and not refusal)
        self.run_button.setToolTip(refusal)
        is_done = self.rehearsal is not None and self.rehearsal.is_done
        self.run_button.setDefault(is_known and not refusal and is_done)
        if is_known and not self.run_button.hasFocus():
            self.tree.setFocus()

    @Slot(object)
    def _show(self, shown: rows.Shown) -> None:
        self.rehearsal = rehearsal = shown.rehearsal
        self.says.setText(f"Tried on a private copy. Nothing was written to {visible(self._profile.name)}.")
        self.outcome.show_end(shown.verdict.glyph, shown.verdict.title, shown.verdict.line)
        if rehearsal.disagreement:
            self.differs.setText(f"{DIFFER} {rehearsal.disagreement}")
            self._doubt.show()
        heads, room = [], MOST_ROWS
        for one in shown.actions:
            heads.append(_action(one, room))
            room = max(0, room - len(one.changes))
        self.model.invisibleRootItem().appendRows(heads)  # at once, and whole: the view lays them out once
        for at, head in enumerate(heads):
            self.tree.setFirstColumnSpanned(at, QModelIndex(), True)
            for below in range(head.rowCount()):
                if head.child(below, 1) is None:
                    self.tree.setFirstColumnSpanned(below, head.index(), True)
        self.tree.expandToDepth(0)
        self.tree.setCurrentIndex(self.model.index(0, 0))
        self._show_state()
        self.rehearsed.emit(rehearsal)


class _Rows(QStandardItemModel):
    """What is folded is made when it is unfolded."""

    def hasChildren(self, parent: Index = NO_INDEX) -> bool:
        return super().hasChildren(parent) or self.canFetchMore(parent)

    def canFetchMore(self, parent: Index) -> bool:
        return parent.data(_FOLDED) is not None

    def fetchMore(self, parent: Index) -> None:
        folded: tuple[rows.AttributeRow, ...] | None = parent.data(_FOLDED)
        if folded is None:
            return
        rest = self.itemFromIndex(parent)
        rest.setData(None, _FOLDED)
        for same in folded[:MOST_ROWS]:
            rest.appendRow(_attribute(same))
        if len(folded) > MOST_ROWS:
            rest.appendRow(_cell(f"… {len(folded) - MOST_ROWS:,} more", ink="muted"))


def _shown(
    rehearse: Rehearse, request: SingleWrite | TransactWrite, tables: words.Tables, ticket: Ticket
) -> rows.Shown:
    return rows.shown_of(rehearse(request, ticket), tables)


def _action(one: rows.ActionRows, room: int) -> QStandardItem:
    """With what is below it: `room` changes at the most."""
    head = _cell(one.title, face="semibold", tip=one.whole_title)
    head.setIcon(icon(*one.mark))
    head.setData(one.state, NOTE)
    head.setAccessibleText(f"{one.title}, {one.state}")
    for why in one.why:
        head.appendRow(_cell(why, ink="danger", tip=why))
    for change in one.changes[:room]:
        head.appendRow(_attribute(change))
    if len(one.changes) > room:
        head.appendRow(_cell(f"… {len(one.changes) - room:,} more changes", ink="muted"))
    if one.unchanged:
        rest = _cell(rows.unchanged_words(one), ink="muted")
        rest.setData(one.unchanged, _FOLDED)
        head.appendRow(rest)
    return head


def _attribute(of: rows.AttributeRow) -> list[QStandardItem]:
    ground = rows.GROUNDS[of.word]
    cells = [
        _cell(of.name, face="mono", ground=ground),
        _cell(of.word, ink=rows.INKS[of.word], ground=ground, face="caption"),
        _cell(of.before, face="mono", ground=ground, tip=of.whole[0]),
        _cell(of.after, face="mono", ground=ground, tip=of.whole[1]),
    ]
    cells[2].setAccessibleText(f"before: {of.before or 'not there'}")
    cells[3].setAccessibleText(f"after: {of.after or 'not there'}")
    return cells


def _cell(text: str, *, face: str = "ui", ink: str = "text", ground: str = "", tip: str = "") -> QStandardItem:
    made = QStandardItem(text)
    made.setEditable(False)
    made.setData(face, FACE)
    made.setData(ink, INK)
    if ground:
        made.setData(ground, GROUND)
    if tip and tip != text:
        made.setToolTip(plain_tip(tip))
    return made
