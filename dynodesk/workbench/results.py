"""Runs SQL, and holds a result of any size: its rows lie in a file, and a window of them is read when it is shown."""

from __future__ import annotations

import contextlib
import re
import threading
import time
import uuid
from bisect import bisect_right
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal, Self

import duckdb
import pyarrow as pa

from dynodesk.domain.errors import DynodeskError, WorkbenchFailed
from dynodesk.domain.progress import Cancelled, Progress, Ticket
from dynodesk.workbench import sets
from dynodesk.workbench.bench import Abandoned, Bench
from dynodesk.workbench.sets import LoadedSet
from dynodesk.workbench.statements import Statement, split

BATCH_ROWS = 10_000
PATIENCE = 1.0
"""Seconds that a cancelled statement has to end."""
_LOOK_EVERY = 0.02  # seconds

ColumnKind = Literal["number", "text", "boolean", "binary", "json"]
"""`json`: a list, struct or map, as JSON text."""
Row = tuple[str | None, ...]

_EXACT_IN_ARROW = frozenset(
    {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "DOUBLE"}
)
_DECIMAL = re.compile(r"DECIMAL\(\d+,\d+\)")
_EXACT_AS_TEXT = frozenset({"HUGEINT", "UHUGEINT", "BIGNUM", "FLOAT"})


@dataclass(frozen=True, slots=True)
class ResultColumn:
    name: str
    """Not unique: a query may name two columns alike."""
    type: str
    """The type in SQL."""
    kind: ColumnKind


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one statement came to."""

    statement: Statement
    result: Result
    sets: tuple[LoadedSet, ...]
    """The loaded sets that its numbers may come from: shown with them."""


class Result:
    """The rows of one statement. Every cell is a text that says its value exactly, or None for NULL.

    Numbers are their digits (`NaN`, `Infinity` too), booleans `true` and `false`, binary is hexadecimal, lists, structs
    and maps are JSON. Safe to read from several threads.
    """

    def __init__(self, columns: tuple[ResultColumn, ...], file: Path, *, is_cut: bool) -> None:
        self.columns = columns
        self.is_cut = is_cut
        """There were more rows than were asked for."""
        self._file = file
        self._mapped = pa.memory_map(str(file))
        self._reader = pa.ipc.open_file(self._mapped)
        sizes = [self._reader.get_batch(i).num_rows for i in range(self._reader.num_record_batches)]
        self._starts = [0, *accumulate(sizes)]

    def __len__(self) -> int:
        return self._starts[-1]

    def rows(self, start: int, count: int) -> list[Row]:
        """`count` rows from `start` on, or as many as there are."""
        end = min(start + count, len(self))
        found: list[Row] = []
        number = bisect_right(self._starts, start) - 1
        while start < end:
            first = self._starts[number]
            batch = self._reader.get_batch(number).slice(start - first, end - start)
            found += batch_rows(batch)
            start += batch.num_rows
            number += 1
        return found

    def batches(self) -> Iterator[pa.RecordBatch]:
        """All rows, as the file has them."""
        for number in range(self._reader.num_record_batches):
            yield self._reader.get_batch(number)

    @property
    def schema(self) -> pa.Schema:
        return self._reader.schema

    def close(self) -> None:
        """Remove the file. No window of it can be read afterwards."""
        self._mapped.close()
        self._file.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def run(bench: Bench, text: str, ticket: Ticket, *, limit: int | None = None) -> Iterator[Outcome]:
    """The outcome of each statement of a text, as it is had; `limit`: the most rows of each result.

    The text is parsed and checked as a whole before anything runs. All of it runs on one cursor, so that a transaction
    may span statements; what is not committed at the end is undone. The results are the caller's to close. Raises
    `InvalidStatement`, `WorkbenchFailed`, `Cancelled`.
    """
    with bench.cursor(ticket) as cursor:
        statements = split(cursor, text)
        for statement in statements:
            ticket.checkpoint(Progress(statement.number - 1, len(statements), "Running SQL, statements"))
            origin = _sets_behind(cursor, statement)
            try:
                result = _apart(partial(_run_one, bench, cursor, statement, ticket, limit), ticket)
            except (duckdb.Error, pa.ArrowException, _EngineFailed) as problem:
                if ticket.cancelled and "INTERRUPT" in str(problem):
                    raise Cancelled from None
                raise statement.failed(problem) from None
            yield Outcome(statement, result, origin)


def _apart(work: Callable[[], Result], ticket: Ticket) -> Result:
    """Runs on a thread of its own, which is left to itself where the engine does not heed an interrupt.

    It heeds none within one function, as in `repeat('x', 2000000000)`.
    """
    done: Future[Result] = Future()

    def run_it() -> None:
        try:
            done.set_result(work())
        except BaseException as problem:  # noqa: BLE001  (raised by the thread that waits)
            done.set_exception(problem)

    thread = threading.Thread(target=run_it, name="sql", daemon=True)
    thread.start()
    until: float | None = None
    while True:
        thread.join(_LOOK_EVERY)
        if done.done():
            return done.result()
        if ticket.cancelled:
            until = until or time.monotonic() + PATIENCE
            if time.monotonic() > until:
                done.add_done_callback(_close_unseen)
                raise Abandoned(thread)


def _close_unseen(done: Future[Result]) -> None:
    if done.exception() is None:
        done.result().close()


class _EngineFailed(Exception):
    """What the engine raises in the midst of a result comes through Arrow, as an `OSError`."""


def _run_one(
    bench: Bench, cursor: duckdb.DuckDBPyConnection, statement: Statement, ticket: Ticket, limit: int | None
) -> Result:
    relation = cursor.sql(statement.text)
    types = [str(kind) for kind in relation.types]
    columns = tuple(
        ResultColumn(name, kind, _kind_of(kind)) for name, kind in zip(relation.columns, types, strict=True)
    )
    expressions = [_exact(kind, i) for i, kind in enumerate(types, start=1)]
    if any(not expression.startswith("#") for expression in expressions):
        named = [f"{expression} AS c{i}" for i, expression in enumerate(expressions)]
        relation = relation.project(", ".join(named))
    reader = relation.to_arrow_reader(BATCH_ROWS)
    file = bench.results / uuid.uuid4().hex
    try:
        with pa.OSFile(str(file), "wb") as sink, pa.ipc.new_file(sink, reader.schema) as writer:
            is_cut = _write(writer, reader, ticket, limit)
    except BaseException as problem:
        file.unlink(missing_ok=True)
        if isinstance(problem, OSError) and problem.errno is not None:
            raise _no_room(problem) from None
        raise
    return Result(columns, file, is_cut=is_cut)


def _write(
    writer: pa.ipc.RecordBatchFileWriter, reader: pa.RecordBatchReader, ticket: Ticket, limit: int | None
) -> bool:
    """Returns whether rows were left out."""
    written = 0
    while True:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return False
        except OSError as problem:
            raise _EngineFailed(str(problem)) from None
        room = batch.num_rows if limit is None else limit - written
        if room < batch.num_rows:
            if room:
                writer.write_batch(batch.slice(0, room))
            return True
        writer.write_batch(batch)
        written += batch.num_rows
        ticket.checkpoint(Progress(written, note="Running SQL, rows"))


def _no_room(problem: OSError) -> DynodeskError:
    return WorkbenchFailed(
        f"The result could not be kept on the disk: {problem.strerror or problem}.",
        hint="Make room, or ask for fewer rows.",
    )


def _sets_behind(cursor: duckdb.DuckDBPyConnection, statement: Statement) -> tuple[LoadedSet, ...]:
    """Rather a set too many: through tables and views of the user's own any set may be behind a number."""
    known = sets.all_sets(cursor)
    text = statement.text.casefold()
    others = cursor.execute(
        "SELECT table_name FROM duckdb_tables() WHERE NOT internal AND schema_name <> 'dynodesk' "
        "UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal AND schema_name <> 'dynodesk'"
    ).fetchall()
    own = {str(name).casefold() for (name,) in others} - {one.name.casefold() for one in known}
    if "dynodesk" in text or "query" in text or any(name in text for name in own):
        return known
    return tuple(one for one in known if one.name.casefold().replace('"', '""') in text)


