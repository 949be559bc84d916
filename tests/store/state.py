"""Everything that the program keeps of its own state: each file with how it is written and read.

What is written is a number, said twice and far apart, so that half of it would be seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from dynodesk.domain.profiles import Profile
from dynodesk.domain.queries import KeptQuery, Queries
from dynodesk.domain.reads import QueryPlan, ScanPlan
from dynodesk.domain.values import String
from dynodesk.store.profiles import ProfileStore
from dynodesk.store.queries import QueryStore
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


FILES = (
    StateFile("settings.json", _save_settings("Settings"), _load_settings("Settings")),
    StateFile("connections.json", _save_profiles, _load_profiles),
    StateFile("tabs.json", _save_settings("Open tabs"), _load_settings("Open tabs")),
    StateFile("staged.json", _save_settings("Staged edits"), _load_settings("Staged edits")),
    StateFile("queries.json", _save_queries, _load_queries),
)
BY_NAME = {file.name: file for file in FILES}
