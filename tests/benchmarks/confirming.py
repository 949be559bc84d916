"""Who does the work while many parents are confirmed at a local emulator: we, or the emulator?

    python -m tests.benchmarks.confirming

confirms 1,000 parents that are off and that nobody writes to, without waiting for anything, and prints one JSON object:
seconds of CPU of each side, and what the AWS library alone takes for the same requests. Needs Linux, which tells how
much CPU another process has used.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dynodesk.domain.capacity import Meter
from dynodesk.domain.clock import SystemClock
from dynodesk.domain.findings import Report
from dynodesk.domain.profiles import Profile, new_profile_id
from dynodesk.domain.progress import Ticket
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.choosing import choose_parents
from dynodesk.reconcile.rules import parse_rules
from dynodesk.reconcile.run import Origin, Run, Scope
from dynodesk.sandbox.seed import BATCH, Api
from dynodesk.wiring import open_workspace
from tests.aws.tables import plain_client
from tests.helpers import ministack

TABLE, DRIFT = "Confirming", 3
RULES = f"""\
version = 1
[[tally]]
name = "likes"
table = "{TABLE}"
parent = {{ PK = "POST#{{post}}", SK = "META" }}
attribute = "likeTally"
children = {{ PK = "POST#{{post}}", SK = "LIKE#{{user}}" }}
version = "rev"
settle = 0
wait = 0
"""


@dataclass(frozen=True)
class Used:
    """CPU seconds, user and system, of all threads."""

    seconds: float
    ours: float
    emulator: float

    @classmethod
    def now(cls, emulator: list[int]) -> Used:
        return cls(time.perf_counter(), time.process_time(), sum(map(_cpu_seconds, emulator)))

    def since(self, before: Used) -> Used:
        return Used(self.seconds - before.seconds, self.ours - before.ours, self.emulator - before.emulator)


def confirmed(endpoint: str, count: int) -> tuple[Report, Meter, Used]:
    """Confirm so many drifted parents; what came of it, and what that took."""
    emulator = list(_descendants(os.getpid()))
    profile = Profile(new_profile_id(), "confirming", "endpoint", "dummy", region="us-east-1", endpoint_url=endpoint)
    workspace = open_workspace(profile, Ticket())
    try:
        rules = bind_rules(
            parse_rules(RULES, "confirming.toml"),
            lambda name: workspace.catalog.describe(name, Ticket()),
            lambda name: workspace.catalog.time_to_live(name, Ticket()),
        )
        chosen = choose_parents([f"post={n}" for n in range(count)], rules)
        meter = Meter()
        origin = Origin("", endpoint, workspace.region, "confirming.toml")
        reader, sweeper = workspace.new_reader(meter), workspace.new_sweeper(meter)
        run = Run(rules, Scope(chosen), reader, sweeper, meter, origin, clock=SystemClock())
        before = Used.now(emulator)
        report = run.report(Ticket())
        return report, meter, Used.now(emulator).since(before)
    finally:
        workspace.close()


def requested(endpoint: str, count: int) -> Used:
    """The same requests, sent by the AWS library with nobody to look at the replies."""
    client: Any = plain_client(endpoint)
    before = Used.now([])
    for n in range(count):
        key = {"PK": {"S": f"POST#{n}"}, "SK": {"S": "META"}}
        for wants_children in (False, True, False, True, False):
            if wants_children:
                client.query(
                    TableName=TABLE,
                    ConsistentRead=True,
                    KeyConditionExpression="PK = :p AND begins_with(SK, :s)",
                    ExpressionAttributeValues={":p": key["PK"], ":s": {"S": "LIKE#"}},
                    ProjectionExpression="PK, SK",
                )
            else:
                client.transact_get_items(TransactItems=[{"Get": {"TableName": TABLE, "Key": key}}])
    client.close()
    return Used.now([]).since(before)


def fill(endpoint: str, count: int, children: int) -> None:
    api = Api(endpoint)
    keys = (("PK", "HASH"), ("SK", "RANGE"))
    api.call(
        "CreateTable",
        {
            "TableName": TABLE,
            "KeySchema": [{"AttributeName": name, "KeyType": kind} for name, kind in keys],
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name, _ in keys],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    items = list(_items(count, children))
    for at in range(0, len(items), BATCH):
        puts = [{"PutRequest": {"Item": item}} for item in items[at : at + BATCH]]
        api.call("BatchWriteItem", {"RequestItems": {TABLE: puts}})


def _items(count: int, children: int) -> Iterator[dict[str, Any]]:
    for n in range(count):
        partition = {"PK": {"S": f"POST#{n}"}}
        yield {**partition, "SK": {"S": "META"}, "likeTally": {"N": str(children + DRIFT)}, "rev": {"N": "1"}}
        for user in range(children):
            yield {**partition, "SK": {"S": f"LIKE#{user:04}"}, "at": {"S": "2026-01-02T03:04:05Z"}}


def _descendants(process: int) -> Iterator[int]:
    for task in Path(f"/proc/{process}/task").iterdir():
        for child in map(int, task.joinpath("children").read_text().split()):
            yield child
            yield from _descendants(child)


def _cpu_seconds(process: int) -> float:
    # The name in brackets may hold anything; the numbers come after it (proc(5), /proc/pid/stat).
    user, system = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=1000)
    options.add_argument("--children", type=int, default=20)
    chosen = options.parse_args()
    with ministack.running() as endpoint:
        fill(endpoint, chosen.count, chosen.children)
        report, meter, used = confirmed(endpoint, chosen.count)
        library = requested(endpoint, chosen.count)
    exact = sum(finding.verdict == "exact" and finding.drift == DRIFT for finding in report.findings)
    figures = {
        "parents": chosen.count,
        "children_each": chosen.children,
        "exact": exact,
        "requests": meter.calls,
        "seconds": round(used.seconds, 2),
        "our_cpu_seconds": round(used.ours, 2),
        "library_alone_cpu_seconds": round(library.ours, 2),
        "emulator_cpu_seconds": round(used.emulator, 2),
        "our_share_of_cpu": round(used.ours / (used.ours + used.emulator), 2),
        "our_share_of_time": round(used.ours / used.seconds, 2),
        "our_cpu_ms_per_parent": round(used.ours / chosen.count * 1000, 2),
    }
    sys.stdout.write(json.dumps(figures) + "\n")
    return int(exact < chosen.count)


if __name__ == "__main__":
    sys.exit(main())
