"""A lost race: what was read, what is there now and what is wanted, side by side, and what is to become of it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.edit_races import Race
from dynodesk.domain.errors import InvalidRequest
from dynodesk.ui.dialogs import commit_rows as rows
from dynodesk.ui.pages.reconcile_rows import RowsModel
from dynodesk.ui.theme import Text, metrics, px
from dynodesk.ui.widgets.controls import button
from dynodesk.ui.widgets.grids import Grid, dress_grid
from dynodesk.ui.widgets.layouts import Area, area, column, row


class _Versions(Grid):
    """Space takes the other side of a conflict."""

    toggle_asked = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            self.toggle_asked.emit()
        else:
            super().keyPressEvent(event)


class RacePanel(Area):
    """Nothing is chosen for the person: each conflict waits until one of the two values is taken."""

    taken = Signal()
    """Theirs stands."""
    rebased = Signal(object)
    """The `Edit` of the item as it was found, or None where nothing is left to write."""
    failed = Signal(object)

    def __init__(self) -> None:
        super().__init__("base")
        self._race: Race | None = None
        self._mine: dict[AttributePath, bool] = {}
        self._may_choose, self._settled = False, ""
        self.model = RowsModel(rows.RACE_COLUMNS, self)
        self.grid = _Versions()
        self.grid.setModel(self.model)
        dress_grid(self.grid, "Both versions")
        for at, of in enumerate(rows.RACE_COLUMNS):
            self.grid.setColumnWidth(at, px(of.width))
        self.grid.horizontalHeader().setStretchLastSection(True)
        self.grid.setMinimumHeight(3 * metrics().row + metrics().bar)
        self.says = Text("", "text2", wrap=True)
        self.theirs_here = button("Use theirs here", tone="quiet")
        self.mine_here = button("Use mine here", tone="quiet")
        self.take_button = button("Take theirs", "discard")
        self.keep_button = button("", "git-merge")
        foot = row(self.theirs_here, self.mine_here, None, self.take_button, self.keep_button, gap=2)
        whole = column(
            area(column(self.says, margins=(5, 2, 5, 2)), "base"),
            self.grid,
            area(column(foot, margins=(5, 1.5, 5, 1.5)), "window", "t"),
            gap=0,
        )
        whole.setStretch(1, 1)
        self.setLayout(whole)
        self.grid.toggle_asked.connect(self._toggle)
        self.grid.doubleClicked.connect(self._toggle)
        self.grid.selectionModel().currentRowChanged.connect(self._show_state)
        self.theirs_here.clicked.connect(self._use_theirs)
        self.mine_here.clicked.connect(self._use_mine)
        self.take_button.clicked.connect(self.taken)
        self.keep_button.clicked.connect(self._keep)

    @property
    def choices(self) -> Mapping[AttributePath, bool]:
        """Which attributes are to be as the edit has them, and which as they were found."""
        return dict(self._mine)

    def show_race(self, race: Race, choices: Mapping[AttributePath, bool], settled: str, *, may_choose: bool) -> None:
        """`may_choose`: it is not decided yet, and can be. Else `settled` says what was, and `choices` how."""
        self._race, self._mine, self._may_choose, self._settled = race, dict(choices), may_choose, settled
        self.keep_button.setText(_keep_words(race))
        self.keep_button.setAccessibleName(self.keep_button.text())
        self._show_rows()
        first = next((at for at, one in enumerate(race.attributes) if one in race.conflicts), 0)
        self.grid.setCurrentIndex(self.model.index(first, 0))
        self._show_state()

    def _show_rows(self) -> None:
        if self._race is not None:
            self.model.set_rows([rows.race_row(one, mine=self._mine.get(one.path)) for one in self._race.attributes])

    @property
    def _open(self) -> int:
        """Conflicts that nobody has decided yet."""
        return 0 if self._race is None else len(self._race.conflicts) - len(self._mine)

    @property
    def _conflict(self) -> AttributePath | None:
        at = self.grid.currentIndex().row()
        if self._race is None or not 0 <= at < len(self._race.attributes):
            return None
        one = self._race.attributes[at]
        return one.path if one in self._race.conflicts else None

    @Slot()
    def _show_state(self) -> None:
        if self._race is None:
            return
        may = self._may_choose
        has_conflicts = may and bool(self._race.conflicts)
        for here in (self.theirs_here, self.mine_here):
            here.setVisible(has_conflicts)
            here.setEnabled(self._conflict is not None)
        self.take_button.setVisible(may)
        self.keep_button.setVisible(may and not (self._race.found is None and self._race.edit.after is None))
        self.keep_button.setEnabled(not self._open)
        self.says.setText(self._settled or _says(self._race, self._open if may else 0))

    def _choose(self, *, mine: bool) -> None:
        path, at = self._conflict, self.grid.currentIndex()
        if path is None or not self._may_choose:
            return
        self._mine[path] = mine
        self._show_rows()
        self.grid.setCurrentIndex(self.model.index(at.row(), at.column()))
        self._show_state()

    @Slot()
    def _use_mine(self) -> None:
        self._choose(mine=True)

    @Slot()
    def _use_theirs(self) -> None:
        self._choose(mine=False)

    @Slot()
    def _toggle(self) -> None:
        path = self._conflict
        if path is not None:
            self._choose(mine=not self._mine.get(path, False))

    @Slot()
    def _keep(self) -> None:
        if self._race is None or self._open:
            return
        try:
            anew = self._race.rebased({path for path, mine in self._mine.items() if mine})
        except InvalidRequest as refused:
            self.failed.emit(refused)
            return
        self.rebased.emit(anew)


def _keep_words(race: Race) -> str:
    if race.edit.after is None:
        return "Delete it as it is now"
    if race.found is None:
        return "Make it anew"
    return "Add mine to what is there" if race.edit.before is None else "Keep mine on top of theirs"


def _says(race: Race, undecided: int) -> str:
    if race.found is None:
        return "Somebody deleted the item since it was read."
    if race.edit.before is None:
        words = "There is an item with this key already."
    else:
        number = sum(one.is_theirs for one in race.attributes)
        words = f"Somebody changed {rows.attributes_words(number)} since the item was read."
    if undecided:
        many = "1 attribute is" if undecided == 1 else f"{undecided:,} attributes are"
        words += f" {many} in conflict: choose which value stays. The others are merged."
    return words
