"""Loads come whole, or partial with their reason; no item is lost or doubled however they end."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from decimal import Decimal
from pathlib import Path

import pytest

from dynodesk.domain.capacity import Meter
from dynodesk.domain.clock import Clock
from dynodesk.domain.errors import CannotConnect, InvalidRequest, Throttled
from dynodesk.domain.expressions import parse_where
from dynodesk.domain.pacing import Limits
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.reads import QueryPlan, ReadPlan, ScanPlan, SortCondition
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableInfo
from dynodesk.domain.values import Binary, Number, String
from dynodesk.workbench import sets
from dynodesk.workbench.bench import Bench
from dynodesk.workbench.loading import load
from dynodesk.workbench.sources import TableSource, plans_of
from tests.helpers.virtual_clock import VirtualClock
from tests.workbench.pages import ENDPOINT, TABLE, MemoryPages, in_order, load_items, rows, stored_items, things


@pytest.mark.parametrize("segments", [1, 4])
@pytest.mark.parametrize("in_file", [True, False])
def test_every_item_is_there_as_it_was(tmp_path: Path, segments: int, in_file: bool) -> None:
    items = things(2_345)
    with Bench.open(tmp_path / "a.duckdb" if in_file else None) as bench:
        loaded = load_items(bench, items, segments=segments, chunk_items=500)
        assert stored_items(bench, loaded) == in_order(items)
        assert rows(bench, "SELECT count(*), sum(n), min(pk) FROM Things") == [
            ("2345", str(sum(range(2_345))), "thing 0")
        ]
    origin = loaded.provenance
    assert (origin.items, origin.segments, origin.complete, origin.why_partial) == (2_345, segments, True, "")
    assert origin.units * 2 == origin.pages
    assert origin.first_page < origin.last_page
    assert loaded.caption.startswith("Things: Scan of Things at http://127.0.0.1:8123 · 2,345 items in ")
    assert [file.name for file in tmp_path.iterdir()] == (["a.duckdb"] if in_file else [])


def test_a_set_without_its_view_has_keys_and_items() -> None:
    with Bench.open() as bench:
        loaded = load_items(bench, things(30), page_items=7, with_view=False)
        assert loaded.provenance.complete
        assert stored_items(bench, loaded) == in_order(things(30))
        assert rows(bench, f"SELECT max(k0) FROM {loaded.table}") == [("thing 9",)]
        assert rows(bench, "SELECT count(*) FROM duckdb_views() WHERE view_name = 'Things'") == [("0",)]


def test_an_empty_table_is_a_complete_set() -> None:
    with Bench.open() as bench:
        loaded = load_items(bench, [])
        assert loaded.provenance.complete
        assert rows(bench, "SELECT pk, item FROM Things") == []


def test_a_set_outlives_the_program(tmp_path: Path) -> None:
    with Bench.open(tmp_path / "a.duckdb") as bench:
        made = load_items(bench, things(3))
    with Bench.open(tmp_path / "a.duckdb", read_only=True) as bench:
        assert rows(bench, "SELECT count(*) FROM things") == [("3",)]
        with bench.cursor(Ticket()) as cursor:
            assert sets.all_sets(cursor) == (made,)


def test_names_are_taken_once() -> None:
    with Bench.open() as bench:
        load_items(bench, things(1))
        with pytest.raises(InvalidRequest, match='a set named "Things" already'):
            load_items(bench, things(1), name="THINGS")
        rows(bench, "CREATE TABLE own(a INTEGER)")
        with pytest.raises(InvalidRequest, match='a table or view named "Own" already'):
            load_items(bench, things(1), name="Own")
        with pytest.raises(InvalidRequest, match="printable"):
            load_items(bench, things(1), name="a\0b")
        load_items(bench, things(2), name='odd "name"')
        assert rows(bench, 'SELECT count(*) FROM "odd ""name"""') == [("2",)]


