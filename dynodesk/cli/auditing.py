"""`dynodesk audit`: every write that was made from this computer, whether it is all still there, and out to a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import click

from dynodesk.cli.diagnostics import ExitCode, say
from dynodesk.cli.output import write_bytes
from dynodesk.composing.log import LoggedRequest, RequestLog
from dynodesk.composing.words import tables_of
from dynodesk.domain.errors import InvalidFile
from dynodesk.domain.repairs import Place
from dynodesk.domain.table_log import TableLog
from dynodesk.editing.log import EditLog
from dynodesk.reconcile.ledger import Ledger
from dynodesk.reports.as_csv import neutral
from dynodesk.reports.characters import json_text, visible
from dynodesk.store.journal import Contents
from dynodesk.wiring import open_journal


@dataclass(frozen=True, slots=True)
class Entry:
    """One write. All is text, in the order of the columns of a file."""

    at: str
    kind: str
    table: str
    about: str
    """The key, or what was done."""
    outcome: str
    why: str
    id: str
    account: str
    region: str
    endpoint: str


@click.group()
def audit() -> None:
    """The journal of this computer: every write by dynodesk, at any connection. Nothing is sent."""


@audit.command()
@click.option("--head", metavar="HASH", help="The last record, as it was noted when the journal was looked at before.")
def verify(head: str | None) -> int:
    """Check that the journal is what was written to it, from the first record to the last.

    Whoever may write its files could make all of it anew: with --head that is found too.

    Exit codes: 0 whole, 1 changed.
    """
    contents = open_journal().read()
    broken = "" if contents.broken is None else str(contents.broken)
    if not broken and head and head not in {record.hash for record in contents.records}:
        broken = "the record that was noted is not in it"
    count = len(contents.records)
    click.echo(f"{count:,} record{'' if count == 1 else 's'}, {f'CHANGED: {broken}' if broken else 'whole'}")
    click.echo(f"last record {contents.head}")
    return ExitCode.DRIFT if broken else ExitCode.OK


@audit.command()
@click.option("--table", help="Only writes to this table.")
@click.option("--kind", help="Only those of a kind: repair, undo, edit, batch, request, table, …")
@click.option("--outcome", help="Only those with an outcome: applied, refused, unknown, …")
@click.option("--since", metavar="DAY", help="Only those from then on, as 2026-11-30 or with a time, in UTC.")
@click.option("--until", metavar="DAY", help="Only those before then.")
@click.option("--text", multiple=True, help="Only those with this text in what is shown. May be given again.")
@click.option("--format", "form", type=click.Choice(["text", "csv", "json"]), default="text", help="What stdout gets.")
def log(
    table: str | None,
    kind: str | None,
    outcome: str | None,
    since: str | None,
    until: str | None,
    text: tuple[str, ...],
    form: str,
) -> int:
    """List writes, oldest first: when, what, where, and what became of it.

    Exit codes: 0 the journal is whole, 1 it was changed: what is listed was written before that place.
    """
    contents = open_journal().read()
    found = [
        entry
        for entry in entries(contents)
        if (not table or table in entry.table.split(", "))
        and (not kind or entry.kind == kind)
        and (not outcome or entry.outcome == outcome)
        and (not since or entry.at >= since)
        and (not until or entry.at < until)
        and all(word.casefold() in " ".join(asdict(entry).values()).casefold() for word in text)
    ]
    write_bytes(_text(found, form).encode())
    if contents.broken is not None:
        say(f"the journal was CHANGED at {contents.broken}")
    return ExitCode.OK if contents.broken is None else ExitCode.DRIFT


def entries(contents: Contents) -> list[Entry]:
    """Every write of the journal, in the order in which they were made. What is sensitive in them is not shown."""
    return sorted(_entries(contents), key=lambda entry: entry.at)


def _entries(contents: Contents) -> Iterator[Entry]:
    records = contents.shown().records
    for write in Ledger.of(records).writes.values():
        known = (write.update.table, write.parent_text, write.outcome, write.why, write.id)
        yield _entry(write.at, write.what, known, write.run.place)
    edits = EditLog.of(records)
    for edit in edits.edits.values():
        known = (edit.write.table, edit.title, edit.outcome, edit.why, edit.id)
        yield _entry(edit.at, edit.kind, known, edit.commit.place)
    for batch in edits.batches.values():
        known = (batch.table, f"{len(batch.writes)} writes", batch.outcome, batch.why, batch.id)
        yield _entry(batch.at, "batch", known, batch.commit.place)
    sent = RequestLog.of(contents.records).runs  # without its values a request may not be one that can be read
    for run in RequestLog.of(records).runs.values():
        yield _entry(run.at, "request", (_tables(sent[run.id]), run.operation, run.outcome, run.why, run.id), run.place)
    for change in TableLog.of(records).changes.values():
        about = f"{change.what} {change.index}".rstrip()
        yield _entry(change.at, "table", (change.table, about, change.outcome, change.why, change.id), change.place)


def _entry(at: str, kind: str, known: tuple[str, str, str, str, str], place: Place) -> Entry:
    table, about, outcome, why, id_ = known
    return Entry(at, kind, table, about, outcome or "unknown", why, id_, place.identity, place.region, place.endpoint)


def _tables(run: LoggedRequest) -> str:
    """ "" where this version does not understand the request: what was sent is in the journal nevertheless."""
    try:
        return ", ".join(tables_of(run.request))
    except InvalidFile:
        return ""


def _text(found: list[Entry], form: str) -> str:
    if form == "json":
        return json_text({"version": 1, "writes": [asdict(entry) for entry in found]}) + "\n"
    if form == "csv":
        text = io.StringIO(newline="")
        out = csv.writer(text, quoting=csv.QUOTE_ALL)
        out.writerow(Entry.__slots__)
        out.writerows([neutral(value) for value in asdict(entry).values()] for entry in found)
        return text.getvalue()
    lines = [
        f"{entry.at}  {entry.kind:8} {entry.table}  {entry.about}  {entry.outcome}"
        + (f" · {entry.why}" if entry.why else "")
        for entry in found
    ]
    return "".join(f"{visible(line)}\n" for line in [*lines, f"{len(found):,} write{'' if len(found) == 1 else 's'}"])
