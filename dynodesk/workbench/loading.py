"""Raw pages into a table, taken apart by the engine: no Python object for an item.

Reader threads → spool (files) → a short queue → one streaming INSERT for each chunk of items. A chunk commits its
items, the cursor of every part and the set's provenance together. Pages that arrived but are not committed lie in the
spool: a load that was killed at any point and is taken up again reads at most that page of each part again that was on
its way.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from array import array
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import chain
from pathlib import Path

import duckdb
import pyarrow as pa

from dynodesk.domain.bulk import RawPage
from dynodesk.domain.capacity import Meter
from dynodesk.domain.clock import Clock, SystemClock
from dynodesk.domain.errors import DamagedReply, DynodeskError, InvalidRequest, WorkbenchFailed
from dynodesk.domain.foreground import foreground
from dynodesk.domain.pacing import BudgetSpent, Limits, Pace
from dynodesk.domain.progress import Cancelled, Progress, Ticket
from dynodesk.workbench import sets
from dynodesk.workbench.arriving import SCHEMA, give_back_freed, items_of
from dynodesk.workbench.bench import Bench
from dynodesk.workbench.census import arriving_sql, foresee
from dynodesk.workbench.census import columns_of as foreseen_columns
from dynodesk.workbench.columns import build_view
from dynodesk.workbench.sets import LoadedSet, Part, quoted
from dynodesk.workbench.sources import Source
from dynodesk.workbench.spool import Spool

CHUNK_ITEMS = 1_000_000
"""Items of one INSERT. The engine is several times slower with small ones."""
QUEUE_PAGES = 8
_PAGES_FREED = 64
"""Pages between two times that freed memory is given back, which takes some milliseconds."""
_WAIT = 0.05  # seconds between two looks whether the load has ended


def load(
    source: Source,
    bench: Bench,
    name: str,
    ticket: Ticket,
    *,
    meter: Meter,
    limits: Limits | None = None,
    clock: Clock | None = None,
    resume: bool = False,
    with_view: bool = True,
    chunk_items: int = CHUNK_ITEMS,
) -> LoadedSet:
    """Read the source into the set `name`, and build its view. `meter` counts what it consumes, nothing else.

    Without its view a set is only `LoadedSet.table`, for who asks statements of his own about keys and items: to look
    at every attribute of every item takes as long as to load them.
    What arrived is kept however it ends: cancelled, over budget or failed, the set is partial and says why; with
    `resume` it is taken up where it stopped, and a complete one is returned as it is. Raises `InvalidRequest` where
    the name is taken (or, with `resume`, holds something else), and what the source raises where nothing arrived.
    """
    source.check()
    with bench.cursor(Ticket()) as cursor:  # not interrupted: cancelling ends the reading, and keeps what arrived
        sets.prepare(cursor)
        found = _found(cursor, source, name, resume=resume)
        if found is None:
            found = _new_set(cursor, source, bench, name, with_view=with_view)
        elif found.provenance.complete:
            return found
        work = _Load(source, bench, found, Pace(meter, limits or Limits(), clock or SystemClock()), ticket)
        return work.run(cursor, chunk_items, with_view=with_view)


def load_whole(
    source: Source, bench: Bench, name: str, pace: Pace, ticket: Ticket, *, resume: bool = False
) -> LoadedSet:
    """Read all of the source into the set `name`, without its view: what makes no sense of a part of a table.

    Raises what kept it from being all: `Cancelled`, `BudgetSpent`, and what the source raises; `InvalidRequest` as
    `load` does. What arrived is in the set all the same, to be taken up with `resume`.
    """
    source.check()
    with bench.cursor(Ticket()) as cursor:
        sets.prepare(cursor)
        found = _found(cursor, source, name, resume=resume)
        if found is None:
            found = _new_set(cursor, source, bench, name, with_view=False)
        elif found.provenance.complete:
            return found
        work = _Load(source, bench, found, pace, ticket)
        loaded = work.run(cursor, CHUNK_ITEMS, with_view=False)
        if not loaded.provenance.complete:
            raise work.end or Cancelled
        return loaded


def _found(cursor: duckdb.DuckDBPyConnection, source: Source, name: str, *, resume: bool) -> LoadedSet | None:
    """The set that is there already. Raises `InvalidRequest` where it may not be taken up, or holds something else."""
    found = sets.set_named(cursor, name)
    if found is not None and not resume:
        raise InvalidRequest(
            f'there is a set named "{found.name}" already',
            hint="Give another name (--name), or go on with the one that is there (--resume).",
        )
    if found is not None and found.plan != source.identity:
        raise InvalidRequest(f'the set "{found.name}" was read from something else: {found.provenance.source}')
    return found


def _new_set(
    cursor: duckdb.DuckDBPyConnection, source: Source, bench: Bench, name: str, *, with_view: bool
) -> LoadedSet:
    if not name or not name.isprintable():
        raise InvalidRequest("a set has a name of printable characters")
    taken = cursor.execute(
        "SELECT count(*) FROM (SELECT table_name AS n FROM duckdb_tables() WHERE schema_name = 'main' UNION ALL "
        "SELECT view_name FROM duckdb_views() WHERE schema_name = 'main') WHERE lower(n) = lower(?)",
        [name],
    ).fetchone()
    if taken is not None and taken[0]:
        raise InvalidRequest(f'there is a table or view named "{name}" already', hint="Give the set another name.")
    cursor.begin()
    made = sets.create(
        cursor,
        name,
        source.identity,
        source.keys,
        source.origin,
        source.parts,
        compressed=bench.path is not None,
    )
    if with_view:
        build_view(cursor, made)
    cursor.commit()
    return made


class _Load:
    """One load on its way. The calling thread inserts, the others read."""

    def __init__(self, source: Source, bench: Bench, loaded: LoadedSet, pace: Pace, ticket: Ticket) -> None:
        self._source, self._pace, self._ticket = source, pace, ticket
        self._set = loaded
        self._spool: Spool | None = None
        if bench.path is not None and source.costs_units:
            self._spool = Spool(_spool_folder(bench.path) / str(loaded.number))
        self._parts: list[Part] = []
        self._pages: queue.Queue[tuple[Part, RawPage, pa.RecordBatch | None]] = queue.Queue(QUEUE_PAGES)
        self._waiting: deque[Part] = deque()
        # Cancelled for all readers by the first that fails, or by the caller.
        self._reading = Ticket(self._tell_waiting, part_of=ticket)
        self.end: Exception | None = None
        """What ended the reading, if not the end of the source."""
        self._ending = threading.Lock()
        self._no_longer_inserting = threading.Event()
        self._threads: list[threading.Thread] = []
        self._arrived = loaded.provenance.items
        self._chunk: list[tuple[Part, RawPage]] = []

    def run(self, cursor: duckdb.DuckDBPyConnection, chunk_items: int, *, with_view: bool) -> LoadedSet:
        self._parts = sets.parts_of(cursor, self._set)
        self._waiting.extend(part for part in self._parts if not part.done)
        self._threads = [
            threading.Thread(target=self._read_parts, name=f"load {i}", daemon=True)
            for i in range(min(self._source.at_once, len(self._waiting)))
        ]
        before = self._set.provenance.pages
        with self._ticket.on_cancel(self._reading.cancel):
            for thread in self._threads:
                thread.start()
            try:
                while self._insert_chunk(cursor, chunk_items, with_view=with_view):
                    pass
            finally:
                self._reading.cancel()  # where inserting failed, nobody takes the readers' pages
                for thread in self._threads:
                    thread.join()
        return self._finish(cursor, before, with_view=with_view)

    # -- reading threads

    def _read_parts(self) -> None:
        try:
            while True:
                try:
                    part = self._waiting.popleft()
                except IndexError:
                    return
                self._read(part)
        except Exception as end:  # noqa: BLE001  (told by the thread that called `load`)
            with self._ending:
                if self.end is None:
                    self.end = end
            self._reading.cancel()

    def _read(self, part: Part) -> None:
        if self._spool is not None:
            for number, page in self._spool.after(part.number, part.pages):
                part = Part(part.number, page.cursor, page.cursor is None, number)
                self._hand_over(part, page)
            self._spool.drop_after(part.number, part.pages)
        if part.done:
            return
        pages = self._source.pages(part.number, len(self._parts), self._reading, part.cursor)
        while True:
            self._pace.before_next(self._reading)
            try:
                page = next(pages)
            except StopIteration:
                return
            part = Part(part.number, page.cursor, page.cursor is None, part.pages + 1)
            if self._spool is not None:
                try:
                    self._spool.keep(part.number, part.pages, page)
                except OSError as problem:
                    raise WorkbenchFailed(
                        f"A page could not be kept on the disk: {problem.strerror}.",
                        hint="Make room and take the load up again.",
                    ) from None
            self._hand_over(part, page)

    def _hand_over(self, part: Part, page: RawPage) -> None:
        """Waits while the engine is behind. A page that has arrived is handed over even when the load is cancelled."""
        foreground.give_way()
        items = items_of(page) if page.count else None
        page = replace(page, texts=b"", offsets=array("q"))  # the engine's alone from here on
        while True:
            try:
                self._pages.put((part, page, items), timeout=_WAIT)
            except queue.Full:
                if self._no_longer_inserting.is_set():
                    raise Cancelled from None
            else:
                return

    # -- the inserting thread

    def _insert_chunk(self, cursor: duckdb.DuckDBPyConnection, chunk_items: int, *, with_view: bool) -> bool:
        """Commits one chunk. False: there was nothing left."""
        self._chunk = []
        batches = self._batches(chunk_items)
        try:
            first = next(batches, None)
            cursor.begin()
            if first is not None:
                if with_view and self._set.provenance.items == 0:
                    self._foresee(cursor, first)
                items = pa.RecordBatchReader.from_batches(SCHEMA, chain([first], batches))
                inserted = self._insert(cursor, items)
            elif self._chunk:
                inserted = 0
            else:
                cursor.rollback()
                return False
            self._commit(cursor, inserted)
        except BaseException:
            self._no_longer_inserting.set()
            raise
        return True

    def _foresee(self, cursor: duckdb.DuckDBPyConnection, first: pa.RecordBatch) -> None:
        cursor.register("first_items", pa.table(first))
        foreseen = foresee(cursor, "first_items")
        cursor.unregister("first_items")
        sets.save_foreseen(cursor, self._set, foreseen, foreseen_columns(foreseen))

    def _insert(self, cursor: duckdb.DuckDBPyConnection, items: pa.RecordBatchReader) -> int:
        sql = arriving_sql(self._set.keys, sets.foreseen_of(cursor, self._set), "arriving")
        cursor.register("arriving", items)
        counted = cursor.execute(f"INSERT INTO {self._set.table} {sql}").fetchone()
        cursor.unregister("arriving")
        return int(counted[0]) if counted else 0

    def _batches(self, chunk_items: int) -> Iterator[pa.RecordBatch]:
        """Pages as they arrive, to a full chunk or the readers' end. What it raised the engine would lose."""
        items = 0
        while items < chunk_items:
            try:
                part, page, batch = self._pages.get(timeout=_WAIT)
            except queue.Empty:
                if any(thread.is_alive() for thread in self._threads) or not self._pages.empty():
                    self._report()
                    continue
                return
            self._chunk.append((part, page))
            if len(self._chunk) % _PAGES_FREED == 0:
                give_back_freed()
            items += page.count
            self._arrived += page.count
            self._report()
            if batch is not None:
                yield batch

    def _tell_waiting(self, progress: Progress) -> None:
        if progress.is_waiting:
            with contextlib.suppress(Cancelled):
                self._ticket.checkpoint(progress)

    def _report(self) -> None:
        with contextlib.suppress(Cancelled):  # the readers have been told, and what they have is still taken
            self._ticket.checkpoint(Progress(self._arrived, note=f"Loading {self._set.name}, items"))

    def _commit(self, cursor: duckdb.DuckDBPyConnection, inserted: int) -> None:
        expected = sum(page.count for _, page in self._chunk)
        if inserted != expected:
            raise DamagedReply(f"pages of {expected} items were taken apart into {inserted}")
        origin = self._set.provenance
        times = [page.received for _, page in self._chunk]
        units = [page.units for _, page in self._chunk if page.units is not None]
        self._set = replace(
            self._set,
            provenance=replace(
                origin,
                first_page=min([*times, origin.first_page or times[0]]),
                last_page=max([*times, origin.last_page]),
                pages=origin.pages + len(self._chunk),
                items=origin.items + expected,
                units=origin.units + sum(units, Decimal(0)),
            ),
        )
        latest = {part.number: part for part, _ in self._chunk}
        for part in latest.values():
            sets.save_part(cursor, self._set, part)
        sets.save(cursor, self._set)
        cursor.commit()
        if self._spool is not None:
            for part, _ in self._chunk:
                self._spool.drop(part.number, part.pages, part.pages)

    def _finish(self, cursor: duckdb.DuckDBPyConnection, pages_before: int, *, with_view: bool) -> LoadedSet:
        end = self.end
        if end is not None and not isinstance(end, Cancelled | BudgetSpent | DynodeskError):
            raise end
        origin = self._set.provenance
        if isinstance(end, DynodeskError) and origin.pages == pages_before:
            if origin.pages == 0:
                sets.remove(cursor, self._set)
                self._remove_spool()
            raise end
        cursor.begin()
        complete = all(part.done for part in sets.parts_of(cursor, self._set))
        why = "" if complete else _why(end)
        items = origin.items
        if self._source.may_repeat:
            items = _without_repeats(cursor, self._set)
        elif complete and (repeats := _repeated_keys(cursor, self._set)):
            names = ", ".join(key.attribute for key in self._set.keys)
            complete, why = False, f"{repeats:,} keys occur more than once: files overlap, or the key is not {names}"
        self._set = replace(
            self._set, provenance=replace(origin, items=items, complete=complete, why_partial=why), changed=False
        )
        sets.save(cursor, self._set)
        if with_view:
            build_view(cursor, self._set)
        cursor.commit()
        if complete:
            self._remove_spool()
        return self._set

    def _remove_spool(self) -> None:
        if self._spool is not None:
            self._spool.remove()


