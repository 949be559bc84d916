"""`dynodesk sql`: queries over what `dynodesk load` has loaded."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dynodesk.cli.diagnostics import ExitCode, interruptible, printable, say
from dynodesk.domain.cells import MAX_SHOWN, visible

if TYPE_CHECKING:
    from dynodesk.workbench.results import Outcome, Result, Row

FIRST_ROWS = 100
"""Rows of a table on the screen where nothing says how many."""
_WINDOW = 10_000


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.duckdb")
@click.argument("text", metavar="STATEMENT")
@click.option(
    "--format", "form", type=click.Choice(["table", "csv", "json"]), default="table", help="json: JSON lines."
)
@click.option("--limit", type=click.IntRange(1), metavar="N", help=f"Most rows; a table has {FIRST_ROWS} by default.")
def sql(file: Path, text: str, form: str, limit: int | None) -> int:
    """Run SQL on loaded sets. The file does not change.

    Each set is a view by its name with a column for each attribute, and the whole item in the column `item`. SQL
    reaches no other file, no network and no settings. What is known of the sets behind a result goes to stderr.
    """
    from dynodesk.workbench.bench import Bench  # noqa: PLC0415  (commands without SQL do not load the engine)
    from dynodesk.workbench.results import run  # noqa: PLC0415

    if limit is None and form == "table":
        limit = FIRST_ROWS
    with interruptible() as ticket, Bench.open(file, read_only=True) as bench:
        for outcome in run(bench, text, ticket, limit=limit):
            with outcome.result as result:
                for piece in _pieces(result, form):
                    click.echo(piece, nl=False)
            _narrate(outcome)
    return ExitCode.OK


def _narrate(outcome: Outcome) -> None:
    rows = len(outcome.result)
    more = ", and there are more: a larger --limit shows them" if outcome.result.is_cut else ""
    say(f"{rows:,} row{'' if rows == 1 else 's'}{more}")
    for origin in outcome.sets:
        say(origin.caption)


def _pieces(result: Result, form: str) -> Iterator[str]:
    """Text for stdout. On a terminal no value is obeyed."""
    lines = {"table": _table, "csv": _csv, "json": _json_lines}[form](result)
    if form == "table" or not sys.stdout.isatty():
        return lines
    return (_unobeyed(line) for line in lines)


def _unobeyed(line: str) -> str:
    ending = line[len(line.rstrip("\r\n")) :]
    return printable(line.rstrip("\r\n")) + ending


def _windows(result: Result) -> Iterator[list[Row]]:
    for start in range(0, len(result), _WINDOW):
        yield result.rows(start, _WINDOW)


def _csv(result: Result) -> Iterator[str]:
    from dynodesk.workbench.exporting import csv_header, csv_line  # noqa: PLC0415

    yield csv_header(result.columns)
    for rows in _windows(result):
        for row in rows:
            yield csv_line(row, result.columns)


def _json_lines(result: Result) -> Iterator[str]:
    from dynodesk.workbench.exporting import json_line, unique_names  # noqa: PLC0415

    names = unique_names(result.columns)
    for rows in _windows(result):
        for row in rows:
            yield json_line(row, result.columns, names)


def _table(result: Result) -> Iterator[str]:
    rows = [[_cell(cell) for cell in row] for row in result.rows(0, len(result))]
    heads = [visible(column.name) for column in result.columns]
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    numeric = [column.kind == "number" for column in result.columns]
    yield _table_line(heads, widths, numeric)
    yield "  ".join("─" * width for width in widths) + "\n"
    for row in rows:
        yield _table_line(row, widths, numeric)


def _cell(cell: str | None) -> str:
    if cell is None:
        return "NULL"
    return visible(cell if len(cell) <= MAX_SHOWN else cell[:MAX_SHOWN] + "…")


def _table_line(cells: list[str], widths: list[int], numeric: list[bool]) -> str:
    placed = (c.rjust(w) if right else c.ljust(w) for c, w, right in zip(cells, widths, numeric, strict=True))
    return "  ".join(placed).rstrip() + "\n"