def test_keys_of_every_type_and_of_the_index() -> None:
    info = TableInfo(
        "T",
        KeySchema((KeyAttribute("b", "B"),), (KeyAttribute("n", "N"),)),
        (IndexInfo("I", "GSI", KeySchema((KeyAttribute("s", "S"),)), Projection("ALL")),),
    )
    items = [{"pk": {"S": "x"}, "b": {"B": "AAE="}, "n": {"N": "1.50"}, "s": {"S": "é"}}]
    meter = Meter()
    with Bench.open() as bench:
        source = TableSource((ScanPlan("T", index="I"),), info, ENDPOINT, MemoryPages(items, meter))
        loaded = load(source, bench, "T", Ticket(), meter=meter)
        with bench.cursor(Ticket()) as cursor:
            assert cursor.execute(f"SELECT k0, k1, k2 FROM {loaded.table}").fetchall() == [(b"\x00\x01", "1.50", "é")]
        assert rows(bench, 'SELECT b, n, s, typeof(n) FROM "T"') == [("0001", "1.5", "é", "DECIMAL(2,1)")]
    assert loaded.provenance.source == "Scan of T, index I"
    assert [key.of_table for key in loaded.keys] == [True, True, False]


def test_chosen_collections_are_one_set_and_their_overlap_counts_once() -> None:
    items = things(10)
    plans = [QueryPlan("Things", {"pk": String(f"thing {i}")}) for i in (1, 2, 2, 3)]
    meter = Meter()
    with Bench.open() as bench:
        source = TableSource(plans, TABLE, ENDPOINT, MemoryPages(items, meter), segments=2)
        loaded = load(source, bench, "some", Ticket(), meter=meter)
        assert stored_items(bench, loaded) == items[1:4]
    assert loaded.provenance.source == "Query of 4 collections of Things"
    assert (loaded.provenance.items, loaded.provenance.complete) == (3, True)


def test_plans_that_are_not_one_set_are_refused() -> None:
    reader = MemoryPages([], Meter())
    with pytest.raises(InvalidRequest, match="one table or index"):
        TableSource((ScanPlan("Things"), QueryPlan("Things", {"pk": String("a")})), TABLE, ENDPOINT, reader).check()
    with pytest.raises(InvalidRequest, match="one Scan"):
        TableSource((ScanPlan("Things"), ScanPlan("Things")), TABLE, ENDPOINT, reader).check()


# ------------------------------------------------------------------------------------------------------ ends too early


def test_a_spent_budget_leaves_a_partial_set_that_says_so() -> None:
    with Bench.open() as bench:
        loaded = load_items(bench, things(1_000), limits=Limits(max_units=Decimal(2)))
        assert rows(bench, "SELECT count(*) FROM Things") == [("400",)]
    assert not loaded.provenance.complete
    assert loaded.caption.startswith("PARTIAL (the read units it might take were spent) · Things: ")


def test_a_rate_is_kept_to() -> None:
    clock: Clock = VirtualClock()
    meter = Meter()
    with Bench.open() as bench:
        load(
            TableSource((ScanPlan("Things"),), TABLE, ENDPOINT, MemoryPages(things(950), meter)),
            bench,
            "Things",
            Ticket(),
            meter=meter,
            limits=Limits(rate=Decimal("0.5")),
            clock=clock,
        )
    assert clock.now() >= 9  # ten pages of half a unit, the first at once


def test_cancelling_keeps_what_arrived_and_a_resume_reads_the_rest(tmp_path: Path) -> None:
    items = things(3_000)
    with Bench.open(tmp_path / "a.duckdb") as bench:
        ticket, meter = Ticket(), Meter()
        reader = MemoryPages(items, meter)
        reader.before_page = lambda _segment, page: ticket.cancel() if page == 5 else None
        partial = load_items(bench, items, segments=3, reader=reader, ticket=ticket, meter=meter)
        assert not partial.provenance.complete
        assert partial.caption.startswith("PARTIAL (stopped before the end) · ")
        assert 0 < partial.provenance.items == len(stored_items(bench, partial)) < 3_000
        again = MemoryPages(items, meter)
        whole = load_items(bench, items, segments=1, reader=again, meter=meter, resume=True)
        assert stored_items(bench, whole) == in_order(items)
        assert whole.provenance.complete
        assert whole.provenance.pages == partial.provenance.pages + len(again.read)
        assert len(set(reader.read) & set(again.read)) <= 3  # pages that were asked for and never given
        untouched = MemoryPages(items, meter)
        assert load_items(bench, items, reader=untouched, meter=meter, resume=True) == whole
        assert untouched.read == []


