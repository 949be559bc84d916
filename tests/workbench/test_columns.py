"""The columns of a set: every item decides, nothing is rounded, nothing is lost."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given, settings

from dynodesk.domain.progress import Ticket
from dynodesk.workbench import sets
from dynodesk.workbench.bench import Bench
from dynodesk.workbench.census import MOST_COLUMNS
from dynodesk.workbench.columns import LONGEST_NAME
from tests.domain.strategies import decimals, spellings
from tests.workbench.pages import Tagged, columns, in_order, load_items, rows, stored_items


def numbered(*numbers: str) -> list[Tagged]:
    return [{"pk": {"S": f"{i:05}"}, "v": {"N": number}} for i, number in enumerate(numbers)]


def types_of(bench: Bench, items: list[Tagged]) -> dict[str, str]:
    return {name: column.type for name, column in columns(bench, load_items(bench, items)).items()}


# ------------------------------------------------------------------------------------------------------------- numbers


def test_many_siblings_do_not_round_an_integer() -> None:
    inner = {f"k{i:03}": {"N": "1.5" if i == 0 else "9007199254740993"} for i in range(250)}
    with Bench.open() as bench:
        load_items(bench, [{"pk": {"S": "a"}, "o": {"M": inner}, **inner}])
        assert rows(bench, "SELECT o->>'$.k001.N', k001, typeof(k001), k000 FROM Things") == [
            ("9007199254740993", "9007199254740993", "DECIMAL(16,0)", "1.5")
        ]


def test_one_fraction_does_not_round_the_column() -> None:
    with Bench.open() as bench:
        load_items(bench, numbered("9007199254740993", "1.5", "123456789012345678901234567890"))
        assert rows(bench, "SELECT v FROM Things ORDER BY pk") == [
            ("9007199254740993.0",),
            ("1.5",),
            ("123456789012345678901234567890.0",),
        ]
        assert rows(bench, "SELECT sum(v) FROM Things") == [("123456789012354686100489308884.5",)]


def test_numbers_beyond_every_decimal_stay_text_with_a_marked_approximation() -> None:
    numbers = ["9007199254740993", "1.5", "123456789012345678901234567890", "1E100", "1E-130"]
    with Bench.open() as bench:
        loaded = load_items(bench, numbered(*numbers))
        assert [cell for (cell,) in rows(bench, "SELECT v FROM Things ORDER BY pk")] == numbers
        found = columns(bench, loaded)
        assert found["v"].note == "exact text: no DECIMAL holds every value"
        assert (found["v (number)"].type, found["v (number)"].note) == ("DOUBLE", "approximate")
        assert rows(bench, 'SELECT "v (number)" FROM Things ORDER BY pk')[3:] == [("1e+100",), ("1e-130",)]


def test_a_small_decimal_does_not_become_zero() -> None:
    small = ["1", "1", "1", "10", "0.000000000001"]
    with Bench.open() as bench:
        load_items(bench, numbered(*small))
        assert rows(bench, "SELECT sum(v), typeof(any_value(v)) FROM Things") == [("13.000000000001", "DECIMAL(14,12)")]
        load_items(bench, numbered(*small, "12345678901234567890123456789.5"), name="wide")
        assert rows(bench, "SELECT v FROM wide ORDER BY pk")[-2:] == [
            ("0.000000000001",),
            ("12345678901234567890123456789.5",),
        ]


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [
        (["0"], "DECIMAL(1,0)"),
        (["-0", "0E+5", "0.000"], "DECIMAL(1,0)"),
        (["1" * 38], "DECIMAL(38,0)"),
        (["0." + "0" * 37 + "1"], "DECIMAL(38,38)"),
        (["1" * 37, "0.1"], "DECIMAL(38,1)"),
        (["1" * 38, "0.1"], "VARCHAR"),
        (["+5", "007", ".5", "5.", "0.10", "1e5"], "DECIMAL(7,1)"),
        (["120", "1.20E1", "12E-1"], "DECIMAL(4,1)"),
        (["NaN"], "VARCHAR"),
        (["1_000"], "VARCHAR"),
        (["１２"], "VARCHAR"),
        ([""], "VARCHAR"),
        (["1", "0x10"], "VARCHAR"),
        (["1E99999"], "VARCHAR"),
    ],
)
def test_the_type_is_the_narrowest_that_holds_all(numbers: list[str], kind: str) -> None:
    with Bench.open() as bench:
        assert types_of(bench, numbered(*numbers))["v"] == kind
        found = [cell for (cell,) in rows(bench, "SELECT v FROM Things ORDER BY pk")]
        if kind == "VARCHAR":
            assert found == numbers
        else:
            assert [Decimal(cell or "") for cell in found] == [Decimal(number) for number in numbers]


@settings(max_examples=settings().max_examples * 3 // 20, deadline=None)
@given(spelt=spellings(decimals()))
def test_any_spelling_keeps_its_value(spelt: str) -> None:
    with Bench.open() as bench:
        load_items(bench, numbered(spelt))
        ((cell,),) = rows(bench, "SELECT v FROM Things")
        assert cell is not None
        assert Decimal(cell) == Decimal(spelt)


# ---------------------------------------------------------------------------------------------------- types and absence


def test_what_comes_late_counts_as_much() -> None:
    early: list[Tagged] = [{"pk": {"S": f"{i:06}"}, "c0": {"N": "7"}} for i in range(20_480)]
    late: list[Tagged] = [
        {"pk": {"S": "x1"}, "c0": {"N": "1.5"}},
        {"pk": {"S": "x2"}, "c0": {"BOOL": True}},
        {"pk": {"S": "x3"}, "c0": {"N": "7"}, "b": {"N": "2"}},
    ]
    with Bench.open() as bench:
        load_items(bench, [*early, *late], page_items=5_000)
        assert rows(bench, 'SELECT c0, "c0 (type)", count(*) FROM Things GROUP BY ALL ORDER BY ALL') == [
            ("1.5", "N", "1"),
            ("7", "N", "20481"),
            ("true", "BOOL", "1"),
        ]
        assert rows(bench, 'SELECT sum("c0 (number)"), count(b), max(b) FROM Things') == [("143368.5", "1", "2")]


def test_the_first_item_does_not_decide_the_columns() -> None:
    with Bench.open() as bench:
        load_items(bench, [{"pk": {"S": "1"}, "a": {"N": "1"}}, {"pk": {"S": "2"}, "a": {"N": "2"}, "b": {"N": "3"}}])
        assert rows(bench, "SELECT a, b FROM Things ORDER BY pk") == [("1", None), ("2", "3")]


def test_null_missing_and_empty_are_three_things() -> None:
    items: list[Tagged] = [
        {"pk": {"S": "1"}, "v": {"NULL": True}},
        {"pk": {"S": "2"}},
        {"pk": {"S": "3"}, "v": {"S": ""}},
        {"pk": {"S": "4"}, "only": {"NULL": True}, "m": {"M": {"f1": {"N": "7"}, "f2": {"NULL": True}}}},
    ]
    with Bench.open() as bench:
        load_items(bench, items)
        assert rows(bench, 'SELECT v, "v (type)" FROM Things ORDER BY pk') == [
            (None, "NULL"),
            (None, None),
            ("", "S"),
            (None, None),
        ]
        assert rows(bench, 'SELECT count("v (type)"), count(v), count("only (type)"), count("only") FROM Things') == [
            ("2", "1", "1", "0")
        ]
        assert rows(bench, "SELECT m FROM Things WHERE m IS NOT NULL") == [('{"f1":{"N":"7"},"f2":{"NULL":true}}',)]


def test_each_type_by_itself() -> None:
    item: Tagged = {
        "pk": {"S": "a"},
        "bool": {"BOOL": False},
        "bin": {"B": "AAH/"},
        "ss": {"SS": ["b", "a"]},
        "ns": {"NS": ["1.0", "2"]},
        "bs": {"BS": ["AA=="]},
        "list": {"L": [{"N": "1"}, {"S": ""}]},
        "map": {"M": {}},
    }
    with Bench.open() as bench:
        kinds = types_of(bench, [item])
        assert (kinds["bool"], kinds["bin"], kinds["ss"], kinds["list"]) == ("BOOLEAN", "BLOB", "VARCHAR", "VARCHAR")
        assert rows(bench, "SELECT bool, bin, ss, ns, bs, list, map FROM Things") == [
            ("false", "0001ff", '["b","a"]', '["1.0","2"]', '["AA=="]', '[{"N":"1"},{"S":""}]', "{}")
        ]


def test_several_types_in_one_attribute_stay_apart() -> None:
    values: list[dict[str, object]] = [{"S": "5"}, {"N": "5"}, {"BOOL": True}, {"M": {"N": {"N": "5"}}}, {"SS": ["5"]}]
    items: list[Tagged] = [{"pk": {"S": str(i)}, "v": value} for i, value in enumerate(values)]
    with Bench.open() as bench:
        load_items(bench, items)
        assert rows(bench, 'SELECT v, "v (type)", "v (number)" FROM Things ORDER BY pk') == [
            ("5", "S", None),
            ("5", "N", "5"),
            ("true", "BOOL", None),
            ('{"N":{"N":"5"}}', "M", None),
            ('["5"]', "SS", None),
        ]


# --------------------------------------------------------------------------------------------------------------- names

ODD = (
    *("Id", "ID", "id", "item", "Item", "a.b", "a[0]", 'q"uote', "it's", "back\\slash", "a/b~c", "~1", "/", "*", "#"),
    *(
        "$",
        "$.x",
        "",
        " ",
        "0",
        "-",
        "select",
        "a\0b",
        "line\nend",
        "é",
        "e\u0301",
        "\u202ertl",
        "💙",
        "İ",
        "i̇",
        "ß",
        "SS",
    ),
    *("v (type)", "v (number)", "n 2", "x" * 10_000, "x" * 10_001, "(empty name)", "...", "%s", "{f}", "--", ";", "?"),
)


def test_every_name_gets_a_column_that_leads_back_to_it() -> None:
    attributes: Tagged = {name: {"S": f"value of {name[:20]!r} {i}"} for i, name in enumerate(ODD)}
    item: Tagged = {"pk": {"S": "a"}, "v": {"N": "1"}, "n": {"S": "n"}, **attributes}
    other: Tagged = {"pk": {"S": "b"}, "v": {"S": "text"}}
    with Bench.open() as bench:
        loaded = load_items(bench, [item, other])
        found = [column for column in columns(bench, loaded).values() if column.attribute in attributes]
        assert len(found) >= len(ODD)
        assert len({column.name.casefold() for column in found}) == len(found)
        assert all(len(column.name) <= LONGEST_NAME + 20 for column in found)
        plain = [column for column in found if column.note == ""]
        assert {column.attribute for column in plain} == set(ODD)
        selected = ", ".join(sets.quoted(column.name) for column in plain)
        (cells,) = rows(bench, f"SELECT {selected} FROM Things WHERE pk = 'a'")
        assert {c.attribute: cell for c, cell in zip(plain, cells, strict=True)} == {
            name: value["S"] for name, value in attributes.items()
        }
        assert stored_items(bench, loaded) == in_order([item, other])


def test_a_name_of_a_megabyte() -> None:
    name = "n" * 1_000_000
    with Bench.open() as bench:
        loaded = load_items(bench, [{"pk": {"S": "a"}, name: {"N": "7"}}])
        (column,) = [column for column in columns(bench, loaded).values() if column.attribute == name]
        assert rows(bench, f'SELECT "{column.name}" FROM Things') == [("7",)]


def test_more_attributes_than_columns_are_still_in_the_item() -> None:
    item: Tagged = {"pk": {"S": "a"}, **{f"a{i:05}": {"N": str(i)} for i in range(MOST_COLUMNS + 50)}}
    with Bench.open() as bench:
        loaded = load_items(bench, [item])
        assert (
            len({column.attribute for column in columns(bench, loaded).values() if column.attribute})
            <= MOST_COLUMNS + 1
        )
        assert rows(bench, "SELECT item->>'$.a01049.N' FROM Things") == [("1049",)]


def test_the_census_is_kept_with_the_set() -> None:
    with Bench.open() as bench:
        loaded = load_items(bench, [{"pk": {"S": "1"}, "v": {"N": "1"}}, {"pk": {"S": "2"}, "v": {"S": "x"}}])
        found = columns(bench, loaded)
        assert found["v"].types == {"N": 1, "S": 1}
        assert found["pk"].types == {"S": 2}
        assert list(found)[-1] == "item"
        with bench.cursor(Ticket()) as cursor:
            described = cursor.execute('DESCRIBE "Things"').fetchall()
        assert [(row[0], row[1]) for row in described] == [(c.name, c.type) for c in found.values()]
        assert json.loads(rows(bench, "SELECT item FROM Things WHERE pk = '1'")[0][0] or "") == {
            "pk": {"S": "1"},
            "v": {"N": "1"},
        }


def test_a_wide_set_with_a_large_item_fits_into_little_memory() -> None:
    wide: Tagged = {f"a{i:02}": {"S": str(i)} for i in range(60)}
    items: list[Tagged] = [{"pk": {"S": f"{i:05}"}, **wide} for i in range(200)]
    items[100]["a00"] = {"S": "x" * 390_000}
    with Bench.open(memory_limit="200MB", threads=1) as bench:
        load_items(bench, items)
        assert len(rows(bench, "SELECT * FROM Things")) == 200
