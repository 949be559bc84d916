"""Parts of the details of a table: facts under their names, and the grid of its indexes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QGridLayout, QWidget

from dynodesk.domain.cells import byte_text, visible
from dynodesk.domain.errors import DynodeskError, explanation
from dynodesk.domain.table_work import PastChange
from dynodesk.domain.tables import IndexInfo, TableInfo
from dynodesk.reports import table_wording as words
from dynodesk.ui.dialogs.form import Remark
from dynodesk.ui.pages.reconcile_rows import Column, RowsModel
from dynodesk.ui.theme import Cell, Row, Text, metrics, px
from dynodesk.ui.widgets.controls import field, tool
from dynodesk.ui.widgets.grids import Grid, dress_grid
from dynodesk.ui.widgets.layouts import Area, column, row

COLUMNS = (
    Column("Index", 120),
    Column("Kind", 42),
    Column("Key", 210),
    Column("Carries", 130),
    Column("State", 90),
    Column("Items, about", 84, right=True),
    Column("Size, about", 76, right=True),
    Column("Capacity", 120),
)


CHANGE_COLUMNS = (Column("When (UTC)", 150), Column("What", 230), Column("Outcome", 110), Column("Why", 260))


class Fact(QWidget):
    """One fact: what it is, or why it is not told."""

    def __init__(self, name: str, *, is_long: bool) -> None:
        """A long one is one line to be copied."""
        super().__init__()
        self.name = name
        self.words = Text("", wrap=True)
        self.refusal = Remark()
        self.line = field(name)
        self.line.setReadOnly(True)
        self.copy_button = tool("copy", f"Copy: {name}")
        self._is_long = is_long
        self._to_copy = row(self.line, self.copy_button, gap=1)
        self.setLayout(column(self.words, self.refusal, self._to_copy, gap=0))
        self.copy_button.clicked.connect(self._copy)
        self.say("")

    @property
    def text(self) -> str:
        """What is told, as it is read aloud."""
        return self.refusal.text if not self.refusal.isHidden() else self.line.text() or self.words.text()

    def say(self, text: str) -> None:
        self.refusal.hide()
        self.words.setText("" if self._is_long else text)
        self.line.setText(text if self._is_long else "")
        self.line.setCursorPosition(0)
        self.words.setHidden(self._is_long)
        for part in (self.line, self.copy_button):
            part.setVisible(self._is_long)
        self.copy_button.setEnabled(bool(text))

    def refuse(self, error: DynodeskError) -> None:
        self.say("")
        self.refusal.say("notice", visible(" ".join(explanation(error))))
        for part in (self.words, self.line, self.copy_button):
            part.hide()
        self.refusal.show()

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.line.text())


class Facts(Area):
    """Facts in reading order, a name at the left of each."""

    LONG = frozenset({"Stream ARN", "ARN"})
    NAMES = (
        *("Key", "Items and size", "Billing", "Capacity", "Table class", "Time to Live", "Stream", "Stream ARN"),
        *("Point-in-time recovery", "Deletion protection", "Created", "ARN"),
    )

    def __init__(self) -> None:
        super().__init__("base")
        u = metrics().unit
        grid = QGridLayout()
        grid.setContentsMargins(5 * u, 4 * u, 5 * u, 4 * u)
        grid.setHorizontalSpacing(4 * u)
        grid.setVerticalSpacing(round(1.5 * u))
        grid.setColumnStretch(1, 1)
        self._facts: dict[str, Fact] = {}
        self._labels: dict[str, Text] = {}
        for n, name in enumerate(self.NAMES):
            label, fact = Text(name, "text2"), Fact(name, is_long=name in self.LONG)
            beside = Qt.AlignmentFlag.AlignVCenter if name in self.LONG else Qt.AlignmentFlag.AlignTop
            grid.addWidget(label, n, 0, beside)
            grid.addWidget(fact, n, 1)
            self._facts[name], self._labels[name] = fact, label
        self.gone = Text("", "text", wrap=True)
        self.gone.hide()
        grid.addWidget(self.gone, len(self.NAMES), 0, 1, 2)
        self.setLayout(grid)

    def fact(self, name: str) -> Fact:
        return self._facts[name]

    def show_fact(self, name: str, said: str | DynodeskError) -> None:
        """ "" hides it."""
        fact = self._facts[name]
        if isinstance(said, DynodeskError):
            fact.refuse(said)
        else:
            fact.say(said)
        for part in (fact, self._labels[name]):
            part.setHidden(said == "")

    def show_gone(self, table: str) -> None:
        """Nothing is told of a table that does not exist, but that."""
        for name in self.NAMES:
            self.show_fact(name, "")
        self.gone.setText(f"The table {visible(table)} does not exist here: it was deleted, or never made.")
        self.gone.show()

    def show_info(self, info: TableInfo | DynodeskError) -> None:
        """All that comes with the description of the table."""
        self.gone.hide()
        if isinstance(info, DynodeskError):
            self.show_fact("Key", info)
            of_description = set(self.NAMES) - {"Key", "Time to Live", "Point-in-time recovery"}
            for name in of_description:
                self.show_fact(name, "")
            return
        stream = info.stream
        self.show_fact("Key", words.key_words(info.key_schema))
        self.show_fact("Items and size", f"{words.size_words(info)}: {words.age_words()}")
        self.show_fact("Billing", words.billing_words(info))
        self.show_fact("Capacity", words.capacity_words(info.throughput, info.billing))
        self.show_fact("Table class", words.CLASSES.get(info.table_class, info.table_class))
        self.show_fact(
            "Stream",
            "Off" if stream is None else f"On: {words.STREAM_WORDS.get(stream.view, stream.view)} ({stream.view})",
        )
        self.show_fact("Stream ARN", "" if stream is None else stream.arn)
        self.show_fact("Deletion protection", "On: it has to be switched off before" if info.is_protected else "Off")
        self.show_fact("Created", words.moment_words(info.created))
        self.show_fact("ARN", info.arn)


class _Rows(Area):
    """A grid as high as its rows, up to a dozen of them."""

    def __init__(self, name: str, columns: Sequence[Column]) -> None:
        super().__init__("base")
        self.model = RowsModel(columns, self)
        self.grid = Grid()
        self.grid.setModel(self.model)
        dress_grid(self.grid, name)
        for at, of in enumerate(columns):
            self.grid.setColumnWidth(at, px(of.width))
        self.grid.horizontalHeader().setStretchLastSection(True)
        self.nothing = Text("", "muted", wrap=True)
        self.nothing.setContentsMargins(*[round(part * metrics().unit) for part in (5, 2, 5, 2)])
        self.setLayout(column(self.nothing, self.grid, gap=0))

    def show_rows(self, rows: Sequence[Row], nothing: str) -> None:
        """`nothing` is said instead where there are none."""
        self.model.set_rows(rows)
        self.nothing.setText(nothing)
        self.nothing.setVisible(not rows)
        self.grid.setVisible(bool(rows))
        shown = min(len(rows), 12) + 1  # one more for a bar to scroll by
        self.grid.setFixedHeight(metrics().bar + shown * metrics().row)


class ChangeRows(_Rows):
    """What was done to the table from here, the newest first."""

    def __init__(self) -> None:
        super().__init__("Changes made from here", CHANGE_COLUMNS)

    def show_changes(self, changes: Sequence[PastChange] | DynodeskError) -> None:
        if isinstance(changes, DynodeskError):
            self.show_rows((), visible(" ".join(explanation(changes))))
        else:
            self.show_rows([_change_row(change) for change in changes], "None is in the journal.")


def _change_row(change: PastChange) -> Row:
    inks = {"accepted": "ok", "unknown": "slate"}
    return Row(
        (
            Cell(change.at[:19].replace("T", " "), "S"),
            Cell(visible(change.what), "text"),
            Cell(change.outcome, "text", ink=inks.get(change.outcome, "warn")),
            Cell(visible(change.why), "text", ink="text2"),
        )
    )


class IndexGrid(_Rows):
    """Every index of a table, a row each."""

    def __init__(self) -> None:
        super().__init__("Indexes", COLUMNS)
        self._indexes: tuple[IndexInfo, ...] = ()
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self.grid)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self._copy)
        self.show_indexes((), "")

    @property
    def current(self) -> IndexInfo | None:
        at = self.grid.currentIndex().row()
        return self._indexes[at] if 0 <= at < len(self._indexes) else None

    def show_indexes(self, indexes: Sequence[IndexInfo], billing: str) -> None:
        chosen = self.current
        self._indexes = tuple(indexes)
        self.show_rows([_row(index, billing) for index in indexes], "No index.")
        names = [index.name for index in indexes]
        if chosen is not None and chosen.name in names:
            self.grid.setCurrentIndex(self.model.index(names.index(chosen.name), 0))

    @Slot()
    def _copy(self) -> None:
        if self.current is not None:
            QGuiApplication.clipboard().setText(self.current.name)


def _row(index: IndexInfo, billing: str) -> Row:
    count, size = index.item_count_estimate, index.size_bytes_estimate
    is_active = index.status == "ACTIVE"
    return Row(
        (
            Cell(visible(index.name), "key"),
            Cell(index.kind, "text"),
            Cell(words.key_words(index.key_schema), "text"),
            Cell(words.projection_words(index.projection), "text"),
            Cell(words.state_words(index), "text", ink="ok" if is_active else "warn"),
            Cell("" if count is None else f"{count:,}", "N"),
            Cell("" if size is None else byte_text(size), "N"),
            Cell("the table's" if index.kind == "LSI" else words.capacity_words(index.throughput, billing), "text"),
        )
    )
