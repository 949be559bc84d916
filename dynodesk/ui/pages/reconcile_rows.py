"""Findings as rows of a grid: prepared where they are found, shown, filtered and sorted by value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from dynodesk.domain.cells import visible
from dynodesk.domain.findings import VERDICTS, Finding, Verdict
from dynodesk.domain.values import Number, order
from dynodesk.ui.theme import CELL, ROW, Cell, Row

Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()
ROLE = Qt.ItemDataRole
LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
MISSING = Cell(kind="missing")


@dataclass(frozen=True, slots=True)
class Column:
    title: str
    width: int
    """At the default text size."""
    right: bool = False


class RowsModel(QAbstractTableModel):
    """Prepared rows under titles. `data` only hands out what the rows hold."""

    def __init__(self, columns: Sequence[Column], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._columns = tuple(columns)
        self._rows: list[Row] = []

    def set_rows(self, rows: Sequence[Row]) -> None:
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

    def set_row(self, at: int, row: Row) -> None:
        """Another content of one row; what is chosen stays so."""
        self._rows[at] = row
        self.dataChanged.emit(self.index(at, 0), self.index(at, len(self._columns) - 1))

    def row_at(self, row: int) -> Row:
        return self._rows[row]

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: Index, role: int = ROLE.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self.row_at(index.row())
        if role == ROW:
            return row
        cell = row.cells[index.column()]
        if role == CELL:
            return cell
        if role == ROLE.TextAlignmentRole:
            return RIGHT if self._columns[index.column()].right else LEFT
        if role == ROLE.ToolTipRole:
            return cell.text
        return cell.text if role == ROLE.DisplayRole else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = ROLE.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == ROLE.DisplayRole:
            return self._columns[section].title
        if role == ROLE.TextAlignmentRole:
            return RIGHT if self._columns[section].right else LEFT
        return None


FINDING_COLUMNS = (
    Column("Verdict", 118),
    Column("Parent", 150),
    Column("Rule", 100),
    Column("Stored", 72, right=True),
    Column("Real", 66, right=True),
    Column("Drift", 72, right=True),
    Column("Evidence", 232),
    Column("Likely cause, or reason", 120),
)
DRIFT_INKS = {"exact": "danger", "probable": "danger", "bounded": "warn", "suspect": "warn"}


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding with its cells, and what each column sorts by: None stays last in both directions."""

    finding: Finding
    row: Row
    ranks: tuple[Any, ...]


def finding_row(finding: Finding) -> FindingRow:
    """For any thread: it touches no widget and no model."""
    drift_ink = DRIFT_INKS.get(finding.verdict, "muted")
    evidence, reason = finding.evidence.summary, _reason(finding)
    cells = (
        Cell(finding.verdict, "verdict"),
        Cell(visible(finding.parent_text), "S"),
        Cell(visible(finding.rule), "text", ink="text2"),
        Cell(visible(finding.stored_text), "N") if finding.stored is not None else MISSING,
        Cell(finding.real_text, "N") if finding.real is not None else MISSING,
        Cell(finding.drift_text, "drift", ink=drift_ink) if finding.drift_text else MISSING,
        Cell(evidence, "text", ink="text2" if finding.evidence.passes else "muted"),
        Cell(visible(reason), "text", ink="text2"),
    )
    ranks = (
        VERDICTS.index(finding.verdict),
        tuple(order(value) for value in finding.parent.values()),
        finding.rule.casefold(),
        _stored_rank(finding),
        finding.real,
        _drift(finding),
        evidence,
        reason or None,
    )
    return FindingRow(finding, Row(cells), ranks)


def _reason(finding: Finding) -> str:
    """Why there is no verdict, or where the drift is likely to come from."""
    parts = [finding.reason] if finding.reason else []
    if finding.causes:
        return "; ".join([*parts, finding.causes[0]])
    return "; ".join([*parts, "the stored number is negative"] if finding.negative else parts)


def _stored_rank(finding: Finding) -> tuple[int, Decimal, str] | None:
    """Numbers by value, then whatever is no number by its text."""
    if finding.stored is None:
        return None
    if isinstance(finding.stored, Number) and finding.stored.is_valid:
        return 0, finding.stored.value, ""
    return 1, Decimal(0), finding.stored_text


def _drift(finding: Finding) -> Decimal | None:
    return finding.drift if finding.drift is not None else finding.low


class FindingsModel(RowsModel):
    """The findings of a run. They are added as they come; once the run is over they stand as its report sorts them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(FINDING_COLUMNS, parent)
        self._all: list[FindingRow] = []
        self._shown: list[FindingRow] = []
        self._verdict: Verdict | None = None
        self._sorted_by = -1
        self._descending = False

    @property
    def shown(self) -> Sequence[FindingRow]:
        return tuple(self._shown)

    def finding(self, index: Index) -> Finding | None:
        return self._shown[index.row()].finding if index.isValid() else None

    def row_of(self, finding: Finding) -> int:
        """Where a finding is shown, or -1."""
        return next((at for at, row in enumerate(self._shown) if row.finding is finding), -1)

    def row_at(self, row: int) -> Row:
        return self._shown[row].row

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._shown)

    # -- changing it

    def clear(self) -> None:
        self._replace([])

    def add(self, rows: Sequence[FindingRow]) -> None:
        self._all += rows
        more = [row for row in rows if self._is_wanted(row)]
        if more:
            first = len(self._shown)
            self.beginInsertRows(NO_INDEX, first, first + len(more) - 1)
            self._shown += more
            self.endInsertRows()

    def settle(self, rows: Sequence[FindingRow]) -> None:
        """All findings of the run, those added before included, in the report's order."""
        added = {id(row.finding) for row in self._all}
        self.add([row for row in rows if id(row.finding) not in added])
        self._all = list(rows)
        self._reorder(self._arranged())

    def show_verdict(self, verdict: Verdict | None) -> None:
        """Only findings of this verdict; None: all of them."""
        self._verdict = verdict
        self._replace(self._all)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """By a column's values; -1: in the report's order."""
        self._sorted_by, self._descending = column, order == Qt.SortOrder.DescendingOrder
        self._reorder(self._arranged())

    def _replace(self, rows: list[FindingRow]) -> None:
        self.beginResetModel()
        self._all = rows
        self._shown = self._arranged()
        self.endResetModel()

    def _reorder(self, rows: list[FindingRow]) -> None:
        """Selections and the current cell stay with their findings."""
        self.layoutAboutToBeChanged.emit()
        before, places = self._shown, {id(row.finding): at for at, row in enumerate(rows)}
        held = self.persistentIndexList()
        self._shown = rows
        moved = [self.index(places[id(before[index.row()].finding)], index.column()) for index in held]
        self.changePersistentIndexList(held, moved)
        self.layoutChanged.emit()

    def _arranged(self) -> list[FindingRow]:
        rows = [row for row in self._all if self._is_wanted(row)]
        column = self._sorted_by
        if column < 0:
            return rows
        ranked = [row for row in rows if row.ranks[column] is not None]
        ranked.sort(key=lambda row: row.ranks[column], reverse=self._descending)
        return ranked + [row for row in rows if row.ranks[column] is None]

    def _is_wanted(self, row: FindingRow) -> bool:
        return self._verdict is None or row.finding.verdict == self._verdict
