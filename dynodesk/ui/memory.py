"""What the window remembers between runs: where it was, how wide its panels were, which colours, columns and types."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Protocol
from weakref import WeakKeyDictionary

from PySide6.QtCore import QByteArray, QSize
from PySide6.QtWidgets import QMainWindow, QSplitter, QWidget
from shiboken6 import isValid

from dynodesk.domain.column_choice import ColumnChoice
from dynodesk.domain.entities import EntityTypes
from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import TableInfo
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.shell import SavedSettings
from dynodesk.ui.theme import Choice, px

log = logging.getLogger(__name__)

PANELS = (216, 884, 340)
"""Navigator, pages, walk: widths for the default text size."""
WIDEST = 100_000
"""Pixels: wider than any row of screens."""
FRAME = QSize(16, 48)
"""Room for the frame and title of a window, which nobody knows before it is shown."""


class WindowMemory:
    """Settings that make no sense, whoever wrote them, are as good as none."""

    def __init__(self, settings: SavedSettings) -> None:
        self._settings = settings
        self._values = settings.load()

    def restore(self, window: QMainWindow, splitter: QSplitter, walk: QWidget) -> None:
        geometry = self._values.get("window")
        data = QByteArray.fromBase64(geometry.encode("ascii", "replace")) if isinstance(geometry, str) else QByteArray()
        if not window.restoreGeometry(data):
            window.resize(QSize(px(1440), px(900)).boundedTo(window.screen().availableSize() - FRAME))
        panels = self._values.get("panels")
        sizes = [size for size in panels if type(size) is int and 0 < size < WIDEST] if isinstance(panels, list) else []
        splitter.setSizes(sizes if len(sizes) == len(PANELS) else [px(width) for width in PANELS])
        walk.setHidden(self._values.get("walk") is False)

    def remember(self, window: QMainWindow, splitter: QSplitter, walk: QWidget, scheme: Choice) -> None:
        self._values = self._settings.load() | {
            "window": bytes(window.saveGeometry().toBase64().data()).decode(),
            "walk": not walk.isHidden(),
            "scheme": scheme,
        }
        if all(splitter.sizes()):  # a hidden panel has no width to remember
            self._values["panels"] = splitter.sizes()
        try:
            self._settings.save(self._values)
        except DynodeskError as error:
            log.warning("The settings were not saved: %s", error)  # the window closes: nobody would read a message


COLUMNS, TYPES = "columns", "entity types"
_SAVING = Lock()
"""Two settings of tables are never saved at once: each would take the other for dropped."""


class KeptByTable:
    """A setting for each table of each connection."""

    def __init__(self, settings: SavedSettings, runner: JobRunner, name: str) -> None:
        self._settings, self._runner, self._name = settings, runner, name
        written = settings.load().get(name)
        self._written: dict[str, object] = dict(written) if isinstance(written, dict) else {}

    def get(self, connection: str, table: str) -> object:
        """What was kept, as JSON; None where nothing was."""
        return self._written.get(f"{connection}/{table}")

    def keep(self, connection: str, table: str, value: object) -> None:
        """Write it, in a job; None takes it away."""
        place = f"{connection}/{table}"
        self._written.pop(place, None)
        if value is not None:
            self._written[place] = value
        work = partial(_save, self._settings, self._name, dict(self._written))
        self._runner.start(work, title=f"Save {self._name}", done=_saved)


class HasColumns(Protocol):
    """A page over a table whose columns can be chosen."""

    @property
    def table(self) -> TableInfo: ...
    def remember_columns(self, choice: ColumnChoice, keep: Callable[[ColumnChoice], object], /) -> None:
        """Begin with columns chosen before, and hand over what is chosen from now on."""


class TableColumns:
    """The columns chosen for each table of each connection."""

    def __init__(self, settings: SavedSettings, runner: JobRunner) -> None:
        self._kept = KeptByTable(settings, runner, COLUMNS)

    def serve(self, page: HasColumns, connection: str) -> None:
        here = connection, page.table.name
        page.remember_columns(self.columns_of(*here), partial(self.keep_columns, *here))

    def columns_of(self, connection: str, table: str) -> ColumnChoice:
        return ColumnChoice.from_json(self._kept.get(connection, table))

    def keep_columns(self, connection: str, table: str, choice: ColumnChoice) -> None:
        """The usual columns are not written: they are what a table has of which nothing is known."""
        self._kept.keep(connection, table, choice.to_json() if choice != ColumnChoice() else None)


class TypedPage(Protocol):
    """A page over a table whose items are named by types."""

    @property
    def table(self) -> TableInfo: ...
    def remember_types(self, types: EntityTypes, keep: Callable[[EntityTypes], object], /) -> None:
        """Begin with types named before, and hand over what is named from now on."""

    def show_types(self, types: EntityTypes, /) -> None: ...


class TableTypes:
    """The types of items named for each table of each connection: all pages of a table show the same."""

    def __init__(self, settings: SavedSettings, runner: JobRunner) -> None:
        self._kept = KeptByTable(settings, runner, TYPES)
        self._pages: WeakKeyDictionary[TypedPage, tuple[str, str]] = WeakKeyDictionary()

    def serve(self, page: TypedPage, connection: str) -> None:
        here = connection, page.table.name
        self._pages[page] = here
        page.remember_types(self.types_of(*here), partial(self.keep_types, *here))

    def types_of(self, connection: str, table: str) -> EntityTypes:
        return EntityTypes.from_json(self._kept.get(connection, table))

    def keep_types(self, connection: str, table: str, types: EntityTypes) -> None:
        self._kept.keep(connection, table, types.to_json() or None)
        for page, place in list(self._pages.items()):
            if place == (connection, table) and isValid(page):
                page.show_types(types)


def _save(settings: SavedSettings, name: str, values: dict[str, object], _ticket: Ticket) -> None:
    with _SAVING:
        settings.save(settings.load() | {name: values})


def _saved(_nothing: None) -> None:
    """Nobody waits for it; that it failed is shown like the failure of any job."""
