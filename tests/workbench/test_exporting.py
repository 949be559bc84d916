"""Files of results: exact where the form can be, whole or not there, with their provenance."""

from __future__ import annotations

import csv
import json
import stat
import zipfile
from decimal import Decimal
from pathlib import Path
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest

from dynodesk.domain.errors import InvalidRequest, WorkbenchFailed
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.workbench.bench import Bench
from dynodesk.workbench.exporting import PROVENANCE_KEY, ExportForm, export, form_of
from dynodesk.workbench.results import run
from tests.workbench.pages import load_items, things

EXACT = """
    SELECT 1203456789012345679::DECIMAL(38,0) AS d, 0.10::DECIMAL(3,2) AS f,
        170141183460469231731687303715884105727 AS h, 7::HUGEINT AS s,
        'NaN'::DOUBLE AS n, NULL AS z, '' AS e, true AS b, from_base64('AAE=') AS x,
        [1.50, NULL] AS l,
        '=1+1' AS formula, 'a,"b"' || chr(10) || 'é💙' AS t, 1 AS t, -5 AS m, '-5' AS mt FROM range(2)
"""


def written(folder: Path, form: ExportForm, sql: str = EXACT, *, loaded: bool = False) -> Path:
    path = folder / f"out.{form}"
    with Bench.open() as bench:
        if loaded:
            load_items(bench, things(3))
        (outcome,) = run(bench, sql, Ticket())
        export(outcome.result, path, form, outcome.sets, Ticket())
    return path


def test_csv_is_exact(tmp_path: Path) -> None:
    text = written(tmp_path, "csv").read_bytes().decode()
    heads, *lines = csv.reader(text.splitlines(keepends=True))
    assert heads == ["d", "f", "h", "s", "n", "z", "e", "b", "x", "l", "formula", "t", "t", "m", "mt"]
    assert lines == 2 * [
        [
            *("1203456789012345679", "0.10", "170141183460469231731687303715884105727", "7", "NaN", "", "", "true"),
            *("0001", "[1.5,null]", "=1+1", 'a,"b"\né💙', "1", "-5", "-5"),
        ]
    ]
    assert ',NaN,,"",true,' in text  # NULL and the empty text differ
    assert text.endswith(',-5,"-5"\r\n')


def test_json_lines_are_exact(tmp_path: Path) -> None:
    lines = written(tmp_path, "jsonl").read_text(encoding="utf-8").split("\n")
    assert lines[2:] == [""]
    assert json.loads(lines[0], parse_float=Decimal) == dict(
        d=1203456789012345679,
        f=Decimal("0.10"),
        h=170141183460469231731687303715884105727,
        s=7,
        n="NaN",
        z=None,
        e="",
        b=True,
        x="0001",
        l=[Decimal("1.5"), None],
        formula="=1+1",
        t='a,"b"\né💙',
        m=-5,
        mt="-5",
        **{"t 2": 1},
    )
    nan = written(tmp_path, "jsonl", "SELECT {'a': 'NaN'::DOUBLE} AS v").read_text()
    assert json.loads(nan) == {"v": '{"a":NaN}'}


def test_parquet_keeps_types_and_provenance(tmp_path: Path) -> None:
    table = pq.read_table(written(tmp_path, "parquet"))
    (row, _) = table.to_pylist()
    assert (row["d"], row["f"], row["s"]) == (Decimal(1203456789012345679), Decimal("0.10"), Decimal(7))
    assert row["h"] == "170141183460469231731687303715884105727"  # no decimal of Parquet holds it
    assert (row["z"], row["e"], row["b"], row["x"], row["t 2"]) == (None, "", True, b"\x00\x01", 1)
    with_sets = pq.read_table(written(tmp_path, "parquet", "FROM Things", loaded=True))
    assert with_sets.schema.metadata is not None
    (origin,) = json.loads(with_sets.schema.metadata[PROVENANCE_KEY])
    assert (origin["set"], origin["items"], origin["complete"], origin["units"]) == ("Things", 3, True, "0.5")


def cells(path: Path, sheet: int = 1) -> dict[str, tuple[str, str]]:
    """Cell by its place: kind (`n`, `s`, `b`, and `f` for a formula) and text."""
    space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    with zipfile.ZipFile(path) as book:
        root = ElementTree.fromstring(book.read(f"xl/worksheets/sheet{sheet}.xml"))  # noqa: S314  (our own file)
    found = {}
    for cell in root.iter(f"{space}c"):
        kind = "f" if cell.find(f"{space}f") is not None else cell.get("t", "n")
        found[cell.get("r", "")] = (kind, "".join(cell.itertext()))
    return found


def test_a_sheet_rounds_no_number_and_runs_no_formula(tmp_path: Path) -> None:
    found = cells(written(tmp_path, "xlsx"))
    assert found["A2"] == ("inlineStr", "1203456789012345679")
    assert found["B2"] == ("n", "0.1")
    assert found["C2"] == ("inlineStr", "170141183460469231731687303715884105727")
    assert found["D2"] == ("n", "7")
    assert found["E2"] == ("inlineStr", "NaN")
    assert "F2" not in found
    assert found["H2"] == ("b", "1")
    assert found["K2"] == ("inlineStr", "=1+1")
    assert (found["N2"], found["O2"]) == (("n", "-5"), ("inlineStr", "-5"))
    assert {kind for kind, _ in found.values()} == {"n", "inlineStr", "b"}
    long = cells(
        written(tmp_path, "xlsx", "SELECT 999999999999999, 9999999999999999, 1e300, 0.1234567890123456::DECIMAL(20,16)")
    )
    assert [long[place][0] for place in ("A2", "B2", "C2", "D2")] == ["n", "inlineStr", "n", "inlineStr"]


def test_a_sheet_has_its_provenance_on_another(tmp_path: Path) -> None:
    texts = [text for _, text in cells(written(tmp_path, "xlsx", "FROM Things", loaded=True), sheet=2).values()]
    assert texts[:4] == ["set", "Things", "source", "Scan of Things"]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_plain_files_have_their_provenance_beside_them(tmp_path: Path, form: ExportForm) -> None:
    path = written(tmp_path, form, "FROM Things", loaded=True)
    (origin,) = json.loads((tmp_path / f"out.{form}.provenance.json").read_text(encoding="utf-8"))
    assert origin["source"] == "Scan of Things"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT repeat('x', 32768) AS long", "row 1, long: a cell of a sheet holds 32,767 characters"),
        ("FROM range(1_048_576)", "a sheet holds 1,048,575 rows"),
    ],
)
def test_what_a_sheet_cannot_hold_is_refused_and_leaves_no_file(tmp_path: Path, sql: str, words: str) -> None:
    with pytest.raises(InvalidRequest, match=words):
        written(tmp_path, "xlsx", sql)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "xlsx"])
def test_a_cancelled_export_leaves_what_was_there(tmp_path: Path, form: ExportForm) -> None:
    path = tmp_path / "out"
    path.write_text("before")
    ticket = Ticket()
    with Bench.open() as bench:
        (outcome,) = run(bench, "FROM range(25_000)", Ticket())
        ticket.cancel()
        with pytest.raises(Cancelled):
            export(outcome.result, path, form, (), ticket)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(WorkbenchFailed, match="could not be written: No such file"):
        written(tmp_path / "nowhere", "csv")


def test_the_ending_of_a_name_is_its_form() -> None:
    assert form_of(Path("a.XLSX")) == "xlsx"
    with pytest.raises(InvalidRequest, match="not a form"):
        form_of(Path("a.txt"))
