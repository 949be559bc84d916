"""`dynodesk load`: a table, an index or a collection into a database file, for SQL."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from decimal import Decimal
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import click

from dynodesk.cli.connecting import Place, connection_options
from dynodesk.cli.diagnostics import ExitCode, interruptible, printable, say
from dynodesk.cli.numbers import Units
from dynodesk.cli.reading import CONSISTENT, INDEX, query_plan
from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.pacing import Limits
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import ReadPlan, ScanPlan

if TYPE_CHECKING:
    from dynodesk.workbench.sets import LoadedSet

MOST_SEGMENTS = 100


@click.command()
@click.argument("table")
@click.option("--into", "file", type=click.Path(path_type=Path), required=True, metavar="FILE.duckdb", help="Made new.")
@click.option("--name", metavar="SET", help="What the set is called in SQL; by default as the table.")
@click.option("--segments", type=click.IntRange(1, MOST_SEGMENTS), default=4, show_default=True, help="Read at once.")
@click.option("--partition", "partitions", metavar="VALUE", multiple=True, help="Only this item collection.")
@click.option("--sort", metavar="'OPERATOR VALUE'", help="With --partition: as for `dynodesk query`.")
@INDEX
@CONSISTENT
@click.option("--rate", type=Units(), metavar="N", help="Read units a second.")
@click.option("--max-units", type=Units(), metavar="N", help="Stop after so many read units, with what there is.")
@click.option("--resume", is_flag=True, help="Go on with a load that did not come to its end.")
@connection_options
def load(
    table: str,
    file: Path,
    name: str | None,
    segments: int,
    partitions: tuple[str, ...],
    sort: str | None,
    index: str | None,
    consistent: bool,
    rate: Decimal | None,
    max_units: Decimal | None,
    resume: bool,
    place: Place,
) -> int:
    """Load a table into a file for `dynodesk sql`.

    What was read stays when the load ends early; the set is then partial and says why, wherever its numbers appear.

    Exit codes: 0 all of it was read, 2 usage, 3 cannot connect or not allowed, 4 partial, 130 interrupted.
    """
    from dynodesk.workbench.bench import Bench  # noqa: PLC0415  (commands without SQL do not load the engine)
    from dynodesk.workbench.loading import load as load_set  # noqa: PLC0415
    from dynodesk.workbench.sources import TableSource  # noqa: PLC0415

    if sort is not None and not partitions:
        raise InvalidRequest("--sort is a condition within a collection", hint="Give --partition too.")
    with interruptible() as ticket, place.opened(ticket) as workspace:
        info = workspace.catalog.describe(table, ticket)
        plan: ReadPlan = (
            query_plan(info, partitions, sort, index=index, consistent=consistent)
            if partitions
            else ScanPlan(table, index=index, consistent=consistent)
        )
        meter = Meter(workspace.meter)
        source = TableSource((plan,), info, workspace.endpoint, workspace.new_raw_reader(meter), segments)
        source.check()
        set_name = name or (table if index is None else f"{table} {index}")
        limits = Limits(max_units, rate)
        with Bench.open(file) as bench:
            loaded = _apart(
                lambda: load_set(source, bench, set_name, ticket, meter=meter, limits=limits, resume=resume)
            )
        click.echo(printable(loaded.caption))
        return _exit_code(loaded, ticket)


def _exit_code(loaded: LoadedSet, ticket: Ticket) -> ExitCode:
    if loaded.provenance.complete:
        return ExitCode.OK
    say("the set is partial: --resume goes on where it stopped")
    return ExitCode.INTERRUPTED if ticket.cancelled else ExitCode.INCOMPLETE


def _apart(work: Callable[[], LoadedSet]) -> LoadedSet:
    """Runs on another thread: only a main thread that is not within the engine hears Ctrl-C."""
    done: Future[LoadedSet] = Future()

    def run_it() -> None:
        try:
            done.set_result(work())
        except BaseException as problem:  # noqa: BLE001  (raised by the thread that waits)
            done.set_exception(problem)

    thread = Thread(target=run_it, name="load", daemon=True)
    thread.start()
    while not done.done():
        thread.join(0.1)
    return done.result()
