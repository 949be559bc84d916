"""Requests to an emulator as they stand: unsigned, one at a time, nothing checked before."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, closing
from typing import Any
from urllib.parse import urlsplit

from dynodesk.domain.item_json import item_to_dynamodb
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item

FELL_OVER = "the emulator falls over the request and answers nothing"


class Refused(Exception):
    """The emulator would not take the request."""


class FellOver(Exception):
    """The emulator ended without an answer, and was started again."""


class ConditionFailed(Exception):
    """The emulator found the condition not met."""


class Emulator:
    """Requests to an emulator, unsigned and one at a time. One that falls over a request is started again.

    `running` starts one and gives its URL. It has one table, with the name and key of `table`.
    """

    def __init__(self, running: Callable[[], AbstractContextManager[str]], table: TableInfo) -> None:
        self._running = running
        self._table = table
        self._items: dict[str, Item] = {}
        self._start()

    def _start(self) -> None:
        self._opened = ExitStack()
        address = urlsplit(self._opened.enter_context(self._running())).netloc
        self._connection = self._opened.enter_context(closing(http.client.HTTPConnection(address, timeout=30)))
        keys = self._table.key_schema.attributes
        self.call(
            "CreateTable",
            TableName=self._table.name,
            KeySchema=[
                {"AttributeName": key.name, "KeyType": kind} for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)
            ],
            AttributeDefinitions=[{"AttributeName": key.name, "AttributeType": key.type} for key in keys],
            BillingMode="PAY_PER_REQUEST",
        )
        while self.call("DescribeTable", TableName=self._table.name)["Table"]["TableStatus"] != "ACTIVE":
            time.sleep(0.02)

    def close(self) -> None:
        self._opened.close()

    def call(self, operation: str, **parameters: Any) -> Any:
        headers = {
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": f"DynamoDB_20120810.{operation}",
            "Authorization": "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, "
            "SignedHeaders=host, Signature=0",
            "X-Amz-Date": "20260101T000000Z",
        }
        try:
            self._connection.request("POST", "/", json.dumps(parameters), headers)
            reply = self._connection.getresponse()
            content = json.loads(reply.read())
        except ConnectionError:
            self.close()
            self._start()
            for item in self._items.values():
                self.put(item)
            raise FellOver from None
        if reply.status == 200:
            return content
        if content["__type"].endswith("ConditionalCheckFailedException"):
            raise ConditionFailed
        if content["__type"].endswith("ValidationException"):
            raise Refused(content.get("message") or content.get("Message"))
        raise RuntimeError(f"{operation}: {content}")

    def put(self, item: Item) -> None:
        self.call("PutItem", TableName=self._table.name, Item=item_to_dynamodb(item))
        key = {name: item[name] for name in self._table.key_schema.names}
        self._items[json.dumps(item_to_dynamodb(key))] = item