def test_a_failure_keeps_what_arrived_and_is_told() -> None:
    items = things(1_000)
    meter = Meter()
    reader = MemoryPages(items, meter)

    def fail(_segment: int, page: int) -> None:
        if page == 4:
            raise Throttled("the table has no capacity left")

    reader.before_page = fail
    with Bench.open() as bench:
        loaded = load_items(bench, items, reader=reader, meter=meter)
        assert loaded.provenance.items == 400
        assert loaded.caption.startswith("PARTIAL (the table has no capacity left) · ")
        assert stored_items(bench, loaded) == in_order(items[:400])


def test_a_failure_before_anything_arrived_is_raised_and_leaves_nothing(tmp_path: Path) -> None:
    meter = Meter()
    reader = MemoryPages(things(10), meter)

    def fail(_segment: int, _page: int) -> None:
        raise CannotConnect("nobody answers")

    reader.before_page = fail
    with Bench.open(tmp_path / "a.duckdb") as bench:
        with pytest.raises(CannotConnect, match="nobody answers"):
            load_items(bench, [], reader=reader, meter=meter)
        with bench.cursor(Ticket()) as cursor:
            assert sets.all_sets(cursor) == ()
        assert load_items(bench, things(10)).provenance.complete


def test_a_fault_of_ours_is_raised_and_nothing_hangs() -> None:
    meter = Meter()
    reader = MemoryPages(things(1_000), meter, page_items=10)
    reader.before_page = lambda _segment, page: 1 // (page - 50)
    with Bench.open() as bench, pytest.raises(ZeroDivisionError):
        load_items(bench, [], reader=reader, meter=meter, segments=2)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("load")]


def test_a_page_that_is_no_page_is_not_loaded_in_part() -> None:
    """The engine refuses it: the chunk is undone, and the readers, which wait for room, end."""
    items = things(5_000)
    meter = Meter()
    reader = MemoryPages([*items[:4_000], {"pk": {"S": "\ud800"}}], meter, page_items=10)
    with Bench.open() as bench, pytest.raises(UnicodeEncodeError):
        load_items(bench, [], reader=reader, meter=meter)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("load")]


def test_a_resume_of_something_else_is_refused() -> None:
    with Bench.open() as bench:
        load_items(bench, things(3))
        other = TableInfo("Things", TABLE.key_schema, created="2026-02-02")
        with pytest.raises(InvalidRequest, match="was read from something else: Scan of Things"):
            load_items(bench, things(3), info=other, resume=True)


def test_sql_that_changes_a_set_is_noticed() -> None:
    with Bench.open() as bench:
        loaded = load_items(bench, things(3))
        rows(bench, f"DELETE FROM {loaded.table} WHERE k0 = 'thing 1'")
        with bench.cursor(Ticket()) as cursor:
            (now,) = sets.all_sets(cursor)
        assert now.changed
        assert now.caption.endswith(" · changed by SQL since")


def test_progress_counts_items() -> None:
    said: list[Progress] = []
    meter = Meter()
    reader = MemoryPages(things(300), meter)
    ticket = Ticket(said.append)
    ticket.REPORT_EVERY = 0
    with Bench.open() as bench:
        load_items(bench, [], reader=reader, ticket=ticket, meter=meter)
    assert said[-1] == Progress(300, note="Loading Things, items")


# ------------------------------------------------------------------------------------------------------------- killed

