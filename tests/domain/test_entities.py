"""What the keys of an item say it is: by what is usual, and by rules."""

from __future__ import annotations

import pytest

from dynodesk.domain.entities import EntityRule, EntityTypes, is_parent
from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.tables import KeyAttribute, KeySchema
from dynodesk.domain.values import Binary, Item, KeyValue, Number, String

PAIR = KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "S"),))
ALONE = KeySchema((KeyAttribute("id", "S"),))
USUAL = EntityTypes()


def keyed(partition: str, sort: KeyValue) -> Item:
    return {"PK": String(partition), "SK": sort}


def like(user: str = "7c20") -> Item:
    return keyed("POST#a91f", String(f"LIKE#USER#{user}"))


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
    assert USUAL.word_of(keyed(partition, String(sort)), PAIR) == word


def test_keys_that_are_no_text_say_nothing() -> None:
    assert USUAL.word_of(keyed("plain", Number("7")), PAIR) == ""
    assert USUAL.word_of(keyed("USER#1", Binary(b"LIKE#")), PAIR) == "USER"
    assert USUAL.word_of({}, PAIR) == ""
    assert USUAL.word_of({"id": String("USER#1")}, ALONE) == "USER"


def test_a_rule_names_what_it_matches_and_leaves_the_rest() -> None:
    types = EntityTypes((EntityRule.of("Reaction", {"SK": "LIKE#USER#{user}"}, "rose"),))
    assert types.word_of(like(), PAIR) == "Reaction"
    assert types.tint_of("Reaction") == "rose"
    assert types.word_of(keyed("POST#a91f", String("LIKE#BOT#1")), PAIR) == "LIKE"
    assert types.word_of(keyed("POST#a91f", String("META")), PAIR) == "POST"
    assert types.tint_of("POST") == ""


def test_the_sort_key_decides_before_a_rule_on_the_partition_key_alone() -> None:
    types = EntityTypes((EntityRule.of("Article", {"PK": "POST#{post}"}),))
    assert types.word_of(keyed("POST#a91f", String("META")), PAIR) == "Article"
    assert types.word_of(like(), PAIR) == "LIKE"
    both = EntityTypes((EntityRule.of("All of it", {"PK": "POST#{post}", "SK": "{any}"}),))
    assert both.word_of(like(), PAIR) == "All of it"


def test_the_first_rule_that_matches_counts() -> None:
    narrow, wide = EntityRule.of("Own", {"SK": "LIKE#USER#7c20"}), EntityRule.of("Like", {"SK": "LIKE#{user}"})
    assert EntityTypes((narrow, wide)).word_of(like(), PAIR) == "Own"
    assert EntityTypes((wide, narrow)).word_of(like(), PAIR) == "Like"


def test_types_with_one_word_are_one() -> None:
    types = EntityTypes(
        (EntityRule.of("Edge", {"SK": "LIKE#{like}"}, "teal"), EntityRule.of("Edge", {"SK": "TARGET#{target}"}))
    )
    assert {types.word_of(item, PAIR) for item in (like(), keyed("ACTOR#a", String("TARGET#b")))} == {"Edge"}
    assert types.tint_of("Edge") == "teal"


def test_numbers_match_by_their_digits_and_binaries_never() -> None:
    schema = KeySchema((KeyAttribute("device", "S"),), (KeyAttribute("at", "N"),))
    types = EntityTypes((EntityRule.of("Reading", {"at": "17{rest}"}),))
    assert types.word_of({"device": String("d"), "at": Number("1750")}, schema) == "Reading"
    assert types.word_of({"device": String("d"), "at": Number("2")}, schema) == ""
    assert types.word_of({"device": String("d"), "at": Binary(b"1750")}, schema) == ""


def test_a_rule_on_attributes_that_are_no_keys_is_never_asked() -> None:
    types = EntityTypes((EntityRule.of("X", {"GSI1PK": "{any}"}),))
    assert types.word_of(like(), PAIR) == "LIKE"


def test_a_collection_is_named_for_its_key_in_any_view() -> None:
    types = EntityTypes((EntityRule.of("Person", {"PK": "USER#{user}"}),))
    assert types.word_of_collection(String("USER#7c20"), PAIR) == "Person"
    assert types.word_of_collection(String("TARGET#bob"), PAIR) == "TARGET"
    assert types.word_of_collection(String("bob"), PAIR) == ""
    assert types.word_of_collection(None, PAIR) == ""


def test_counts_are_by_rule_and_by_what_is_usual() -> None:
    rule = EntityRule.of("Reaction", {"SK": "LIKE#{user}"})
    items = [like("a"), like("b"), keyed("POST#1", String("META")), keyed("plain", String("x"))]
    found = EntityTypes((rule,)).counts(items, PAIR)
    assert {(made.word, made.patterns): count for made, count in found.items()} == {
        ("Reaction", (("SK", "LIKE#{user}"),)): 2,
        ("POST", (("PK", "POST#{post}"),)): 1,
    }


@pytest.mark.parametrize(
    ("word", "patterns", "said"),
    [
        ("", {"SK": "A#{a}"}, "needs a word"),
        ("x" * 25, {"SK": "A#{a}"}, "needs a word"),
        ("a\u202eb", {"SK": "A#{a}"}, "needs a word"),
        ("A", {"SK": "", "PK": ""}, "no pattern"),
        ("A", {"SK": "A#{a}{b}"}, "nothing stands between"),
        ("A", {"SK": "A#{"}, "brace stands alone"),
    ],
)
def test_a_rule_that_cannot_be_is_refused(word: str, patterns: dict[str, str], said: str) -> None:
    with pytest.raises(InvalidValue, match=said):
        EntityRule.of(word, patterns)


def test_rules_are_kept_as_json() -> None:
    types = EntityTypes(
        (EntityRule.of("Reaction", {"PK": "", "SK": "LIKE#{user}"}, "rose"), EntityRule.of("P", {"PK": "{{x}}{a}"}))
    )
    assert EntityTypes.from_json(types.to_json()) == types


@pytest.mark.parametrize(
    "written",
    [None, {}, "x", [1], [{"word": "A"}], [{"word": "A", "keys": {"SK": "{"}, "tint": ""}], [{"word": 1, "keys": {}}]],
)
def test_what_cannot_be_read_is_no_rule(written: object) -> None:
    assert EntityTypes.from_json(written) == USUAL


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
