"""The database is locked, or it is not used."""

from __future__ import annotations

import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from dynodesk.domain.errors import InvalidStatement, WorkbenchFailed
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.workbench import bench as bench_module
from dynodesk.workbench.bench import Abandoned, Bench
from dynodesk.workbench.results import run
from tests.workbench import runaways
from tests.workbench.pages import load_items, rows, things

LOCKED = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "python_enable_replacements": "false",
    "lock_configuration": "true",
    "memory_limit": "95.3 MiB",
    "threads": "1",
    "max_temp_directory_size": "190.7 MiB",
}


@pytest.mark.parametrize("in_file", [True, False])
def test_every_cursor_is_locked(tmp_path: Path, in_file: bool) -> None:
    path = tmp_path / "a.duckdb" if in_file else None
    with Bench.open(path, memory_limit="100MB", threads=1, spill_limit="200MB") as bench:
        for _ in range(2):
            found = {row[0]: row[1] for row in rows(bench, "SELECT name, value FROM duckdb_settings()")}
            assert {name: found[name] for name in LOCKED} == LOCKED
        with bench.cursor(Ticket()) as cursor, pytest.raises(duckdb.InvalidInputException, match="locked"):
            cursor.execute("SET threads = 2")


@pytest.mark.parametrize("name", sorted(LOCKED.keys() - {"memory_limit", "threads", "max_temp_directory_size"}))
def test_a_setting_that_does_not_read_back_is_no_bench(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    wanted = bench_module._LOCKED[name]
    monkeypatch.setitem(bench_module._LOCKED, name, "true" if wanted == "false" else "false")
    with pytest.raises(WorkbenchFailed, match=f"not locked down: {name} is {wanted}"):
        Bench.open()


def test_more_rows_than_fit_into_memory_go_to_the_private_folder() -> None:
    with Bench.open(memory_limit="100MB") as bench:
        assert rows(bench, "CREATE TABLE t AS SELECT md5(i::VARCHAR) AS a FROM range(3_000_000) t(i)") == [("3000000",)]
        assert rows(bench, "SELECT count(DISTINCT a) FROM t") == [("3000000",)]
        ((folder,),) = rows(bench, "SELECT current_setting('temp_directory')")
        assert folder is not None
        assert stat.S_IMODE(Path(folder).parent.stat().st_mode) == 0o700
    assert not Path(folder).parent.exists()


def test_a_file_is_private_and_made_when_it_is_not_there(tmp_path: Path) -> None:
    with Bench.open(tmp_path / "a.duckdb"):
        assert stat.S_IMODE((tmp_path / "a.duckdb").stat().st_mode) == 0o600


def test_a_read_only_bench_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    with pytest.raises(WorkbenchFailed, match="There is no file"):
        Bench.open(path, read_only=True)
    with Bench.open(path) as bench:
        load_items(bench, things(2))
    before = path.read_bytes()
    with Bench.open(path, read_only=True) as one:
        list(run(one, "CREATE TEMP TABLE mine AS SELECT pk FROM Things", Ticket()))
        with pytest.raises(InvalidStatement, match="read-only"):
            list(run(one, "DROP VIEW Things", Ticket()))
    assert path.read_bytes() == before


def test_a_file_in_use_elsewhere_is_said_so(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print(1, flush=True); input()",
            path,
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    try:
        with pytest.raises(WorkbenchFailed, match="in use by another program"):
            Bench.open(path)
    finally:
        holder.communicate(b"\n")


@pytest.mark.parametrize("content", [b"", b"not a database" * 1000, b"\0" * 20_000])
def test_a_file_that_is_no_database_is_said_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.duckdb"
    path.write_bytes(content)
    with pytest.raises(WorkbenchFailed, match="cannot be opened"):
        Bench.open(path)
    assert path.read_bytes() == content


def test_a_folder_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(WorkbenchFailed, match="cannot be opened"):
        Bench.open(tmp_path / "nowhere" / "a.duckdb")


@pytest.fixture(scope="module")
def busy_bench() -> Iterator[Bench]:
    with Bench.open() as bench:
        yield bench


def cancelled_soon(bench: Bench, sql: str) -> Cancelled:
    ticket = Ticket()
    timer = threading.Timer(0.05, ticket.cancel)
    timer.start()
    with pytest.raises(Cancelled) as caught:
        run_all(bench, sql, ticket)
    timer.join()
    return caught.value


def wait_for(thread: threading.Thread) -> None:
    thread.join(60)
    assert not thread.is_alive(), f"{thread.name} does not end"


def run_all(bench: Bench, sql: str, ticket: Ticket) -> None:
    for outcome in run(bench, sql, ticket):
        outcome.result.close()


@pytest.mark.parametrize("what", runaways.HEEDING)
def test_a_statement_that_would_run_for_hours_is_ended(busy_bench: Bench, what: str) -> None:
    assert not isinstance(cancelled_soon(busy_bench, runaways.HEEDING[what]), Abandoned)
    assert rows(busy_bench, "SELECT 1") == [("1",)]
    assert rows(busy_bench, "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'big'") == [("0",)]
    assert list(busy_bench.results.iterdir()) == []  # nothing of what was cancelled


@pytest.mark.slow
def test_what_heeds_no_interrupt_is_left_to_itself() -> None:
    """One call of one function, of seconds: whoever cancels has the bench back at once, and it closes when it can."""
    bench = Bench.open()
    cancelled = cancelled_soon(bench, runaways.DEAF.format(items=4_000_000))
    assert rows(bench, "SELECT 1") == [("1",)]
    bench.close()
    assert not bench.results.parent.exists()
    if isinstance(cancelled, Abandoned):
        wait_for(cancelled.thread)
    for thread in threading.enumerate():
        if thread.name == "sql end":
            wait_for(thread)
    assert not bench.results.parent.exists()


LEAVES_MIDWAY = """
import sys, threading
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.workbench.bench import Bench
from dynodesk.workbench.results import run
bench, ticket = Bench.open(), Ticket()
print(bench.results.parent)
threading.Timer(0.5, ticket.cancel).start()
try:
    list(run(bench, sys.argv[1], ticket))
except Cancelled as end:
    print(type(end).__name__)
bench.close()
"""


@pytest.mark.slow
def test_a_program_that_ends_in_the_midst_of_a_statement_leaves_nothing_behind() -> None:
    deaf = runaways.DEAF.format(items=40_000_000)
    ended = subprocess.run(
        [sys.executable, "-c", LEAVES_MIDWAY, deaf], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    folder, end = ended.stdout.split()
    assert end == "Abandoned"
    assert not Path(folder).exists()


def test_a_statement_that_ends_while_it_is_being_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread that interrupts is slow to start, and the statement is over before it runs."""
    start = threading.Thread.start
    ended = threading.Event()

    def slowly(thread: threading.Thread) -> None:
        if thread.name == "interrupt":
            assert ended.wait(10)
        start(thread)

    with Bench.open() as bench:
        ticket = Ticket()
        monkeypatch.setattr(threading.Thread, "start", slowly)
        with bench.cursor(ticket) as cursor:
            cancelling = threading.Thread(target=ticket.cancel, name="cancelling")
            cancelling.start()
            while not ticket.cancelled:
                time.sleep(0.001)
            cursor.execute("SELECT 1")
        ended.set()
        cancelling.join()
        with bench.cursor(Ticket()) as cursor:
            assert cursor.execute("SELECT 2").fetchone() == (2,)
