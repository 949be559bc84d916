"""Files become sets exactly as a Scan does; what is wrong in one is named by its place, and nothing else is lost."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from decimal import Decimal
from pathlib import Path

import pytest

from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import InvalidFile, InvalidRequest
from dynodesk.domain.progress import Cancelled, Progress, Ticket
from dynodesk.domain.tables import KeyAttribute, KeySchema
from dynodesk.sandbox.samples_types import type_zoo
from dynodesk.workbench import item_files
from dynodesk.workbench.bench import Bench
from dynodesk.workbench.files import name_for, source_again, source_of
from dynodesk.workbench.loading import load
from dynodesk.workbench.sets import LoadedSet
from tests.workbench.item_files import SHAPES, lines, write
from tests.workbench.pages import Tagged, in_order, rows, stored_items, things

PK = KeySchema((KeyAttribute("pk", "S"),))
ITEMS: list[Tagged] = [dict(item) for item in type_zoo().items]


def load_files(
    bench: Bench, *paths: Path, key: tuple[str, ...] = ("pk",), name: str = "f", resume: bool = False
) -> LoadedSet:
    return load(source_of(paths, None, key), bench, name, Ticket(), meter=Meter(), resume=resume)


def export(folder: Path, *files: list[Tagged], **summary: str) -> Path:
    """An export to S3 as it lies in its folder."""
    (folder / "data").mkdir(parents=True)
    manifest = []
    for number, items in enumerate(files):
        packed = gzip.compress(lines(items, exported=True), mtime=0)
        (folder / "data" / f"part{number}.json.gz").write_bytes(packed)
        md5 = base64.b64encode(hashlib.md5(packed, usedforsecurity=False).digest()).decode()
        key = f"AWSDynamoDB/0171/data/part{number}.json.gz"
        manifest.append(json.dumps({"itemCount": len(items), "md5Checksum": md5, "etag": "-", "dataFileS3Key": key}))
    (folder / "manifest-files.json").write_text("\n".join(manifest) + "\n")
    about = {"tableArn": "arn:aws:dynamodb:eu-west-1:111122223333:table/Zoo", "exportTime": "2026-01-02T03:04:05.006Z"}
    about |= {"outputFormat": "DYNAMODB_JSON", **summary}
    (folder / "manifest-summary.json").write_text(json.dumps(about))
    return folder


def test_a_file_becomes_a_set_and_says_so(tmp_path: Path) -> None:
    file = write(tmp_path / "zoo.json.gz", gzip.compress(lines(ITEMS, exported=True)))
    with Bench.open() as bench:
        loaded = load_files(bench, file, key=("pk", "sk"))
        assert sorted(stored_items(bench, loaded), key=repr) == sorted(ITEMS, key=repr)
    origin = loaded.provenance
    assert (origin.complete, origin.items, origin.units, origin.endpoint) == (True, len(ITEMS), Decimal(0), "")
    assert origin.source.startswith(f"file zoo.json.gz ({file.stat().st_size:,} bytes, 20")
    assert loaded.caption.startswith(f"f: file zoo.json.gz ({file.stat().st_size:,} bytes, ")
    assert f" · {len(ITEMS)} items · {origin.first_page} to " in loaded.caption
    assert [(key.attribute, key.type, key.of_table) for key in loaded.keys] == [("pk", "S", True), ("sk", "S", True)]


def test_keys_are_of_the_type_that_is_given_or_that_the_first_item_has(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", lines([{"p": {"B": "AAE="}, "s": {"N": "1.50"}, "a:S": {"S": "x"}}]))
    with Bench.open() as bench:
        loaded = load_files(bench, file, key=("p", "s:N"))
        assert [(key.attribute, key.type) for key in loaded.keys] == [("p", "B"), ("s", "N")]
        assert rows(bench, "SELECT p, s FROM f") == [("0001", "1.5")]
        again = load_files(bench, file, key=("a:S:S",), name="g")
        assert [(key.attribute, key.type) for key in again.keys] == [("a:S", "S")]
    with pytest.raises(InvalidFile, match=r"a\.jsonl: the first item has no sk that can be a key"):
        source_of([file], None, ["sk"])
    for key, said in (
        (["p", "s", "t"], "one attribute, or two"),
        ([], "one attribute"),
        (["p", "p"], "twice"),
        ([""], "name"),
    ):
        with pytest.raises(InvalidRequest, match=said):
            source_of([file], None, key)


def test_a_key_that_several_items_have_is_said_and_no_item_is_lost(tmp_path: Path) -> None:
    file = write(tmp_path / "zoo.jsonl", lines(ITEMS))
    keys = [item["pk"]["S"] for item in ITEMS]
    with Bench.open() as bench:
        loaded = load_files(bench, file, key=("pk",))
        assert rows(bench, "SELECT count(*) FROM f") == [(str(len(ITEMS)),)]
    repeated = sum(keys.count(key) > 1 for key in set(keys))
    assert loaded.provenance.why_partial == (
        f"{repeated} keys occur more than once: files overlap, or the key is not pk"
    )


# ------------------------------------------------------------------------------------------------- folders and exports


@pytest.mark.parametrize("below", ["", "data", "manifest-files.json", "manifest-summary.json"])
def test_an_export_is_loaded_with_what_its_manifest_says(tmp_path: Path, below: str) -> None:
    folder = export(tmp_path / "AWSDynamoDB" / "0171-ab", ITEMS[:20], [], ITEMS[20:])
    with Bench.open() as bench:
        loaded = load_files(bench, folder / below, key=("pk", "sk"))
        assert sorted(stored_items(bench, loaded), key=repr) == sorted(ITEMS, key=repr)
        assert loaded.provenance.complete
    size = sum(file.stat().st_size for file in (folder / "data").iterdir())
    assert loaded.provenance.source == f"export of Zoo as it was 2026-01-02T03:04:05.006Z (3 files, {size:,} bytes)"
    assert name_for([folder / below]) == "Zoo"
    assert len(source_of([tmp_path], None, ["pk"]).files) == 3
    export(tmp_path / "AWSDynamoDB" / "0172", [])
    with pytest.raises(InvalidFile, match="several exports: 0171-ab, 0172"):
        source_of([tmp_path], None, ["pk"])


def test_an_export_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    folder = export(tmp_path / "one", things(20))
    file = write(folder / "data" / "part0.json.gz", gzip.compress(lines(things(30)[10:], exported=True)))
    with Bench.open() as bench, pytest.raises(InvalidFile, match=r"part0\.json\.gz is not as the export wrote it"):
        load_files(bench, folder)
    file.unlink()
    with pytest.raises(InvalidFile, match=r"part0\.json\.gz is missing: the export's manifest names it"):
        source_of([folder], None, ["pk"])
    (folder / "manifest-files.json").write_text("{}\n")
    with pytest.raises(InvalidFile, match=r"manifest-files\.json, line 1"):
        source_of([folder], None, ["pk"])


def test_an_export_whose_file_holds_other_than_its_count_is_partial(tmp_path: Path) -> None:
    folder = export(tmp_path / "one", things(5))
    manifest = folder / "manifest-files.json"
    manifest.write_text(manifest.read_text().replace('"itemCount": 5', '"itemCount": 6'))
    with Bench.open() as bench:
        loaded = load_files(bench, folder)
        assert loaded.provenance.items == 5
        assert loaded.provenance.why_partial == "part0.json.gz holds 5 items; its manifest says 6"
        with pytest.raises(InvalidFile, match="its manifest says 6"):
            load_files(bench, folder, resume=True)


@pytest.mark.parametrize(
    ("summary", "said"),
    [
        ({"exportType": "INCREMENTAL_EXPORT"}, "incremental export: changes of items"),
        ({"outputFormat": "ION"}, "export in ION"),
    ],
)
def test_other_exports_are_refused(tmp_path: Path, summary: dict[str, str], said: str) -> None:
    with pytest.raises(InvalidFile, match=said):
        source_of([export(tmp_path / "one", **summary)], None, ["pk"])


def test_a_folder_is_all_its_files_of_items(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", lines(things(3)))
    write(tmp_path / "b.json.gz", gzip.compress(lines(things(8)[3:], exported=True)))
    write(tmp_path / "notes.txt", b"mine")
    write(tmp_path / ".hidden.json", b"mine")
    with Bench.open() as bench:
        loaded = load_files(bench, tmp_path, tmp_path / "a.jsonl")
        assert stored_items(bench, loaded) == in_order(things(8))
    assert loaded.provenance.source.startswith("2 files a.jsonl to b.json.gz (")
    assert source_of([tmp_path], None, ["pk"]).words.startswith(f"folder {tmp_path.name} (2 files, ")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidFile, match="holds no file of items"):
        source_of([tmp_path / "empty"], None, ["pk"])


def test_a_name_for_a_set_is_the_files_without_its_ending() -> None:
    assert [name_for([Path(p)]) for p in ("a/items.json.gz", "b.jsonl", "c.d.json", "e")] == ["items", "b", "c.d", "e"]


# ------------------------------------------------------------------------------------------------------- what is wrong

GOOD = lines([{"pk": {"S": "good"}}])


def test_what_is_before_a_mistake_stays_and_the_set_is_partial(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", GOOD + b'{"pk": "a"}\n' + lines(things(3)))
    with Bench.open() as bench:
        loaded = load_files(bench, file)
        assert stored_items(bench, loaded) == [{"pk": {"S": "good"}}]
        assert loaded.provenance.why_partial == "a.jsonl, line 2: pk: expected one type tag, found str"
        with pytest.raises(InvalidFile, match=r"a\.jsonl, line 2: "):
            load_files(bench, file, resume=True)
        write(file, b'{"pk": "a"}\n' + GOOD)
        with pytest.raises(InvalidFile, match=r"a\.jsonl, line 1: "):
            load(source_of([file], PK), bench, "g", Ticket(), meter=Meter())
        assert rows(bench, "SELECT count(*) FROM duckdb_views() WHERE view_name = 'g'") == [("0",)]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match=r"nothing\.json cannot be read: No such file"):
        source_of([tmp_path / "nothing.json"], None, ["pk"])


def test_a_file_cut_on_the_way_keeps_what_came(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(item_files, "PAGE_BYTES", 10_000)
    packed = gzip.compress(lines(things(20_000), exported=True))
    with Bench.open() as bench:
        loaded = load_files(bench, write(tmp_path / "a.json.gz", packed[: len(packed) // 2]))
        assert 5_000 < loaded.provenance.items < 15_000
        assert loaded.provenance.why_partial == "a.json.gz: the compressed data ends too early"
        assert rows(bench, "SELECT max(n) + 1 = count(*) FROM f") == [("true",)]


# ----------------------------------------------------------------------------------------------------------- taken up


@pytest.mark.parametrize("shape", ["bare lines", "packed", "reply"])
def test_a_stopped_load_is_taken_up_in_the_middle_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    monkeypatch.setattr(item_files, "PAGE_BYTES", 2_000)
    monkeypatch.setattr(item_files, "REPLY_ITEMS", 20)
    items = things(3_000)
    one = write(tmp_path / "one.json", SHAPES[shape](items[:2_000]))
    two = write(tmp_path / "two.json", SHAPES[shape](items[2_000:]))
    ticket = Ticket(lambda progress: ticket.cancel() if progress.done > 300 else None)
    ticket.REPORT_EVERY = 0
    source = source_of([one, two], None, ["pk"])
    with Bench.open(tmp_path / "a.duckdb") as bench:
        partial = load(source, bench, "f", ticket, meter=Meter())
        assert 300 < partial.provenance.items < 3_000
        assert partial.provenance.why_partial == "stopped before the end"
    said: list[Progress] = []
    with Bench.open(tmp_path / "a.duckdb") as bench:
        again = source_again(partial.plan)
        assert again == source
        whole = load(again, bench, "f", Ticket(said.append), meter=Meter(), resume=True)
        assert stored_items(bench, whole) == in_order(items)
        assert whole.provenance.complete
    assert not list(tmp_path.glob("*.pages"))


def test_a_file_that_changed_is_not_gone_on_with(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", GOOD + b"{}\n")
    with Bench.open() as bench:
        partial = load_files(bench, file)
        write(file, GOOD + GOOD.replace(b"good", b"better"))
        with pytest.raises(InvalidFile, match=r"a\.jsonl has changed since"):
            source_again(partial.plan)
        with pytest.raises(InvalidRequest, match=r"was read from something else: file a\.jsonl"):
            load_files(bench, file, resume=True)


def test_a_stop_is_heeded_while_a_checksum_is_made(tmp_path: Path) -> None:
    folder = export(tmp_path / "one", things(5))
    source = source_of([folder], None, ["pk"])
    ticket = Ticket()
    ticket.cancel()
    with pytest.raises(Cancelled):
        next(source.pages(0, 1, ticket, None))
