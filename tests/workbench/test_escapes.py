"""No statement gets out of the database."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from dynodesk.domain.errors import InvalidStatement
from dynodesk.domain.progress import Ticket
from dynodesk.workbench import sets
from dynodesk.workbench.bench import Bench
from dynodesk.workbench.results import run
from tests.workbench.escapes import statements

MODULE_ROWS = pa.table({"a": [1]})


def tree(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files worth stealing, of every form that the engine reads."""
    place = tmp_path / "files"
    place.mkdir()
    (place / "secret.txt").write_text("secret\n")
    (place / "secret.csv").write_text("a,b\n1,secret\n")
    (place / "secret.json").write_text('{"a": "secret"}\n')
    with duckdb.connect(str(place / "secret.duckdb")) as other:
        other.execute("CREATE TABLE s AS SELECT 'secret' AS a")
        other.execute(f"COPY s TO '{(place / 'secret.parquet').as_posix()}'")
    return place


@pytest.mark.parametrize("in_memory", [True, False])
def test_every_escape_is_refused(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_memory: bool
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    variable_of_the_test = pa.table({"a": [1]})
    before = tree(folder)
    tried, through = 0, []
    with Bench.open(None if in_memory else tmp_path / "sets.duckdb") as bench:
        with bench.cursor(Ticket()) as cursor:
            sets.prepare(cursor)
            row = cursor.execute("SELECT current_setting('temp_directory')").fetchone()
        assert row is not None
        spill = Path(row[0])
        for statement in statements(folder, spill.as_posix()):
            tried += 1
            try:
                for outcome in run(bench, statement, Ticket()):
                    outcome.result.close()
            except InvalidStatement:
                continue
            through.append(statement)
        assert list(spill.iterdir()) == []
    assert through == []
    assert tried >= 500
    assert tree(folder) == before
    assert tree(here) == {}
    assert variable_of_the_test.num_rows == MODULE_ROWS.num_rows


def test_an_open_database_would_let_them_through(folder: Path) -> None:
    """The files are readable where nothing is locked: the refusals above are the lock's."""
    with duckdb.connect() as unlocked:
        assert unlocked.execute(f"SELECT content FROM read_text('{folder.as_posix()}/secret.txt')").fetchall()
        for name in ("secret.csv", "secret.json", "secret.parquet"):
            assert unlocked.execute(f"SELECT count(*) FROM '{folder.as_posix()}/{name}'").fetchone() == (1,)
