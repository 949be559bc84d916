"""What the SQL page does in the background: load tables, run statements, write results. Nothing here is Qt's.

The engine is loaded by the first of these calls, on the worker's thread.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dynodesk.domain.capacity import Meter, read_units
from dynodesk.domain.errors import InvalidStatement
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reading import units_text
from dynodesk.domain.reads import ScanPlan
from dynodesk.domain.tables import TableInfo
from dynodesk.ui.shell import Workspace

if TYPE_CHECKING:
    from dynodesk.workbench.bench import Bench
    from dynodesk.workbench.results import Outcome
    from dynodesk.workbench.sets import LoadedSet, SetColumn

SEGMENTS = 4
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


def cost_words(info: TableInfo) -> str:
    """What a Scan of the whole table takes, in a sentence."""
    plan = "A Scan of the whole table, eventually consistent."
    if info.size_bytes_estimate is None or info.item_count_estimate is None:
        return f"{plan} How much there is in it is not known."
    units = units_text(read_units(info.size_bytes_estimate, "eventual"))
    return f"{plan} By the last estimate {info.item_count_estimate:,} items, about {units} RCU."


def load_table(
    workspace: Workspace, info: TableInfo, name: str, meter: Meter, ticket: Ticket, *, resume: bool = False
) -> Stock:
    """All of a table into the set `name`. What arrived stays, also where it was stopped."""
    from dynodesk.workbench.loading import load  # noqa: PLC0415  (see above)
    from dynodesk.workbench.sources import TableSource  # noqa: PLC0415

    bench = workspace.bench()
    reader = workspace.new_raw_reader(meter)
    source = TableSource((ScanPlan(info.name),), info, workspace.endpoint, reader, SEGMENTS)
    load(source, bench, name, ticket, meter=meter, resume=resume)
    return _stock(bench, Ticket())  # also of what was stopped


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
