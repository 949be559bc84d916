"""A request of DynamoDB's API as text that does the same elsewhere: JSON, Python with boto3, the AWS CLI."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any

_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def as_json(parameters: Mapping[str, Any]) -> str:
    return json.dumps(parameters, indent=2, ensure_ascii=False)


def as_boto3(operation: str, parameters: Mapping[str, Any]) -> str:
    method = _WORD.sub("_", operation).lower()
    arguments = "".join(f"    {name}={_python(value, 1)},\n" for name, value in parameters.items())
    return f'import boto3\n\nboto3.client("dynamodb").{method}(\n{arguments})'


def as_cli(operation: str, parameters: Mapping[str, Any]) -> str:
    """For a POSIX shell."""
    command = _WORD.sub("-", operation).lower()
    return f"aws dynamodb {command} --cli-input-json {shlex.quote(as_json(parameters))}"


def _python(value: object, depth: int) -> str:
    """A literal with double quotes, one member a line."""
    inside, outside = "    " * (depth + 1), "    " * depth
    match value:
        case Mapping():
            members = [
                f"{json.dumps(name, ensure_ascii=False)}: {_python(member, depth + 1)}"
                for name, member in value.items()
            ]
            return "{\n" + "".join(f"{inside}{member},\n" for member in members) + f"{outside}}}" if members else "{}"
        case list():
            members = [_python(member, depth + 1) for member in value]
            return "[\n" + "".join(f"{inside}{member},\n" for member in members) + f"{outside}]" if members else "[]"
        case str():
            return json.dumps(value, ensure_ascii=False)  # its escapes mean the same in Python
        case _:
            return repr(value)
