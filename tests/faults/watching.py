"""A live watch on a table that right writers never leave alone, and a wrong one now and then.

`python -m tests.faults.watching --seconds 60` starts the server and prints the figures as JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import threading
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from dynodesk.domain.capacity import Meter
from dynodesk.domain.clock import SystemClock
from dynodesk.domain.profiles import Profile, new_profile_id
from dynodesk.domain.progress import Ticket
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.rules import parse_rules
from dynodesk.reconcile.watch import Watch, follow
from dynodesk.sandbox.seed import Api
from dynodesk.wiring import Workspace, open_workspace
from tests.helpers import ministack

POSTS = 6
QUIET_AFTER = 9.0
"""Seconds after the last write in which everything can be judged."""
RULES = """\
version = 1
[[tally]]
name = "likes"
table = "{table}"
parent = {{ PK = "POST#{{post}}", SK = "META" }}
attribute = "likeTally"
children = {{ PK = "POST#{{post}}", SK = "LIKE#{{user}}" }}
wait = "1s"
"""


@dataclass
class Figures:
    """What was written, right and wrong, and what the watch said of it."""

    transactions: int = 0
    planted: Counter[str] = field(default_factory=Counter)
    drifts: Counter[str] = field(default_factory=Counter)
    """By post, what was planted: stored minus real."""
    notices: Counter[str] = field(default_factory=Counter)
    named: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    """By post, what the notices add up to."""
    records: int = 0

    @property
    def false_posts(self) -> int:
        """Posts of which more, less or other drift was named than was planted."""
        return sum(self.drifts[post] != self.named[post] for post in {*self.drifts, *self.named})

    def as_json(self) -> dict[str, object]:
        return {
            "transactions": self.transactions,
            "planted": dict(self.planted),
            "notices": dict(self.notices),
            "records": self.records,
            "false_posts": self.false_posts,
        }


def watched(endpoint: str, seconds: float, *, rate: float = 40) -> Figures:
    """Write for so long, and watch until all of it can be judged."""
    table = f"Watched-{uuid.uuid4().hex[:8]}"
    api = Api(endpoint)
    _create(api, table)
    figures = Figures()
    with _opened(endpoint) as workspace:
        info = workspace.catalog.describe(table, Ticket())
        rules = bind_rules(parse_rules(RULES.format(table=table), "watched.toml"), lambda _: info, lambda _: None)
        watch = Watch(rules)
        stream = workspace.new_stream_reader(Meter()).open(info, "trim", Ticket())
        with _writing(endpoint, table, seconds, rate, figures):
            for notice in follow(watch, [stream], SystemClock(), Ticket(), seconds + QUIET_AFTER):
                figures.notices[notice.kind] += 1
                if notice.drift is not None and notice.parent is not None:
                    figures.named[notice.parent_text.partition(" ")[0]] += int(notice.drift)
        figures.records = watch.records
    return figures


@contextmanager
def _opened(endpoint: str) -> Iterator[Workspace]:
    profile = Profile(new_profile_id(), "watched", "endpoint", "dummy", region="us-east-1", endpoint_url=endpoint)
    workspace = open_workspace(profile, Ticket())
    try:
        yield workspace
    finally:
        workspace.close()


def _create(api: Api, table: str) -> None:
    api.call(
        "CreateTable",
        {
            "TableName": table,
            "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")],
            "BillingMode": "PAY_PER_REQUEST",
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        },
    )
    for post in range(POSTS):
        api.call("PutItem", {"TableName": table, "Item": {**_key(post, "META"), "likeTally": {"N": "0"}}})


def _key(post: int, sort: str) -> dict[str, Any]:
    return {"PK": {"S": f"POST#{post}"}, "SK": {"S": sort}}


@contextmanager
def _writing(endpoint: str, table: str, seconds: float, rate: float, figures: Figures) -> Iterator[None]:
    end = time.monotonic() + seconds
    lock = threading.Lock()

    def like(number: int) -> None:
        """Likes of this writer's own users, each in one transaction with its tally, and unlikes of them."""
        chance, api, liked = random.Random(number), Api(endpoint), set[tuple[int, str]]()
        while time.monotonic() < end:
            place = chance.randrange(POSTS), f"LIKE#{number}-{chance.randrange(50)}"
            _toggle(api, table, *place, unlike=place in liked)
            liked ^= {place}
            with lock:
                figures.transactions += 1
            time.sleep(chance.uniform(0, 4 / rate))

    def go_wrong() -> None:
        """A post of its own for each wrong write, and now and then a like that one of the busy posts does not count."""
        chance, api = random.Random(0), Api(endpoint)
        for post in range(POSTS, 1_000_000):
            if time.monotonic() >= end:
                return
            api.call("PutItem", {"TableName": table, "Item": {**_key(post, "META"), "likeTally": {"N": "0"}}})
            if post % 2:
                api.call("UpdateItem", {"TableName": table, **_counted(post, 1)})
                plant("tally alone", post, 1)
            else:
                api.call("PutItem", {"TableName": table, "Item": _key(post, "LIKE#wrong")})
                plant("child alone", post, -1)
            if post % 5 == 0:
                api.call("PutItem", {"TableName": table, "Item": _key(0, f"LIKE#wrong{post}")})
                plant("child alone", 0, -1)
            time.sleep(chance.uniform(0, 1))

    def plant(kind: str, post: int, drift: int) -> None:
        figures.planted[kind] += 1
        figures.drifts[f"POST#{post}"] += drift

    with ThreadPoolExecutor(3) as pool:
        writing = [pool.submit(like, 1), pool.submit(like, 2), pool.submit(go_wrong)]
        yield
        for writer in writing:
            writer.result()


def _toggle(api: Api, table: str, post: int, sort: str, *, unlike: bool) -> None:
    child = (
        {"Delete": {"TableName": table, "Key": _key(post, sort)}}
        if unlike
        else {"Put": {"TableName": table, "Item": _key(post, sort)}}
    )
    parent = {"Update": {"TableName": table, **_counted(post, -1 if unlike else 1)}}
    api.call("TransactWriteItems", {"TransactItems": [child, parent]})


def _counted(post: int, by: int) -> dict[str, Any]:
    return {
        "Key": _key(post, "META"),
        "UpdateExpression": "ADD likeTally :by",
        "ExpressionAttributeValues": {":by": {"N": str(by)}},
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--rate", type=float, default=40)
    chosen = options.parse_args()
    with ministack.running() as endpoint:
        figures = watched(endpoint, chosen.seconds, rate=chosen.rate)
    print(json.dumps(figures.as_json()))  # noqa: T201  (the figures are the output)


if __name__ == "__main__":
    main()
