"""Creating and filling sample tables over plain HTTP: the same against any emulator on this machine, without an SDK."""

from __future__ import annotations

import ipaddress
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit

from dynodesk.domain.errors import CannotConnect, InvalidRequest, NotDynamoDB, ServiceFailed
from dynodesk.sandbox.sample_table import SampleTable

REGION = "us-east-1"
AUTHORIZATION = (
    f"AWS4-HMAC-SHA256 Credential=sandbox/20250623/{REGION}/dynamodb/aws4_request, SignedHeaders=host, Signature=0"
)
"""Says whose tables are meant. Emulators take the account and the Region from it and check no signature."""
BATCH = 25
"""Most put requests in one BatchWriteItem (API Reference, BatchWriteItem)."""

PATIENCE = 30.0
"""Seconds for a table to become active, or for one batch to be taken in full."""


def seed(endpoint: str, tables: Sequence[SampleTable]) -> None:
    """Create `tables` at `endpoint` and load their items.

    Refuses any endpoint that is not plain HTTP on this machine, and any where a table of one of the names exists:
    then nothing is written (`InvalidRequest`). Raises `CannotConnect` when nobody answers, `NotDynamoDB` when
    somebody else does, `ServiceFailed` when DynamoDB refuses a request or takes too long.
    """
    api = Api(endpoint)
    existing = set(_table_names(api))
    for table in tables:
        if table.name in existing:
            raise InvalidRequest(
                f'A table "{table.name}" exists at {endpoint} already. Nothing was written.',
                hint="Delete it there first, or start an empty emulator.",
            )
    for table in tables:
        api.call("CreateTable", table.create)
    for table in tables:
        _wait_until_active(api, table.name)
        for start in range(0, len(table.items), BATCH):
            _put(api, table.name, table.items[start : start + BATCH])


def _table_names(api: Api) -> Iterator[str]:
    request: dict[str, Any] = {}
    while True:
        reply = api.call("ListTables", request)
        if not isinstance(reply.get("TableNames"), list):
            raise NotDynamoDB(f"What answers at {api.endpoint} does not list tables as DynamoDB does.")
        yield from reply["TableNames"]
        if (last := reply.get("LastEvaluatedTableName")) is None:
            return
        request = {"ExclusiveStartTableName": last}


def _wait_until_active(api: Api, name: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        table = api.call("DescribeTable", {"TableName": name})["Table"]
        states = [table["TableStatus"], *(index["IndexStatus"] for index in table.get("GlobalSecondaryIndexes", ()))]
        if all(state == "ACTIVE" for state in states):
            return
        if time.monotonic() > deadline:
            raise ServiceFailed(f'The table "{name}" is still {", ".join(states)} after {PATIENCE:g} seconds.')
        time.sleep(0.05)


def _put(api: Api, name: str, items: Sequence[Any]) -> None:
    """One BatchWriteItem, again for what it leaves unprocessed. Putting an item twice leaves the same item."""
    left: Sequence[Any] = [{"PutRequest": {"Item": item}} for item in items]
    deadline = time.monotonic() + PATIENCE
    pause = 0.02
    while True:
        reply = api.call("BatchWriteItem", {"RequestItems": {name: left}})
        left = reply.get("UnprocessedItems", {}).get(name, [])
        if not left:
            return
        if time.monotonic() > deadline:
            raise ServiceFailed(f'The table "{name}" does not take its items: {len(left)} of a batch are left.')
        time.sleep(pause)
        pause = min(2 * pause, 1.0)


class Api:
    """DynamoDB's JSON protocol at one endpoint of this machine. No proxy of the environment is ever used."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self._host, self._port = _loopback(endpoint)

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """The reply to one request. It is not signed: an emulator looks no further than the form of the header."""
        headers = {
            "X-Amz-Target": f"DynamoDB_20120810.{operation}",
            "Content-Type": "application/x-amz-json-1.0",
            "Authorization": AUTHORIZATION,
        }
        try:
            with closing(HTTPConnection(self._host, self._port, timeout=PATIENCE)) as connection:
                connection.request("POST", "/", json.dumps(request).encode(), headers)
                response = connection.getresponse()
                body = response.read()
        except (OSError, HTTPException) as fault:
            raise CannotConnect(
                f"No answer from {self.endpoint}: {str(fault) or type(fault).__name__}.",
                hint="Is the emulator running there?",
            ) from fault
        try:
            reply = json.loads(body)
        except ValueError:
            reply = None
        if not isinstance(reply, dict):
            raise NotDynamoDB(f"What answers at {self.endpoint} is not DynamoDB (status {response.status}).")
        if response.status != 200:
            kind = str(reply.get("__type", "")).rpartition("#")[2] or f"status {response.status}"
            said = reply.get("message") or reply.get("Message") or "no explanation"
            raise ServiceFailed(f"{operation} was refused at {self.endpoint}: {said}", details=kind)
        return reply


def _loopback(endpoint: str) -> tuple[str, int]:
    try:
        parts = urlsplit(endpoint)
        host, port = parts.hostname or "", parts.port or 80
        local = parts.scheme == "http" and (host == "localhost" or ipaddress.ip_address(host).is_loopback)
    except ValueError:
        local = False
    if not local:
        raise InvalidRequest(
            f"Sample tables are only written to an emulator on this machine, not to {endpoint}.",
            hint="Give an address such as http://127.0.0.1:8000.",
        )
    return host, port
