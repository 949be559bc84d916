"""What the SQL page does in the background: load tables, run statements, write results. Nothing here is Qt's.

The engine is loaded by the first of these calls, on the worker's thread.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from dynodesk.domain.capacity import Meter, read_units
from dynodesk.domain.errors import InvalidStatement
from dynodesk.domain.pacing import Limits
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reading import units_text
from dynodesk.domain.reads import QueryPlan, ReadPlan
from dynodesk.domain.tables import TableInfo
from dynodesk.ui.shell import Workspace

if TYPE_CHECKING:
    from dynodesk.workbench.bench import Bench
    from dynodesk.workbench.results import Outcome
    from dynodesk.workbench.sets import LoadedSet, SetColumn
    from dynodesk.workbench.sources import Source

SEGMENTS = 4
NO_LIMITS = Limits()
FORMS = {"csv": "CSV", "jsonl": "JSON lines", "parquet": "Parquet", "xlsx": "XLSX"}


@dataclass(frozen=True, slots=True)
class SetInfo:
    """A loaded set, and the columns of its view."""

    loaded: LoadedSet
    columns: tuple[SetColumn, ...]


@dataclass(frozen=True, slots=True)
class Stock:
    """All that is loaded, as of one moment."""

    sets: tuple[SetInfo, ...]

    def named(self, name: str) -> SetInfo | None:
        return next((one for one in self.sets if one.loaded.name == name), None)

    def free_name(self, wanted: str) -> str:
        """The name, or the name with a number where a set has it already."""
        taken = {one.loaded.name.casefold() for one in self.sets}
        name, count = wanted, 1
        while name.casefold() in taken:
            count += 1
            name = f"{wanted} {count}"
        return name


@dataclass(frozen=True, slots=True)
class Answer:
    """What a run came to: the outcome of its last statement."""

    outcome: Outcome
    statements: int
    seconds: float


def take_stock(workspace: Workspace, ticket: Ticket) -> Stock:
    """Raises `WorkbenchFailed` where the engine cannot be had."""
    return _stock(workspace.bench(), ticket)


def _stock(bench: Bench, ticket: Ticket) -> Stock:
    from dynodesk.workbench import sets  # noqa: PLC0415  (see above)

    with bench.cursor(ticket) as cursor:
        return Stock(tuple(SetInfo(one, sets.columns_of(cursor, one)) for one in sets.all_sets(cursor)))


@dataclass(frozen=True, slots=True)
class TableWish:
    """What is to be loaded from a table of the connection."""

    plans: tuple[ReadPlan, ...]
    segments: int = SEGMENTS
    limits: Limits = NO_LIMITS

    @property
    def table(self) -> str:
        return self.plans[0].table


@dataclass(frozen=True, slots=True)
class FileWish:
    """What is to be loaded from files."""

    paths: tuple[Path, ...]
    key: tuple[str, ...] = ()
    """Names of its attributes; of no use with a `table`."""
    table: str = ""
    """Of the connection, whose items they are."""


@dataclass(frozen=True, slots=True)
class AgainWish:
    """A set whose load is to be taken up where it stopped."""

    loaded: LoadedSet
    limits: Limits = NO_LIMITS


Wish = TableWish | FileWish | AgainWish


def cost_words(info: TableInfo, wish: TableWish) -> str:
    """What a load takes, as far as it can be known before: sentences."""
    first, limits = wish.plans[0], wish.limits
    how = "strongly consistent" if first.consistent else "eventually consistent"
    if isinstance(first, QueryPlan):
        many = "A Query" if len(wish.plans) == 1 else f"{len(wish.plans):,} Queries"
        said = [f"{many}, {how}. How much a collection holds is not known before it is read."]
        units = None
    elif first.index is not None:
        said, units = [f"A Scan of the index {first.index}, {how}. How much there is in it is not known."], None
    elif info.size_bytes_estimate is None or info.item_count_estimate is None:
        said, units = [f"A Scan of the whole table, {how}. How much there is in it is not known."], None
    else:
        units = read_units(info.size_bytes_estimate, "strong" if first.consistent else "eventual")
        about = f"By the last estimate {info.item_count_estimate:,} items, about {units_text(units)} RCU"
        at = "" if limits.rate is None else f", {_duration(units / limits.rate)} at this rate"
        said = [f"A Scan of the whole table, {how}. {about}{at}."]
    if limits.max_units is not None and (units is None or units > limits.max_units):
        said.append(f"It ends after about {units_text(limits.max_units)} RCU, with what there is by then.")
    return " ".join(said)


def _duration(seconds: Decimal) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds)):,} s"
    return f"{round(seconds / 60):,} min"


def describe(workspace: Workspace, table: str, ticket: Ticket) -> TableInfo:
    return workspace.catalog.describe(table, ticket)


def files_words(paths: tuple[Path, ...], ticket: Ticket) -> str:
    """What files there are, in words; no item of them is looked at. Raises `InvalidFile`."""
    from dynodesk.workbench.files import found_words  # noqa: PLC0415  (see above)

    ticket.checkpoint()
    return f"{found_words(paths)}. Files cost no units."


def load_wish(workspace: Workspace, wish: Wish, name: str, meter: Meter, ticket: Ticket) -> Stock:
    """Into the set `name`. What arrived stays, also where it was stopped."""
    from dynodesk.workbench.loading import load  # noqa: PLC0415  (see above)

    bench = workspace.bench()
    source = _source(workspace, wish, meter, ticket)
    limits = NO_LIMITS if isinstance(wish, FileWish) else wish.limits
    load(source, bench, name, ticket, meter=meter, limits=limits, resume=isinstance(wish, AgainWish))
    return _stock(bench, Ticket())  # also of what was stopped


def _source(workspace: Workspace, wish: Wish, meter: Meter, ticket: Ticket) -> Source:
    from dynodesk.workbench.files import source_again, source_of  # noqa: PLC0415  (see above)
    from dynodesk.workbench.sources import TableSource, plans_of  # noqa: PLC0415

    if isinstance(wish, FileWish):
        schema = workspace.catalog.describe(wish.table, ticket).key_schema if wish.table else None
        return source_of(wish.paths, schema, wish.key, wish.table)
    plans = wish.plans if isinstance(wish, TableWish) else plans_of(wish.loaded.plan)
    if not plans and isinstance(wish, AgainWish):
        return source_again(wish.loaded.plan)
    segments = wish.segments if isinstance(wish, TableWish) else SEGMENTS
    info = workspace.catalog.describe(plans[0].table, ticket)
    return TableSource(plans, info, workspace.endpoint, workspace.new_raw_reader(meter), segments)


def remove_set(workspace: Workspace, loaded: LoadedSet, ticket: Ticket) -> Stock:
    from dynodesk.workbench import sets  # noqa: PLC0415  (see above)

    bench = workspace.bench()
    with bench.cursor(ticket) as cursor:
        cursor.begin()
        sets.remove(cursor, loaded)
        cursor.commit()
    return _stock(bench, ticket)


def run_text(workspace: Workspace, text: str, ticket: Ticket) -> Answer:
    """Runs every statement of the text and keeps the result of the last: the caller's to close."""
    from dynodesk.workbench.results import run  # noqa: PLC0415  (see above)

    start = time.perf_counter()
    last: Outcome | None = None
    count = 0
    try:
        for outcome in run(workspace.bench(), text, ticket):
            if last is not None:
                last.result.close()
            last = outcome
            count += 1
    except BaseException:
        if last is not None:
            last.result.close()
        raise
    if last is None:
        raise InvalidStatement("there is no statement in the text")
    return Answer(last, count, time.perf_counter() - start)


def write_result(outcome: Outcome, path: Path, ticket: Ticket) -> Path:
    """In the form that the file's ending names. Raises `InvalidRequest`, `WorkbenchFailed`."""
    from dynodesk.workbench.exporting import export, form_of  # noqa: PLC0415  (see above)

    export(outcome.result, path, form_of(path), outcome.sets, ticket)
    return path


def pages_words(pages: int) -> str:
    return f"{pages:,} page{'' if pages == 1 else 's'}"


def partial_words(loaded: Sequence[LoadedSet]) -> str:
    """What a person must know of a result over sets of which some are partial; "" where all are complete."""
    partial = [one for one in loaded if not one.provenance.complete]
    if not partial:
        return ""
    said = ", ".join(
        f"{one.name} is not complete ({one.provenance.why_partial}; {one.provenance.items:,} items read)"
        for one in partial
    )
    return f"{said}: rows may be missing, and counts and sums may be too low."
