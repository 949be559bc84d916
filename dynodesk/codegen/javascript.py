"""A request as a JavaScript module with the AWS SDK, version 3."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any

from dynodesk.codegen.places import DEFAULT, Place
from dynodesk.codegen.shapes import binary_as_bytes
from dynodesk.codegen.texts import laid_out, quoted, utf16_escape

_INDENT = "  "
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PROTOTYPE = "__proto__"


def as_javascript(operation: str, parameters: Mapping[str, Any], place: Place = DEFAULT) -> str:
    """For Node.js, as an ES module. Raises `NoCode` for what is not known of the API here."""
    sent = binary_as_bytes(operation, parameters)
    options = [("region", place.region), ("endpoint", place.endpoint)]
    settings = _literal({name: said for name, said in options if said})
    call = f"await client.send(new {operation}Command({_literal(sent)}))"
    return (
        f'import {{ DynamoDBClient, {operation}Command }} from "@aws-sdk/client-dynamodb";\n\n'
        f"const client = new DynamoDBClient({settings});\n"
        f"const response = {call};\n"
        "console.dir(response, { depth: null });"
    )


def _literal(value: object) -> str:
    match value:
        case dict():
            members = [f"{_property(name)}: {_literal(member)}" for name, member in value.items()]
            return laid_out("{", members, "}", indent=_INDENT, space=" ")
        case list():
            return laid_out("[", [_literal(member) for member in value], "]", indent=_INDENT)
        case bytes():
            return f'Buffer.from("{base64.b64encode(value).decode()}", "base64")'
        case bool():
            return "true" if value else "false"
        case str():
            return _string(value)
        case _:
            return str(value)


def _property(name: str) -> str:
    if name == _PROTOTYPE:
        return f'["{name}"]'  # without the brackets it would be the prototype of the object
    return name if _IDENTIFIER.fullmatch(name) else _string(name)


def _string(text: str) -> str:
    return quoted(text, utf16_escape)
