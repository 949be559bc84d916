"""The command line as a user runs it: in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any


def dynodesk(
    *arguments: object, timeout: float = 60, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dynodesk", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
        env={**os.environ, **(env or {})},
    )


def result_of(finished: subprocess.CompletedProcess[str]) -> Any:
    """stdout as JSON."""
    return json.loads(finished.stdout)


def findings_of(finished: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """The findings in the shape of the sandbox's answer key, in the order of the report."""
    return [
        {"rule": rule["name"], **{field: finding[field] for field in ("verdict", "parent", "stored", "real", "drift")}}
        for rule in result_of(finished)["rules"]
        for finding in rule["findings"]
    ]
