"""What is known of the tables and items that a composed request is about: read in the background, when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from dynodesk.domain.actions import Action, CheckAction, GetAction, PutAction
from dynodesk.domain.collections import Identity, identity
from dynodesk.domain.ports import ItemReader, TableCatalog
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import ScanPlan
from dynodesk.domain.tables import Key, TableInfo
from dynodesk.domain.values import Item
from dynodesk.ui.jobs import JobRunner
from dynodesk.ui.staging import Written

NAMES_OF = 2_000
"""Items that are looked through for names of attributes."""
SAMPLE = 50
"""Items that are read to go by."""


class KnownTables(QObject):
    described = Signal(object)
    """A `TableInfo`, whole."""
    changed = Signal()
    """Something is known that was not, or an answer did not come."""

    def __init__(self, catalog: TableCatalog, reader: ItemReader, runner: JobRunner, parent: QObject) -> None:
        super().__init__(parent)
        self._catalog, self._reader, self._runner = catalog, reader, runner
        self.names: tuple[str, ...] = ()
        """Empty where they may not be listed."""
        self.infos: dict[str, TableInfo] = {}
        self._waiting: set[str] = set()
        self._refused: set[str] = set()
        self._items: dict[tuple[str, Identity], Item | None] = {}
        """By table and key; None: there is none."""

    def begin(self) -> None:
        self._runner.start(self._catalog.table_names, title="List tables", done=self._take_names, failed=self._no_names)

    @Slot(object)
    def _take_names(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.changed.emit()

    @Slot(object)
    def _no_names(self, _error: BaseException) -> None:
        """Who may not list tables may still write to those that are named."""

    # -- tables

    def ask(self, table: str) -> None:
        """Describe a table, once."""
        if not table or table in self.infos or table in self._waiting or table in self._refused:
            return
        if self.names and table not in self.names:
            return
        self._waiting.add(table)
        self._runner.start(
            partial(_described, self._catalog, table),
            title=f"Describe {table}",
            done=self.take,
            failed=partial(self._not_described, table),
        )

    def is_waiting(self, table: str) -> bool:
        """Whether it is being described."""
        return table in self._waiting

    @Slot(object)
    def take(self, info: TableInfo) -> None:
        self.infos[info.name] = info
        self._waiting.discard(info.name)
        self.described.emit(info)
        self.changed.emit()

    def _not_described(self, table: str, error: BaseException) -> None:
        self._waiting.discard(table)
        self._refused.add(table)
        self._runner.error_raised.emit(error)
        self.changed.emit()

    # -- items

    def take_items(self, table: TableInfo, items: Iterable[Item]) -> None:
        """Whole items, as they were read."""
        names = table.key_schema.names
        for item in items:
            self._items[table.name, identity(item, names)] = item

    @property
    def items(self) -> Mapping[str, Sequence[Item]]:
        """All that are known, by table."""
        found: dict[str, list[Item]] = {}
        for (table, _), item in self._items.items():
            if item is not None:
                found.setdefault(table, []).append(item)
        return found

    def attribute_names(self, table: str) -> set[str]:
        """Of its keys, and of the items that are known."""
        info = self.infos.get(table)
        if info is None:
            return set()
        schemas = (info.key_schema, *(index.key_schema for index in info.indexes))
        found = {name for schema in schemas for name in schema.names}
        for item in self.items.get(table, ())[:NAMES_OF]:
            found |= item.keys()
        return found

    def key_of(self, action: Action) -> Key | None:
        info = self.infos.get(action.table)
        if info is None:
            return None
        return info.key_schema.key_of(action.item) if isinstance(action, PutAction) else action.key

    def is_read(self, action: Action) -> bool:
        """Whether it is known what is there under the action's key, or that nothing is."""
        return self._place(action) in self._items

    def item(self, action: Action) -> Item | None:
        place = self._place(action)
        return None if place is None else self._items.get(place)

    def _place(self, action: Action) -> tuple[str, Identity] | None:
        key, info = self.key_of(action), self.infos.get(action.table)
        return None if key is None or info is None else (action.table, identity(key, info.key_schema.names))

    def read(self, actions: Sequence[Action]) -> None:
        """Read the items of actions, as they are now."""
        keys = [(action.table, key) for action in actions if (key := self.key_of(action)) is not None]
        if keys:
            count = f"{len(keys):,} item{'' if len(keys) == 1 else 's'}"
            work = partial(_items_of, self._reader, tuple(keys))
            self._runner.start(work, title=f"Read {count}", done=self._take_read)

    @Slot(object)
    def _take_read(self, found: Sequence[tuple[str, Key, Item | None]]) -> None:
        for table, key, item in found:
            self._items[table, identity(key, self.infos[table].key_schema.names)] = item
        self.changed.emit()

    def sample(self, table: str, then: Callable[[], object]) -> None:
        """Some items of a table, so that there is something to go by; at once where some are known."""
        if self.items.get(table) or table not in self.infos:
            then()
            return
        work = partial(_some_items, self._reader, table)
        job = self._runner.start(work, title=f"Read some items of {table}", done=partial(self._take_sample, table))
        job.ended.connect(then)

    def _take_sample(self, table: str, items: Sequence[Item]) -> None:
        self.take_items(self.infos[table], items)

    def put(self, actions: Sequence[Action], items: Sequence[Item | None]) -> tuple[Written, ...]:
        """The items of actions as they are known to be now; those of actions that write are given back."""
        written: list[Written] = []
        for action, item in zip(actions, items, strict=False):
            place = self._place(action)
            if place is not None:
                self._items[place] = item
                if not isinstance(action, CheckAction | GetAction):
                    written.append(Written(*place, item))
        return tuple(written)


def _described(catalog: TableCatalog, table: str, ticket: Ticket) -> TableInfo:
    return catalog.describe(table, ticket)


def _some_items(reader: ItemReader, table: str, ticket: Ticket) -> tuple[Item, ...]:
    page = next(reader.scan(ScanPlan(table, page_limit=SAMPLE), ticket), None)
    return () if page is None else page.items


def _items_of(
    reader: ItemReader, keys: Sequence[tuple[str, Key]], ticket: Ticket
) -> tuple[tuple[str, Key, Item | None], ...]:
    found: list[tuple[str, Key, Item | None]] = []
    for table in dict.fromkeys(table for table, _ in keys):
        asked = [key for named, key in keys if named == table]
        items = reader.batch_get(table, asked, ticket, consistent=True)
        found += [(table, key, item) for key, item in zip(asked, items, strict=True)]
    return tuple(found)
