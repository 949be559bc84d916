"""Reading one file of DynamoDB JSON page by page, each item checked; what may be in it is told by its first line.

| first line | file |
|---|---|
| `{"Item": {…}}` | JSON lines of an export to S3 |
| `{"pk": {"S": …}, …}` | JSON lines, one bare item a line |
| else | one JSON text: a reply of `aws dynamodb scan` or `query`, or its `Items` alone |

An item is checked to its innermost value: types that DynamoDB has, with content of their kind, exactly one for each
attribute, and a key. A member that an object holds twice is not noticed.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import UNSET, Raw, UnsetType

from dynodesk.domain.errors import DynodeskError, InvalidFile, InvalidValue
from dynodesk.domain.item_json import item_from_dynamodb, read_json
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import KeySchema

PAGE_BYTES = 128 * 1024
"""Of text that is checked at once: with more, what the check makes no longer fits the processor's cache."""
LONGEST_LINE = 16 * 1024 * 1024
"""No item is as long, whatever its escapes."""
LARGEST_REPLY = 512 * 1024 * 1024
"""A reply is one JSON text, which is in memory as a whole."""
REPLY_ITEMS = 500
"""Of a page that is cut out of a reply."""
_SHAPES = "JSON lines of DynamoDB JSON, an export to S3, or a reply as `aws dynamodb scan` prints it"
_GZIP = b"\x1f\x8b"
_MARK = b"\xef\xbb\xbf"
"""What some editors write before UTF-8 text."""

_MALFORMED = (msgspec.MsgspecError, RecursionError)

Form = Literal["lines", "exported", "reply"]
Content = TypeVar("Content")


