"""`dynodesk sql`, as a process on a file of our own."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dynodesk.workbench.bench import Bench
from tests.helpers.command import dynodesk
from tests.workbench.pages import Tagged, load_items


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    items: list[Tagged] = [
        {"pk": {"S": f"{i:04}"}, "n": {"N": "9007199254740993"}, "odd": {"S": "a\x1b[31m\u202e\n"}} for i in range(150)
    ]
    path = tmp_path_factory.mktemp("sql") / "sets.duckdb"
    with Bench.open(path) as bench:
        load_items(bench, items)
    return path


def test_a_table_for_people(file: Path) -> None:
    shown = dynodesk("sql", file, "SELECT n, odd, NULL AS nothing, 1.50 AS d FROM Things WHERE pk = '0000'")
    assert shown.returncode == 0
    heads, _, row = shown.stdout.splitlines()
    assert heads.split() == ["n", "odd", "nothing", "d"]
    assert row.split() == ["9007199254740993", "a␛[31m⟨U+202E⟩⏎", "NULL", "1.50"]
    assert shown.stderr.splitlines()[0] == "1 row"
    assert shown.stderr.splitlines()[1].startswith(
        "Things: Scan of Things at http://127.0.0.1:8123 · 150 items in 2 pages"
    )


def test_a_table_stops_at_its_limit_and_says_so(file: Path) -> None:
    shown = dynodesk("sql", file, "SELECT pk FROM Things")
    assert len(shown.stdout.splitlines()) == 102
    assert shown.stderr.startswith("100 rows, and there are more: a larger --limit shows them\n")
    assert len(dynodesk("sql", file, "SELECT pk FROM Things", "--limit", 3).stdout.splitlines()) == 5
    assert len(dynodesk("sql", file, "SELECT pk FROM Things", "--format", "csv").stdout.splitlines()) == 151


def test_json_and_csv_are_exact(file: Path) -> None:
    query = "SELECT n, sum(n) OVER () AS s, odd, [n] AS l FROM Things LIMIT 1"
    printed = json.loads(dynodesk("sql", file, query, "--format", "json").stdout)
    assert printed == {
        "n": 9007199254740993,
        "s": 150 * 9007199254740993,
        "odd": "a\x1b[31m\u202e\n",
        "l": [9007199254740993],
    }
    assert (
        dynodesk("sql", file, "SELECT '' AS e, NULL AS z, 0.10 AS d", "--format", "csv").stdout
        == '"e","z","d"\n"",,0.10\n'
    )


def test_nothing_in_the_file_changes(file: Path) -> None:
    before = file.read_bytes()
    refused = dynodesk("sql", file, "CREATE TABLE t(a INTEGER)")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "read-only" in refused.stderr
    assert dynodesk("sql", file, "CREATE TEMP TABLE t AS FROM Things; SELECT count(*) FROM t").returncode == 0
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SELEC", 'error: line 1: syntax error at or near "SELEC" [sql]'),
        ("SELECT 1;\nFROM nope(", "error: line 2: syntax error"),
        ("SELECT * FROM read_text('/etc/hostname')", "no files and no network"),
        ("COPY Things TO 'out.csv'", "COPY is not allowed here"),
        ("", "no statement"),
    ],
)
def test_errors_of_sql_are_errors_of_usage(file: Path, text: str, words: str) -> None:
    finished = dynodesk("sql", file, text)
    assert (finished.returncode, finished.stdout) == (2, ""), finished.stderr
    assert words in finished.stderr
    assert "Traceback" not in finished.stderr


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    finished = dynodesk("sql", tmp_path / "nope.duckdb", "SELECT 1")
    assert (finished.returncode, finished.stdout) == (2, "")
    assert "There is no file" in finished.stderr
    assert list(tmp_path.iterdir()) == []


def test_two_may_read_at_the_same_time(file: Path) -> None:
    with Bench.open(file, read_only=True):
        assert dynodesk("sql", file, "SELECT 1").returncode == 0


def is_open(file: Path, pid: int) -> bool:
    opened = Path(f"/proc/{pid}/fd")
    if not opened.exists():
        pytest.skip("here nobody tells which files a process has open")
    return any(link.exists() and link.resolve() == file.resolve() for link in opened.iterdir())


@pytest.mark.parametrize(
    "text",
    [
        "SELECT count(*) FROM range(100000000) a, range(100000) b",
        "SELECT length(repeat('x', 1500000000))",
    ],
)
def test_ctrl_c_ends_a_query(file: Path, text: str) -> None:
    running = subprocess.Popen(
        [sys.executable, "-m", "dynodesk", "sql", str(file), text],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not is_open(file, running.pid):
        time.sleep(0.05)
    time.sleep(0.5)  # from opening the file to the statement
    running.send_signal(signal.SIGINT)
    asked = time.monotonic()
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (130, ""), err
    assert "interrupted" in err
    assert time.monotonic() - asked < 30


def test_a_terminal_is_never_controlled_by_a_value(file: Path) -> None:
    for form in ("table", "csv", "json"):
        reading, writing = pty.openpty()
        command = [
            sys.executable,
            "-m",
            "dynodesk",
            "sql",
            str(file),
            "SELECT odd FROM Things LIMIT 1",
            "--format",
            form,
        ]
        with subprocess.Popen(command, stdout=writing, stderr=subprocess.DEVNULL) as running:
            os.close(writing)
            shown = b""
            while True:
                try:
                    part = os.read(reading, 65536)
                except OSError:  # what Linux says at the end of a terminal
                    break
                if not part:
                    break
                shown += part
            running.wait(timeout=30)
        os.close(reading)
        assert "\x1b" not in shown.decode()
        assert "\u202e" not in shown.decode()
        assert "202" in shown.decode()
