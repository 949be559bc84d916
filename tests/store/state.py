"""Everything that the program keeps of its own state: each file with how it is written and read.

What is written is a number, said twice and far apart, so that half of it would be seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.findings import VERDICTS, Report, RuleResult
from dynodesk.domain.profiles import Profile
from dynodesk.domain.queries import KeptQuery, Queries
from dynodesk.domain.reads import QueryPlan, ScanPlan
from dynodesk.domain.values import String
from dynodesk.store.journal import Journal
from dynodesk.store.paths import FileNotWritten
from dynodesk.store.profiles import ProfileStore
from dynodesk.store.programs import AllowedCommands
from dynodesk.store.queries import QueryStore
from dynodesk.store.run_history import RunHistory
from dynodesk.store.settings import Settings

PADDING = 20_000
"""Characters between the two: more than one block of a disk."""
NOON = "2026-01-01T12:00:00+00:00"
FIRST = Profile("0123456789abcdef", "first", "aws", "profile", "prod", region="eu-west-1")
LAST = Profile("ffffffffffffffff", "last", "aws", "profile", "prod", region="eu-west-1")


@dataclass(frozen=True)
class StateFile:
    name: str
    """Of the file."""
    folder: str
    """Below that of all that the program keeps."""
    title: str
    """As the person is told of it."""
    write: Callable[[Path, int], object]
    """Raises `FileNotWritten`."""
    read: Callable[[Path], tuple[tuple[int, int] | None, str]]
    """The number, as often as it is said, or None where nothing is kept; and what the person is told of the file."""


def _save_settings(title: str) -> Callable[[Path, int], object]:
    def save(path: Path, number: int) -> None:
        settings = Settings(path, title)
        settings.load()
        settings.save({"first": number, "padding": "x" * PADDING, "last": number})

    return save


def _load_settings(title: str) -> Callable[[Path], tuple[tuple[int, int] | None, str]]:
    def load(path: Path) -> tuple[tuple[int, int] | None, str]:
        settings = Settings(path, title)
        found = settings.load()
        numbers = (settings.get("first", int, -1), settings.get("last", int, -1))
        return (numbers if found else None), settings.notice

    return load


def _save_profiles(path: Path, number: int) -> None:
    store = ProfileStore(path)
    for profile in (FIRST, LAST):
        store.save(replace(profile, name=f"{profile.name} {number}", region=f"eu-west-{number % 9 + 1}"))


def _load_profiles(path: Path) -> tuple[tuple[int, int] | None, str]:
    store = ProfileStore(path)
    names = [profile.name.rpartition(" ")[2] for profile in store.load()]
    return ((_number(names[0]), _number(names[-1])) if names else None), store.notice


def _save_queries(path: Path, number: int) -> None:
    saved = (KeptQuery(ScanPlan(f"T{number}"), NOON, f"query {number}"),)
    history = (KeptQuery(QueryPlan(f"T{number}", {"PK": String("x" * 15_000)}), NOON),)
    QueryStore(path).change(lambda _: Queries(saved, history))


def _load_queries(path: Path) -> tuple[tuple[int, int] | None, str]:
    store = QueryStore(path)
    kept = store.load()
    if not kept.saved or not kept.history:
        return None, store.notice
    query = kept.history[0].query
    table = query.table if isinstance(query, QueryPlan) else ""
    return (_number(kept.saved[0].name.removeprefix("query ")), _number(table.removeprefix("T"))), store.notice


def _number(text: str) -> int:
    """-1 for what a mutation has made of one."""
    return int(text) if text.isascii() and text.isdecimal() else -1


def _digest(number: int) -> str:
    return f"{number:064x}"


def _allow_programs(path: Path, number: int) -> None:
    allowed = AllowedCommands(path)
    allowed.add(_digest(number))
    if not AllowedCommands(path).holds(_digest(number)):  # it holds until the program ends, and raises nothing
        raise FileNotWritten("what was allowed is not kept", hint="It holds until the program ends.")


def _allowed_programs(path: Path) -> tuple[tuple[int, int] | None, str]:
    """The last of those that were allowed one after the other, from 0 or 1 on."""
    allowed = AllowedCommands(path)
    number = first = 0 if allowed.holds(_digest(0)) else 1
    while allowed.holds(_digest(number)):
        number += 1
    return ((number - 1, number - 1) if number > first else None), allowed.notice


REPORT = Report(
    *("", "2026-05-03T10:00:00Z", "2026-05-03T10:01:00Z", ""),
    *("http://127.0.0.1:8000", "eu-west-1", "social.toml", "whole table"),
    complete=True,
    stopped=None,
    read_units=Decimal(1),
    pages=1,
    notes=(),
    rules=tuple(RuleResult(rule, "Social", "", 9, dict.fromkeys(VERDICTS, 0), ()) for rule in ("first", "last")),
)
HASHES = {"first": "5e1f", "last": "0a0b"}


def _add_run(path: Path, number: int) -> None:
    RunHistory(path.parent).add(replace(REPORT, run_id=str(number)), HASHES)


def _last_run(path: Path) -> tuple[tuple[int, int] | None, str]:
    history = RunHistory(path.parent)
    try:
        runs = {run.rule: _number(run.run_id) for run in history.of(HASHES.values())}
    except FileNotWritten as fault:
        return None, fault.message
    return ((runs["first"], runs["last"]) if len(runs) == len(HASHES) else None), history.notice


def _add_record(path: Path, number: int) -> None:
    Journal(path.parent).append("test", {"first": number, "padding": "x" * PADDING, "last": number})


def _last_record(path: Path) -> tuple[tuple[int, int] | None, str]:
    try:
        records = Journal(path.parent).records()
    except DynodeskError as fault:
        return None, fault.message
    if not records:
        return None, ""
    payload = records[-1].payload
    return (_whole(payload.get("first")), _whole(payload.get("last"))), ""


def _whole(value: object) -> int:
    return value if type(value) is int else -1


FILES = (
    StateFile("settings.json", "config", "Settings", _save_settings("Settings"), _load_settings("Settings")),
    StateFile("connections.json", "config", "Connections", _save_profiles, _load_profiles),
    StateFile("tabs.json", "state", "Open tabs", _save_settings("Open tabs"), _load_settings("Open tabs")),
    StateFile(
        "staged.json", "data/staged", "Staged edits", _save_settings("Staged edits"), _load_settings("Staged edits")
    ),
    StateFile("queries.json", "data/queries", "Queries", _save_queries, _load_queries),
    StateFile("programs.json", "config", "Allowed programs", _allow_programs, _allowed_programs),
)
"""Those that are written anew, with a backup beside them."""
GROWING = (
    StateFile("history.jsonl", "data/history", "The history of runs", _add_run, _last_run),
    StateFile("journal.jsonl", "data/journal", "The journal", _add_record, _last_record),
)
"""Those that are only ever added to."""
BY_NAME = {file.name: file for file in (*FILES, *GROWING)}

# ------------------------------------------------------------------------------------------- all that there may be

CONNECTION = r"[0-9a-f]{8,32}"
KNOWN: dict[str, str] = {
    r"config/settings\.json": "settings.json",
    r"config/connections\.json": "connections.json",
    r"config/programs\.json": "programs.json",
    r"state/tabs\.json": "tabs.json",
    rf"data/staged/{CONNECTION}-[0-9a-f]{{16}}\.json": "staged.json",
    rf"data/queries/{CONNECTION}\.json": "queries.json",
    r"data/history/history\.jsonl": "history.jsonl",
    r"data/journal/journal\.jsonl": "journal.jsonl",
}
"""Where files lie, and the name in `BY_NAME` of those that are like them."""
BESIDE: dict[str, str] = {
    r".*\.json\.bak": "the backup of a file: read where that is damaged",
    r".*\.damaged-\d+": "what was damaged: never read",
    r".*\.part": "what is being written: never read",
    r".*\.lock": "held while another file is written: nothing is in it",
    r"data/journal/journal\.head": "number and hash of the journal's last record",
    r"data/journal/journal\.jsonl\.torn-\d+": "the beginning of a record: never read",
    r"state/dynodesk\.log(\.\d)?": "the log",
    r"state/log\.salt": "what the log's tags are made with",
    r"state/runs/[^/]*\.run": "there for as long as a window is",
    r"state/faults/fault-[^/]*\.txt": "the report of a fault: never read",
}
"""Files that hold nothing of a person's, and why they may be there."""


def strangers(home: Path) -> list[str]:
    """The files below a folder of state that are in none of the tables: whoever adds one adds it there, too."""
    found = [path.relative_to(home).as_posix() for path in home.rglob("*") if not path.is_dir()]
    return [path for path in found if not any(re.fullmatch(known, path) for known in (*KNOWN, *BESIDE))]


def kinds(home: Path) -> set[str]:
    """The names in `BY_NAME` of the files that are there."""
    found = [path.relative_to(home).as_posix() for path in home.rglob("*")]
    return {name for known, name in KNOWN.items() if any(re.fullmatch(known, path) for path in found)}
