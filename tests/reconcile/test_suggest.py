"""Rules proposed from a sample: what is found, how it is written, and what is not taken for a count."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynodesk.domain.item_json import item_from_dynamodb
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, KeyType, Projection, TableInfo
from dynodesk.domain.values import Item, Map, Number, String, StringSet
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.key_shapes import shapes
from dynodesk.reconcile.rules import parse_rules
from dynodesk.reconcile.suggest import Sample, Suggestion, Trial, suggest, try_out
from dynodesk.sandbox.sample_table import SampleTable
from dynodesk.sandbox.samples import sample_tables
from tests.helpers.memory_reader import MemoryReader
from tests.helpers.social import no_time_to_live

SCHEMA = KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "S"),))
TABLE = TableInfo("T", SCHEMA)


def item(pk: str, sk: str, **attributes: str | int) -> Item:
    values = {name: Number(str(v)) if isinstance(v, int) else String(v) for name, v in attributes.items()}
    return {"PK": String(pk), "SK": String(sk), **values}


def proposed(items: Sequence[Item], table: TableInfo = TABLE) -> list[Suggestion]:
    return suggest([Sample(table, items, is_whole=True)])


def posts(attribute: str, counts: Sequence[int], stored: Sequence[int]) -> list[Item]:
    items = [item(f"POST#{i:x}7", "META", **{attribute: n}) for i, n in enumerate(stored)]
    return items + [item(f"POST#{i:x}7", f"LIKE#u{j:x}") for i, count in enumerate(counts) for j in range(count)]


def as_sample(table: SampleTable) -> Sample:
    types: dict[str, KeyType] = {d["AttributeName"]: d["AttributeType"] for d in table.create["AttributeDefinitions"]}

    def schema(given_schema: list[dict[str, str]]) -> KeySchema:
        def of(kind: str) -> tuple[KeyAttribute, ...]:
            names = [part["AttributeName"] for part in given_schema if part["KeyType"] == kind]
            return tuple(KeyAttribute(name, types[name]) for name in names)

        return KeySchema(of("HASH"), of("RANGE"))

    indexes = tuple(
        IndexInfo(index["IndexName"], "GSI", schema(index["KeySchema"]), Projection("ALL"))
        for index in table.create.get("GlobalSecondaryIndexes", [])
    )
    info = TableInfo(table.name, schema(table.create["KeySchema"]), indexes)
    return Sample(info, [item_from_dynamodb(one) for one in table.items], is_whole=True)


def test_the_sandbox_shows_its_rules() -> None:
    found = suggest([as_sample(table) for table in sample_tables()])
    written = {str(one.attribute) + str(one.children): one.toml() for one in found}
    assert len(found) == len(written) == 7
    text = "\n".join(written.values())
    for line in (
        'children = { PK = "POST#{post}", SK = "LIKE#{user}" }',
        'children = { PK = "ACTOR#{user}", SK = "TARGET#{target}" }',
        'children = { index = "GSI1", GSI1PK = "TARGET#{user}", GSI1SK = "ACTOR#{actor}" }',
        'children = { table = "Members", workspace = "{id}", member = "{member}" }\nwhere = "attribute_not_exists(de',
        'children = { PK = "COURSE#{course}", SK = "STUDENT#{student}" }',
        'parent = { PK = "VID#{vid}", SK = "STATS#TOTAL#{shard}" }',
        'parent = { PK = "VID#{vid}#{shard}", SK = "STATS" }',
        'sum_of = "shards"\nshards = 4',
    ):
        assert line in text
    tables = {sample.table.name: sample.table for sample in map(as_sample, sample_tables())}
    bind_rules(parse_rules("version = 1\n" + text, "suggested.toml"), tables.__getitem__, no_time_to_live)


def test_a_count_that_mostly_agrees_is_proposed_with_its_evidence() -> None:
    (found,) = proposed(posts("likes", [3, 2, 0, 5], [3, 2, 0, 4]))
    assert (found.agreed, found.compared, found.parents) == (2, 3, 4)
    assert found.evidence == "2 of 3 parents agree"
    assert found.examples[0] == {"post": "37"}


@pytest.mark.parametrize(
    ("counts", "stored"),
    [([3, 2, 1], [9, 8, 7]), ([2, 1], [2, 1]), ([0, 0, 0, 0], [0, 0, 0, 0]), ([5, 5, 5, 5], [5, 1, 1, 1])],
)
def test_chance_is_not_taken_for_a_count(counts: list[int], stored: list[int]) -> None:
    assert proposed(posts("likes", counts, stored)) == []


def test_sums_sizes_and_nested_numbers() -> None:
    items: list[Item] = []
    for number in range(5):
        shop = item(f"SHOP#{number}a", "META", open=number)
        totals = Map({"revenue": Number(f"{number * 3}.5"), "orders": Number("2")})
        items.append(
            {
                **shop,
                "totals": totals,
                "tags": StringSet(tuple("abcdef"[: number + 1])),
                "tagCount": Number(str(number + 1)),
            }
        )
        items += [
            {**item(f"SHOP#{number}a", f"ORDER#{n}"), "amount": Number(amount)}
            for n, amount in enumerate((f"{number}.5", f"{number * 2}"))
        ]
    found = {str(one.attribute): one.measure for one in proposed(items)}
    assert found == {"totals.revenue": "sum(amount)", "totals.orders": "count", "tagCount": "size(tags)"}


def test_sums_of_all_digits_agree() -> None:
    items: list[Item] = []
    for number in range(6):
        amounts = [Number(f"{number + 1}{'0' * 35}1"), Number("1")]
        items.append({**item(f"SHOP#{number}a", "META"), "revenue": Number(f"{number + 1}{'0' * 35}2")})
        items += [{**item(f"SHOP#{number}a", f"ORDER#{n}"), "amount": amount} for n, amount in enumerate(amounts)]
    assert [one.measure for one in proposed(items)] == ["sum(amount)"]


def test_a_part_of_a_table_says_so() -> None:
    (found,) = suggest([Sample(TABLE, posts("likes", [3, 2, 1], [3, 2, 1]), is_whole=False)])
    assert found.evidence == "3 of 3 parents agree in the sample, which is not the whole table"


def test_a_trial_reads_anew() -> None:
    items = posts("likes", [3, 2, 1], [3, 2, 1])
    (found,) = proposed(items)
    (rule,) = bind_rules(parse_rules(found.file, "f"), lambda _: TABLE, no_time_to_live)
    reader = MemoryReader(TABLE)
    reader.put("T", *items)
    assert try_out(rule, found.examples, reader, Ticket(), now=0) == Trial(3, 3)
    reader.put("T", item("POST#07", "LIKE#later"))
    assert try_out(rule, found.examples, reader, Ticket(), now=0).words == "2 of 3 parents agree when read anew"


@given(st.integers(0, 10**6))
def test_what_is_proposed_is_always_a_rule(seed: int) -> None:
    """Keys of any look: a proposal can be read back and fits its table."""
    chance = random.Random(seed)
    words = ["A", "b", "META", "x-y", "é", "#", "{", "}", '"', "\\", "1", "22", " ", "\n"]

    def text() -> str:
        return "".join(chance.choice([*words, "#", "#"]) for _ in range(chance.randint(1, 4)))

    parents = [item(text(), "M", n=chance.randint(0, 2)) for _ in range(6)]
    children = [{**one, "SK": String(text())} for one in parents for _ in range(chance.randint(0, 3))]
    for found in proposed([*parents, *children]):
        bind_rules(parse_rules(found.file, "f"), lambda _: TABLE, no_time_to_live)


def test_shapes_tell_words_from_names() -> None:
    items = [item(f"ORG#{org}", sk) for org in ("acme", "zeta", "9x") for sk in ("META", "USER#a#1", "USER#b#2")]
    assert [str(shape.pattern) for shape in shapes(items, SCHEMA)] == [
        "PK ORG#{org} / SK USER#{user}#{user_2}",
        "PK ORG#{org} / SK META",
    ]
