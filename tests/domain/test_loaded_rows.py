"""Lines of loaded items: filtered, sorted, staged and folded in any order, they are what they would be at once."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from dynodesk.domain.collections import Collection, Entry, Line, View, prepare
from dynodesk.domain.loaded_rows import Heights, LoadedRows
from dynodesk.domain.progress import Cancelled, Ticket
from dynodesk.domain.row_choice import Sorting, Wish, read_filter
from dynodesk.domain.row_order import arranged
from dynodesk.domain.values import Item, Number, String
from tests.helpers.small_tables import SOCIAL, like, post, social_items

BASE = View(SOCIAL)


def take(rows: LoadedRows, *items: Item) -> None:
    for insertion in rows.absorb(prepare(items, rows.view)):
        rows.insert(insertion)


def arrange(rows: LoadedRows, wish: Wish) -> None:
    assert rows.adopt(arranged(rows, wish, Ticket()))


def texts(lines: Sequence[Line]) -> list[str]:
    shown = []
    for line in lines:
        if isinstance(line, Collection):
            shown.append(f"[{line.title}]")
        else:
            sort_key = line.item["SK"]
            assert isinstance(sort_key, String)
            shown.append(sort_key.text)
    return shown


def test_heights_are_sums_however_they_grow() -> None:
    chance, plain, heights = random.Random(1), [2, 0, 5], Heights([2, 0, 5])
    for _ in range(300):
        if chance.random() < 0.4:
            plain.append(chance.randrange(9))
            heights.append(plain[-1])
        else:
            at, rows = chance.randrange(len(plain)), chance.randrange(9)
            plain[at] += rows
            heights.add(at, rows)
        assert [heights.before(number) for number in range(len(plain) + 1)] == [
            sum(plain[:number]) for number in range(len(plain) + 1)
        ]


@pytest.mark.parametrize("grouped", [True, False])
@pytest.mark.parametrize("text", ["", "likedAt > 20", "USER#00"])
@pytest.mark.parametrize("seed", range(8))
def test_what_arrives_under_a_filter_stands_where_it_would_have_stood(seed: int, text: str, grouped: bool) -> None:
    chance = random.Random(seed)
    items = [like(f"p{chance.randrange(6)}", f"{i:03}", i) for i in range(40)] + [post(f"p{i}", 1) for i in range(6)]
    chance.shuffle(items)
    wish = Wish(grouped, filter=read_filter(text))
    streamed = LoadedRows(BASE, grouped=grouped, row_filter=wish.filter)
    for at in range(0, len(items), 5):
        take(streamed, *items[at : at + 5])
        headers = [line for line in streamed.lines if isinstance(line, Collection)]
        if headers and chance.random() < 0.4:
            header = chance.choice(headers)
            row = streamed.row_of(header)
            assert row is not None
            assert streamed.lines[row] is header
            (streamed.fold if header.is_open else streamed.unfold)(header, row)
    at_once = LoadedRows(BASE, grouped=grouped)
    take(at_once, *items)
    folded = {collection.key for collection in streamed.collections if not collection.is_open}
    for collection in at_once.collections:
        row = at_once.row_of(collection)
        if grouped and collection.key in folded and row is not None:
            at_once.fold(collection, row)
    arrange(at_once, wish)
    assert texts(streamed.lines) == texts(at_once.lines)
    assert streamed.shown == at_once.shown
    for row, line in enumerate(streamed.lines):
        assert streamed.row_of(line) == row
    assert streamed.rows_of(streamed.lines) == list(range(len(streamed.lines)))


def test_a_collection_with_nothing_to_show_has_no_header_and_its_count_stays() -> None:
    rows = LoadedRows(BASE)
    take(rows, *social_items())
    arrange(rows, Wish(grouped=True, filter=read_filter("likedAt = 210")))
    assert texts(rows.lines) == ["[POST#b002]", "LIKE#USER#7c20"]
    (shown,) = [line for line in rows.lines if isinstance(line, Collection)]
    assert shown.note(BASE, "all read").startswith("item collection · 2 items · 1 shown · ")
    arrange(rows, Wish(grouped=True))
    assert len([line for line in rows.lines if isinstance(line, Collection)]) == 3


def test_items_that_come_while_rows_are_arranged_are_not_lost() -> None:
    rows = LoadedRows(BASE)
    take(rows, *social_items())
    made = arranged(rows, Wish(grouped=True, sorting=Sorting("likedAt", descending=True)), Ticket())
    take(rows, like("a91f", "zz", 1), like("new", "yy", 2))
    assert rows.adopt(made)
    assert texts(rows.lines)[:6] == [
        "[POST#a91f]",
        "META",
        *(f"LIKE#USER#{user}" for user in ("ff", "7c20", "0a", "zz")),
    ]
    assert texts(rows.lines)[-2:] == ["[POST#new]", "LIKE#USER#yy"]
    assert sum(collection.count for collection in rows.collections) == len(rows.entries) == 10


def test_rows_arranged_before_something_was_folded_are_not_taken() -> None:
    rows = LoadedRows(BASE)
    take(rows, *social_items())
    made = arranged(rows, Wish(grouped=True), Ticket())
    rows.fold(rows.collections[0], 0)
    assert not rows.adopt(made)
    assert texts(rows.lines)[:2] == ["[POST#a91f]", "[POST#b002]"]


def test_arranging_stops_when_it_is_told_to() -> None:
    rows, ticket = LoadedRows(BASE), Ticket()
    take(rows, *social_items())
    ticket.cancel()
    with pytest.raises(Cancelled):
        arranged(rows, Wish(grouped=False), ticket)


@pytest.mark.parametrize("grouped", [True, False])
def test_new_items_stand_below_the_others_until_they_are_taken_back(grouped: bool) -> None:
    rows = LoadedRows(BASE, grouped=grouped)
    take(rows, *social_items())
    before = texts(rows.lines)
    new = prepare([like("a91f", "new", 5), like("elsewhere", "new", 6)], BASE).entries
    rows.set_staged(new)
    expected = [*before[:5], "LIKE#USER#new", *before[5:], "[POST#elsewhere]", "LIKE#USER#new"]
    assert texts(rows.lines) == (expected if grouped else [*before, "LIKE#USER#new", "LIKE#USER#new"])
    assert rows.find(new[0].identity) is new[0]
    take(rows, like("a91f", "zz", 7))
    at = texts(rows.lines).index("LIKE#USER#zz")
    assert texts(rows.lines)[at + 1] == "LIKE#USER#new", "what is read goes above what is new"
    arrange(rows, Wish(grouped, sorting=Sorting("likedAt", descending=True), filter=read_filter("zz")))
    assert [line.identity for line in rows.lines if isinstance(line, Entry)][-1] == new[1].identity
    assert [rows.row_of(line) for line in rows.lines] == list(range(len(rows.lines)))
    rows.set_staged([])
    arrange(rows, Wish(grouped))
    assert len(rows.lines) == len(before) + 1


def test_a_new_item_that_has_been_read_is_no_longer_new() -> None:
    rows = LoadedRows(BASE)
    take(rows, *social_items())
    rows.set_staged(prepare([{**like("a91f", "0a", 100), "likedAt": Number("7")}], BASE).entries)
    assert not rows.staged


@pytest.mark.parametrize("grouped", [True, False])
def test_what_was_written_takes_the_place_of_what_was_read(grouped: bool) -> None:
    rows = LoadedRows(View(SOCIAL), grouped=grouped)
    take(rows, post("a91f", 3), like("a91f", "0a", 100), like("a91f", "7c20", 200))
    entry = rows.entries[0]
    (now,) = prepare([{**post("a91f", 9), "colour": String("red")}], rows.view).entries
    assert not rows.take_written({now.identity: now})
    assert entry.item["likeTally"] == Number("9")
    assert "colour" in rows.columns()
    assert not rows.take_written({("Sno", "Ssuch"): None})


def test_what_was_deleted_is_gone_when_the_lines_are_made_anew() -> None:
    rows = LoadedRows(View(SOCIAL))
    take(rows, post("a91f", 3), like("a91f", "0a", 100), post("b002", 1))
    gone = rows.entries[1].identity
    assert rows.take_written({gone: None})
    arrange(rows, rows.wish)
    assert texts(rows.lines) == texts(_read(post("a91f", 3), post("b002", 1)).lines)
    assert rows.find(gone) is None
    assert "likedAt" not in rows.columns()


def test_another_key_of_the_index_is_another_collection() -> None:
    rows = LoadedRows(View(SOCIAL, "GSI1"))
    take(rows, like("a91f", "0a", 100), like("b002", "0a", 110))
    (now,) = prepare([{**like("a91f", "0a", 100), "GSI1PK": String("USER#ff")}], rows.view).entries
    assert rows.take_written({now.identity: now})
    arrange(rows, rows.wish)
    assert [collection.count for collection in rows.collections] == [1, 1]


def _read(*items: Item) -> LoadedRows:
    rows = LoadedRows(View(SOCIAL))
    take(rows, *items)
    return rows
