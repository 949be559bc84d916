"""Copied code, run as it stands, does what our own request does.

boto3 runs here. The others need environments of their own, which `python -m tests.codegen.execution` makes: it is the
same comparison over more requests.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest

from dynodesk.codegen import Place, as_boto3
from tests.aws.tables import plain_client
from tests.codegen.execution import (
    DONE,
    SETTINGS,
    AwsCli,
    aws_program,
    compare,
    execute,
    javascript_folder,
    make_tables,
    outcome_of,
    run_boto3,
    run_javascript,
    send,
)
from tests.codegen.requests import READS, Request, Requests

CACHE = os.environ.get("DYNODESK_CODEGEN_CACHE", "")
needs_environments = pytest.mark.skipif(
    not CACHE,
    reason="DYNODESK_CODEGEN_CACHE names no folder that `python -m tests.codegen.execution --cache` has filled",
)


def test_boto3_does_the_same(ministack: str) -> None:
    requests = Requests(Random(11)).writes(49)
    verdict = compare("boto3", run_boto3, requests, plain_client(ministack), Place("us-east-1", ministack))
    assert verdict.differences == ()
    assert verdict.outcomes.count(DONE) > 30


def test_boto3_reads_the_same(ministack: str) -> None:
    drawn, client, place = Requests(Random(12)), plain_client(ministack), Place("us-east-1", ministack)
    make_tables(client, "reads")
    for request in drawn.writes(21):
        outcome_of(send, request, client, "reads")
    for operation in READS:
        request = drawn.request(operation)
        with patch.dict(os.environ, SETTINGS):
            left = execute(as_boto3(operation, request.as_json("reads"), place))
        wanted = send(request, client, "reads")
        del left["response"]["ResponseMetadata"], wanted["ResponseMetadata"]
        assert left["response"] == wanted


def test_a_difference_is_told(ministack: str) -> None:
    def skips_the_last(requests: Sequence[Request], place: Place) -> list[str]:
        return [*run_boto3(requests[:-1], place), DONE]

    requests = Requests(Random(11)).writes(1)
    place = Place("us-east-1", ministack)
    verdict = compare("lazy", skips_the_last, requests, plain_client(ministack), place)
    assert verdict.differences != ()


@needs_environments
@pytest.mark.slow
def test_javascript_does_the_same(ministack: str) -> None:
    folder = javascript_folder(Path(CACHE))
    requests = Requests(Random(13)).writes(49)
    verdict = compare(
        "javascript",
        lambda each, place: run_javascript(each, place, folder),
        requests,
        plain_client(ministack),
        Place("us-east-1", ministack),
    )
    assert verdict.differences == ()
    assert verdict.outcomes.count(DONE) > 30


@needs_environments
@pytest.mark.slow
def test_the_command_line_does_the_same(ministack: str) -> None:
    requests = Requests(Random(14)).writes(14)
    program = AwsCli.found(aws_program(Path(CACHE)))
    verdict = compare("cli", program.run, requests, plain_client(ministack), Place("us-east-1", ministack))
    assert verdict.differences == ()
    assert DONE in verdict.outcomes
