"""Asks before a composed request that writes is sent: where to, what each action does, and the request itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QDialog, QGridLayout, QHeaderView, QWidget

from dynodesk.composing import words
from dynodesk.domain.access import Access
from dynodesk.domain.actions import Action, ComposedWrite, actions_of
from dynodesk.domain.cells import visible
from dynodesk.domain.repairs import Place
from dynodesk.ui.dialogs.allow_writes import allow_buttons
from dynodesk.ui.dialogs.approval import Approval
from dynodesk.ui.dialogs.commit import MANY
from dynodesk.ui.dialogs.outcome import Outcome
from dynodesk.ui.dialogs.writing import LOW_SCREEN
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.pages.compose_preview import RequestPreview, code_place
from dynodesk.ui.pages.reconcile_rows import Column, RowsModel
from dynodesk.ui.theme import Cell, Row, Text, metrics, px, ui_font
from dynodesk.ui.widgets.connection_bar import STAGES
from dynodesk.ui.widgets.controls import button
from dynodesk.ui.widgets.grids import Grid, dress_grid
from dynodesk.ui.widgets.layouts import Area, area, column, row
from dynodesk.ui.widgets.lines import Line
from dynodesk.ui.widgets.marks import Chip

COLUMNS = (
    Column("Action", 230),
    Column("Table", 90),
    Column("Change", 230),
    Column("Units", 120),
    Column("Only if", 200),
)
TABLE, CHANGE, UNITS, ONLY_IF = 1, 2, 3, 4
SAYS_ALL = "All of it is done, or nothing: if one condition does not hold, nothing is written."
SAYS_ONE = "It is sent once. If its condition does not hold, nothing is written."
SAYS_UNGUARDED = "It is sent once, and applies whatever the item has become."
JOURNALED = "Written before the request is sent."


@dataclass(frozen=True, slots=True)
class RunQuestion:
    """What a person has to know before a request is sent."""

    request: ComposedWrite
    tables: words.Tables
    """Those that it touches, as far as they are known."""
    units: str = ""
    """Of all of it, in words; "" where they are not known."""
    action_units: Sequence[str] = ()
    """Of each action, in words."""
    warnings: Sequence[str] = ()
    """What the checks say of it."""
    creates: Sequence[int] = ()
    """The updates, from 0, that may make an item where there is none: to be agreed to."""


class RunRequestDialog(QDialog):
    """`accepted`: send it. It sends nothing itself. Show it with `open`."""

    def __init__(
        self, asked: RunQuestion, access: Access, place: Place, runner: JobRunner, window: QWidget | None = None
    ) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        profile = access.profile
        self._asked, self._access, self._profile, self._place = asked, access, profile, place
        self._titles = words.titles(asked.request, asked.tables)
        self._names = words.tables_of(asked.request)
        count = len(self._titles)
        is_production = profile.stage == "production"
        self.needs_name = bool(self._names) and (is_production or words.deletes(asked.request) or count > MANY)
        tables = ", ".join(map(visible, self._names))
        self.setWindowTitle(
            f"Run {asked.request.operation} on {tables}" if tables else f"Run {asked.request.operation}"
        )
        self.rows = RowsModel(COLUMNS, self)
        self.rows.set_rows(list(self._rows()))
        self.grid = self._make_grid()
        self.preview = RequestPreview(runner, code_place(profile, place))
        self.preview.set_request(asked.request)
        self.approval = Approval(self._names, is_production=is_production)
        self.approval.setVisible(self.needs_name)
        self.agreed = QCheckBox(_creates_words([self._titles[at] for at in asked.creates]))
        self.agreed.setFont(ui_font())
        self.agreed.setAccessibleName(self.agreed.text())
        self._agreement = area(column(self.agreed, margins=(5, 2, 5, 2)), "warn_soft", "t")
        self._agreement.setVisible(bool(asked.creates))
        self.outcome = Outcome()
        self.cancel_button = button("Cancel", keys="Esc")
        self.go_button = button(f"Run {asked.request.operation}", "play", tone="danger" if self.needs_name else "")
        foot = row(
            None, Line(asked.units, "muted", stretch=False), self.cancel_button, self.go_button,
            gap=2, margins=(5, 0, 5, 0),
        )  # fmt: skip
        parts = column(
            self._make_head(),
            self.grid, area(column(self.preview, gap=0, margins=(0, 0.25, 0, 0)), "window", "t"),
            self._make_facts(), self._agreement, self.approval, self.outcome,
            area(foot, "window", "t", metrics().control + 6 * metrics().unit), gap=0,
        )  # fmt: skip
        parts.setStretch(1, 2)
        parts.setStretch(2, 3)
        self.setLayout(parts)
        room = self.screen().availableSize()
        is_low = room.height() < px(LOW_SCREEN)
        self.grid.setMinimumHeight((1 if is_low else 3) * metrics().row + metrics().bar)
        self.preview.setMinimumHeight((2 if is_low else 5) * metrics().line + metrics().tab)
        self.resize(min(px(880), round(0.95 * room.width())), min(px(680), round(0.92 * room.height())))
        self._is_refused = bool(access.refusal)
        if access.refusal:
            buttons = allow_buttons(access, self, self._allowed)
            self.outcome.show_end("lock", "Nothing can be sent", access.refusal, *buttons)
            self.approval.hide()
            self._agreement.hide()
        self.approval.changed.connect(self._show_state)
        self.agreed.toggled.connect(self._show_state)
        self.cancel_button.clicked.connect(self.reject)
        self.go_button.clicked.connect(self.accept)
        self._show_state()
        self._first.setFocus()

    @Slot()
    def _allowed(self) -> None:
        self._is_refused = False
        self.outcome.clear()
        self.approval.setVisible(self.needs_name)
        self._agreement.setVisible(bool(self._asked.creates))
        self._show_state()
        self._first.setFocus()

    @property
    def is_ready(self) -> bool:
        """Whether it can be sent: what has to be typed is typed, and what has to be agreed to is."""
        is_named = not self.needs_name or bool(self.approval.approved)
        return not self._is_refused and is_named and (not self._asked.creates or self.agreed.isChecked())

    @property
    def _first(self) -> QWidget:
        """What a person has to do first."""
        if self._is_refused:
            return self.cancel_button
        if self._asked.creates:
            return self.agreed
        return self.approval.field if self.needs_name else self.go_button

    @Slot()
    def _show_state(self) -> None:
        self.go_button.setEnabled(self.is_ready)
        self.go_button.setDefault(self.is_ready)  # filled once it does what it says

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrapped words need their height at this width: without it they would be cut."""
        super().resizeEvent(event)
        layout = self.layout()
        if layout is not None:
            room = round(0.95 * self.screen().availableSize().height())
            self.setMinimumHeight(min(layout.totalMinimumHeightForWidth(self.width()), room))

    # -- building

    def _make_head(self) -> Area:
        word, glyph, solid, ink = STAGES[self._profile.stage]
        heading = row(Text(self.windowTitle(), size="title", weight="semibold"), None, Chip(word, glyph, solid, ink))
        return area(column(heading, Text(self._says, "text2", wrap=True), gap=1.5, margins=(5, 4, 5, 3)), "window", "b")

    @property
    def _says(self) -> str:
        actions = actions_of(self._asked.request)
        if len(self._titles) > 1 or self._asked.request.operation == "TransactWriteItems":
            return SAYS_ALL
        return SAYS_UNGUARDED if any(words.guard_of(action) is None for action in actions) else SAYS_ONE

    def _make_grid(self) -> Grid:
        grid = Grid()
        grid.setModel(self.rows)
        dress_grid(grid, self.windowTitle())
        for at, of in enumerate(COLUMNS):
            grid.setColumnWidth(at, px(of.width))
        header = grid.horizontalHeader()
        header.setSectionResizeMode(CHANGE, QHeaderView.ResizeMode.Stretch)
        grid.setColumnHidden(TABLE, len(self._names) == 1)  # the title names it, and the others need the room
        grid.setColumnHidden(UNITS, not self._asked.action_units)
        if self.rows.rowCount():
            grid.setCurrentIndex(self.rows.index(0, 0))
        return grid

    def _rows(self) -> list[Row]:
        actions, statements = actions_of(self._asked.request), words.statements_of(self._asked.request)
        if statements:
            return [_statement_row(title, text) for title, text in zip(self._titles, statements, strict=True)]
        units = (*self._asked.action_units, *[""] * len(actions))
        return [
            _action_row(title, action, of_it)
            for title, action, of_it in zip(self._titles, actions, units, strict=False)
        ]

    def _make_facts(self) -> Area:
        u = metrics().unit
        grid = QGridLayout()
        grid.setContentsMargins(5 * u, 2 * u, 5 * u, 2 * u)
        grid.setHorizontalSpacing(3 * u)
        grid.setVerticalSpacing(u)
        grid.setColumnStretch(1, 1)
        place = self._place
        where = [visible(self._profile.name), place.identity, place.endpoint, place.region]
        facts = [("Sent to", " · ".join(filter(None, where)), "text")]
        facts += [("Checks", "\n".join(self._asked.warnings), "warn")] if self._asked.warnings else []
        facts += [
            ("Journal", JOURNALED, "text2"),
            ("If the reply gets lost", words.lost_words(self._asked.request), "text2"),
        ]
        self.facts = " ".join(f"{name}: {said}" for name, said, _ in facts)
        for at, (name, said, ink) in enumerate(facts):
            grid.addWidget(Text(name, "muted"), at, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(Text(said, ink, wrap=True), at, 1)
        return area(grid, "window", "t")


def _creates_words(titles: Sequence[str]) -> str:
    """What has to be agreed to."""
    one = len(titles) == 1
    return f"{', '.join(titles)} may make {'an item that is' if one else 'items that are'} not there: I mean that"


def _action_row(title: str, action: Action, units: str) -> Row:
    guard = words.guard_of(action)
    return Row(
        (
            Cell(title, "S"),
            Cell(visible(action.table), "S", ink="text2"),
            Cell(words.change_words(action), "S"),
            Cell(units, "text"),
            Cell(words.guard_words(action), "text" if guard is None else "S", ink="warn" if guard is None else "text2"),
        )
    )


def _statement_row(title: str, text: str) -> Row:
    verb, _, table = title.partition(" ")
    return Row(
        (
            Cell(verb, "S"),
            Cell(table, "S", ink="text2"),
            Cell(visible(text), "S"),
            Cell("", "text"),
            Cell("what its WHERE says", "text", ink="text2"),
        )
    )