def _why(end: Exception | None) -> str:
    match end:
        case Cancelled() | None:
            return "stopped before the end"
        case BudgetSpent():
            return "the read units it might take were spent"
        case _:
            return str(end).rstrip(".")


def _base_key(loaded: LoadedSet) -> list[str]:
    return [quoted(key.column) for key in loaded.keys if key.of_table]


def _repeated_keys(cursor: duckdb.DuckDBPyConnection, loaded: LoadedSet) -> int:
    """How many keys more than one item has."""
    base = ", ".join(_base_key(loaded))
    # As many hashes as items: then no key repeats. That takes half the time of grouping the keys, and much less room.
    same = cursor.execute(f"SELECT count(*) - count(DISTINCT hash({base})) FROM {loaded.table}").fetchone()
    if same == (0,):
        return 0
    found = cursor.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM {loaded.table} GROUP BY {base} HAVING count(*) > 1)"
    ).fetchone()
    return int(found[0]) if found else 0


def _without_repeats(cursor: duckdb.DuckDBPyConnection, loaded: LoadedSet) -> int:
    """Keeps of each key the item that was read last; the number of items that are left.

    A page is never loaded twice; but overlapping Queries, or a service that repeats itself, give an item twice.
    """
    if _repeated_keys(cursor, loaded):
        base = _base_key(loaded)
        columns = ", ".join(base)
        same = " AND ".join(f"t.{column} IS NOT DISTINCT FROM r.{column}" for column in base)
        cursor.execute(
            f"DELETE FROM {loaded.table} AS t USING (SELECT {columns}, max(rowid) AS latest FROM {loaded.table} "
            f"GROUP BY {columns} HAVING count(*) > 1) AS r WHERE {same} AND t.rowid <> r.latest"
        )
    left = cursor.execute(f"SELECT count(*) FROM {loaded.table}").fetchone()
    return int(left[0]) if left else 0


def _spool_folder(database: Path) -> Path:
    return database.with_name(database.name + ".pages")
