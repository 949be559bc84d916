"""stdout: results, whole and exact."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

from dynodesk.domain.item_json import item_to_dynamodb, to_plain
from dynodesk.domain.tables import KeySchema, TableInfo
from dynodesk.domain.values import Item
from dynodesk.reports.characters import json_text, visible

LINE_BREAKS = "\x85\u2028\u2029"
"""Line breaks to some readers of lines, though not to JSON, which lets them stand in a string."""


def item_line(item: Item, form: str) -> str:
    """One item on one line: `json` plain, or `dynamodb-json`. Numbers keep their digits in both.

    What would end the line, and on a terminal what would control it, stands as a JSON escape: the same JSON.
    """
    text = to_plain(item) if form == "json" else json.dumps(item_to_dynamodb(item), ensure_ascii=False)
    for_terminal = sys.stdout.isatty()
    return "".join(
        json.dumps(c)[1:-1] if c in LINE_BREAKS or (for_terminal and not c.isprintable()) else c for c in text
    )


def print_result(lines: Iterable[str], content: dict[str, Any], form: str) -> None:
    """The lines, or in the form `json` the content. What a terminal would act on is shown in both."""
    text = json_text({"version": 1, **content}) if form == "json" else "\n".join(map(visible, lines))
    write_bytes(f"{text}\n".encode())


def write_bytes(data: bytes) -> None:
    stream = sys.stdout.buffer
    stream.write(data)
    stream.flush()


def table_as_json(table: TableInfo) -> dict[str, object]:
    return {
        "name": table.name,
        "status": table.status,
        "key": _key_as_json(table.key_schema),
        "indexes": [
            {
                "name": index.name,
                "kind": index.kind,
                "key": _key_as_json(index.key_schema),
                "projection": index.projection.kind,
                "included": list(index.projection.included),
            }
            for index in table.indexes
        ],
        "item_count_estimate": table.item_count_estimate,
        "size_bytes_estimate": table.size_bytes_estimate,
    }


def table_as_text(table: TableInfo) -> str:
    lines = [f"{table.name} · {table.status.lower()}", f"  key    {_key_words(table.key_schema)}"]
    for index in table.indexes:
        included = f" {', '.join(index.projection.included)}" if index.projection.included else ""
        lines.append(
            f"  {index.kind}    {index.name}: {_key_words(index.key_schema)} · {index.projection.kind}{included}"
        )
    if table.item_count_estimate is not None:
        lines.append(f"  about  {table.item_count_estimate:,} items, as of up to six hours ago")
    return "\n".join(lines)


def _key_as_json(schema: KeySchema) -> list[dict[str, str]]:
    return [{"name": attribute.name, "type": attribute.type} for attribute in schema.attributes]


def _key_words(schema: KeySchema) -> str:
    return ", ".join(f"{attribute.name} ({attribute.type})" for attribute in schema.attributes)
