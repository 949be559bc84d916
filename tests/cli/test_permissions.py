"""`dynodesk policy`: of tables that are described, that may not be, and without any connection."""

from __future__ import annotations

import json

import pytest

from dynodesk.cli.diagnostics import exit_code_from
from dynodesk.cli.main import cli
from tests.faults.proxy import FaultProxy, error


def resources(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert exit_code_from(cli, ["policy", *arguments]) == 0
    document = json.loads(capsys.readouterr().out)
    return [resource for statement in document["Statement"] for resource in statement["Resource"]]


def test_without_a_connection_account_and_region_are_open(capsys: pytest.CaptureFixture[str]) -> None:
    assert resources(capsys, "Social", "--for", "edit")[0] == "arn:aws:dynamodb:*:*:table/Social"


@pytest.mark.server
def test_with_one_they_are_filled_in(proxy: FaultProxy, capsys: pytest.CaptureFixture[str]) -> None:
    found = resources(capsys, "Social", "Stats", "--endpoint-url", proxy.url, "--region", "us-east-1")
    assert found[0].startswith("arn:aws:dynamodb:us-east-1:")
    assert found[0].endswith(":table/Social")
    assert f"{found[0]}/index/GSI1" in found
    assert set(proxy.counts) == {"DescribeTable"}


@pytest.mark.server
def test_a_table_that_may_not_be_described_has_a_policy_too(
    proxy: FaultProxy, capsys: pytest.CaptureFixture[str]
) -> None:
    proxy.always("DescribeTable", error("AccessDeniedException"))
    found = resources(capsys, "Social", "--endpoint-url", proxy.url, "--region", "us-east-1")
    arn = "arn:aws:dynamodb:us-east-1:*:table/Social"
    assert found[:2] == [arn, f"{arn}/index/*"]


def test_an_arn_says_account_and_region_itself(capsys: pytest.CaptureFixture[str]) -> None:
    arn = "arn:aws:dynamodb:eu-west-1:444455556666:table/Social"
    assert resources(capsys, arn)[:2] == [arn, f"{arn}/index/*"]
