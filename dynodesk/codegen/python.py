"""A request as Python with boto3."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from dynodesk.codegen.places import DEFAULT, Place
from dynodesk.codegen.shapes import binary_as_bytes, holds_bytes
from dynodesk.codegen.texts import code_point_escape, joined_words, laid_out, quoted

_INDENT = "    "


def as_boto3(operation: str, parameters: Mapping[str, Any], place: Place = DEFAULT) -> str:
    """Raises `NoCode` for what is not known of the API here."""
    sent = binary_as_bytes(operation, parameters)
    options = [("region_name", place.region), ("endpoint_url", place.endpoint)]
    client = ", ".join(['"dynamodb"', *(f"{name}={_string(said)}" for name, said in options if said)])
    arguments = [f"{name}={_literal(value)}" for name, value in sent.items()]
    call = laid_out(f"client.{joined_words(operation, '_')}(", arguments, ")", indent=_INDENT)
    imports = "import base64\n\nimport boto3\n" if holds_bytes(sent) else "import boto3\n"
    return f"{imports}\nclient = boto3.client({client})\nresponse = {call}\nprint(response)"


def _literal(value: object) -> str:
    match value:
        case dict():
            members = [f"{_string(name)}: {_literal(member)}" for name, member in value.items()]
            return laid_out("{", members, "}", indent=_INDENT)
        case list():
            return laid_out("[", [_literal(member) for member in value], "]", indent=_INDENT)
        case bytes():
            return f'base64.b64decode("{base64.b64encode(value).decode()}")'
        case str():
            return _string(value)
        case _:
            return repr(value)


def _string(text: str) -> str:
    return quoted(text, code_point_escape)