SCRIPT = """
import sys, time
from pathlib import Path
from dynodesk.domain.capacity import Meter
from dynodesk.workbench.bench import Bench
from tests.workbench.pages import MemoryPages, load_items, things

file, log = Path(sys.argv[1]), open(sys.argv[2], "a")
meter = Meter()
items = things(12_000)
reader = MemoryPages(items, meter)

def note(segment, page):
    log.write(f"{segment} {page}\\n")
    log.flush()
    time.sleep(0.002)

reader.before_page = note
with Bench.open(file) as bench:
    print("open", flush=True)
    load_items(bench, items, segments=3, reader=reader, meter=meter, chunk_items=2_000, resume=True)
print("done")
"""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_a_killed_load_is_taken_up_with_at_most_one_page_of_each_segment_again(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    file, log = tmp_path / "a.duckdb", tmp_path / "read.log"
    command = [sys.executable, "-c", SCRIPT, str(file), str(log)]
    kills = 0
    while True:
        read_before = sorted(log.read_text().splitlines()) if log.exists() else []
        running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert running.stdout is not None
        assert running.stdout.readline() == "open\n"
        try:
            running.wait(chance.uniform(0.02, 0.15) if kills < 3 else 60)
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGKILL)
            running.wait()
            kills += 1
        running.stdout.close()
        again = [line for line in log.read_text().splitlines()[len(read_before) :] if line in set(read_before)]
        assert len(again) == len({line.split()[0] for line in again}), again
        if running.returncode == 0:
            break
        assert running.returncode == -signal.SIGKILL
    assert kills
    items = things(12_000)
    with Bench.open(file) as bench:
        with bench.cursor(Ticket()) as cursor:
            (loaded,) = sets.all_sets(cursor)
        assert stored_items(bench, loaded) == in_order(items)
    assert loaded.provenance.complete
    assert loaded.provenance.items == 12_000
    assert loaded.provenance.pages == len(set(log.read_text().splitlines()))
    assert not file.with_name("a.duckdb.pages").exists()


# ------------------------------------------------------------------------------------------------------------- paused


def test_a_paused_load_asks_for_nothing_and_ends_whole_once_resumed() -> None:
    items = things(2_000)
    ticket, meter = Ticket(), Meter()
    reader = MemoryPages(items, meter)
    reached = threading.Event()

    def pause(_segment: int, page: int) -> None:
        if page == 3:
            ticket.pause()
            reached.set()

    reader.before_page = pause
    with Bench.open() as bench:
        loads: list[sets.LoadedSet] = []
        loading = threading.Thread(
            target=lambda: loads.append(load_items(bench, items, reader=reader, ticket=ticket, meter=meter))
        )
        loading.start()
        assert reached.wait(30)
        asked = len(reader.read)
        time.sleep(3 * Ticket.LOOK_EVERY)
        assert asked <= len(reader.read) <= 4
        ticket.resume()
        loading.join(30)
        assert loads[0].provenance.complete
        assert stored_items(bench, loads[0]) == in_order(items)


def test_a_paused_load_that_is_stopped_keeps_what_arrived() -> None:
    ticket, meter = Ticket(), Meter()
    reader = MemoryPages(things(1_000), meter)

    def pause(_segment: int, page: int) -> None:
        if page == 3:
            ticket.pause()
            threading.Timer(0.1, ticket.cancel).start()

    reader.before_page = pause
    with Bench.open() as bench:
        loaded = load_items(bench, [], reader=reader, ticket=ticket, meter=meter)
    assert (loaded.provenance.items, loaded.provenance.why_partial) == (400, "stopped before the end")


# ---------------------------------------------------------------------------------------------------------- taken up


@pytest.mark.parametrize(
    "plan",
    [
        ScanPlan("T"),
        ScanPlan("T", "I", attributes=("a", "b")),
        ScanPlan("T", filter=parse_where("a <> 'é' AND size(\"b c\") > 3")),
        QueryPlan("T", {"n": Number("1.50"), "b": Binary(b"\x00")}, index="I", descending=True),
        QueryPlan("T", {"pk": String("é")}, SortCondition("between", String("a"), String("b")), "sk", consistent=True),
        QueryPlan("T", {"pk": String("é")}, SortCondition("<", Number("3")), "sk"),
    ],
)
def test_a_plan_comes_back_from_what_a_set_keeps(plan: ReadPlan) -> None:
    source = TableSource((plan, plan), TABLE, ENDPOINT, MemoryPages([], Meter()))
    assert plans_of(source.identity) == (plan, plan)
