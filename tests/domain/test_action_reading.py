"""Composed requests out of their parameters: the same to the letter, and nothing made of what is none."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from dynodesk.domain.action_json import parameters_json
from dynodesk.domain.action_reading import request_from_json
from dynodesk.domain.actions import actions_of, is_read, statements_of
from dynodesk.domain.errors import DynodeskError
from tests.domain.composed_requests import ComposedRequests

KEY = {"PK": {"S": "a"}}


def test_read_back_they_are_sent_in_the_same_words() -> None:
    made = ComposedRequests(Random(11))
    for _ in range(400):
        request = made.request()
        parameters = parameters_json(request)
        again = request_from_json(request.operation, json.loads(json.dumps(parameters)))
        assert parameters_json(again) == parameters
        assert actions_of(again) == actions_of(request)
        assert len(statements_of(again)) == len(statements_of(request))
        assert is_read(again) == is_read(request)


@pytest.mark.parametrize(
    ("operation", "parameters"),
    [
        ("PutItem", {}),
        ("PutItem", {"TableName": "T", "Item": {"a": {"N": "x"}, "b": 1}}),
        ("UpdateItem", {"TableName": "T", "Key": KEY}),
        ("UpdateItem", {"TableName": "T", "Key": KEY, "UpdateExpression": "ADD a :missing"}),
        ("DeleteItem", {"TableName": "T", "Key": {}}),
        ("TransactWriteItems", {"TransactItems": [{"Get": {"TableName": "T", "Key": KEY}}], "ClientRequestToken": "t"}),
        ("TransactWriteItems", {"TransactItems": [{"ConditionCheck": {"TableName": "T", "Key": KEY}}]}),
        ("TransactWriteItems", {"TransactItems": 1, "ClientRequestToken": "t"}),
        ("TransactGetItems", {"TransactItems": [{"Put": {}}]}),
        ("ExecuteStatement", {"Statement": "SELECT * FROM t", "Parameters": [1]}),
        ("ExecuteTransaction", {"TransactStatements": [None], "ClientRequestToken": "t"}),
        ("DeleteTable", {"TableName": "T"}),
    ],
)
def test_what_is_no_request_is_refused(operation: str, parameters: dict[str, Any]) -> None:
    with pytest.raises(DynodeskError):
        request_from_json(operation, parameters)
