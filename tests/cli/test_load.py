"""`dynodesk load`, as a process against a running endpoint."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dynodesk.cli.diagnostics import exit_code_from
from dynodesk.cli.main import cli
from dynodesk.sandbox.samples_types import type_zoo
from tests.faults.proxy import FaultProxy
from tests.helpers.command import dynodesk

pytestmark = pytest.mark.server


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_table_is_loaded_and_its_items_come_back(sandbox: str, tmp_path: Path) -> None:
    file = tmp_path / "sets.duckdb"
    loaded = dynodesk("load", "TypeZoo", "--into", file, "--endpoint-url", sandbox)
    assert (loaded.returncode, loaded.stderr) == (0, "")
    assert loaded.stdout.startswith(f"TypeZoo: Scan of TypeZoo at {sandbox} · ")
    printed = dynodesk("sql", file, 'SELECT item FROM "TypeZoo"', "--format", "json")
    items = [json.loads(str(line["item"])) for line in lines(printed.stdout)]

    def by_key(item: dict[str, dict[str, str]]) -> tuple[str, str]:
        return item["pk"]["S"], item["sk"]["S"]

    assert sorted(items, key=by_key) == sorted(type_zoo().items, key=by_key)


def test_indexes_collections_and_names(sandbox: str, tmp_path: Path) -> None:
    file = tmp_path / "sets.duckdb"
    place = ("--into", file, "--endpoint-url", sandbox)
    assert dynodesk("load", "Social", "--index", "GSI1", *place).returncode == 0
    likes = dynodesk("load", "Social", "--partition", "POST#a91f", "--sort", "begins_with LIKE#", "--name", "p", *place)
    assert likes.stdout.startswith("p: Query of Social, PK POST#a91f, SK begins_with LIKE# at ")
    counted = dynodesk(
        "sql", file, 'SELECT count(*) AS n FROM p; SELECT count("GSI1PK") AS n FROM "Social GSI1"', "--format", "csv"
    )
    assert counted.stdout.splitlines()[:2] == ['"n"', "37"]
    taken = dynodesk("load", "Social", "--name", "P", *place)
    assert (taken.returncode, taken.stdout) == (2, "")
    assert 'there is a set named "p" already' in taken.stderr


def test_a_filter_is_said_wherever_the_set_is(sandbox: str, tmp_path: Path) -> None:
    file = tmp_path / "sets.duckdb"
    place = ("--into", file, "--endpoint-url", sandbox)
    loaded = dynodesk("load", "Members", "--where", "attribute_exists(deletedAt)", "--name", "left", *place)
    assert loaded.returncode == 0, loaded.stderr
    assert "Scan of Members where attribute_exists(deletedAt)" in loaded.stdout
    printed = dynodesk("sql", file, 'SELECT count(*) AS n, count("deletedAt") AS d FROM "left"', "--format", "csv")
    n, d = printed.stdout.splitlines()[1].replace('"', "").split(",")
    assert n == d != "0"
    wrong = dynodesk("load", "Members", "--where", "deletedAt =", *place)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    on_key = dynodesk("load", "Members", "--partition", "acme", "--where", "member = 'x'", *place)
    assert on_key.returncode == 2
    assert "a Query's filter may not look at its key: member" in on_key.stderr


def test_chosen_collections_are_one_set(sandbox: str, tmp_path: Path) -> None:
    chosen = tmp_path / "chosen.txt"
    chosen.write_text("POST#e001\r\n\nPOST#a91f\n", encoding="utf-8")
    place = ("--into", tmp_path / "sets.duckdb", "--endpoint-url", sandbox, "--sort", "begins_with LIKE#")
    given = ("--partition", "POST#a91f", "--partition", f"@{chosen}", "--partition", "@@nobody")
    loaded = dynodesk("load", "Social", *given, *place)
    assert (loaded.returncode, loaded.stderr) == (0, "")
    assert loaded.stdout.startswith("Social: Query of 3 collections of Social, SK begins_with LIKE# at ")
    counted = dynodesk(
        *("sql", tmp_path / "sets.duckdb", "--format", "csv"),
        "SELECT PK, count(*), count(*) FILTER (SK LIKE 'LIKE#%') FROM Social GROUP BY PK ORDER BY PK",
    )
    assert counted.stdout.splitlines()[1:] == ['"POST#a91f",37,37', '"POST#e001",800,800']
    for wrong, words in (("@" + str(tmp_path / "none"), "cannot be read"), (f"@{chosen}", "")):
        refused = dynodesk("load", "Stats", "--partition", wrong, "--name", "s", *place[:4])
        assert (refused.returncode, words in refused.stderr) == (2 if words else 0, True)


def test_files_are_loaded_with_a_key_that_is_given_or_the_tables(sandbox: str, tmp_path: Path) -> None:
    into = ("--into", tmp_path / "sets.duckdb")
    zoo = tmp_path / "zoo.jsonl"
    zoo.write_text("".join(json.dumps({"Item": item}) + "\n" for item in type_zoo().items), encoding="utf-8")
    loaded = dynodesk("load", "--from", zoo, "--key", "pk,sk", *into)
    assert (loaded.returncode, loaded.stderr) == (0, "")
    assert loaded.stdout.startswith("zoo: file zoo.jsonl (")
    of_table = dynodesk("load", "TypeZoo", "--from", zoo, *into, "--endpoint-url", sandbox)
    assert (of_table.returncode, of_table.stderr) == (0, "")
    same = dynodesk(
        "sql", tmp_path / "sets.duckdb", "SELECT count(*) FROM zoo JOIN TypeZoo USING (item)", "--format", "csv"
    )
    assert same.stdout.splitlines()[1] == str(len(type_zoo().items))
    with zoo.open("a", encoding="utf-8") as file:
        file.write('{"Item": {"pk": "plain"}}\n')
    wrong = dynodesk("load", "--from", zoo, "--key", "pk:S,sk:S", "--name", "wrong", *into)
    assert wrong.returncode == 4
    assert wrong.stdout.startswith(f"PARTIAL (zoo.jsonl, line {len(type_zoo().items) + 1}: pk: expected one type tag")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "nothing says what to load"),
        (["Social", "--key", "PK"], "nothing says what to load"),
        (["--from", "x.json"], "need the key"),
        (["Social", "--from", "x.json", "--key", "PK"], "need the key"),
        (["--from", "x.json", "--key", "PK", "--rate", "5"], "cost no units"),
        (["--from", "nothing.json", "--key", "PK"], "nothing.json cannot be read"),
    ],
)
def test_what_to_load_is_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert exit_code_from(cli, ["load", *arguments, "--into", str(tmp_path / "sets.duckdb")]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert words in said.err
    assert not (tmp_path / "sets.duckdb").exists()


def test_a_budget_leaves_a_partial_set_and_a_resume_completes_it(sandbox: str, tmp_path: Path) -> None:
    file = tmp_path / "sets.duckdb"
    collections = ("--partition", "POST#a91f", "--partition", "POST#e001")  # one after the other
    arguments = ("load", "Social", "--into", file, "--endpoint-url", sandbox, *collections)
    partial = dynodesk(*arguments, "--segments", 1, "--max-units", 1)
    assert partial.returncode == 4
    assert partial.stdout.startswith("PARTIAL (the read units it might take were spent) · Social: ")
    assert "--resume" in partial.stderr
    shown = dynodesk("sql", file, "SELECT count(*) FROM Social")
    assert shown.returncode == 0
    assert "PARTIAL (the read units it might take were spent) · Social: " in shown.stderr
    whole = dynodesk(*arguments, "--resume")
    assert (whole.returncode, "PARTIAL" in whole.stdout) == (0, False)
    counted = dynodesk("sql", file, "SELECT count(*), count(DISTINCT (PK, SK)) FROM Social", "--format", "csv")
    assert counted.stdout.splitlines()[1] == "839,839"
    again = dynodesk(*arguments, "--resume")
    assert (again.returncode, again.stdout) == (0, whole.stdout)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["Nope"], 2, "does not exist"),
        (["Social", "--index", "Nope"], 2, "no index Nope"),
        (["Social", "--index", "GSI1", "--consistent"], 2, "no consistent reads"),
        (["Social", "--sort", "= x"], 2, "Give --partition too"),
        (["Social", "--segments", "0"], 2, "not in the range"),
        (["Social", "--rate", "nan"], 2, "not a number of read units"),
    ],
)
def test_usage_errors(sandbox: str, tmp_path: Path, arguments: list[str], code: int, words: str) -> None:
    finished = dynodesk("load", *arguments, "--into", tmp_path / "sets.duckdb", "--endpoint-url", sandbox)
    assert (finished.returncode, finished.stdout) == (code, ""), finished.stderr
    assert words in finished.stderr


def test_a_file_that_is_no_database_is_left_alone(sandbox: str, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("mine" * 5_000)
    finished = dynodesk("load", "Social", "--into", file, "--endpoint-url", sandbox)
    assert (finished.returncode, finished.stdout) == (2, "")
    assert "cannot be opened" in finished.stderr
    assert file.read_text() == "mine" * 5_000


def test_ctrl_c_keeps_what_arrived(proxy: FaultProxy, tmp_path: Path) -> None:
    """At a hundredth of a unit a second the second page is minutes away."""
    file = tmp_path / "sets.duckdb"
    command = [sys.executable, "-m", "dynodesk", "load", "Social", "--into", str(file), "--segments", "8"]
    running = subprocess.Popen(
        [*command, "--rate", "0.01", "--endpoint-url", proxy.url],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 30
    while not list(tmp_path.glob("sets.duckdb.pages/*/*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert running.returncode == 130, err
    assert out.startswith("PARTIAL (stopped before the end) · Social: ")
    assert "stopping: Ctrl-C" in err
    whole = dynodesk("load", "Social", "--into", file, "--resume", "--endpoint-url", proxy.url)
    assert whole.returncode == 0, whole.stderr
    assert "1,607 items" in whole.stdout
