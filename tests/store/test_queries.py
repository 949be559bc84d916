"""The file of queries: what is kept comes back, and no state of the file stops the start or loses what was kept."""

from __future__ import annotations

import json
import random
import stat
import sys
from functools import partial
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynodesk.domain.queries import KeptQuery, Queries, Query
from dynodesk.domain.reads import QueryPlan, ScanPlan
from dynodesk.domain.statements import as_select
from dynodesk.domain.values import String
from dynodesk.store.documents import LARGEST_FILE
from dynodesk.store.paths import FileNotWritten
from dynodesk.store.queries import LONGEST_KEPT, QueryStore
from tests.domain.strategies import names, texts

NOON = "2026-01-01T12:00:00+00:00"
POST = QueryPlan("Social", {"PK": String("POST#a91f")})
LIKES = as_select("SELECT * FROM Social WHERE PK = ?", (String("POST#a91f"),))
KEPT = Queries((KeptQuery(LIKES, NOON, "Likes"),), (KeptQuery(POST, NOON), KeptQuery(LIKES, NOON)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a history and a saved query are kept, and all is well."""
    path = tmp_path / "data" / "queries" / "0123.json"
    QueryStore(path).change(lambda _: KEPT)
    return path


def set_aside(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}.damaged-*"))


def test_what_is_kept_is_there_at_the_next_start(path: Path) -> None:
    store = QueryStore(path)
    assert store.load() == KEPT
    assert store.notice == ""


def test_a_first_start_is_empty_and_quiet(tmp_path: Path) -> None:
    store = QueryStore(tmp_path / "none" / "0123.json")
    assert store.load() == Queries()
    assert store.notice == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="has no modes")
def test_it_is_for_its_user_alone(path: Path) -> None:
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


queries = st.one_of(
    st.builds(ScanPlan, names, st.none() | names),
    st.builds(lambda table, name, text: QueryPlan(table, {name: String(text)}), names, names, texts),
    st.builds(
        lambda text, values: as_select(
            f"SELECT * FROM t WHERE a <> '{text.replace(chr(39), chr(39) * 2)}'" + " AND b = ?" * len(values),
            [String(value) for value in values],
        ),
        texts,
        st.lists(texts, max_size=3),
    ),
)


@settings(max_examples=40)
@given(asked=st.lists(queries, max_size=6), named=queries, keeps=st.booleans())
def test_any_queries_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, asked: list[Query], named: Query, keeps: bool
) -> None:
    path = tmp_path_factory.mktemp("queries") / "0123.json"
    made = Queries()
    for query in asked:
        made = made.with_run(query, NOON)
    made = Queries(made.with_saved(named, "One", NOON).saved, made.history, keeps)
    assert QueryStore(path).change(lambda _: made) == made
    assert QueryStore(path).load() == made


def mutated(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    at = chance.randrange(len(changed))
    match chance.randrange(6):
        case 0:
            changed[at] = chance.randrange(256)
        case 1:
            del changed[at:]
        case 2:
            del changed[at : at + chance.randrange(1, 40)]
        case 3:
            changed[at:at] = changed[: chance.randrange(1, 60)]
        case 4:
            words = [b"null", b"[]", b"{}", b"7", b'""', b"1e999", b"[" * 5000, b'"SELECT', b"NaN"]
            changed[at:at] = chance.choice(words)
        case _:
            found = json.loads(data)
            key = chance.choice(sorted(found))
            found[key] = chance.choice([None, 7, "x", [], {}, [[]], [{}], [None], {"a": 1}, 99, True])
            changed[:] = json.dumps(found).encode()
    return bytes(changed)


def test_five_hundred_mutations_of_the_file_start_and_lose_nothing(path: Path) -> None:
    whole, folder = path.read_bytes(), path.parent
    chance = random.Random(38)
    outcomes = set()
    for _ in range(500):
        spoilt = mutated(whole, chance)
        for file in folder.iterdir():
            file.unlink()
        path.with_name(f"{path.name}.bak").write_bytes(whole)
        path.with_name(f"{path.name}.bak").chmod(0o600)
        path.write_bytes(spoilt)
        path.chmod(0o600)
        store = QueryStore(path)
        found = store.load()
        kept = {file.read_bytes() for file in set_aside(path)}
        if kept:  # then the last good copy was read
            assert kept == {spoilt}
            assert found == KEPT
            assert "kept as" in store.notice
        else:
            assert path.read_bytes() == spoilt
        outcomes.add(bool(kept))
        writable = json.loads(path.read_bytes())["version"] == 1
        if writable:
            assert POST in [kept.query for kept in store.change(lambda now: now.with_run(POST, NOON)).history] or not (
                found.keeps
            )
    assert outcomes == {True, False}


def test_a_file_of_a_later_version_is_read_and_left_alone(path: Path) -> None:
    later = json.loads(path.read_bytes()) | {"version": 2}
    path.write_text(json.dumps(later))
    store = QueryStore(path)
    assert store.load() == KEPT
    assert "newer version" in store.notice
    with pytest.raises(FileNotWritten):
        store.change(lambda now: now.with_run(ScanPlan("T"), NOON))
    assert json.loads(path.read_bytes()) == later


def test_an_entry_that_cannot_be_read_stays_in_the_file(path: Path) -> None:
    strange = {"time": NOON, "export": {"of": "a later version"}}
    stored = json.loads(path.read_bytes())
    stored["history"].insert(0, strange)
    path.write_text(json.dumps(stored))
    store = QueryStore(path)
    assert store.load() == KEPT
    assert store.notice == "1 kept query cannot be read. It stays in 0123.json."
    store.change(lambda now: now.with_run(ScanPlan("T"), NOON))
    assert json.loads(path.read_bytes())["unread"] == [strange]
    store.change(lambda now: now.with_run(ScanPlan("U"), NOON))
    assert json.loads(path.read_bytes())["unread"] == [strange]
    assert len(store.load().history) == 4


def test_clearing_leaves_no_value_behind(path: Path) -> None:
    QueryStore(path).change(lambda now: now.with_run(ScanPlan("T"), NOON).with_run(POST, NOON))
    path.with_name(f"{path.name}.damaged-1").write_bytes(b"POST#a91f")
    cleared = QueryStore(path).clear_history()
    assert cleared == Queries(KEPT.saved)
    saved_only = QueryStore(path).change(lambda now: now.without(now.saved[0]))
    assert saved_only == Queries()
    assert [file for file in path.parent.iterdir() if b"POST#a91f" in file.read_bytes()] == []


def test_deleting_takes_everything(path: Path) -> None:
    QueryStore(path).delete()
    assert list(path.parent.iterdir()) == []
    assert QueryStore(path).load() == Queries()


def test_the_file_stays_small(path: Path) -> None:
    long = String("x" * (LONGEST_KEPT - 1000))
    store = QueryStore(path)
    for number in range(60):
        store.change(partial(Queries.with_run, query=QueryPlan(f"T{number}", {"a": long}), time=NOON))
    assert path.stat().st_size < 0.6 * LARGEST_FILE
    held = store.load().history
    assert held[0].query.table == "T59"
    assert 20 < len(held) < 60
    store.change(lambda now: now.with_run(QueryPlan("Huge", {"a": String("x" * LONGEST_KEPT)}), NOON))
    assert "Huge" not in {kept.query.table for kept in store.load().history}
    assert store.load().saved == KEPT.saved


def test_two_programs_lose_none_of_each_others_queries(path: Path) -> None:
    def run(table: str) -> None:
        store = QueryStore(path)
        for number in range(10):
            store.change(partial(Queries.with_run, query=ScanPlan(f"{table}{number}"), time=NOON))

    threads = [Thread(target=run, args=(table,)) for table in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {kept.query.table for kept in QueryStore(path).load().history} >= {
        f"{table}{number}" for table in "ab" for number in range(10)
    }
