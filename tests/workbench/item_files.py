"""Files of items in every shape that can be loaded."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.workbench.pages import Tagged


def lines(items: list[Tagged], *, exported: bool = False, ascii_only: bool = False) -> bytes:
    whole: list[Any] = [{"Item": item} for item in items] if exported else list(items)
    return b"".join(json.dumps(one, ensure_ascii=ascii_only).encode() + b"\n" for one in whole)


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


SHAPES: dict[str, Callable[[list[Tagged]], bytes]] = {
    "bare lines": lines,
    "escaped lines": lambda items: lines(items, ascii_only=True),
    "exported lines": lambda items: lines(items, exported=True),
    "packed": lambda items: gzip.compress(lines(items, exported=True)),
    "packed in two": lambda items: gzip.compress(lines(items[:9])) + gzip.compress(lines(items[9:])),
    "no last line break": lambda items: lines(items).rstrip(b"\n"),
    "other line breaks": lambda items: lines(items).replace(b"\n", b"\r\n"),
    "blank lines": lambda items: b"\n  \n" + lines(items).replace(b"\n", b"\n\n"),
    "byte order mark": lambda items: b"\xef\xbb\xbf" + lines(items),
    "reply": lambda items: json.dumps({"Items": items, "Count": len(items), "ScannedCount": 99}, indent=4).encode(),
    "reply on a line": lambda items: json.dumps({"Count": len(items), "Items": items}).encode() + b"\n",
    "reply's items": lambda items: json.dumps(items, indent=2).encode(),
}
