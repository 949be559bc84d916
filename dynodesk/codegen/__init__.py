"""A request of DynamoDB's API as code that sends the same from elsewhere.

`LANGUAGES` are the forms there are, in the order that they are offered in; each is called with the operation, its
parameters as DynamoDB JSON (numbers as text, binary as Base64: `{"Item": {"id": {"S": "1"}}, …}`) and the `Place` that
the code is to send it to. What a language has no equivalent for is a `NoCode`, whose message says why.

All that cannot be seen is escaped, so that what is copied does what it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dynodesk.codegen.aws_cli import as_cli
from dynodesk.codegen.go import as_go
from dynodesk.codegen.java import as_java
from dynodesk.codegen.javascript import as_javascript
from dynodesk.codegen.partiql import as_partiql
from dynodesk.codegen.places import DEFAULT, Place
from dynodesk.codegen.python import as_boto3
from dynodesk.codegen.request_json import as_json
from dynodesk.codegen.shapes import NoCode

__all__ = ["DEFAULT", "LANGUAGES", "Language", "NoCode", "Place", "as_boto3", "as_cli", "as_json"]


@dataclass(frozen=True, slots=True)
class Language:
    name: str
    write: Callable[[str, Mapping[str, Any], Place], str]
    """Of the operation and its parameters. Raises `NoCode`."""


LANGUAGES: tuple[Language, ...] = (
    Language("Request JSON", as_json),
    Language("AWS CLI", as_cli),
    Language("boto3", as_boto3),
    Language("JavaScript", as_javascript),
    Language("Java", as_java),
    Language("Go", as_go),
    Language("PartiQL", as_partiql),
)
