"""`dynodesk load`: a table, an index, collections or files into a database file, for SQL."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import click

from dynodesk.cli.connecting import Place, connection_options
from dynodesk.cli.diagnostics import ExitCode, interruptible, printable, say
from dynodesk.cli.numbers import Units
from dynodesk.cli.reading import CONSISTENT, INDEX, WHERE, condition_of, sort_condition
from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import InvalidFile, InvalidRequest
from dynodesk.domain.pacing import Limits
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan, chosen_partitions
from dynodesk.domain.table_arns import described
from dynodesk.domain.tables import Key, KeySchema, TableInfo

if TYPE_CHECKING:
    from dynodesk.workbench.sets import LoadedSet
    from dynodesk.workbench.sources import Source

MOST_SEGMENTS = 100


@click.command()
@click.argument("table", required=False)
@click.option("--into", "file", type=click.Path(path_type=Path), required=True, metavar="FILE.duckdb", help="Made new.")
@click.option(
    "--name", metavar="SET", help="What the set is called in SQL; by default as the table, or the first file."
)
@click.option(
    *("--from", "files"),
    type=click.Path(path_type=Path),
    metavar="FILE",
    multiple=True,
    help="A file of DynamoDB JSON, or a folder of them, in place of the table; may be given more than once.",
)
@click.option("--key", metavar="PK[,SK]", help="With --from: the key of the items, as in 'PK,SK' or 'PK:S,SK:N'.")
@click.option("--segments", type=click.IntRange(1, MOST_SEGMENTS), default=4, show_default=True, help="Read at once.")
@click.option(
    *("--partition", "partitions"),
    metavar="VALUE",
    multiple=True,
    help="Only this item collection; may be given more than once, and @FILE names them one a line.",
)
@click.option("--sort", metavar="'OPERATOR VALUE'", help="With --partition: as for `dynodesk query`.")
@INDEX
@CONSISTENT
@WHERE
@click.option("--rate", type=Units(), metavar="N", help="Read units a second.")
@click.option("--max-units", type=Units(), metavar="N", help="Stop after so many read units, with what there is.")
@click.option("--resume", is_flag=True, help="Go on with a load that did not come to its end.")
@connection_options
def load(
    table: str | None,
    file: Path,
    name: str | None,
    files: tuple[Path, ...],
    key: str | None,
    segments: int,
    partitions: tuple[str, ...],
    sort: str | None,
    index: str | None,
    consistent: bool,
    where: str | None,
    rate: Decimal | None,
    max_units: Decimal | None,
    resume: bool,
    place: Place,
) -> int:
    """Load a table, or files of its items, into a file for `dynodesk sql`.

    Files are exports to S3, folder or file, JSON lines of DynamoDB JSON, and what `aws dynamodb scan` or `query`
    printed, also packed by gzip. Their key is given with --key, or taken from TABLE and its connection.

    What was read stays when the load ends early; the set is then partial and says why, wherever its numbers appear.

    Exit codes: 0 all of it was read, 2 usage, 3 cannot connect or not allowed, 4 partial, 130 interrupted.
    """
    from dynodesk.workbench.files import name_for, source_of  # noqa: PLC0415  (loads the engine, which others need not)
    from dynodesk.workbench.sources import TableSource  # noqa: PLC0415

    limits = Limits(max_units, rate)
    if files:
        if partitions or sort or index or consistent or where or rate or max_units:
            raise InvalidRequest("files are read as a whole and cost no units", hint="Leave the options of reads out.")
        if (key is None) == (table is None):
            raise InvalidRequest(
                "items in files need the key of their table",
                hint="Give --key PK or --key PK,SK, or the TABLE and its connection.",
            )
        with interruptible() as ticket:
            if table is None:
                return _load(
                    source_of(files, None, (key or "").split(",")), file, name or name_for(files), ticket, resume=resume
                )
            with place.opened(ticket) as workspace:
                info = described(workspace, table, ticket)
            of_files = source_of(files, info.key_schema, table=info.name)
            return _load(of_files, file, name or info.name, ticket, resume=resume)
    if table is None or key is not None:
        raise InvalidRequest("nothing says what to load", hint="Give a TABLE, or --from FILE with --key PK,SK.")
    if sort is not None and not partitions:
        raise InvalidRequest("--sort is a condition within a collection", hint="Give --partition too.")
    with interruptible() as ticket, place.opened(ticket) as workspace:
        info = described(workspace, table, ticket)
        plans: tuple[ReadPlan, ...] = (ScanPlan(info.name, index=index, consistent=consistent),)
        if partitions:
            plans = _chosen(info, partitions, sort, index=index, consistent=consistent)
        plans = tuple(replace(plan, filter=condition_of(where)) for plan in plans)
        meter = Meter(workspace.meter)
        source = TableSource(plans, info, workspace.endpoint, workspace.new_raw_reader(meter), segments)
        set_name = name or (info.name if index is None else f"{info.name} {index}")
        return _load(source, file, set_name, ticket, meter=meter, limits=limits, resume=resume)


def _load(
    source: Source,
    file: Path,
    name: str,
    ticket: Ticket,
    *,
    meter: Meter | None = None,
    limits: Limits | None = None,
    resume: bool,
) -> ExitCode:
    from dynodesk.workbench.bench import Bench  # noqa: PLC0415  (see above)
    from dynodesk.workbench.loading import load as load_set  # noqa: PLC0415

    source.check()
    # A second thread of the engine takes a quarter more CPU for the same load, and is no sooner done on two cores.
    with Bench.open(file, threads=1) as bench:
        loaded = _apart(
            lambda: load_set(source, bench, name, ticket, meter=meter or Meter(), limits=limits, resume=resume)
        )
    click.echo(printable(loaded.caption))
    return _exit_code(loaded, ticket)


def _chosen(
    info: TableInfo, partitions: tuple[str, ...], sort: str | None, *, index: str | None, consistent: bool
) -> tuple[QueryPlan, ...]:
    """A Query for each collection: `@FILE` stands for the lines of a file, `@@` for a value that begins with an @."""
    schema = info.schema_of(index)
    typed = [text for text in partitions if not text.startswith("@") or text.startswith("@@")]
    typed = [text.removeprefix("@") if text.startswith("@@") else text for text in typed]
    width = len(schema.partition)
    if len(typed) % width:
        names = ", ".join(attribute.name for attribute in schema.partition)
        raise InvalidRequest(f"the partition key is {names}: give --partition once for each")
    keys: list[Key] = [
        {a.name: a.value(text) for a, text in zip(schema.partition, typed[at : at + width], strict=True)}
        for at in range(0, len(typed), width)
    ]
    for text in partitions:
        if text.startswith("@") and not text.startswith("@@"):
            keys += _keys_in(Path(text[1:]), schema)
    if not keys:
        raise InvalidRequest("no file of --partition names a collection")
    condition, sort_name = sort_condition(sort, schema)
    once = {tuple(key.values()): key for key in keys}
    return tuple(QueryPlan(info.name, key, condition, sort_name, index, consistent) for key in once.values())


def _keys_in(path: Path, schema: KeySchema) -> tuple[Key, ...]:
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as problem:
        raise InvalidFile(
            f"{path} cannot be read: {problem}", hint="For a value that begins with an @ write @@."
        ) from None
    try:
        return chosen_partitions(schema, (line.removesuffix("\r") for line in lines))
    except InvalidRequest as problem:
        raise InvalidFile(f"{path}, {problem.message}", hint=problem.hint) from None


def _exit_code(loaded: LoadedSet, ticket: Ticket) -> ExitCode:
    if loaded.provenance.complete:
        return ExitCode.OK
    again = (
        "--resume goes on where it stopped"
        if loaded.provenance.endpoint or ticket.cancelled
        else "what was read until then is kept"
    )
    say(f"the set is partial: {again}")
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
