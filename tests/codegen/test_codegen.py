"""A request as text of other tools says the same as the request."""

from __future__ import annotations

import ast
import json
import shlex
from typing import Any

from dynodesk.codegen import as_boto3, as_cli, as_json

REQUEST: dict[str, Any] = {
    "TableName": "it's",
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": 'a"b\\c\n\U0001f600\u2028'},
    "KeySchema": [{"AttributeName": "$PK `x`", "KeyType": "HASH"}],
    "Empty": [],
    "Units": 5,
}


def test_json() -> None:
    assert json.loads(as_json("CreateTable", REQUEST)) == REQUEST


def test_boto3() -> None:
    call = ast.parse(as_boto3("CreateTable", REQUEST)).body[-1]
    assert isinstance(call, ast.Expr)
    assert isinstance(call.value, ast.Call)
    assert ast.unparse(call.value.func) == "boto3.client('dynamodb').create_table"
    assert {word.arg: ast.literal_eval(word.value) for word in call.value.keywords} == REQUEST


def test_command_line() -> None:
    *command, option, said = shlex.split(as_cli("UpdateTable", REQUEST))
    assert command == ["aws", "dynamodb", "update-table"]
    assert option == "--cli-input-json"
    assert json.loads(said) == REQUEST
