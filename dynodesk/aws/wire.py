"""Replies as they come off the wire: proven whole before anything in them is believed; values on their way out.

botocore reads a reply that was cut in the middle as an empty one, and gives out a reply with a wrong checksum after
four tries as if it were right. So the bytes are checked and taken apart here, before botocore looks at them.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from decimal import Decimal
from http import HTTPStatus
from typing import Any, NoReturn
from urllib.parse import urlsplit

from botocore.client import BaseClient

from dynodesk.aws.faults import Fault, Retry, cut_short, not_dynamodb, throttled
from dynodesk.domain.errors import CannotConnect, DamagedReply, InvalidValue, ServiceFailed
from dynodesk.domain.foreground import foreground
from dynodesk.domain.item_json import item_from_dynamodb
from dynodesk.domain.requests import value_to_request
from dynodesk.domain.values import Item, KeyValue, Value, check_unicode

BODY = "dynodesk.body"
"""Where a parsed reply of botocore (of an error, too) holds the object that we decoded."""

MAX_REPLY_BYTES = 64 * 1024 * 1024
"""What a compressed reply may grow to. The largest is BatchGetItem's 16 MB, Base64 and escapes added."""

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")

_REASONS = ("CancellationReasons", "ThrottlingReasons", "throttlingReasons")
"""Lists in replies of error."""

Wire = dict[str, Any]
"""Decoded JSON of a reply, or parameters of a request."""


def check_replies(client: BaseClient) -> None:
    """From now on every reply to `client` passes `decoded`; parsed replies hold its result under `BODY`."""
    client.meta.events.register(f"before-parse.{service_of(client)}", _before_parse)


def service_of(client: BaseClient) -> str:
    """The name under which botocore tells of what a client does: `dynamodb`, `dynamodb-streams`."""
    name: str = client.meta.service_model.service_id.hyphenize()
    return name


def _before_parse(response_dict: Wire, customized_response_dict: Wire, **_: object) -> None:
    body = decoded(response_dict["status_code"], response_dict["headers"], response_dict["body"])
    customized_response_dict[BODY] = body
    # Taken apart once is enough; and what makes no sense would not be an error of the network's any more.
    texts = {name: said for name, said in body.items() if isinstance(said, str)}
    response_dict["body"] = b"{}" if response_dict["status_code"] < 300 else json.dumps(texts).encode()
    customized_response_dict |= {name: body[name] for name in _REASONS if isinstance(body.get(name), list)}


def decoded(status: int, headers: Mapping[str, str], body: bytes) -> Wire:
    """The JSON object of a reply. `headers` without regard to case.

    Raises `Fault`: with `DamagedReply` where the bytes are not those that were sent, with `NotDynamoDB` where
    something else answered, with `ServiceFailed`, `Throttled` or `CannotConnect` for errors that come without JSON.
    """
    return object_of(status, headers, whole(status, headers, body))


def object_of(status: int, headers: Mapping[str, str], body: bytes) -> Wire:
    """The JSON object of a reply that is `whole`. Raises as `decoded`."""
    found = _object(body)
    if found is None:
        raise _without_json(status, headers, body)
    if status >= 300 and not (isinstance(found.get("__type"), str) and _says_something(found)):
        raise _without_json(status, headers, body)
    return found


def whole(status: int, headers: Mapping[str, str], body: bytes) -> bytes:
    """The body of a reply, without compression, as long as it was sent and with its checksum. Raises as `decoded`."""
    _check_bytes(headers, body)
    if 300 <= status < 400:
        target = urlsplit(headers.get("location", "")).hostname or "another address"
        raise not_dynamodb(f"The endpoint sends requests on to {target}; that is not followed.", f"HTTP {status}")
    return _unzipped(body) if headers.get("content-encoding", "identity") == "gzip" else body


def _says_something(error: Wire) -> bool:
    return all(isinstance(error.get(name, ""), str) for name in ("message", "Message"))


