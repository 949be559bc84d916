"""Confirmations on a table that transactional writers never leave alone, on a server that runs requests side by side.

`python -m tests.faults.live --seconds 60` starts the server and prints the figures as JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from dynodesk.domain.capacity import Meter
from dynodesk.domain.clock import SystemClock
from dynodesk.domain.findings import Finding
from dynodesk.domain.profiles import Profile, new_profile_id
from dynodesk.domain.progress import Ticket
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.choosing import choose_parents
from dynodesk.reconcile.rules import parse_rules
from dynodesk.reconcile.run import Origin, Run, Scope
from dynodesk.sandbox.seed import Api
from dynodesk.wiring import Workspace, open_workspace
from tests.helpers import ministack

POSTS, LIKES = 6, 150
PADDING = "x" * 9000
"""Makes the likes of one post more than a page of 1 MB, so that a pass takes several replies."""
QUIET, PLANTED = "quiet", 3

RULES = """\
version = 1
[[tally]]
name = "likes"
table = "{table}"
parent = {{ PK = "POST#{{post}}", SK = "META" }}
attribute = "likeTally"
children = {{ PK = "POST#{{post}}", SK = "LIKE#{{user}}" }}
version = "rev"
settle = "200ms"
wait = "1s"
"""


@dataclass
class Figures:
    """What happened: confirmations by verdict on the posts that were written, and on the one nobody wrote."""

    seconds: float = 0
    transactions: int = 0
    busy_posts: Counter[str] = field(default_factory=Counter)
    quiet_post: Counter[str] = field(default_factory=Counter)
    quiet_drifts: Counter[str] = field(default_factory=Counter)

    @property
    def false_findings(self) -> int:
        return sum(self.busy_posts[verdict] for verdict in ("exact", "probable", "bounded", "orphans", "incomparable"))

    def as_json(self) -> dict[str, object]:
        return {
            "seconds": round(self.seconds, 1),
            "transactions": self.transactions,
            "transactions_per_second": round(self.transactions / self.seconds, 1),
            "confirmations": self.busy_posts.total() + self.quiet_post.total(),
            "on_posts_being_written": dict(self.busy_posts),
            "on_the_quiet_post": dict(self.quiet_post),
            "drift_of_the_quiet_post": dict(self.quiet_drifts),
            "false_findings": self.false_findings,
        }


def live(endpoint: str, seconds: float, *, transactions: int = 0, writers: int = 4, rate: float = 70) -> Figures:
    """Confirm all posts again and again while writers like and unlike, `rate` times a second in all.

    Ends after `seconds`, but not before that many transactions have gone through.
    """
    table = f"Live-{uuid.uuid4().hex[:8]}"
    _create(endpoint, table)
    figures = Figures()
    with _opened(endpoint) as workspace, _writing(endpoint, table, writers, rate, figures):
        rules = bind_rules(
            parse_rules(RULES.format(table=table), "live.toml"),
            lambda name: workspace.catalog.describe(name, Ticket()),
            lambda name: workspace.catalog.time_to_live(name, Ticket()),
        )
        chosen = choose_parents([f"post=p{i}" for i in range(POSTS)] + [f"post={QUIET}"], rules)
        started = time.monotonic()
        while time.monotonic() - started < seconds or figures.transactions < transactions:
            meter = Meter()
            origin = Origin("", endpoint, workspace.region, "live.toml")
            run = Run(
                rules,
                Scope(chosen),
                workspace.new_reader(meter),
                workspace.new_sweeper(meter),
                meter,
                origin,
                clock=SystemClock(),
            )
            found = {finding.parent_text: finding for finding in run.report(Ticket()).findings}
            for suspect in chosen:
                _count(figures, suspect.captures["post"], found.get(f"POST#{suspect.captures['post']} / META"))
        figures.seconds = time.monotonic() - started
    return figures


def _count(figures: Figures, post: str, finding: Finding | None) -> None:
    verdict = finding.verdict if finding else "ok"
    if post == QUIET:
        figures.quiet_post[verdict] += 1
        figures.quiet_drifts[finding.drift_text if finding else "0"] += 1
    else:
        figures.busy_posts[verdict] += 1


@contextmanager
def _opened(endpoint: str) -> Iterator[Workspace]:
    profile = Profile(new_profile_id(), "live", "endpoint", "dummy", region="us-east-1", endpoint_url=endpoint)
    workspace = open_workspace(profile, Ticket())
    try:
        yield workspace
    finally:
        workspace.close()


def _create(endpoint: str, table: str) -> None:
    api = Api(endpoint)
    api.call(
        "CreateTable",
        {
            "TableName": table,
            "KeySchema": [
                {"AttributeName": "PK", "KeyType": "HASH"},
                {"AttributeName": "SK", "KeyType": "RANGE"},
            ],
            "AttributeDefinitions": [
                {"AttributeName": "PK", "AttributeType": "S"},
                {"AttributeName": "SK", "AttributeType": "S"},
            ],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    for post in [f"p{i}" for i in range(POSTS)] + [QUIET]:
        stored = LIKES + (PLANTED if post == QUIET else 0)
        api.call("PutItem", {"TableName": table, "Item": {**_key(post, "META"), **_numbers(stored)}})
        for user in range(LIKES):
            api.call("PutItem", {"TableName": table, "Item": _like(post, user * 2)})


def _key(post: str, sort: str) -> dict[str, Any]:
    return {"PK": {"S": f"POST#{post}"}, "SK": {"S": sort}}


def _numbers(tally: int) -> dict[str, Any]:
    return {"likeTally": {"N": str(tally)}, "rev": {"N": "1"}}


def _like(post: str, user: int) -> dict[str, Any]:
    return {**_key(post, f"LIKE#{user:04}"), "padding": {"S": PADDING}}


@contextmanager
def _writing(endpoint: str, table: str, writers: int, rate: float, figures: Figures) -> Iterator[None]:
    stop = threading.Event()
    lock = threading.Lock()

    def write(number: int) -> None:
        """One writer: its users are its own, so that each of its likes and unlikes goes through."""
        chance = random.Random(number)
        api = Api(endpoint)
        liked = {(post, user) for post in range(POSTS) for user in range(0, LIKES * 2, 2)}
        while not stop.wait(chance.uniform(0, 2 * writers / rate)):
            like = (chance.randrange(POSTS), chance.randrange(number, LIKES * 2, writers))
            _toggle(api, table, f"p{like[0]}", like[1], unlike=like in liked)
            liked ^= {like}
            with lock:
                figures.transactions += 1

    with ThreadPoolExecutor(writers) as pool:
        writing = [pool.submit(write, number) for number in range(writers)]
        try:
            yield
        finally:
            stop.set()
        for writer in writing:
            writer.result()


def _toggle(api: Api, table: str, post: str, user: int, *, unlike: bool) -> None:
    """A like or an unlike as it should be done: child and tally in one transaction, each with its guard."""
    child: dict[str, Any] = (
        {
            "Delete": {
                "TableName": table,
                "Key": _key(post, f"LIKE#{user:04}"),
                "ConditionExpression": "attribute_exists(SK)",
            }
        }
        if unlike
        else {"Put": {"TableName": table, "Item": _like(post, user), "ConditionExpression": "attribute_not_exists(SK)"}}
    )
    parent = {
        "Update": {
            "TableName": table,
            "Key": _key(post, "META"),
            "UpdateExpression": "ADD likeTally :by, rev :one",
            "ConditionExpression": "attribute_exists(PK)",
            "ExpressionAttributeValues": {":by": {"N": "-1" if unlike else "1"}, ":one": {"N": "1"}},
        }
    }
    api.call("TransactWriteItems", {"TransactItems": [child, parent]})


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--writers", type=int, default=4)
    options.add_argument("--rate", type=float, default=70)
    chosen = options.parse_args()
    with ministack.running() as endpoint:
        figures = live(endpoint, chosen.seconds, writers=chosen.writers, rate=chosen.rate)
    print(json.dumps(figures.as_json()))  # noqa: T201  (the figures are the output)


if __name__ == "__main__":
    main()
