"""`dynodesk watch`."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from dynodesk.cli.connecting import Place, connection_options
from dynodesk.cli.diagnostics import ExitCode, interruptible, printable, say
from dynodesk.cli.numbers import NumberRange
from dynodesk.cli.output import write_bytes
from dynodesk.cli.reconciling import FILE, SECONDS, bound, chosen_rules
from dynodesk.domain.capacity import Meter
from dynodesk.domain.clock import SystemClock, duration
from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.item_json import item_to_dynamodb
from dynodesk.domain.progress import Cancelled
from dynodesk.domain.streams import Start
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import plain_digits
from dynodesk.reconcile.notices import Notice
from dynodesk.reconcile.rules import read_rules
from dynodesk.reconcile.watch import Watch, follow, open_streams, time_for, why_not_watched


@click.command()
@click.argument("rules_file", metavar="RULES.toml", type=FILE)
@connection_options
@click.option("--rule", "names", metavar="NAME", multiple=True, help="Only this rule. May be given again.")
@click.option(
    "--from",
    "start",
    type=click.Choice(["now", "trim"]),
    default="now",
    help="With what is written from now on, or with the oldest record of the stream.",
)
@click.option("--for", "seconds", type=NumberRange(0, 10**9), metavar="SECONDS", help="End after so long.")
@click.option("--within", type=SECONDS, metavar="SECONDS", help="A tally follows within this time, if less than wait.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="One notice a line.")
def watch(
    rules_file: Path,
    place: Place,
    names: tuple[str, ...],
    start: Start,
    seconds: float | None,
    within: float | None,
    form: str,
) -> int:
    """Follow the streams of the rules' tables, and name each write that leaves a tally wrong.

    Nothing is read from the tables themselves, and nothing is written. A stream takes two readers at a time: this is
    one of them.

    Exit codes: 0 nothing seen, 1 something seen, 2 usage or no stream that tells enough, 3 cannot connect or not
    allowed, 4 records of the stream were lost, 130 interrupted.
    """
    drafts = chosen_rules(read_rules(rules_file), names)
    seen: Counter[str] = Counter()
    with interruptible() as ticket, place.opened(ticket) as workspace:
        rules = _followed(bound(drafts, workspace, ticket), within)
        watching = Watch(rules, within)
        reader = workspace.new_stream_reader(Meter(workspace.meter))
        streams = open_streams(watching, workspace.catalog, reader, start, ticket)
        say(f"watching {', '.join(sorted(watching.tables))}; Ctrl-C ends it")
        with contextlib.suppress(Cancelled):
            for notice in follow(watching, streams, SystemClock(), ticket, seconds):
                seen[notice.kind] += 1
                write_bytes(_line(notice, form))
        interrupted = ticket.cancelled
    for line in _summary(watching, seen):
        say(line)
    if interrupted:
        return ExitCode.INTERRUPTED
    if seen["gap"]:
        return ExitCode.INCOMPLETE
    return ExitCode.DRIFT if seen else ExitCode.OK


def _followed(rules: Sequence[TallyRule], within: float | None) -> tuple[TallyRule, ...]:
    """The rules that can be followed. Says what is left out, and how long each of the others waits."""
    followed = []
    for rule in rules:
        if why := why_not_watched(rule):
            say(f"not watched: {rule.name}: {why}")
        else:
            say(f"{rule.name}: a child and its tally have {duration(time_for(rule, within))} to follow each other")
            followed.append(rule)
    if not followed:
        raise InvalidRequest("none of these rules can be watched", hint="Reconcile finds their drift.")
    return tuple(followed)


def _line(notice: Notice, form: str) -> bytes:
    if form == "json":
        return f"{json.dumps(notice_json(notice), ensure_ascii=False)}\n".encode()
    return f"{printable(' · '.join(_words(notice)))}\n".encode()


def _words(notice: Notice) -> Iterator[str]:
    yield _moment(notice.at)
    yield f"{notice.kind}: {notice.rule}"
    yield f"{notice.table} {notice.item_text}".rstrip()
    yield notice.what
    if notice.parent is not None and notice.parent != notice.item:
        yield f"parent {notice.parent_text}"
    if notice.drift is not None:
        yield f"drift {notice.drift_text}"
    if notice.cause:
        yield notice.cause


def notice_json(notice: Notice) -> dict[str, object]:
    """One notice as a line of JSON holds it; times in UTC, keys as DynamoDB JSON, amounts as text."""
    return {
        "kind": notice.kind,
        "rule": notice.rule,
        "table": notice.table,
        "at": _moment(notice.at),
        "event": notice.event,
        "item": None if notice.item is None else item_to_dynamodb(notice.item),
        "parent": None if notice.parent is None else item_to_dynamodb(notice.parent),
        "drift": None if notice.drift is None else plain_digits(notice.drift),
        "what": notice.what,
        "cause": notice.cause or None,
    }


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _summary(watching: Watch, seen: Counter[str]) -> Iterator[str]:
    found = ", ".join(f"{count} {kind}" for kind, count in seen.items()) or "nothing wrong seen"
    yield f"{watching.records:,} records: {found}"
    if watching.open:
        yield f"{watching.open} changes were too young to be judged"
    if watching.unknown:
        yield f"{watching.unknown} changes were not judged: their other half may lie before the watch, or in a gap"
