"""The emulator starts, answers as DynamoDB, and says how to get it where it is missing."""

import json
import os
import urllib.request
from pathlib import Path

import pytest

from tests.helpers import ministack as server


def test_answers_as_dynamodb(ministack: str) -> None:
    request = urllib.request.Request(
        ministack,
        data=b"{}",
        headers={
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": "DynamoDB_20120810.ListTables",
            "Authorization": "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, "
            "SignedHeaders=host, Signature=0",
        },
    )
    with urllib.request.urlopen(request, timeout=10) as reply:
        assert "TableNames" in json.load(reply)


def test_a_missing_environment_is_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DYNODESK_MINISTACK_PYTHON", raising=False)
    monkeypatch.setattr(server, "ROOT", tmp_path)
    with pytest.raises(RuntimeError, match=r"run `python3 packaging/run.py test` once"):
        server.python()


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")
def test_a_start_that_fails_shows_what_was_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho no module of that name\nexit 3\n")
    broken.chmod(0o700)
    monkeypatch.setenv("DYNODESK_MINISTACK_PYTHON", str(broken))
    with pytest.raises(RuntimeError, match=r"(?s)exit status 3.*no module of that name"), server.running():
        pass
