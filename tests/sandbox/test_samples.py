import json
import os
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.item_json import item_from_dynamodb
from dynodesk.domain.values import Number, check_item, order
from dynodesk.sandbox.samples import SampleTable, sample_tables

TABLES = {table.name: table for table in sample_tables()}


def key_names(table: SampleTable) -> list[str]:
    return [part["AttributeName"] for part in table.create["KeySchema"]]


def test_the_same_bytes_in_every_process() -> None:
    program = (
        "import json, dataclasses, hashlib; from dynodesk.sandbox.samples import sample_tables;"
        "tables = [dataclasses.asdict(table) for table in sample_tables(0.5)];"
        "print(hashlib.sha256(json.dumps(tables).encode()).hexdigest())"
    )
    digests = {
        subprocess.check_output([sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed})
        for seed in ("1", "2", "3")
    }
    assert len(digests) == 1


@pytest.mark.parametrize("name", TABLES)
def test_dynamodb_would_take_every_item(name: str) -> None:
    for item in TABLES[name].items:
        check_item(item_from_dynamodb(item))


@pytest.mark.parametrize("scale", [0.01, 0.5, 1.0, 2.5])
def test_no_two_items_have_one_key(scale: float) -> None:
    for table in sample_tables(scale):
        keys = Counter(tuple(json.dumps(item[name]) for name in key_names(table)) for item in table.items)
        assert keys.most_common(1)[0][1] == 1, table.name


def test_a_larger_scale_has_more_of_what_is_plentiful() -> None:
    counts = {scale: {t.name: len(t.items) for t in sample_tables(scale)} for scale in (0.01, 1, 4)}
    for name in ("Social", "Workspaces", "Members", "Stats", "Courses"):
        assert counts[0.01][name] < counts[1][name] < counts[4][name]
    for name in ("TypeZoo", "Readings"):
        assert counts[0.01][name] == counts[1][name] == counts[4][name]


@pytest.mark.parametrize("scale", [0, -1, 100.1, float("inf"), float("nan")])
def test_a_scale_out_of_range_is_refused(scale: float) -> None:
    with pytest.raises(InvalidRequest):
        sample_tables(scale)


def test_the_viral_post_has_800_likes_and_the_regular_user_12() -> None:
    social = TABLES["Social"].items
    assert sum(item["PK"] == {"S": "POST#e001"} and item["SK"]["S"].startswith("LIKE#") for item in social) == 800
    assert sum(item.get("GSI1PK") == {"S": "USER#7c20"} for item in social) == 12


@pytest.mark.parametrize("scale", [0.01, 1.0])
def test_named_items_exist_at_any_scale(scale: float) -> None:
    social = {(item["PK"]["S"], item["SK"]["S"]): item for item in sample_tables(scale)[0].items}
    assert social["POST#a91f", "META"]["title"] == {"S": "Harbour walk, take two"}
    assert social["POST#a91f", "LIKE#USER#7c20"]["reactions"] == {"SS": ["clap", "heart"]}
    assert ("ACTOR#alice", "TARGET#bob") in social


def test_what_the_index_leaves_out_is_there_to_be_missed() -> None:
    (index,) = TABLES["Social"].create["GlobalSecondaryIndexes"]
    projected = {"PK", "SK", "GSI1PK", "GSI1SK", *index["Projection"]["NonKeyAttributes"]}
    indexed = [item for item in TABLES["Social"].items if "GSI1PK" in item]
    assert {"reactions", "client"} <= {name for item in indexed for name in item} - projected


def test_counts_of_followers_follow_from_the_edges() -> None:
    social = TABLES["Social"].items
    followers = Counter(item["SK"]["S"][7:] for item in social if item["PK"]["S"].startswith("ACTOR#"))
    stored = {i["PK"]["S"][5:]: int(i["followerCount"]["N"]) for i in social if i["PK"]["S"].startswith("USER#")}
    assert stored == {user: followers[user] for user in stored}
    assert followers.keys() <= stored.keys()


def test_the_zoo_has_every_type() -> None:
    def tags(value: dict[str, Any]) -> set[str]:
        ((tag, content),) = value.items()
        inside = content if tag == "L" else content.values() if tag == "M" else ()
        return {tag}.union(*(tags(element) for element in inside))

    found = set[str]().union(*(tags(value) for item in TABLES["TypeZoo"].items for value in item.values()))
    assert found == {"S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"}


def test_keys_that_are_hard_to_sort_are_ranked_by_utf8_bytes() -> None:
    ranked = [item for item in TABLES["TypeZoo"].items if item["pk"] == {"S": "order"}]
    in_order = sorted(ranked, key=lambda item: item["sk"]["S"].encode())
    assert [item["rank"]["N"] for item in in_order] == [str(rank) for rank in range(len(ranked))]
    # The hard part: neither code units of UTF-16 nor any dictionary would sort them like this.
    assert in_order != sorted(ranked, key=lambda item: item["sk"]["S"].encode("utf-16-be"))
    assert in_order != sorted(ranked, key=lambda item: item["sk"]["S"].casefold())


def test_readings_are_ranked_by_value() -> None:
    of_one = [item for item in TABLES["Readings"].items if item["device"] == {"S": "d-1"}]
    in_order = sorted(of_one, key=lambda item: order(Number(item["at"]["N"])))
    assert [item["position"]["N"] for item in in_order] == [str(position) for position in range(len(of_one))]
