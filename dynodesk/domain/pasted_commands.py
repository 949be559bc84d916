"""A command of the AWS CLI as somebody wrote it for a POSIX shell."""

from __future__ import annotations

import re
from typing import Any

from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.item_json import read_json
from dynodesk.domain.shell_words import shell_words

COMMAND = re.compile(r"(?:\s|#[^\n]*\n|\$\s)*aws\s")
"""How a text begins that is such a command."""

_HERE = re.compile(r"<<-?\s*(['\"]?)(\w+)\1[ \t]*\r?\n(.*?)\r?\n\2[ \t]*$", re.DOTALL)
_FILE = re.compile(
    r"(?P<notes>(?:\s*#[^\n]*\n)*)\s*(?P<name>\w+)=\$\(mktemp\)\s*\n"
    r"\s*cat > \"?\$(?P=name)\"? <<\s*(?P<quote>['\"])(?P<end>\w+)(?P=quote)\s*?\n(?P<content>.*?)\n(?P=end)\s*?\n"
    r"(?P<command>.*?)(?:\n\s*rm (?:-f )?\"?\$(?P=name)\"?)?\s*",
    re.DOTALL,
)
_GLOBAL = frozenset(
    {
        *("region", "profile", "endpoint-url", "output", "query", "color", "ca-bundle"),
        *("cli-read-timeout", "cli-connect-timeout", "page-size", "max-items", "starting-token"),
    }
)
"""Options of every command that take a value, and say nothing of the request."""
_GLOBAL_FLAGS = frozenset(
    {
        *("debug", "no-cli-pager", "no-paginate", "no-sign-request", "no-verify-ssl"),
        *("cli-auto-prompt", "no-cli-auto-prompt"),
    }
)
_FLAGS = {
    "consistent-read": ("ConsistentRead", True),
    "no-consistent-read": ("ConsistentRead", False),
    "scan-index-forward": ("ScanIndexForward", True),
    "no-scan-index-forward": ("ScanIndexForward", False),
}
_JSON = frozenset(
    {
        *("Key", "Item", "ExpressionAttributeNames", "ExpressionAttributeValues", "Parameters"),
        *("TransactItems", "TransactStatements", "RequestItems", "Statements", "ExclusiveStartKey"),
        *("Expected", "AttributeUpdates", "KeyConditions", "QueryFilter", "ScanFilter", "AttributesToGet"),
    }
)
"""Parameters that are given as JSON; every other is a text."""


def with_its_file(text: str) -> str:
    """A command whose parameters are in a file that the lines before it write, as the same with them on its stdin."""
    found = _FILE.fullmatch(text)
    if found is None:
        return text
    command = re.sub(rf'"?file://\${found["name"]}"?', "file:///dev/stdin", found["command"])
    return f"{found['notes']}{command} <<'{found['end']}'\n{found['content']}\n{found['end']}"


def read_command(text: str) -> tuple[str, dict[str, Any]]:
    """The operation, as the API names it, and its parameters, as JSON is decoded: numbers as `Number`.

    Raises `InvalidRequest` and, for JSON that cannot be read, `InvalidFile`.
    """
    start = COMMAND.match(text)
    text = text[0 if start is None else start.end() :]
    here = _HERE.search(text)
    if here is not None:
        text = text[: here.start()] + text[here.end() :]
    words = shell_words(text)
    command, options = _options(words, "" if here is None else here[3])
    found: dict[str, Any] = {}
    for name, said in options.items():
        if name == "cli-input-json":
            continue
        if name in _FLAGS:
            parameter, flag = _FLAGS[name]
            found[parameter] = flag
            continue
        parameter = _camel(name)
        found[parameter] = _json(said, f"--{name}") if parameter in _JSON else said
    if "cli-input-json" in options:
        given = _json(options["cli-input-json"], "--cli-input-json")
        if not isinstance(given, dict):
            raise InvalidRequest("--cli-input-json: the parameters are a JSON object")
        found = {**given, **found}
    return _camel(command), found


def _options(words: list[str], here: str) -> tuple[str, dict[str, str]]:
    """The command of `aws dynamodb`, and its options without those that are not of the request."""
    plain: list[str] = []
    options: dict[str, str] = {}
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not word.startswith("--"):
            plain.append(word)
            continue
        name, has_value, value = word[2:].partition("=")
        if name in _GLOBAL_FLAGS:
            continue
        if name in _FLAGS:
            options[name] = ""
            continue
        if not has_value:
            if at == len(words):
                raise InvalidRequest(f"--{name}: its value is missing", hint="Paste all of the command.")
            value, at = words[at], at + 1
        if name in _GLOBAL:
            continue
        if name == "cli-binary-format":
            if value != "base64":
                raise InvalidRequest(f"--{name} {value}: binary values have to be Base64")
            continue
        if name in options:
            raise InvalidRequest(f"--{name} is given twice", hint="Keep one of them.")
        options[name] = _read_from(name, value, here)
    if len(plain) < 2 or plain[0] != "dynamodb":
        raise InvalidRequest("this is no command of aws dynamodb", hint="As aws dynamodb update-item --table-name …")
    if len(plain) > 2:
        raise InvalidRequest(f"{plain[2]} has no place in the command", hint="Paste the command alone, in one piece.")
    return plain[1], options


def _read_from(name: str, value: str, here: str) -> str:
    if value == "file:///dev/stdin" and here:
        return here
    if value.startswith(("file://", "fileb://")):
        raise InvalidRequest(f"--{name} names a file, which is not read", hint="Paste what is in the file.")
    return value


def _json(text: str, option: str) -> object:
    if not text.lstrip().startswith(("{", "[")):
        raise InvalidRequest(f"{option} is not JSON", hint="The short form name=value is not read: write it as JSON.")
    return read_json(text, option)


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("-"))
