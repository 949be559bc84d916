"""Every shape of a file gives each item as it is; what is none is named by its place, after all that is before it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from dynodesk.domain.errors import InvalidFile
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import KeyAttribute, KeySchema
from dynodesk.sandbox.samples_types import type_zoo
from dynodesk.workbench import item_files
from dynodesk.workbench.item_files import BEGINNING, Place, first_item, pages_of
from tests.workbench.item_files import SHAPES, lines, write
from tests.workbench.pages import Tagged, things

ITEMS: list[Tagged] = [dict(item) for item in type_zoo().items]
PK = KeySchema((KeyAttribute("pk", "S"),))
GOOD = lines([{"pk": {"S": "good"}}])


def read(path: Path, schema: KeySchema = PK, start: Place = BEGINNING) -> tuple[list[Tagged], list[Place], str]:
    """The items, where each page ended, and the mistake."""
    items: list[Tagged] = []
    ends: list[Place] = []
    try:
        for page in pages_of(path, schema, Ticket(), start):
            items += [json.loads(bytes(raw)) for raw in page.items]
            ends.append(page.end)
    except InvalidFile as problem:
        return items, ends, problem.message
    return items, ends, ""


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_gives_every_item_as_it_is_from_wherever_a_page_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    file = write(tmp_path / "zoo.json", SHAPES[shape](ITEMS))
    assert read(file)[::2] == (ITEMS, "")
    monkeypatch.setattr(item_files, "PAGE_BYTES", 1_000)
    monkeypatch.setattr(item_files, "REPLY_ITEMS", 10)
    items, ends, _ = read(file)
    assert items == ITEMS
    assert len(ends) > 3
    for end in ends:
        assert read(file, start=end)[0] == ITEMS[end["items"] :]
    assert first_item(file, "pk") == ITEMS[0]


def test_an_attribute_named_item_is_told_from_an_export(tmp_path: Path) -> None:
    items: list[Tagged] = [{"Item": {"S": "a"}}, {"Item": {"S": "b"}}]
    schema = KeySchema((KeyAttribute("Item", "S"),))
    assert read(write(tmp_path / "a.json", lines(items)), schema)[0] == items
    assert read(write(tmp_path / "b.json", lines(items, exported=True)), schema)[0] == items


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"pk": "a"}', "pk: expected one type tag, found str"),
        (b'{"pk": {"S": "a"}, "n": {"N": 5}}', "n: 5 is not the content of type N"),
        (b'{"pk": {"S": "a"}, "n": {"Q": "5"}}', "n: 'Q' is not a type of DynamoDB"),
        (b'{"pk": {"S": "a"}, "n": {}}', "n: expected one type tag, found none"),
        (b'{"pk": {"S": "a"}, "n": {"S": "x", "N": "1"}}', "n: expected one type tag, found S, N"),
        (b'{"pk": {"S": "a"}, "m": {"M": {"HP": {"HP": {"N": "5"}}}}}', "m.HP: 'HP' is not a type of DynamoDB"),
        (b'{"pk": {"S": "a"}, "b": {"B": "AAA"}}', 'b: "AAA" is not base64'),
        (b'{"pk": {"S": "a\\ud800"}}', "surrogate"),
        (b'{"pk": {"S": "a\x01"}}', "Invalid control character"),
        (b'{"pk": {"S": "a\xff"}}', "utf-8"),
        (b'{"pk": {"N": "1"}}', "key attribute pk is a Number, the table says S"),
        (b'{"sk": {"S": "a"}}', "key attribute pk is missing, the table says S"),
        (b'{"pk": {"S": "a"}} {"pk": {"S": "b"}}', "Extra data"),
        (b'{"pk": {"S": "a"', "Expecting ',' delimiter"),
        (b"[1, 2]", "is not an item"),
        (b'{"pk": {"S": "a"}, "m": ' + b'{"L": [' * 60_000 + b"]}" * 60_000 + b"}", "deep"),
    ],
)
def test_a_line_that_is_no_item_is_named_and_what_is_before_it_comes(tmp_path: Path, line: bytes, said: str) -> None:
    file = write(tmp_path / "a.jsonl", GOOD * 2 + line + b"\n" + lines(things(3)))
    items, ends, problem = read(file)
    assert items == [{"pk": {"S": "good"}}] * 2
    assert problem.startswith("a.jsonl, line 3: ")
    assert said.lower() in problem.lower()
    assert read(file, start=ends[-1]) == ([], [], problem)
    items, _, problem = read(write(file, line + b"\n" + GOOD))
    assert items == []
    assert problem.startswith("a.jsonl")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "a.json is empty"),
        (b"id,name\n1,x\n", "a.json, line 1: this is not JSON"),
        (b"\xff\xfe{\x00}\x00", "UTF-16"),
        (b"$ion_1_0 {Item:{}}\n", "Amazon Ion"),
        (lines(things(3))[:-8].replace(b"\n", b""), "a.json, line 1: "),
        (b'{\n "Table": {}\n}', "Items"),
        (b'{\n "Items": [\n  {"pk": {"S": "a"}},\n', "a.json, line 4: "),
        (b'{"Items": [], "Count": 2}', "says Count 2 and holds 0 items"),
        (b'{"Metadata": {}, "Keys": {"pk": {"S": "a"}}, "NewImage": {"pk": {"S": "a"}}}\n', "incremental export"),
        (b'{"Keys": {"pk": {"S": "a"}}, "OldImage": {"pk": {"S": "a"}}}\n', "incremental export"),
        (b"\x1f\x8b damaged", "compressed data is damaged"),
        (gzip.compress(GOOD, mtime=0)[:-12], "compressed data ends too early"),
        (gzip.compress(GOOD, mtime=0)[:-8] + b"12345678", "compressed data is damaged"),
    ],
)
def test_a_file_that_is_none_of_items_says_so(tmp_path: Path, content: bytes, said: str) -> None:
    items, _, problem = read(write(tmp_path / "a.json", content))
    assert items == []
    assert said in problem


def test_a_line_of_another_form_than_the_first_is_named(tmp_path: Path) -> None:
    file = write(tmp_path / "a.json", lines(things(2), exported=True) + GOOD)
    assert read(file)[::2] == (things(2), 'a.json, line 3: not a line of the form {"Item": …}')


def test_lines_longer_than_a_page_are_whole_and_none_is_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    items: list[Tagged] = [{"pk": {"S": "w"}}, {"pk": {"S": "x" * 5_000}}, {"pk": {"S": "y"}}]
    file = write(tmp_path / "a.json", lines(items))
    monkeypatch.setattr(item_files, "PAGE_BYTES", 100)
    assert read(file)[0] == items
    monkeypatch.setattr(item_files, "LONGEST_LINE", 1_000)
    assert "longer than any item" in read(file)[2]


def test_a_reply_that_is_a_part_of_its_read_says_so_at_its_end(tmp_path: Path) -> None:
    for more in ({"NextToken": "ey"}, {"LastEvaluatedKey": {"pk": {"S": "a"}}}):
        reply = json.dumps({"Items": things(3), "Count": 3, **more}, indent=1).encode()
        items, _, problem = read(write(tmp_path / "a.json", reply))
        assert items == things(3)
        assert problem.startswith("a.json is not all of its read")
    whole = json.dumps({"Items": things(3), "NextToken": None, "LastEvaluatedKey": None}).encode()
    assert read(write(tmp_path / "a.json", whole))[::2] == (things(3), "")


def test_a_wrong_item_of_a_reply_is_named_by_its_number(tmp_path: Path) -> None:
    reply = json.dumps({"Items": [*things(700), {"pk": "plain"}, *things(2)]}).encode()
    items, _, problem = read(write(tmp_path / "a.json", reply))
    assert items == things(700)
    assert problem.startswith("a.json, item 701: pk: expected one type tag")


def test_a_reply_too_large_for_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(item_files, "LARGEST_REPLY", 100)
    file = write(tmp_path / "a.json", json.dumps(things(30), indent=1).encode())
    assert "one JSON text of more than" in read(file)[2]
