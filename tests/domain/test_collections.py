"""Items grouped as collections, and where their lines go while they arrive."""

from __future__ import annotations

import random

import pytest

from dynodesk.domain.collections import (
    Collection,
    Entry,
    Line,
    View,
    absence,
    differing,
    identity,
    prepare,
)
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.loaded_rows import LoadedRows
from dynodesk.domain.progress import Ticket
from dynodesk.domain.row_choice import Sorting, Wish
from dynodesk.domain.row_order import arranged, ordered_by
from dynodesk.domain.values import Item, Map, Null, Number, String
from tests.helpers.small_tables import NAMES, READINGS, SOCIAL, like, post, reading, social_items

BASE, GSI1 = View(SOCIAL), View(SOCIAL, "GSI1")


def take(rows: LoadedRows, *items: Item) -> None:
    for insertion in rows.absorb(prepare(items, rows.view)):
        rows.insert(insertion)


def arrange(rows: LoadedRows, wish: Wish) -> None:
    assert rows.adopt(arranged(rows, wish, Ticket()))


def shown(lines: list[Line]) -> list[str]:
    """Headers by their title, items by their sort key."""
    return [line.title if isinstance(line, Collection) else str(line.item["SK"]).split("'")[1] for line in lines]


def filled(view: View = BASE, *, grouped: bool = True) -> LoadedRows:
    rows = LoadedRows(view, grouped=grouped)
    take(rows, *sorted(social_items(), key=lambda item: (str(item["PK"]), str(item["SK"]))))
    return rows


def test_the_parent_stands_on_top_of_its_collection() -> None:
    rows = LoadedRows(BASE)
    take(rows, like("a", "01", 1), like("a", "02", 2), post("a", 2))
    assert shown(rows.lines) == ["POST#a", "META", "LIKE#USER#01", "LIKE#USER#02"]
    assert [entry.item["SK"] for entry in rows.entries][-1] == String("META"), "the order read is kept beside it"


def test_a_parent_that_arrives_with_a_later_page_goes_to_the_top() -> None:
    rows = LoadedRows(BASE)
    take(rows, like("a", "01", 1))
    take(rows, like("a", "02", 2), post("a", 2))
    take(rows, like("b", "01", 1))
    assert shown(rows.lines) == ["POST#a", "META", "LIKE#USER#01", "LIKE#USER#02", "POST#b", "LIKE#USER#01"]


@pytest.mark.parametrize("grouped", [True, False])
@pytest.mark.parametrize("seed", range(20))
def test_pages_in_any_portions_give_the_same_lines_as_all_at_once(seed: int, grouped: bool) -> None:
    chance = random.Random(seed)
    items = [
        *(like(f"p{chance.randrange(5)}", f"{i:03}", i) for i in range(40)),
        *(post(f"p{i}", 1) for i in range(5)),
    ]
    chance.shuffle(items)  # an emulator's Scan of an index gives collections in pieces
    at_once, by_portions = LoadedRows(BASE, grouped=grouped), LoadedRows(BASE, grouped=grouped)
    take(at_once, *items)
    at = 0
    while at < len(items):
        size = chance.randrange(1, 9)
        take(by_portions, *items[at : at + size])
        if grouped and chance.random() < 0.3:  # folding in between changes nothing in the end
            header = chance.choice([line for line in by_portions.lines if isinstance(line, Collection)])
            row = by_portions.row_of(header)
            assert row is not None
            if header.is_open:
                by_portions.fold(header, row)
            else:
                by_portions.unfold(header, row)
        at += size
    for collection in by_portions.collections:
        row = by_portions.row_of(collection)
        if grouped and not collection.is_open:
            assert row is not None
            by_portions.unfold(collection, row)
    by_title = {c.title: [e.identity for e in c.entries] for c in at_once.collections}
    # Parents that arrive in several portions stand in front of those that came before; there is one each here.
    assert {c.title: [e.identity for e in c.entries] for c in by_portions.collections} == by_title
    assert shown(by_portions.lines) == shown(at_once.lines)


def test_folding_hides_items_and_new_ones_are_hidden_too() -> None:
    rows = filled()
    first = rows.collections[0]
    rows.fold(first, 0)
    take(rows, like("a91f", "zz", 9))
    assert shown(rows.lines)[:2] == ["POST#a91f", "POST#b002"]
    assert len(first.entries) == 5
    rows.unfold(first, 0)
    assert shown(rows.lines)[:6] == ["POST#a91f", "META", *(f"LIKE#USER#{u}" for u in ("0a", "7c20", "ff", "zz"))]


