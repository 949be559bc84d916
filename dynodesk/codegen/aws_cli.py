"""A request as a command of the AWS CLI."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

from dynodesk.codegen.places import DEFAULT, Place
from dynodesk.codegen.request_json import as_json
from dynodesk.codegen.shapes import OPERATIONS, binary_as_bytes, holds_bytes
from dynodesk.codegen.texts import joined_words

LONGEST_ARGUMENT = 100_000
"""Bytes of one argument of a command; Linux takes 131,071."""
PAGINATED = frozenset({"Query", "Scan"})
"""What the AWS CLI would send again and again until all has been read."""


def as_cli(operation: str, parameters: Mapping[str, Any], place: Place = DEFAULT) -> str:
    """For a POSIX shell.

    The JSON is one argument in single quotes, or a temporary file where it is too long for that. Neither is looked
    into for what the shell or the AWS CLI would replace: variables, names of files.
    """
    words = ["aws", "dynamodb", joined_words(operation, "-")]
    if operation in PAGINATED:
        words.append("--no-paginate")
    if place.region:
        words += ["--region", place.region]
    if place.endpoint:
        words += ["--endpoint-url", place.endpoint]
    has_binary = operation in OPERATIONS and holds_bytes(binary_as_bytes(operation, parameters))
    if has_binary:
        # Whatever is configured. Version 1 does not know the option, and would encode the Base64 once more.
        words += ["--cli-binary-format", "base64"]
    command = f"{shlex.join(words)} --cli-input-json"
    text = as_json(operation, parameters).replace("'", r"\u0027")
    if len(text.encode()) > LONGEST_ARGUMENT:
        # A file, because the AWS CLI reads it twice; of ASCII, because it is read in the encoding of the terminal.
        only_ascii = json.dumps(parameters, indent=2)
        written = f"request=$(mktemp)\ncat > \"$request\" <<'REQUEST'\n{only_ascii}\nREQUEST"
        command = f'{written}\n{command} "file://$request"\nrm "$request"'
    else:
        command = f"{command} '{text}'"
    return f"# Binary values need version 2 of the AWS CLI.\n{command}" if has_binary else command
