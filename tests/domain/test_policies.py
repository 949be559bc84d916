"""Policies allow what a purpose takes on the tables that are named, and nothing else."""

from __future__ import annotations

import json

import pytest

from dynodesk.aws.clients import READ_OPERATIONS, STREAM_OPERATIONS, WRITE_OPERATIONS
from dynodesk.domain.policies import PURPOSES, Purpose, TableScope, missing_statement, policy, policy_text, table_arn
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection, TableInfo

KEY = KeySchema((KeyAttribute("PK", "S"),), (KeyAttribute("SK", "S"),))
GSI = IndexInfo("GSI1", "GSI", KEY, Projection("ALL", ()))
ARN = "arn:aws:dynamodb:eu-west-1:111122223333:table/Social"
SOCIAL = TableScope.of(TableInfo("Social", KEY, (GSI,), arn=ARN))
NAMES_ELSEWHERE = {
    "TransactGetItems": {"GetItem"},
    "TransactWriteItems": {"PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"},
    "ListTables": {"ListTables"},
}
"""Operations that have permissions of other operations."""


def actions(purpose: Purpose) -> set[str]:
    return {
        action.removeprefix("dynamodb:")
        for statement in policy(purpose, [SOCIAL])["Statement"]
        for action in statement["Action"]
    }


def test_the_purposes_together_allow_all_that_a_connection_lets_out_and_no_more() -> None:
    needed = {
        permission
        for operation in READ_OPERATIONS | WRITE_OPERATIONS | STREAM_OPERATIONS
        for permission in NAMES_ELSEWHERE.get(operation, {operation})
    }
    verbs = {"PartiQLSelect", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete"}
    assert set().union(*(actions(purpose) for purpose in PURPOSES)) == needed | verbs


@pytest.mark.parametrize("purpose", ["browse", "reconcile"])
def test_what_only_reads_is_allowed_no_write(purpose: Purpose) -> None:
    assert not actions(purpose) & (WRITE_OPERATIONS | {"PartiQLInsert", "PartiQLUpdate", "PartiQLDelete"})


def test_a_repair_writes_in_one_way_only() -> None:
    assert actions("repair") - actions("reconcile") == {"UpdateItem"}


def test_everything_but_the_list_is_for_these_tables_alone() -> None:
    for purpose in PURPOSES:
        for statement in policy(purpose, [SOCIAL])["Statement"]:
            if statement["Action"] == ["dynamodb:ListTables"]:
                assert statement["Resource"] == ["*"]
            else:
                assert all(resource.startswith(ARN) for resource in statement["Resource"])
    assert f"{ARN}/index/GSI1" in policy_text("browse", [SOCIAL])
    assert json.loads(policy_text("browse", [SOCIAL])) == policy("browse", [SOCIAL])


def test_a_table_without_indexes_has_no_statement_about_any() -> None:
    plain = TableScope.of(TableInfo("Plain", KEY, arn=ARN))
    assert [statement["Sid"] for statement in policy("browse", [plain])["Statement"]] == ["Tables", "List"]


@pytest.mark.parametrize(
    ("region", "account", "arn"),
    [
        ("eu-west-1", "111122223333", ARN),
        ("cn-north-1", "1", "arn:aws-cn:dynamodb:cn-north-1:1:table/Social"),
        ("us-gov-west-1", "", "arn:aws-us-gov:dynamodb:us-gov-west-1:*:table/Social"),
        ("", "", "arn:aws:dynamodb:*:*:table/Social"),
    ],
)
def test_the_arn_of_a_table_that_may_not_be_described(region: str, account: str, arn: str) -> None:
    assert table_arn("Social", region, account) == arn
    assert TableScope.named("Social", region, account).index_arns == (f"{arn}/index/*",)


def test_what_is_missing_is_one_statement() -> None:
    assert json.loads(missing_statement("dynamodb:Query", ARN)) == {
        "Effect": "Allow",
        "Action": ["dynamodb:Query"],
        "Resource": [ARN],
    }
