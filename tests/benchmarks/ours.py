"""How we get a table into SQL, and the least that it could cost.

`python -m tests.benchmarks.ours METHOD ADDRESS FOLDER`, with the folder of the replies.

Every load ends with the reconciling statement; what the load alone took, and the statement, are told besides.
"""

from __future__ import annotations

import http.client
import json
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import duckdb
import msgspec
import pyarrow as pa

from dynodesk.aws.clients import open_clients
from dynodesk.aws.raw import RawPages
from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.bulk import RawPage
from dynodesk.domain.capacity import Meter
from dynodesk.domain.children import Children
from dynodesk.domain.clock import SystemClock
from dynodesk.domain.pacing import Limits, Pace
from dynodesk.domain.patterns import KeyPattern, Pattern
from dynodesk.domain.profiles import Profile
from dynodesk.domain.progress import Ticket
from dynodesk.domain.reads import ReadPlan, ScanPlan
from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.workbench.bench import Bench
from dynodesk.workbench.loading import load
from dynodesk.workbench.results import run
from dynodesk.workbench.sets import LoadedSet
from dynodesk.workbench.sources import TableSource
from dynodesk.workbench.sweeping import DuckSweeper
from tests.benchmarks.measuring import KEYS_AND_TALLIES, MISMATCHES, SEGMENTS, Outcome, tell
from tests.benchmarks.replay_pages import TABLE

INFO = TableInfo(TABLE, KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "S"),)))
LIKES = TallyRule(
    *("likes", TABLE, INFO.key_schema),
    KeyPattern({"PK": Pattern.parse("{post}"), "SK": Pattern.parse("META")}),
    AttributePath(("likeTally",)),
    Children(
        *(TABLE, INFO.key_schema), KeyPattern({"PK": Pattern.parse("{post}"), "SK": Pattern.parse("LIKE#{user}")})
    ),
)


# ------------------------------------------------------------------------------------------------------------- ours


def pages(address: str, folder: Path) -> Callable[[], Outcome]:
    """Signed, received, every check made; then dropped."""
    reader, _ = _reader(address)

    def work() -> Outcome:
        def segment(number: int) -> int:
            found = reader.raw_pages(ScanPlan(TABLE), Ticket(), segment=number, segments=SEGMENTS)
            return sum(page.count for page in found)

        with ThreadPoolExecutor(SEGMENTS) as pool:
            return Outcome(sum(pool.map(segment, range(SEGMENTS))), None)

    return work


def reconciled(address: str, folder: Path) -> Callable[[], Outcome]:
    """Whole items in memory, their keys in columns: what a reconciliation needs.

    With one thread of the engine: on two cores a second one takes a quarter more CPU and is no sooner done.
    """
    return _load(address, None, with_view=False, threads=1)


def keys_reconciled(address: str, folder: Path) -> Callable[[], Outcome]:
    """Of each item only its keys and its tally are asked for."""
    return _load(address, None, KEYS_AND_TALLIES, with_view=False, threads=1)


def swept(address: str, folder: Path) -> Callable[[], Outcome]:
    """By the rule, as a run sweeps the table: from the first request to the parents that look off."""
    reader, meter = _reader(address)

    def work() -> Outcome:
        counted = _Counted(reader)
        pace = Pace(meter, Limits(), SystemClock())
        (found,) = DuckSweeper(counted, address).sweep([LIKES], pace, Ticket(), everyone=False, now=0)
        return Outcome(counted.items, len(found.off))

    return work


class _Counted:
    """The reader, and how many items it has given."""

    def __init__(self, reader: RawPages) -> None:
        self._reader = reader
        self._lock = threading.Lock()
        self.items = 0

    def raw_pages(
        self, plan: ReadPlan, ticket: Ticket, *, start: str | None = None, segment: int = 0, segments: int = 1
    ) -> Iterator[RawPage]:
        for page in self._reader.raw_pages(plan, ticket, start=start, segment=segment, segments=segments):
            with self._lock:
                self.items += page.count
            yield page


def into_memory(address: str, folder: Path) -> Callable[[], Outcome]:
    """With a typed column for every attribute."""
    return _load(address, None, with_view=True)


def into_file(address: str, folder: Path) -> Callable[[], Outcome]:
    """As the command `load` does it."""
    return _load(address, folder, with_view=True, threads=1)


def reconciled_in_file(address: str, folder: Path) -> Callable[[], Outcome]:
    return _load(address, folder, with_view=False, threads=1)


def _load(
    address: str,
    folder: Path | None,
    attributes: tuple[str, ...] = (),
    *,
    with_view: bool,
    threads: int | None = None,
) -> Callable[[], Outcome]:
    reader, meter = _reader(address)

    def work() -> Outcome:
        cpu, began = _cpu_seconds(), time.perf_counter()
        file = None if folder is None else folder / "loaded.duckdb"
        with Bench.open(file, threads=threads) as bench:
            source = TableSource([ScanPlan(TABLE, attributes=attributes)], INFO, address, reader, SEGMENTS)
            loaded = load(source, bench, "social", Ticket(), meter=meter, with_view=with_view)
            load_cpu, load_seconds = _cpu_seconds() - cpu, time.perf_counter() - began
            cpu, began = _cpu_seconds(), time.perf_counter()
            if not with_view:
                _make_view(bench, loaded)
            mismatches = _mismatches(bench)
            more: dict[str, object] = {
                "load_cpu_seconds": load_cpu,
                "load_seconds": load_seconds,
                "sql_cpu_seconds": _cpu_seconds() - cpu,
                "sql_seconds": time.perf_counter() - began,
            }
        if file is not None:
            more["file_bytes"] = file.stat().st_size
        return Outcome(loaded.provenance.items, mismatches, more)

    return work


