"""Requests to an emulator as they stand: unsigned, one at a time, nothing checked before."""

from __future__ import annotations

import http.client
import json
import time
from typing import Any
from urllib.parse import urlsplit

from dynodesk.domain.item_json import item_to_dynamodb
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import Item

FELL_OVER = "the emulator falls over the request and answers nothing"


class Refused(Exception):
    """The emulator would not take the request."""


class FellOver(Exception):
    """The emulator gave no answer, and has lost its tables."""


class ConditionFailed(Exception):
    """The emulator found the condition not met."""


class Emulator:
    """Requests to an emulator. Where it falls over one, its table is made and filled again.

    It has one table, with the name and key of `table`.
    """

    def __init__(self, url: str, table: TableInfo) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
        self._table = table
        self._items: dict[str, Item] = {}
        self._make_table()

    def _make_table(self) -> None:
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
        self._connection.close()

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
            self._connect_again()
            self._make_table()
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

    def _connect_again(self) -> None:
        deadline = time.monotonic() + 30
        while True:
            self._connection.close()
            try:
                self._connection.connect()
            except ConnectionError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
            else:
                return

    def put(self, item: Item) -> None:
        self.call("PutItem", TableName=self._table.name, Item=item_to_dynamodb(item))
        key = {name: item[name] for name in self._table.key_schema.names}
        self._items[json.dumps(item_to_dynamodb(key))] = item
