"""One user of the command line, with a journal of their own, and a table behind a proxy that spoils replies."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from dynodesk.cli.diagnostics import exit_code_from
from dynodesk.cli.main import cli
from tests.faults.proxy import FaultProxy

LIKE_KEY = {"PK": {"S": "POST#a91f"}, "SK": {"S": "LIKE#ann"}}
META = {"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}}
JSON = ("--format", "json")


class RequestHome:
    def __init__(
        self, folder: Path, proxy: FaultProxy, client: Any, table: str, printed: pytest.CaptureFixture[str]
    ) -> None:
        """`client` knows nothing of our code. The table has one post, with 41 likes."""
        self.folder, self.proxy, self.client, self.table, self._printed = folder, proxy, client, table, printed
        client.delete_item(TableName=table, Key=LIKE_KEY)
        client.put_item(TableName=table, Item={**META, "likes": {"N": "41"}, "rev": {"N": "7"}})
        proxy.clear()

    def run(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        return self.run_as_given(*arguments, "--endpoint-url", self.proxy.url)

    def run_as_given(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """In this process: a start of the program for each command would be most of the time."""
        code = exit_code_from(cli, list(map(str, arguments)))
        return subprocess.CompletedProcess([*map(str, arguments)], code, *self._printed.readouterr())

    def file(self, content: object) -> Path:
        path = self.folder / "request.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        return path

    def like(self, *, condition: str = "attribute_exists(PK)", **more: object) -> Path:
        put = {"TableName": self.table, "Item": LIKE_KEY, "ConditionExpression": "attribute_not_exists(PK)"}
        update = {
            "TableName": self.table,
            "Key": META,
            "UpdateExpression": "ADD likes :one",
            "ConditionExpression": condition,
            "ExpressionAttributeValues": {":one": {"N": "1"}},
        }
        return self.file({"TransactItems": [{"Put": put}, {"Update": update}], **more})

    def item(self, key: dict[str, Any] = META) -> Any:
        return self.client.get_item(TableName=self.table, Key=key, ConsistentRead=True).get("Item")

    @property
    def likes(self) -> str:
        return str(self.item()["likes"]["N"])
