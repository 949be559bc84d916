"""Every fault that a read of pages can meet, and what it ends in."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from typing import Any

from dynodesk.aws.calls import Patience, Patiences
from dynodesk.domain.errors import (
    Busy,
    CannotConnect,
    CredentialsRefused,
    DamagedReply,
    DynodeskError,
    InvalidRequest,
    NotAllowed,
    NotDynamoDB,
    ServiceFailed,
    TableMissing,
    Throttled,
)
from tests.faults.proxy import (
    HTML,
    JSON,
    THROTTLE,
    Answer,
    Cut,
    Drop,
    Exchange,
    Fault,
    LoseReply,
    Raw,
    Reply,
    Rewrite,
    error,
)


def count_is_one_too_many(body: dict[str, Any]) -> None:
    body["Count"] += 1
    body["ScannedCount"] += 1


def an_item_is_missing(body: dict[str, Any]) -> None:
    body["Items"].pop()


def items_are_missing(body: dict[str, Any]) -> None:
    del body["Items"]


def no_count(body: dict[str, Any]) -> None:
    del body["Count"]


def count_is_text(body: dict[str, Any]) -> None:
    body["Count"] = str(body["Count"])


def two_type_tags(body: dict[str, Any]) -> None:
    body["Items"][2]["n"] = {"N": "2", "S": "2"}


def unknown_type(body: dict[str, Any]) -> None:
    body["Items"][0]["n"] = {"F": 2}


def broken_base64(body: dict[str, Any]) -> None:
    body["Items"][0]["n"] = {"B": "AA=A"}


def an_item_of_another_partition(body: dict[str, Any]) -> None:
    body["Items"][1]["PK"] = {"S": "POST#another"}


def cursor_is_no_key(body: dict[str, Any]) -> None:
    body["LastEvaluatedKey"] = {"PK": {"BOOL": True}}


def cursor_is_text(body: dict[str, Any]) -> None:
    body["LastEvaluatedKey"] = "next"


def cursor_is_nothing(nothing: object) -> Callable[[dict[str, Any]], None]:
    def change(body: dict[str, Any]) -> None:
        body["LastEvaluatedKey"] = nothing

    return change


def units_are_text(body: dict[str, Any]) -> None:
    body["ConsumedCapacity"] = {"CapacityUnits": "many"}


def half_a_surrogate_pair(body: dict[str, Any]) -> None:
    body["Items"][0]["n"] = {"S": "\ud83d"}


NO_CHECKSUM = {"x-amz-crc32": ""}
NO_LENGTH = {"x-amz-crc32": "", "Content-Length": "", "Connection": "close"}
ZIPPED = gzip.compress(b'{"Items": [], "Count": 0, "ScannedCount": 0}', mtime=0)
BROKEN_ZIP = ZIPPED[:20] + b"\0\0\0" + ZIPPED[23:]

DAMAGE: dict[str, Fault] = {
    "cut in the body": Cut(),
    "cut in the body, no checksum": Cut(head=NO_CHECKSUM),
    "cut in the body, neither checksum nor length": Cut(head=NO_LENGTH),
    "cut before the body": Cut(at=0),
    "cut before the body, neither checksum nor length": Cut(at=0, head=NO_LENGTH),
    "wrong checksum": Rewrite(headers={"x-amz-crc32": "1"}),
    "checksum is no number": Rewrite(headers={"x-amz-crc32": "abc"}),
    "length too small": Rewrite(headers={"Content-Length": "40", **NO_CHECKSUM}),
    "length too large": Rewrite(headers={"Content-Length": "999999", **NO_CHECKSUM}),
    "chunks are garbage": Raw(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: application/x-amz-json-1.0\r\n\r\nzz\r\n{}\r\n"
    ),
    "chunks end early": Raw(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: application/x-amz-json-1.0\r\n\r\n20\r\n{}"
    ),
    "compression is broken": Answer(200, BROKEN_ZIP, {"Content-Type": JSON, "Content-Encoding": "gzip"}),
    "compression is cut": Answer(200, ZIPPED[:-9], {"Content-Type": JSON, "Content-Encoding": "gzip"}),
    "empty": Answer(200),
    "not JSON": Answer(200, b'{"Items": [}'),
    "not an object": Answer(200, b"[]"),
    "not a number": Answer(200, b'{"Items": [], "Count": NaN, "ScannedCount": 0}'),
    "not UTF-8": Answer(200, b'{"Items": [], "Count": 0, "ScannedCount": 0, "x": "\xff"}'),
    "nested without end": Answer(200, b"[" * 100_000),
    "an empty object": Answer(200, b"{}"),
    "Count too large": Rewrite(count_is_one_too_many),
    "an item is missing": Rewrite(an_item_is_missing),
    "no Items": Rewrite(items_are_missing),
    "no Count": Rewrite(no_count),
    "Count is text": Rewrite(count_is_text),
    "two type tags": Rewrite(two_type_tags),
    "unknown type": Rewrite(unknown_type),
    "broken Base64": Rewrite(broken_base64),
    "another partition": Rewrite(an_item_of_another_partition),
    "cursor is no key": Rewrite(cursor_is_no_key),
    "cursor is text": Rewrite(cursor_is_text),
    "cursor is an empty text": Rewrite(cursor_is_nothing("")),
    "cursor is an empty list": Rewrite(cursor_is_nothing([])),
    "cursor is false": Rewrite(cursor_is_nothing(False)),
    "units are text": Rewrite(units_are_text),
    "half a surrogate pair": Rewrite(half_a_surrogate_pair),
}

OTHERS: dict[str, tuple[Fault, type[DynodeskError]]] = {
    "throttled": (THROTTLE, Throttled),
    "throttled, other name": (error("ThrottlingException"), Throttled),
    "throttled, third name": (error("RequestLimitExceeded"), Throttled),
    "throttled without JSON": (Answer(429, b"slow down", {"Content-Type": "text/plain"}), Throttled),
    "internal error": (error("InternalServerError", 500), ServiceFailed),
    "unavailable": (Answer(503, b"<html>Service Unavailable</html>", {"Content-Type": "text/html"}), ServiceFailed),
    "unavailable, empty": (Answer(503), ServiceFailed),
    "an error nobody knows": (error("BrandNewException"), ServiceFailed),
    "unknown operation": (error("UnknownOperationException"), ServiceFailed),
    "validation": (error("ValidationException"), InvalidRequest),
    "denied": (error("AccessDeniedException"), NotAllowed),
    "unknown keys": (error("UnrecognizedClientException"), CredentialsRefused),
    "bad signature": (error("InvalidSignatureException", 403), CredentialsRefused),
    "expired": (error("ExpiredTokenException"), CredentialsRefused),
    "no table": (error("ResourceNotFoundException"), TableMissing),
    "no index": (error("ValidationException", message="The table does not have the specified index: X"), TableMissing),
    "conflict": (error("TransactionConflictException"), Busy),
    "web page": (HTML, NotDynamoDB),
    "not HTTP": (Raw(b"SSH-2.0-OpenSSH_9.6\r\n"), NotDynamoDB),
    "not HTTP, TLS": (Raw(b"\x15\x03\x01\x00\x02\x02\x46"), NotDynamoDB),
    "web page, 404": (Answer(404, b"<html>", {"Content-Type": "text/html"}), NotDynamoDB),
    "another service": (Answer(403, b'{"message": "Missing Authentication Token"}'), NotDynamoDB),
    "error of a strange form": (Answer(400, b'{"__type": 7}'), NotDynamoDB),
    "proxy wants a password": (Answer(407, b"", {"Proxy-Authenticate": "Basic"}), CannotConnect),
    "closed without a byte": (Drop(), CannotConnect),
    "reply lost": (LoseReply(), CannotConnect),
    **{
        f"redirect {status}": (Answer(status, headers={"Location": "http://127.0.0.1:9/"}), NotDynamoDB)
        for status in (300, 301, 302, 307, 308)
    },
}

ALL = {**{name: (fault, DamagedReply) for name, fault in DAMAGE.items()}, **OTHERS}


def registered(base: type[DynodeskError] = DynodeskError) -> Iterator[str]:
    yield base.code
    for kind in base.__subclasses__():
        yield from registered(kind)


NO_WAIT = Patience(tries=4, seconds=60, first_wait=0, longest_wait=0)
HASTY = Patiences(damaged=NO_WAIT, failed=NO_WAIT, unreachable=NO_WAIT, throttled=NO_WAIT)


def passing() -> Iterator[str]:
    """Faults after which the same read may be answered: damage, refusals for now, a network that comes and goes."""
    yield from DAMAGE
    for name, (_, kind) in OTHERS.items():
        if kind is Throttled:
            yield name
    yield from ("internal error", "unavailable", "unavailable, empty", "closed without a byte", "reply lost")


class EmptyPages(Fault):
    """Made-up pages of a Query without items. `cursors` says which cursor follows on which; the server is not asked."""

    def __init__(self, cursors: Callable[[str], str]) -> None:
        self._cursors = cursors

    def apply(self, exchange: Exchange) -> None:
        start = json.loads(exchange.body).get("ExclusiveStartKey", {"SK": {"S": ""}})["SK"]["S"]
        reply: dict[str, Any] = {"Items": [], "Count": 0, "ScannedCount": 5}
        if cursor := self._cursors(start):
            reply["LastEvaluatedKey"] = {"PK": {"S": "POST#a91f"}, "SK": {"S": cursor}}
        body = json.dumps(reply).encode()
        exchange.send(Reply(200, {"Content-Type": JSON}, body).head() + body)