class _Value(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """Any value; that it has exactly one type is not checked by this."""

    S: str | UnsetType = UNSET
    N: str | UnsetType = UNSET
    B: bytes | UnsetType = UNSET
    BOOL: bool | UnsetType = UNSET
    NULL: bool | UnsetType = UNSET
    SS: list[str] | UnsetType = UNSET
    NS: list[str] | UnsetType = UNSET
    BS: list[bytes] | UnsetType = UNSET
    L: list[_Value] | UnsetType = UNSET
    M: dict[str, _Value] | UnsetType = UNSET


class _Line(msgspec.Struct, Generic[Content], gc=False, forbid_unknown_fields=True, rename="pascal"):
    """A line of an export."""

    item: Content


class _Reply(msgspec.Struct, rename="pascal"):
    items: list[Raw]
    count: int | UnsetType = UNSET
    next_token: str | None = None
    last_evaluated_key: Raw = Raw(b"null")


_OneType = Annotated[dict[str, Raw], msgspec.Meta(min_length=1, max_length=1)]
_VALUES = msgspec.json.Decoder(list[dict[str, _Value]])
_ONE_TYPE_EACH = msgspec.json.Decoder(list[dict[str, _OneType]])
_LINE = msgspec.json.Decoder(Raw)
_EXPORTED_LINE = msgspec.json.Decoder(_Line[Raw])
_REPLY = msgspec.json.Decoder(_Reply | list[Raw])
_MEMBERS = msgspec.json.Decoder(dict[str, Raw])
_LET_PASS = re.compile(rb'"NULL"\s*:\s*false|[^AQgw]=="|[^AEIMQUYcgkosw048=]="')
"""What these let pass and `item_from_dynamodb` does not: NULL that is false, and base64 with bits left over.

A text that looks like it is only looked at more closely.
"""


Place = dict[str, int]
"""Where a page starts: `items` of the file before it; in lines also the byte `at` and the number of the `line` before.
"""
BEGINNING: Place = {"items": 0, "at": 0, "line": 0}


@dataclass(frozen=True, slots=True)
class FilePage:
    items: Sequence[Raw]
    end: Place


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Items that are not checked yet, and where they stand."""

    items: Sequence[Raw]
    start: Place
    end: Place
    numbers: Sequence[int]
    """Of each item: the number of its line, or its own in the reply."""
    text: bytes = b""
    """The lines they are in."""
    problem: str = ""
    """What is wrong with the next one, at `problem_at`."""
    problem_at: int = 0

    def before(self, number: int, good: int) -> Place:
        """Where the item with the number is, after so many good ones."""
        if not self.text:
            return {"items": self.start["items"] + good}
        lines = self.text.split(b"\n")[: number - 1 - self.start["line"]]
        at = self.start["at"] + sum(len(line) + 1 for line in lines)
        return {"items": self.start["items"] + good, "at": at, "line": number - 1}


def pages_of(path: Path, schema: KeySchema, ticket: Ticket, start: Place) -> Iterator[FilePage]:
    """Raises `InvalidFile` that names the place, after the page of all items before it."""
    with _translated(path), _opened(path) as stream:
        form = _form_of(path, _first_line(path, stream), schema.names[0])
        for stretch in _stretches(path, stream, form, start):
            ticket.checkpoint()
            good, problem = _checked(stretch.items, schema)
            if good == len(stretch.items) and not stretch.problem:
                yield FilePage(stretch.items, stretch.end)
                continue
            number = stretch.numbers[good] if problem else stretch.problem_at
            if good:
                yield FilePage(stretch.items[:good], stretch.before(number, good))
            raise _wrong(path, form, number, problem or stretch.problem)


def first_item(path: Path, name: str) -> dict[str, Any]:
    """The first item of a file, as decoded DynamoDB JSON, `name` being one of its attributes; empty where none is."""
    with _translated(path), _opened(path) as stream:
        form = _form_of(path, _first_line(path, stream), name)
        for stretch in _stretches(path, stream, form, BEGINNING):
            for raw in stretch.items:
                decoded: object = json.loads(bytes(raw))
                return decoded if isinstance(decoded, dict) else {}
            if stretch.problem:
                raise _wrong(path, form, stretch.problem_at, stretch.problem)
        return {}


def _wrong(path: Path, form: Form, number: int, problem: str) -> InvalidFile:
    return InvalidFile(
        f"{path.name}, {'item' if form == 'reply' else 'line'} {number:,}: {problem}",
        hint='DynamoDB JSON gives each value its type, as in {"pk": {"S": "a"}}.',
    )


# ------------------------------------------------------------------------------------------------------ bytes and form


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[io.BufferedIOBase]:
    with path.open("rb") as file:
        magic = file.read(2)
        file.seek(0)
        if magic != _GZIP:
            yield file
            return
        with gzip.GzipFile(fileobj=file) as unpacked:
            yield unpacked


@contextlib.contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except EOFError:
        raise InvalidFile(
            f"{path.name}: the compressed data ends too early", hint="Get the file again: it was cut on the way."
        ) from None
    except (gzip.BadGzipFile, zlib.error) as problem:
        raise InvalidFile(f"{path.name}: the compressed data is damaged ({problem})", hint="Get it again.") from None
    except OSError as problem:
        raise InvalidFile(f"{path.name} cannot be read: {problem.strerror or problem}") from None


def _first_line(path: Path, stream: io.BufferedIOBase) -> bytes:
    """The first line that is not blank; b"" where there is none."""
    if path.stat().st_size == 0:
        raise InvalidFile(f"{path.name} is empty", hint=f"A set is loaded from {_SHAPES}.")
    while line := stream.readline(LONGEST_LINE):
        line = line.removeprefix(_MARK)
        if line.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise InvalidFile(
                f"{path.name} is UTF-16 text, as PowerShell's > writes it", hint="Save it as UTF-8 and load it then."
            )
        if line.strip():
            return line
    return b""


def _form_of(path: Path, line: bytes, key: str) -> Form:
    """`key` is the name of an attribute that every item has. Raises `InvalidFile` for what is known and is no such."""
    if not line:
        return "lines"
    if line.startswith(b"$ion_1_0"):
        raise InvalidFile(f"{path.name} is an export in Amazon Ion", hint="Export the table as DynamoDB JSON.")
    try:
        members = _MEMBERS.decode(line)
    except _MALFORMED:
        if _is_whole(line):
            return "lines"
        if line.lstrip()[:1] in (b"{", b"["):
            return "reply"
        raise InvalidFile(f"{path.name}, line 1: this is not JSON", hint=f"A set is loaded from {_SHAPES}.") from None
    if "Keys" in members and members.keys() <= {"Metadata", "Keys", "NewImage", "OldImage"}:
        raise InvalidFile(
            f"{path.name} is of an incremental export: changes of items, not items",
            hint="Load a full export. What an incremental one says of an item is no state of it.",
        )
    if "Items" in members and bytes(members["Items"])[:1] == b"[":
        return "reply"
    return "exported" if members.keys() == {"Item"} and not _is_key(members["Item"], key) else "lines"


def _is_whole(line: bytes) -> bool:
    """Whether a line that is no item is at least more than the first one of a JSON text."""
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False
    except RecursionError:
        return True


def _is_key(value: Raw, key: str) -> bool:
    """Whether `Item` is the key of bare items, and not what an export has around each."""
    if key != "Item":
        return False
    try:
        return _MEMBERS.decode(value).keys() <= {"S", "N", "B"}
    except _MALFORMED:
        return True


# --------------------------------------------------------------------------------------------------------- stretches


def _stretches(path: Path, stream: io.BufferedIOBase, form: Form, start: Place) -> Iterator[_Stretch]:
    if form == "reply":
        return _of_reply(path, stream, start["items"])
    return _of_lines(path, stream, form, start)


def _of_lines(path: Path, stream: io.BufferedIOBase, form: Form, start: Place) -> Iterator[_Stretch]:
    stream.seek(start["at"])
    for block in _blocks(path, stream):
        text = block
        if start["at"] == 0 and block.startswith(_MARK):
            text = b" " * len(_MARK) + block.removeprefix(_MARK)
        stretch = _split(text, form, start)
        yield stretch
        start = stretch.end


def _blocks(path: Path, stream: io.BufferedIOBase) -> Iterator[bytes]:
    """Whole lines."""
    rest = bytearray()
    while chunk := stream.read1(PAGE_BYTES):
        rest += chunk
        if len(rest) < PAGE_BYTES:
            continue
        end = rest.rfind(b"\n") + 1
        if end:
            yield bytes(rest[:end])
            del rest[:end]
        elif len(rest) > LONGEST_LINE:
            raise InvalidFile(f"{path.name} has a line that is longer than any item", hint=f"Give {_SHAPES}.")
    if rest:
        yield bytes(rest)


def _split(text: bytes, form: Form, start: Place) -> _Stretch:
    """The items of whole lines that begin at `start`."""
    before, lines = start["line"], text.count(b"\n") + (not text.endswith(b"\n"))
    with contextlib.suppress(*_MALFORMED):
        items = _EXPORTED_LINE.decode_lines(text) if form == "exported" else _LINE.decode_lines(text)
        if len(items) == lines:
            raws = [one.item if isinstance(one, _Line) else one for one in items]
            return _Stretch(raws, start, _after(start, text, lines, lines), range(before + 1, before + lines + 1), text)
    return _split_slowly(text, form, start, lines)


def _after(start: Place, text: bytes, lines: int, items: int) -> Place:
    return {"items": start["items"] + items, "at": start["at"] + len(text), "line": start["line"] + lines}


def _split_slowly(text: bytes, form: Form, start: Place, lines: int) -> _Stretch:
    """Line by line: one of them is blank, or not one JSON text."""
    items: list[Raw] = []
    numbers: list[int] = []
    problem, problem_at = "", 0
    for number, one in enumerate(text.split(b"\n"), start=start["line"] + 1):
        if not one.strip():
            continue
        try:
            items.append(_EXPORTED_LINE.decode(one).item if form == "exported" else _LINE.decode(one))
        except _MALFORMED as said:
            problem, problem_at = _line_problem(one, form, said), number
            break
        numbers.append(number)
    return _Stretch(items, start, _after(start, text, lines, len(items)), numbers, text, problem, problem_at)


def _line_problem(line: bytes, form: Form, problem: Exception) -> str:
    try:
        read_json(line.decode(), "this")
    except UnicodeDecodeError as said:
        return f"byte {said.start + 1:,} is not UTF-8"
    except DynodeskError as said:
        return _without_place(said)
    return 'not a line of the form {"Item": …}' if form == "exported" else str(problem)


def _without_place(problem: DynodeskError) -> str:
    return problem.message.removeprefix("this").removeprefix(", line 1").removeprefix(": ")


def _of_reply(path: Path, stream: io.BufferedIOBase, start: int) -> Iterator[_Stretch]:
    stream.seek(0)
    text = stream.read(LARGEST_REPLY + 1)
    if len(text) > LARGEST_REPLY:
        raise InvalidFile(
            f"{path.name} is one JSON text of more than {LARGEST_REPLY // 2**20} MB",
            hint="Write it as JSON lines: `jq -c '.Items[]'`.",
        )
    reply = _reply(path, text.removeprefix(_MARK))
    if reply.count is not UNSET and reply.count != len(reply.items):
        raise InvalidFile(f"{path.name} says Count {reply.count} and holds {len(reply.items)} items")
    for first in range(start, len(reply.items), REPLY_ITEMS):
        items = reply.items[first : first + REPLY_ITEMS]
        end = first + len(items)
        yield _Stretch(items, {"items": first}, {"items": end}, range(first + 1, end + 1))
    if reply.next_token or bytes(reply.last_evaluated_key) not in (b"null", b"{}"):
        raise InvalidFile(
            f"{path.name} is not all of its read: it says where the next page starts",
            hint="Run the AWS CLI without --max-items and --no-paginate.",
        )


def _reply(path: Path, text: bytes) -> _Reply:
    try:
        found = _REPLY.decode(text)
    except _MALFORMED as problem:
        said, where = str(problem), ""
        try:
            json.loads(text)
        except (ValueError, RecursionError) as malformed:
            said, _, place = str(malformed).partition(": line ")
            where = f", line {place.partition(' ')[0]}" if place else ""
        raise InvalidFile(f"{path.name}{where}: {said}", hint=f"A set is loaded from {_SHAPES}.") from None
    return _Reply(found) if isinstance(found, list) else found


# ------------------------------------------------------------------------------------------------------------- checks


def _checked(items: Sequence[Raw], schema: KeySchema) -> tuple[int, str]:
    """How many items are good, up to the first that is not, and what is wrong with that one."""
    text = b"[" + b",".join(items) + b"]"
    if _LET_PASS.search(text) is not None:
        return _checked_slowly(items, schema)
    try:
        values = _VALUES.decode(text)
        _ONE_TYPE_EACH.decode(text)
    except _MALFORMED:
        return _checked_slowly(items, schema)
    for attribute in schema.attributes:
        name, kind = attribute.name, attribute.type
        if not all(name in item and getattr(item[name], kind) is not UNSET for item in values):
            return _checked_slowly(items, schema)
    return len(items), ""


def _checked_slowly(items: Sequence[Raw], schema: KeySchema) -> tuple[int, str]:
    for number, raw in enumerate(items):
        try:
            text = bytes(raw).decode()
            schema.key_of(item_from_dynamodb(json.loads(text)))
            read_json(text, "this")  # what `json` lets pass
        except RecursionError:
            return number, "nested too deeply"
        except UnicodeDecodeError as said:
            return number, f"byte {said.start + 1:,} of the item is not UTF-8"
        except InvalidValue as problem:
            return number, problem.message
        except DynodeskError as problem:
            return number, _without_place(problem)
    return len(items), ""
