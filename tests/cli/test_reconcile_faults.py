"""`dynodesk reconcile` as a process on a bad endpoint: faults are errors or pass, and are never findings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dynodesk.sandbox.answers import answers
from dynodesk.sandbox.samples import sample_tables
from dynodesk.sandbox.seed import Api, seed
from tests.faults.proxy import HTML, THROTTLE, Answer, Cut, Fault, FaultProxy, Hang, Rewrite, error
from tests.helpers.command import dynodesk, findings_of, result_of

pytestmark = pytest.mark.server

RULES = Path(__file__).resolve().parents[2] / "resources/rules"
SOCIAL, COURSES = RULES / "social.toml", RULES / "courses.toml"
AT_ONCE = ("--wait", 0, "--settle", 0)
JSON = ("--format", "json")


def repeat_the_cursor(body: dict[str, Any]) -> None:
    body["LastEvaluatedKey"] = {"PK": {"S": "COURSE#x"}, "SK": {"S": "META"}}


def miscount(body: dict[str, Any]) -> None:
    body["Count"] += 1


FAULTS: dict[str, tuple[str, Fault, int, str]] = {
    "HTML": ("DescribeTable", HTML, 3, "not-dynamodb"),
    "HTML in the sweep": ("Scan", HTML, 3, "not-dynamodb"),
    "cut each time": ("Scan", Cut(), 4, "damaged-reply"),
    "wrong checksum": ("Scan", Rewrite(headers={"x-amz-crc32": "7"}), 4, "damaged-reply"),
    "wrong count": ("Scan", Rewrite(change=miscount), 4, "damaged-reply"),
    "repeated cursor": ("Scan", Rewrite(change=repeat_the_cursor), 4, "damaged-reply"),
    "not JSON": ("Scan", Rewrite(body=b'{"Items": ['), 4, "damaged-reply"),
    "describing is denied": ("DescribeTable", error("AccessDeniedException"), 3, "not-allowed"),
    "scanning is denied": ("Scan", error("AccessDeniedException"), 3, "not-allowed"),
    "unknown keys": ("DescribeTable", error("UnrecognizedClientException"), 3, "credentials"),
    "server errors": ("DescribeTable", error("InternalServerError", status=500), 4, "service"),
    "redirect": ("DescribeTable", Answer(307, b"", {"Location": "http://127.0.0.1:9/"}), 3, "not-dynamodb"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_an_error_with_its_code_and_never_a_finding(proxy: FaultProxy, name: str) -> None:
    operation, fault, exit_code, code = FAULTS[name]
    proxy.always(operation, fault)
    finished = dynodesk("reconcile", COURSES, "--endpoint-url", proxy.url, *AT_ONCE, *JSON, timeout=120)
    assert f"[{code}]" in finished.stderr, finished.stderr
    assert finished.returncode == exit_code
    assert "Traceback" not in finished.stderr
    if finished.stdout:
        assert findings_of(finished) == []
        assert result_of(finished)["run"]["complete"] is False


@pytest.mark.parametrize(
    ("operation", "fault"),
    [
        ("Scan", Cut()),
        ("Scan", THROTTLE),
        ("Query", Cut()),
        ("Query", Rewrite(headers={"x-amz-crc32": "7"})),
        ("Query", error("InternalServerError", status=500)),
        ("TransactGetItems", THROTTLE),
        ("TransactGetItems", Cut()),
    ],
)
def test_a_passing_fault_changes_nothing(proxy: FaultProxy, operation: str, fault: Fault) -> None:
    proxy.on(operation, fault)
    finished = dynodesk("reconcile", SOCIAL, "--rule", "post likes", "--endpoint-url", proxy.url, *AT_ONCE, *JSON)
    assert finished.returncode == 1, finished.stderr
    assert proxy.counts[operation] > 1
    expected = [finding for finding in answers()["social.toml"] if finding["rule"] == "post likes"]
    assert len(expected) > 3
    assert findings_of(finished) == expected


def test_waiting_for_capacity_is_told_once_where_there_is_no_terminal(proxy: FaultProxy) -> None:
    proxy.on("Scan", THROTTLE, times=3)
    finished = dynodesk("reconcile", COURSES, "--endpoint-url", proxy.url, *AT_ONCE, *JSON)
    assert (finished.returncode, finished.stderr) == (0, "Throttled: waiting for capacity\n")


def test_confirming_is_cut_each_time(proxy: FaultProxy) -> None:
    proxy.always("Query", Cut(at=10))
    finished = dynodesk(
        "reconcile", SOCIAL, "--rule", "following", "--endpoint-url", proxy.url, *AT_ONCE, *JSON, timeout=120
    )
    assert finished.returncode == 4
    assert {finding["verdict"] for finding in findings_of(finished)} == {"suspect"}


def test_the_table_is_deleted_in_mid_run(ministack: str) -> None:
    sample = next(sample for sample in sample_tables() if sample.name == "Courses")
    api = Api(ministack)
    if "Courses" not in api.call("ListTables", {})["TableNames"]:
        seed(ministack, [sample])
    with FaultProxy(ministack) as proxy:
        proxy.always("TransactGetItems", error("ResourceNotFoundException"))
        finished = dynodesk("reconcile", COURSES, "--confirm-all", "--endpoint-url", proxy.url, *AT_ONCE, *JSON)
    assert finished.returncode == 4
    assert findings_of(finished) == []
    assert "does not exist" in result_of(finished)["run"]["stopped"]


def test_an_endpoint_that_never_answers(proxy: FaultProxy) -> None:
    proxy.always("DescribeTable", Hang())
    finished = dynodesk("reconcile", COURSES, "--endpoint-url", proxy.url, timeout=30)
    assert (finished.returncode, finished.stdout) == (3, "")
    assert "[cannot-connect]" in finished.stderr