def _kind_of(kind: str) -> ColumnKind:
    if kind in _EXACT_IN_ARROW or kind in _EXACT_AS_TEXT or _DECIMAL.fullmatch(kind):
        return "number"
    if _is_nested(kind):
        return "json"
    return "boolean" if kind == "BOOLEAN" else "binary" if kind == "BLOB" else "text"


def _is_nested(kind: str) -> bool:
    return kind.endswith("]") or kind.startswith(("STRUCT(", "MAP("))


def _exact(kind: str, number: int) -> str:
    """The expression that carries a column through Arrow exactly."""
    if kind in _EXACT_IN_ARROW or kind in {"BOOLEAN", "BLOB", "VARCHAR"} or _DECIMAL.fullmatch(kind):
        return f"#{number}"
    if _is_nested(kind):
        return f"CAST(to_json(#{number}) AS VARCHAR)"
    return f"CAST(#{number} AS VARCHAR)"


# ------------------------------------------------------------------------------------------------------ cells as text


def batch_rows(batch: pa.RecordBatch) -> list[Row]:
    return list(zip(*(column_texts(column) for column in batch.columns), strict=True))


def column_texts(column: pa.Array[Any]) -> list[str | None]:
    kind = column.type
    values = column.to_pylist()
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return values
    if pa.types.is_boolean(kind):
        return [None if value is None else "true" if value else "false" for value in values]
    if pa.types.is_decimal(kind):
        return [None if value is None else format(value, "f") for value in values]
    if pa.types.is_binary(kind):
        return [None if value is None else value.hex() for value in values]
    if pa.types.is_floating(kind):
        return [None if value is None else number_text(value) for value in values]
    return [None if value is None else str(value) for value in values]


def number_text(value: float) -> str:
    """The shortest text that reads back as the same number."""
    if value != value:  # noqa: PLR0124  (only NaN differs from itself)
        return "NaN"
    if value in {float("inf"), float("-inf")}:
        return "Infinity" if value > 0 else "-Infinity"
    return repr(value).removesuffix(".0")


def is_plain_number(text: str) -> bool:
    """Whether the text of a number is one in JSON and in a cell of a sheet too: not `NaN`, not `Infinity`."""
    with contextlib.suppress(ArithmeticError):
        return Decimal(text).is_finite()
    return False
