"""`dynodesk describe`: every part, what is refused, and the request that makes such a table."""

from __future__ import annotations

import json
import shlex

from tests.faults.proxy import FaultProxy, error
from tests.helpers.command import dynodesk, result_of


def test_all_that_is_known(sandbox: str) -> None:
    finished = dynodesk("describe", "Social", "--endpoint-url", sandbox)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.startswith("Social · active\n")
    for words in ("PK (partition, string), SK (sort, string)", "up to six hours ago", "On-demand", "GSI1 · active"):
        assert words in finished.stdout
    told = result_of(dynodesk("describe", "Social", "--format", "json", "--endpoint-url", sandbox))
    assert told["billing"] == "PAY_PER_REQUEST"
    assert told["stream"]["view"] == "NEW_AND_OLD_IMAGES"
    assert told["time_to_live"] == {"status": "DISABLED", "attribute": ""}
    assert told["deletion_protection"] is False


def test_what_is_refused_is_named_and_the_rest_is_told(proxy: FaultProxy) -> None:
    proxy.always("DescribeTimeToLive", error("AccessDeniedException"))
    finished = dynodesk("describe", "Social", "--format", "json", "--endpoint-url", proxy.url)
    assert finished.returncode == 0, finished.stderr
    assert "dynamodb:DescribeTimeToLive" in finished.stderr
    assert result_of(finished)["time_to_live"] is None
    assert result_of(finished)["name"] == "Social"


def test_the_request_that_makes_such_a_table(sandbox: str) -> None:
    at = ("--endpoint-url", sandbox)
    made = result_of(dynodesk("describe", "Social", "--format", "create-json", *at))
    assert made["GlobalSecondaryIndexes"][0]["IndexName"] == "GSI1"
    command = shlex.split(dynodesk("describe", "Social", "--format", "create-cli", *at).stdout)
    assert json.loads(command[-1]) == made


def test_no_such_table(sandbox: str) -> None:
    finished = dynodesk("describe", "Nope", "--endpoint-url", sandbox)
    assert (finished.returncode, finished.stdout) == (2, "")
    assert "does not exist" in finished.stderr
