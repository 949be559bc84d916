"""The guard as code: it says what it should in each language, with the table's names, and the Python of it runs."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from dynodesk.domain.findings import LANGUAGES
from dynodesk.domain.tallies import TallyRule
from dynodesk.reconcile.guards import every_language, guards
from tests.reconcile.test_rule_kinds import FOLLOWERS, MEMBERS, ORDERS, PLAYS, bound


def only(rule: str) -> TallyRule:
    (found,) = bound(rule)
    return found


class Recorder:
    """Stands for a client: what it was asked to write."""

    def transact_write_items(self, **request: object) -> None:
        self.request = request


def run_python(code: str, **captured: str) -> dict[str, Any]:
    client = Recorder()
    exec(code, {"client": client, **captured})  # noqa: S102  (our own code is what is tested)
    return client.request


def test_python_counts_child_and_parent_in_one_transaction() -> None:
    add, remove = guards(only(MEMBERS), "python")
    assert run_python(add.code, ws="a", m="1", token="t") == {
        "TransactItems": [
            {
                "Put": {
                    "TableName": "Members",
                    "Item": {"workspace": {"S": "a"}, "member": {"S": "1"}},
                    "ConditionExpression": "attribute_not_exists(#pk)",
                    "ExpressionAttributeNames": {"#pk": "workspace"},
                }
            },
            {
                "Update": {
                    "TableName": "Workspaces",
                    "Key": {"id": {"S": "a"}},
                    "UpdateExpression": "SET #n = #n + :by, #rev = #rev + :one",
                    "ConditionExpression": "attribute_exists(#pk)",
                    "ExpressionAttributeNames": {"#pk": "id", "#n": "memberCount", "#rev": "rev"},
                    "ExpressionAttributeValues": {":by": {"N": "1"}, ":one": {"N": "1"}},
                }
            },
        ],
        "ClientRequestToken": "t",
    }
    taken = run_python(remove.code, ws="a", m="1", token="t")["TransactItems"]
    assert taken[0]["Delete"]["ConditionExpression"] == "attribute_exists(#pk)"
    assert taken[1]["Update"]["UpdateExpression"] == "SET #n = #n - :by, #rev = #rev + :one"


@pytest.mark.parametrize(
    "text", [MEMBERS, MEMBERS + 'missing = "zero"', FOLLOWERS, PLAYS, ORDERS + 'measure = "sum(amount)"']
)
def test_all_languages_say_the_same(text: str) -> None:
    rule = only(text)
    names = {
        name: f"<{name}>" for name in ("ws", "m", "user", "actor", "video", "shard", "id", "shop", "amount", "token")
    }
    names |= {"child_pk": "<child_pk>", "child_sk": "<child_sk>"}
    for python, javascript, written in zip(*(guards(rule, language) for language in LANGUAGES), strict=True):
        request = json.loads(written.code)
        assert run_python(python.code, **names) == request
        inner = re.sub(r"^await client\.send\(new TransactWriteItemsCommand\(|\)\);$", "", javascript.code)
        inner = re.sub(r"String\((\w+)\)", r'"<\1>"', re.sub(r"\$\{(\w+)\}", r"<\1>", inner)).replace("`", '"')
        inner = re.sub(r"([{,\s])([A-Za-z_]\w*): ", r'\1"\2": ', inner)
        assert json.loads(re.sub(r",(\s*[}\]])", r"\1", inner)) == request


def test_a_missing_tally_that_counts_as_nothing_begins_at_nothing() -> None:
    add, _ = guards(only(MEMBERS + 'missing = "zero"'), "json")
    update = json.loads(add.code)["TransactItems"][1]["Update"]
    assert update["UpdateExpression"].startswith("SET #n = if_not_exists(#n, :zero) + :by")
    assert update["ExpressionAttributeValues"][":zero"] == {"N": "0"}


def test_names_that_mean_something_to_a_language_are_data() -> None:
    awkward = """
[[tally]]
name = "awkward"
table = "Social"
parent = { PK = 'P"`${{x}}\\{post}', SK = "META" }
attribute = "like\\\\.s 😀"
children = { PK = 'P"`${{x}}\\{post}', SK = "L'#{user}" }
"""
    add, _ = guards(only(awkward), "python")
    request = run_python(add.code, post="1", user="2", token="t")
    assert request["TransactItems"][0]["Put"]["Item"] == {"PK": {"S": 'P"`${x}\\1'}, "SK": {"S": "L'#2"}}
    assert request["TransactItems"][1]["Update"]["ExpressionAttributeNames"]["#n"] == "like.s 😀"
    script = next(guard.code for guard in every_language(only(awkward)) if guard.language == "javascript")
    assert '`P\\"\\`\\${x}\\\\${post}`' in script


def test_an_amount_within_a_map_is_written_there() -> None:
    add, _ = guards(only(ORDERS + 'measure = "sum(price.net)"'), "json")
    item = json.loads(add.code)["TransactItems"][0]["Put"]["Item"]
    assert item["price"] == {"M": {"net": {"N": "<amount>"}}}


@pytest.mark.parametrize("measure", ["distinct(who)", "distinct(id)"])
def test_nothing_is_said_of_what_differs(measure: str) -> None:
    assert list(every_language(only(ORDERS + f'measure = "{measure}"'))) == []


def test_nothing_is_said_of_a_tally_about_its_own_item() -> None:
    size = MEMBERS.replace(
        'children = { table = "Members", workspace = "{ws}", member = "{m}" }', 'measure = "size(m)"'
    )
    assert list(every_language(only(size))) == []
