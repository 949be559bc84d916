"""What the keys of an item say it is."""

from __future__ import annotations

import pytest

from dynodesk.domain.entities import entity_word, is_parent
from dynodesk.domain.tables import KeyAttribute, KeySchema
from dynodesk.domain.values import Binary, Item, KeyValue, Number, String

PAIR = KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "S"),))
ALONE = KeySchema((KeyAttribute("id", "S"),))


def keyed(partition: str, sort: KeyValue) -> Item:
    return {"PK": String(partition), "SK": sort}


@pytest.mark.parametrize(
    ("partition", "sort", "word"),
    [
        ("POST#a91f", "LIKE#USER#7c20", "LIKE"),
        ("POST#a91f", "META", "POST"),
        ("USER#7c20", "META", "USER"),
        ("ACTOR#alice", "TARGET#bob", "TARGET"),
        ("tenant|7", "user:12", "USER"),
        ("a/b", "order/1", "ORDER"),
        ("plain", "plain", ""),
        ("POST#1", "2025-06-23T00:00:00Z", "POST"),  # a time has a colon and is no word
        ("POST#1", "#LIKE", "POST"),
        ("#1", "", ""),
    ],
)
def test_the_word_is_what_stands_before_the_first_delimiter(partition: str, sort: str, word: str) -> None:
    assert entity_word(keyed(partition, String(sort)), PAIR) == word


def test_keys_that_are_no_text_say_nothing() -> None:
    assert entity_word(keyed("plain", Number("7")), PAIR) == ""
    assert entity_word(keyed("USER#1", Binary(b"LIKE#")), PAIR) == "USER"
    assert entity_word({}, PAIR) == ""
    assert entity_word({"id": String("USER#1")}, ALONE) == "USER"


@pytest.mark.parametrize(
    ("partition", "sort", "parent"),
    [
        ("POST#a91f", String("META"), True),
        ("POST#a91f", String("LIKE#USER#7c20"), False),
        ("USER#7c20", String("USER#7c20"), True),
        ("USER#7c20", String("USER#7c21"), False),
        ("POST#a91f", String("2025-06-23T00:00:00Z"), False),
        ("POST#a91f", Number("0"), False),
    ],
)
def test_the_parent_of_a_collection(partition: str, sort: KeyValue, parent: bool) -> None:
    assert is_parent(keyed(partition, sort), PAIR) is parent


def test_a_table_without_sort_key_has_no_parents() -> None:
    assert not is_parent({"id": String("META")}, ALONE)