def test_a_header_counts_what_is_loaded_and_says_how_much_that_is() -> None:
    rows = filled()
    first = rows.collections[0]
    assert first.note(BASE, "all read").startswith("item collection · 4 items · ")
    assert first.note(BASE, "all read").endswith(" · all read")
    assert "4 items so far" in first.note(BASE, "so far")
    assert first.note(GSI1, "all read").startswith("GSI1 collection")
    assert first.size == sum(entry.size for entry in first.entries) > 200


def test_other_arrangements_of_the_same_items() -> None:
    rows = filled()
    arrange(rows, Wish(grouped=False))
    assert shown(rows.lines) == [str(entry.item["SK"]).split("'")[1] for entry in rows.entries]
    arrange(rows, Wish(grouped=True, sorting=Sorting("likedAt", descending=True)))
    assert shown(rows.lines)[:5] == ["POST#a91f", "META", *(f"LIKE#USER#{user}" for user in ("ff", "7c20", "0a"))]
    arrange(rows, Wish(grouped=True))
    assert shown(rows.lines) == shown(filled().lines)


def test_order_by_value_with_missing_ones_last_in_both_directions() -> None:
    rows = LoadedRows(View(READINGS))
    stored = ["10", "9", "100", "-5", "0.5", "1", "9007199254740993", "9007199254740992"]
    items = [reading("d", at) for at in stored]
    entries = list(prepare([*items, {"device": String("d")}], rows.view).entries)

    def order(*, descending: bool) -> list[str]:
        found = ordered_by(entries, "at", descending=descending)
        return [value.text if isinstance(value := entry.item.get("at"), Number) else "missing" for entry in found]

    ascending = ["-5", "0.5", "1", "9", "10", "100", "9007199254740992", "9007199254740993"]
    assert order(descending=False) == [*ascending, "missing"]
    assert order(descending=True) == [*reversed(ascending), "missing"]


def test_identity_is_by_value() -> None:
    assert identity({"a": Number("1.0")}, ["a"]) == identity({"a": Number("1")}, ["a"])
    assert identity({"a": Number("1")}, ["a"]) != identity({"a": String("1")}, ["a"])
    assert identity({}, ["a"]) == identity({"a": Null()}, ["a"])


def test_the_copy_in_an_index_has_the_identity_of_the_item() -> None:
    item = like("a91f", "7c20", 200)
    copy = {name: value for name, value in item.items() if GSI1.carries(name)}
    assert "kind" not in copy
    assert prepare([item], BASE).entries[0].identity == prepare([copy], GSI1).entries[0].identity
    rows = LoadedRows(GSI1)
    take(rows, copy)
    found = rows.find(prepare([item], BASE).entries[0].identity)
    assert isinstance(found, Entry)


def test_an_item_is_in_an_index_only_with_all_its_keys() -> None:
    whole = like("a91f", "7c20", 200)
    assert GSI1.partition_of(whole) == {"GSI1PK": String("USER#7c20")}
    assert absence(whole, GSI1) == ""
    for item in (
        {name: value for name, value in whole.items() if name != "GSI1SK"},
        {**whole, "GSI1SK": Number("7")},
        post("a91f", 1),
    ):
        with pytest.raises(InvalidValue, match="GSI1"):
            GSI1.partition_of(item)
        assert "GSI1" in absence(item, GSI1)


def test_columns_of_keys() -> None:
    assert BASE.key_columns(grouped=True) == ("SK",)
    assert BASE.key_columns(grouped=False) == ("PK", "SK")
    assert GSI1.key_columns(grouped=True) == ("PK", "GSI1SK", "SK")
    assert GSI1.key_columns(grouped=False) == ("PK", "GSI1PK", "GSI1SK", "SK")
    assert View(NAMES).key_columns(grouped=True) == ("id",), "some column has to name the item"


def test_columns_of_attributes() -> None:
    rows = LoadedRows(BASE)
    likes = [{**like("a", str(i), i), "client": Map({}), "mixed": Map({}) if i else Null()} for i in range(4)]
    take(rows, post("a", 4), *likes)
    assert rows.columns() == ["SK", "likedAt", "kind", "mixed", "likeTally", "title", "client", "GSI1PK", "GSI1SK"]
    arrange(rows, Wish(grouped=False))
    assert rows.columns()[:2] == ["PK", "SK"]


def test_differences_between_base_and_copy() -> None:
    item = like("a91f", "7c20", 200, reactions=("clap",))
    copy = {name: value for name, value in item.items() if GSI1.carries(name)}
    assert differing(item, copy, GSI1) == ()
    assert differing({**item, "likedAt": Number("200.0")}, copy, GSI1) == (), "another spelling of the same number"
    assert differing({**item, "likedAt": Number("201")}, copy, GSI1) == ("likedAt",)
    assert differing({**item, "kind": String("other")}, copy, GSI1) == (), "not carried, so nothing to compare"
    without = {name: value for name, value in copy.items() if name != "likedAt"}
    assert differing(item, without, GSI1) == ("likedAt",)
