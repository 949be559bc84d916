"""Key schemas and what an index carries."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dynodesk.domain.errors import InvalidValue
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, KeyType, Projection, TableInfo
from dynodesk.domain.values import Binary, Boolean, Item, KeyValue, Null, Number, String, StringSet, Value

PK, SK = KeyAttribute("PK", "S"), KeyAttribute("SK", "N")
KEYS = KeySchema((PK,), (SK,))
GSI = KeySchema((KeyAttribute("g", "S"), KeyAttribute("h", "N")), (KeyAttribute("at", "S"), KeyAttribute("x", "B")))
TABLE = TableInfo(
    "Social",
    KEYS,
    (
        IndexInfo("all", "GSI", GSI, Projection("ALL")),
        IndexInfo("keys", "GSI", GSI, Projection("KEYS_ONLY")),
        IndexInfo("some", "LSI", KeySchema((PK,), (KeyAttribute("at", "S"),)), Projection("INCLUDE", ("likes",))),
    ),
)


class TestKeyAttribute:
    @pytest.mark.parametrize(
        ("type_", "text", "value"),
        [
            ("S", "1", String("1")),
            ("S", "", String("")),
            ("N", "1.0", Number("1")),
            ("B", "00ff", Binary(b"\x00\xff")),
            ("B", "", Binary(b"")),
        ],
    )
    def test_a_value_from_text(self, type_: KeyType, text: str, value: KeyValue) -> None:
        assert KeyAttribute("k", type_).value(text) == value

    @pytest.mark.parametrize(("type_", "text"), [("N", "x"), ("N", "1" * 39), ("B", "0"), ("B", "zz"), ("B", "AA==")])
    def test_what_cannot_be_one(self, type_: KeyType, text: str) -> None:
        with pytest.raises(InvalidValue):
            KeyAttribute("k", type_).value(text)


class TestKeySchema:
    def test_names_partition_first(self) -> None:
        assert GSI.names == ("g", "h", "at", "x")
        assert KEYS.attributes == (PK, SK)

    def test_the_key_of_an_item_in_key_order(self) -> None:
        item: Item = {"likes": Number("1"), "SK": Number("7"), "PK": String("a")}
        assert list(KEYS.key_of(item).items()) == [("PK", String("a")), ("SK", Number("7"))]

    @pytest.mark.parametrize(
        ("item", "said"),
        [
            ({"PK": String("a")}, "SK is missing, the table says N"),
            ({"PK": String("a"), "SK": String("7")}, "SK is a String, the table says N"),
            ({"PK": String("a"), "SK": Null()}, "SK is a Null, the table says N"),
            ({"PK": StringSet(("a",)), "SK": Number("7")}, "PK is a String set, the table says S"),
            ({"PK": Boolean(True), "SK": Number("7")}, "PK is a Boolean, the table says S"),
            ({}, "PK is missing"),
        ],
    )
    def test_an_item_without_the_key(self, item: Item, said: str) -> None:
        with pytest.raises(InvalidValue, match=said):
            KEYS.key_of(item)

    def test_an_item_is_in_an_index_only_with_its_whole_key(self) -> None:
        key: Item = {"g": String("A"), "h": Number("1"), "at": String("t"), "x": Binary(b"1")}
        assert GSI.key_of(key) == key
        for name in GSI.names:
            with pytest.raises(InvalidValue, match=f"key attribute {name} is missing"):
                GSI.key_of({other: value for other, value in key.items() if other != name})

    @pytest.mark.parametrize("g", [Number("5"), Null(), String(""), Binary(b"A")])
    def test_an_index_key_of_another_type_or_empty_is_refused(self, g: Value) -> None:
        with pytest.raises(InvalidValue, match="key attribute g"):
            GSI.check({"g": g, "h": Number("1"), "at": String("t"), "x": Binary(b"1")})

    @pytest.mark.parametrize(
        ("key", "said"),
        [
            ({"PK": String("a")}, "the key has PK; the table's is PK, SK"),
            ({}, "the key has nothing"),
            ({"PK": String("a"), "SK": Number("1"), "x": Null()}, "the key has PK, SK, x"),
            ({"PK": String(""), "SK": Number("1")}, "PK: a key cannot be empty"),
            ({"PK": String("k" * 2049), "SK": Number("1")}, "at most 2048"),
            ({"PK": String("a"), "SK": Number("1E126")}, "outside the range"),
            ({"PK": String("a"), "SK": String("1")}, "SK is a String"),
        ],
    )
    def test_what_is_no_key(self, key: Item, said: str) -> None:
        with pytest.raises(InvalidValue, match=said):
            KEYS.check(key)

    def test_limits_go_by_the_role_and_by_bytes(self) -> None:
        texts = KeySchema((PK,), (KeyAttribute("SK", "S"),))
        texts.check({"PK": String("é" * 1024), "SK": String("é" * 512)})
        with pytest.raises(InvalidValue, match="SK: 1026 bytes"):
            texts.check({"PK": String("a"), "SK": String("é" * 513)})
        KEYS.check({"PK": String("a"), "SK": Number("0")})


class TestTableInfo:
    def test_schemas(self) -> None:
        assert TABLE.schema_of(None) == KEYS
        assert TABLE.schema_of("all") == GSI
        with pytest.raises(InvalidValue, match="Social has no index other") as raised:
            TABLE.schema_of("other")
        assert raised.value.hint == f"It has: {', '.join(index.name for index in TABLE.indexes)}."
        with pytest.raises(InvalidValue) as raised:
            replace(TABLE, indexes=()).schema_of("other")
        assert raised.value.hint == "It has no index."

    def test_only_a_local_index_allows_consistent_reads(self) -> None:
        assert [index.allows_consistent_read for index in TABLE.indexes] == [False, False, True]

    @pytest.mark.parametrize(
        ("index", "carried"),
        [("all", "PK SK g at likes other"), ("keys", "PK SK g at"), ("some", "PK SK at likes"), ("none", "")],
    )
    def test_what_an_index_carries(self, index: str, carried: str) -> None:
        names = ("PK", "SK", "g", "at", "likes", "other")
        assert " ".join(name for name in names if TABLE.projects(index, name)) == carried