def _check_bytes(headers: Mapping[str, str], body: bytes) -> None:
    length = headers.get("content-length")
    if length is not None and "transfer-encoding" not in headers and length != str(len(body)):
        raise Fault(cut_short(f"{len(body)} bytes of {length}"), Retry.DAMAGED)
    checksum = headers.get("x-amz-crc32")
    if checksum is not None and checksum != str(zlib.crc32(body)):
        raise _damaged("its checksum is wrong", f"x-amz-crc32 {checksum}, computed {zlib.crc32(body)}")


def _damaged(why: str, details: str = "") -> Fault:
    return Fault(damaged(why, details=details), Retry.DAMAGED)


def damaged(why: str, *, details: str = "") -> DamagedReply:
    """A reply that cannot be believed, `why` in the words of a subordinate clause."""
    return DamagedReply(
        f"The reply is damaged: {why}. Nothing in it was used.",
        hint="Try again; if it stays, the endpoint or something before it alters replies.",
        details=details,
    )


def _object(body: bytes) -> Wire | None:
    """The JSON object in `body`; None where it is something else."""
    try:
        found = json.loads(body.decode(), parse_float=Decimal, parse_constant=_no_constant)
        if _SURROGATE.search(body):
            _check_texts(found)
    except (ValueError, RecursionError):
        return None
    except InvalidValue as problem:
        raise _damaged(problem.message) from None
    return found if isinstance(found, dict) else None


def _unzipped(body: bytes) -> bytes:
    inflate = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        plain = inflate.decompress(body, MAX_REPLY_BYTES)
    except zlib.error:
        plain = b""
    if not inflate.eof:
        raise _damaged("its compression is broken")
    return plain


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _check_texts(found: object) -> None:
    """Half a surrogate pair has no UTF-8 form: no table holds one."""
    match found:
        case str():
            check_unicode(found)
        case list():
            for inner in found:
                _check_texts(inner)
        case dict():
            for name, inner in found.items():
                check_unicode(name)
                _check_texts(inner)
        case _:
            pass


def _without_json(status: int, headers: Mapping[str, str], body: bytes) -> Fault:
    content_type = headers.get("content-type", "")
    request = headers.get("x-amzn-requestid", "")
    details = f"HTTP {status}, {content_type or 'no content type'}" + (f", request {request}" if request else "")
    if status == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
        hint = "The proxy comes from the environment (HTTP_PROXY, NO_PROXY)."
        return Fault(CannotConnect("The proxy asks for a password.", hint=hint, details=details))
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return Fault(throttled("The endpoint", details), Retry.THROTTLED)
    if status >= 500:
        return Fault(
            ServiceFailed("The service failed without saying why.", hint="Try again.", details=details), Retry.FAILED
        )
    is_json = "json" in content_type and not body.lstrip().startswith(b"<")
    if status < 300 and is_json:
        return _damaged("it is not the JSON that it says it is", details)
    return not_dynamodb("What answers there is not DynamoDB.", details)


# ------------------------------------------------------------------------------------------------- parts of a reply


def item_of(tagged: object, where: str) -> dict[str, Value]:
    """An item of a reply. Raises `DamagedReply` naming `where` and the attribute."""
    try:
        foreground.give_way()
        return item_from_dynamodb(tagged)
    except InvalidValue as problem:
        raise damaged(f"{where} holds what no table can hold ({problem.message})") from None
    except RecursionError:
        raise damaged(f"{where} is nested deeper than any item can be") from None


def key_of(tagged: object, where: str) -> dict[str, KeyValue]:
    """A key of a reply. Raises `DamagedReply`."""
    item = item_of(tagged, where)
    key = {name: value for name, value in item.items() if isinstance(value, KeyValue)}
    if not key or len(key) != len(item):
        raise damaged(f"{where} is not a key")
    return key


def count_of(body: Wire, name: str) -> int:
    """A count in a reply. Raises `DamagedReply` where there is none."""
    count = body.get(name)
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise damaged(f"it has no {name}")
    return count


def list_of(body: Wire, name: str) -> list[Any]:
    """A list in a reply. Raises `DamagedReply` where there is none."""
    found = body.get(name)
    if not isinstance(found, list):
        raise damaged(f"it has no {name}")
    return found


# ------------------------------------------------------------------------------------------------ values of a request


def to_request(item: Item) -> Wire:
    """An item or key as botocore takes it."""
    return {name: value_to_request(value) for name, value in item.items()}