def _make_view(bench: Bench, loaded: LoadedSet) -> None:
    with bench.cursor(Ticket()) as cursor:
        items = cursor.table(loaded.table)
        items.select("k0 AS PK, k1 AS SK, json_extract_string(item, '/likeTally/N') AS likeTally").create_view("social")


def _mismatches(bench: Bench) -> int:
    ((count,),) = [row for one in run(bench, MISMATCHES, Ticket()) for row in one.result.rows(0, 2)]
    return int(count or -1)


def _reader(address: str) -> tuple[RawPages, Meter]:
    profile = Profile("5eed5eed", "replay", "endpoint", "dummy", region="us-east-1", endpoint_url=address, stage="dev")
    meter = Meter()
    return RawPages(open_clients(profile), meter), meter


# ---------------------------------------------------------------------------------------------------------- ceiling


def receive(address: str, folder: Path) -> Callable[[], Outcome]:
    """Nothing but the bytes."""
    items = _truth(folder)["items"]

    def work() -> Outcome:
        received = sum(len(body) for body in _bodies(address))
        return Outcome(items if received >= _truth(folder)["json_bytes"] else 0, None)

    return work


def receive_and_parse(address: str, folder: Path) -> Callable[[], Outcome]:
    """Each reply is received, and parsed to where its items are."""

    def work() -> Outcome:
        return Outcome(sum(len(_RAW_PAGE.decode(body).Items) for body in _bodies(address)), None)

    return work


def insert(address: str, folder: Path) -> Callable[[], Outcome]:
    """Keys and items lie in memory as columns, and are inserted at once."""
    columns: tuple[list[str], list[str], list[bytes]] = ([], [], [])
    for body in _bodies(address):
        items = _RAW_PAGE.decode(body).Items
        for item, keys in zip(items, _PAGE.decode(body).Items, strict=True):
            columns[0].append(keys.PK["S"])
            columns[1].append(keys.SK["S"])
            columns[2].append(bytes(item))
    item_column = pa.array(columns[2], pa.large_binary()).view(pa.large_string())
    arrived = pa.table({"PK": pa.array(columns[0]), "SK": pa.array(columns[1]), "item": item_column})
    count = len(columns[0])
    for column in columns:
        column.clear()

    def work() -> Outcome:
        with duckdb.connect(config={"preserve_insertion_order": "false"}) as connection:
            connection.execute("CREATE TABLE items (pk VARCHAR, sk VARCHAR, item VARCHAR)")
            connection.register("arrived", arrived)
            connection.execute("INSERT INTO items SELECT * FROM arrived")
            found = connection.execute("SELECT count(*) FROM items").fetchone()
        return Outcome(count if found and found[0] == count else 0, None)

    return work


class _Keys(msgspec.Struct, gc=False):
    PK: dict[str, str]
    SK: dict[str, str]
    likeTally: dict[str, str] | None = None  # noqa: N815  (an attribute's name)


class _Page(msgspec.Struct, gc=False):
    Items: list[_Keys]


class _RawPage(msgspec.Struct, gc=False):
    Items: list[msgspec.Raw]


_PAGE = msgspec.json.Decoder(_Page)
_RAW_PAGE = msgspec.json.Decoder(_RawPage)
_CURSOR = b'],"LastEvaluatedKey":'


def _bodies(address: str) -> Iterator[bytes]:
    """Without signatures and without checks; the cursor is taken from the end of each reply, which we know here."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc)
    start = b""
    while True:
        body = b'{"TableName":"' + TABLE.encode() + b'"' + start + b"}"
        connection.request("POST", "/", body, {"X-Amz-Target": "DynamoDB_20120810.Scan"})
        reply = connection.getresponse().read()
        yield reply
        place = reply.rfind(_CURSOR)
        if place < 0:
            return
        end = reply.rfind(b',"ScannedCount":')
        start = b',"ExclusiveStartKey":' + reply[place + len(_CURSOR) : end]


def _truth(folder: Path) -> dict[str, int]:
    truth: dict[str, int] = json.loads((folder / "truth.json").read_text(encoding="ascii"))
    return truth


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


METHODS = {
    "receive": receive,
    "receive and parse": receive_and_parse,
    "insert": insert,
    "dynodesk, pages alone": pages,
    "dynodesk, reconciled": reconciled,
    "dynodesk, keys and tallies reconciled": keys_reconciled,
    "dynodesk, swept by rule": swept,
    "dynodesk, reconciled in a file": reconciled_in_file,
    "dynodesk, all columns": into_memory,
    "dynodesk, all columns in a file": into_file,
}


def main() -> None:
    method, address, folder = sys.argv[1:]
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        # The truth lies beside the replies, what is made goes into a folder of its own.
        Path(scratch, "truth.json").write_bytes(Path(folder, "truth.json").read_bytes())
        tell(method, METHODS[method](address, Path(scratch)))


if __name__ == "__main__":
    main()
