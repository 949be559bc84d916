"""Items as JSON: what is written is what was there, and what is damaged is not read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dynodesk.domain.errors import InvalidFile, InvalidValue
from dynodesk.domain.item_json import (
    from_dynamodb,
    from_plain,
    item_from_dynamodb,
    item_to_dynamodb,
    read_json,
    readable,
    readable_key,
    to_dynamodb,
    to_plain,
)
from dynodesk.domain.values import (
    Binary,
    BinarySet,
    Boolean,
    Item,
    List,
    Map,
    Null,
    Number,
    NumberSet,
    String,
    StringSet,
    Value,
    type_tag,
)
from tests.domain.strategies import items, texts, values

TYPE_ZOO = Path(__file__).parents[3] / "shared" / "cases" / "data" / "type-zoo.jsonl"

ONE_OF_EACH: Item = {
    "text": String('é "q" \\ \n'),
    "number": Number("30.40"),
    "binary": Binary(b"\x00\x01\xff"),
    "true": Boolean(True),
    "null": Null(),
    "tags": StringSet(("red", "blue")),
    "events": NumberSet((Number("100300"), Number("1E+2"))),
    "blobs": BinarySet((b"", b"\0")),
    "labels": List((String("red"), List(()), Map({}))),
    "map": Map({"a.b": Number("1"), "$x": Null()}),
}


def exact(value: Value) -> tuple[object, ...]:
    """The value with everything that equality overlooks: the text of numbers, the order of sets and of maps."""
    match value:
        case Number():
            return "N", value.text
        case NumberSet(numbers):
            return "NS", *[number.text for number in numbers]
        case List(elements):
            return "L", *map(exact, elements)
        case Map(entries):
            return "M", *[(name, exact(entry)) for name, entry in entries.items()]
        case StringSet(members) | BinarySet(members):
            return type_tag(value), *members
        case _:
            return type_tag(value), value


class TestDynamoDbJson:
    @given(values)
    def test_there_and_back_is_the_very_same(self, value: Value) -> None:
        text = json.dumps(to_dynamodb(value))
        assert exact(from_dynamodb(json.loads(text))) == exact(value)

    @given(items)
    def test_items_too(self, item: Item) -> None:
        back = item_from_dynamodb(json.loads(json.dumps(item_to_dynamodb(item))))
        assert exact(Map(back)) == exact(Map(item))

    def test_one_of_each(self) -> None:
        assert item_to_dynamodb(ONE_OF_EACH) == {
            "text": {"S": 'é "q" \\ \n'},
            "number": {"N": "30.40"},
            "binary": {"B": "AAH/"},
            "true": {"BOOL": True},
            "null": {"NULL": True},
            "tags": {"SS": ["red", "blue"]},
            "events": {"NS": ["100300", "1E+2"]},
            "blobs": {"BS": ["", "AA=="]},
            "labels": {"L": [{"S": "red"}, {"L": []}, {"M": {}}]},
            "map": {"M": {"a.b": {"N": "1"}, "$x": {"NULL": True}}},
        }

    @pytest.mark.parametrize(
        ("tagged", "said"),
        [
            ({}, "the value: expected one type tag, found none"),
            ("text", "expected one type tag, found str"),
            (None, "expected one type tag, found NoneType"),
            ([], "expected one type tag, found list"),
            ({"S": "a", "N": "1"}, "expected one type tag, found S, N"),
            ({"X": 1}, "'X' is not a type of DynamoDB"),
            ({"s": "a"}, "'s' is not a type of DynamoDB"),
            ({"S": 1}, "1 is not the content of type S"),
            ({"S": None}, "null is not the content of type S"),
            ({"N": 1}, "1 is not the content of type N"),
            ({"BOOL": "true"}, '"true" is not the content of type BOOL'),
            ({"BOOL": 1}, "1 is not the content of type BOOL"),
            ({"NULL": False}, "false is not the content of type NULL"),
            ({"NULL": 1}, "1 is not the content of type NULL"),
            ({"SS": "a"}, "is not the content of type SS"),
            ({"SS": ["a", 1]}, "a set in DynamoDB JSON holds texts only"),
            ({"NS": [1]}, "a set in DynamoDB JSON holds texts only"),
            ({"L": {}}, "is not the content of type L"),
            ({"M": []}, "is not the content of type M"),
            ({"L": [{"S": "a"}, {}]}, "the value[1]: expected one type tag"),
            ({"M": {"HP": {"HP": {"N": "50"}}}}, "the value.HP: 'HP' is not a type of DynamoDB"),
            ({"M": {"a": {"L": [{"M": {"b": {"B": "?"}}}]}}}, 'the value.a[0].b: "?" is not base64'),
        ],
    )
    def test_what_is_no_value_is_refused_with_its_path(self, tagged: object, said: str) -> None:
        with pytest.raises(InvalidValue) as refused:
            from_dynamodb(tagged)
        assert said in refused.value.message

    @pytest.mark.parametrize(
        "text", ["A", "AA", "AAE", "AB==", "AA==\n", " AA==", "AA=", "-_8=", "é", "AA==AA==", "0x0"]
    )
    def test_base64_is_taken_strictly(self, text: str) -> None:
        for tagged in ({"B": text}, {"BS": [text]}):
            with pytest.raises(InvalidValue, match="is not base64"):
                from_dynamodb(tagged)

    @pytest.mark.parametrize("data", [b"", b"\0", b"\xff" * 400_000])
    def test_binary_of_every_size(self, data: bytes) -> None:
        assert from_dynamodb(json.loads(json.dumps(to_dynamodb(Binary(data))))) == Binary(data)

    @pytest.mark.parametrize("tagged", [None, [], "x", 1])
    def test_an_item_is_an_object(self, tagged: object) -> None:
        with pytest.raises(InvalidValue, match="is not an item"):
            item_from_dynamodb(tagged)

    def test_an_item_names_the_attribute(self) -> None:
        with pytest.raises(InvalidValue, match=r"^likes: 41 is not the content of type N$"):
            item_from_dynamodb({"PK": {"S": "x"}, "likes": {"N": 41}})

    def test_a_long_content_is_shortened(self) -> None:
        with pytest.raises(InvalidValue) as refused:
            from_dynamodb({"N": ["x" * 10_000]})
        assert len(refused.value.message) < 100


class TestPlainJson:
    @given(items, st.sampled_from([None, 0, 2]))
    @example({"$binary": String("x")}, None)
    @example({"m": Map({"$binary": String("x")})}, None)
    @example({"m": Map({"$map": Map({"$map": Null()})})}, 2)
    @example({"m": Map({"$": List(())})}, None)
    @example({"m": Map({"$numberSet": NumberSet((Number("NaN"),))})}, None)
    def test_there_and_back_is_equal(self, item: Item, indent: int | None) -> None:
        back = from_plain(to_plain(item, indent))
        assert back == item
        assert list(back) == list(item)
        assert to_plain(back, indent) == to_plain(item, indent)

    @given(items)
    def test_what_is_written_is_json(self, item: Item) -> None:
        assert list(json.loads(to_plain(item))) == list(item)
        assert json.loads(to_plain(item, 2)) == json.loads(to_plain(item))

    def test_one_of_each(self) -> None:
        assert to_plain(ONE_OF_EACH, 2) == (
            "{\n"
            '  "text": "é \\"q\\" \\\\ \\n",\n'
            '  "number": 30.40,\n'
            '  "binary": {"$binary": "AAH/"},\n'
            '  "true": true,\n'
            '  "null": null,\n'
            '  "tags": {"$stringSet": ["red", "blue"]},\n'
            '  "events": {"$numberSet": [100300, 1E+2]},\n'
            '  "blobs": {"$binarySet": ["", "AA=="]},\n'
            '  "labels": [\n    "red",\n    [],\n    {}\n  ],\n'
            '  "map": {\n    "a.b": 1,\n    "$x": null\n  }\n'
            "}"
        )

    @pytest.mark.parametrize(
        ("value", "written"),
        [
            (Map({"$binary": String("x")}), '{"$map": {"$binary": "x"}}'),
            (Map({"$anything": Null()}), '{"$map": {"$anything": null}}'),
            (Map({"$map": Map({"a": Null()})}), '{"$map": {"$map": {"a": null}}}'),
            (Map({"$a": Null(), "b": Null()}), '{"$a": null, "b": null}'),
            (Map({"a": Null()}), '{"a": null}'),
            (Number("NaN"), '{"$number": "NaN"}'),
            (Number("1" * 39), '{"$number": "' + "1" * 39 + '"}'),
            (NumberSet((Number("1"), Number("NaN"))), '{"$numberSet": [1, {"$number": "NaN"}]}'),
        ],
    )
    def test_marks(self, value: Value, written: str) -> None:
        assert to_plain({"v": value}) == '{"v": ' + written + "}"
        assert from_plain('{"v": ' + written + "}") == {"v": value}

    @pytest.mark.parametrize(
        ("number", "written"),
        [
            ("12345678901234567890", "12345678901234567890"),
            ("0.1", "0.1"),
            ("1E5", "1E5"),
            ("-0", "-0"),
            ("1.50", "1.50"),
            ("+5", "5"),
            ("007", "7"),
            (".5", "0.5"),
            ("5.", "5"),
            ("-.5E-1", "-0.05"),
        ],
    )
    def test_numbers_keep_their_digits(self, number: str, written: str) -> None:
        assert to_plain({"n": Number(number)}) == '{"n": ' + written + "}"

    @pytest.mark.parametrize(
        "literal", ["12345678901234567890", "0.1", "9007199254740993", "1E-130", "1" * 38, "-0", "1e2"]
    )
    def test_numbers_are_read_by_their_text(self, literal: str) -> None:
        number = from_plain('{"n": ' + literal + "}")["n"]
        assert isinstance(number, Number)
        assert number.text == literal

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ('{"v": {"$set": [1]}}', "v: $set is not one of the marks"),
            ('{"v": {"$binary": "?"}}', 'v: "?" is not base64'),
            ('{"v": {"$binary": 1}}', "v: $binary is not one of the marks"),
            ('{"v": {"$stringSet": ["a", 1]}}', "v: a set"),
            ('{"v": {"$numberSet": [1, "2"]}}', "v: $numberSet holds numbers only"),
            ('{"v": {"$binarySet": [1]}}', "v: a set"),
            ('{"v": {"$number": 1}}', "v: $number is not one of the marks"),
            ('{"v": [{"a": {"$map": 1}}]}', "v[0].a: $map is not one of the marks"),
            ('{"v": {"$' + "x" * 99 + '": 1}}', "is not one of the marks"),
        ],
    )
    def test_wrong_marks_are_refused_with_their_path(self, text: str, said: str) -> None:
        with pytest.raises(InvalidValue) as refused:
            from_plain(text)
        assert said in refused.value.message
        assert len(refused.value.message) < 120

    @pytest.mark.parametrize("text", ["[]", "1", "null", '"x"'])
    def test_an_item_is_an_object(self, text: str) -> None:
        with pytest.raises(InvalidFile, match="an item is a JSON object"):
            from_plain(text)

    @pytest.mark.parametrize(
        "text", ['{"a":' * 600 + "1" + "}" * 600, '{"a":' + "[" * 600 + "]" * 600 + "}", "[" * 99_999]
    )
    def test_nesting_beyond_reason_is_refused(self, text: str) -> None:
        with pytest.raises(InvalidFile, match=r"^deep\.json: nested too deeply$"):
            from_plain(text, "deep.json")

    def test_sets_and_lists_stay_what_they_are(self) -> None:
        text = to_plain({"tags": StringSet(("red",)), "labels": List((String("red"),))})
        back = from_plain(text.replace('["red"]', '["red", "green"]'))
        assert back == {"tags": StringSet(("red", "green")), "labels": List((String("red"), String("green")))}


class TestStrictReading:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ('{"a": 1,\n "b": 2,\n "a": 3}', 'keys.json, line 3: the key "a" occurs twice'),
            ('{"x": {"a": 1},\n "y": {"a": 1,\n"b": [{"c": 1,\n\n"c": 2}]}}', 'line 5: the key "c" occurs twice'),
            ('{"a": "a",\n"\\u0061": 1}', 'line 2: the key "a" occurs twice'),
            ('{"a": "}\\"a\\": {",\n"k": ["a", "k"],\n"k": 1}', 'line 3: the key "k" occurs twice'),
            ('{"' + "k" * 99 + '": 1, "' + "k" * 99 + '": 2}', "occurs twice"),
            ('{"a": 1,}', "keys.json, line 1:"),
            ('{\n\n"a" 1}', "keys.json, line 3:"),
            ("", "keys.json, line 1:"),
            ('{"a": NaN}', "NaN is not a number of JSON"),
            ('{"a": -Infinity}', "-Infinity is not a number of JSON"),
            ('{"a": ' + "1" * 39 + "}", "39 significant digits"),
            ('{"a": 1E126}', "outside the range"),
            ('{"a": "x\\ud800"}', "character 2 is half of a surrogate pair"),
            ('["\\udc00"]', "character 1 is half of a surrogate pair"),
            ('{"\\ud800": 1}', "half of a surrogate pair"),
            ("\ufeff{}", "keys.json, line 1:"),
        ],
    )
    def test_what_parsers_let_pass_is_refused_with_the_place(self, text: str, said: str) -> None:
        with pytest.raises(InvalidFile) as refused:
            read_json(text, "keys.json")
        assert said in refused.value.message
        assert refused.value.message.startswith("keys.json")
        assert len(refused.value.message) < 150

    @given(
        st.recursive(
            st.one_of(st.none(), st.booleans(), texts), lambda inner: st.lists(inner) | st.dictionaries(texts, inner)
        )
    )
    def test_everything_else_is_read_as_json_is(self, decoded: Any) -> None:
        assert read_json(json.dumps(decoded), "x") == decoded
        assert read_json(json.dumps(decoded, ensure_ascii=False, indent=1), "x") == decoded

    def test_a_surrogate_pair_is_one_character(self) -> None:
        assert read_json('"\\ud83d\\udc99"', "x") == "💙"


class TestReadable:
    def test_strings_are_bare_and_numbers_as_stored(self) -> None:
        assert readable(String('a"b')) == 'a"b'
        assert readable(Number("1.0")) == "1.0"
        assert readable(Number("NaN")) == "NaN"

    def test_everything_else_is_plain_json(self) -> None:
        assert readable(StringSet(("b", "a"))) == '{"$stringSet": ["b", "a"]}'
        assert readable(List((Number("NaN"), Null()))) == '[{"$number": "NaN"}, null]'

    @given(values)
    def test_no_value_fails(self, value: Value) -> None:
        assert isinstance(readable(value), str)

    def test_a_key_is_joined_by_slashes(self) -> None:
        assert readable_key({"PK": String("POST#a91f"), "SK": Number("7")}) == "POST#a91f / 7"


@pytest.mark.skipif(
    not TYPE_ZOO.exists(), reason="a collection of hard values that lies beside the project is not there"
)
def test_a_collection_of_hard_values_comes_back() -> None:
    lines = TYPE_ZOO.read_text(encoding="utf-8").split("\n")
    stored = [json.loads(line)["Item"] for line in lines if line]
    assert len(stored) > 50
    for tagged in stored:
        item = item_from_dynamodb(tagged)
        assert item_to_dynamodb(item) == tagged
        assert from_plain(to_plain(item)) == item
