"""What became of a like, in every way it can end, as the desk reports it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from dynodesk.composing.effects import Items
from dynodesk.composing.running import RunOutcome, RunReport, Sending
from dynodesk.domain.actions import (
    BoundStatement,
    ComposedRequest,
    GetAction,
    PutAction,
    SingleStatement,
    SingleWrite,
    TransactGet,
    TransactWrite,
    UpdateAction,
)
from dynodesk.domain.capacity import Consumed
from dynodesk.domain.composed import ActionReason, Done, Refused
from dynodesk.domain.expressions import parse_changes, parse_paths, parse_where
from dynodesk.domain.values import Item, Number, String, Value

TOKEN = "7d1e0b52-5f0e-4c1c-9a36-2b8e5d0640c2"
SENT = "2025-06-23T10:06:18.381Z"
ENDED = "2025-06-23T10:06:18.402Z"
META = {"PK": String("POST#a91f"), "SK": String("META")}
LIKED: dict[str, Value] = {
    "PK": String("POST#a91f"),
    "SK": String("LIKE#USER#7c20"),
    "GSI1PK": String("USER#7c20"),
    "GSI1SK": String("LIKE#2025-06-23T00:00:00Z"),
    "likedAt": Number("1750636800"),
}
EARLIER: Item = {**LIKED, "likedAt": Number("1750550400"), "by": String("web 8.2.1")}
POST: Item = {**META, "likeTally": Number("41"), "rev": Number("59"), "title": String("Harbour walk")}
LIKED_POST: Item = {**POST, "likeTally": Number("42"), "rev": Number("60")}
COUNT = UpdateAction(
    "Social", META, parse_changes("SET rev = rev + 1 ADD likeTally 1"), parse_where("attribute_exists(PK)")
)
LIKE = TransactWrite((PutAction("Social", LIKED, parse_where("attribute_not_exists(SK)")), COUNT), TOKEN)
LOOKED = TransactGet((GetAction("Social", META), GetAction("Social", {**META, "SK": String("GONE")})))
UNITS = (
    Consumed("TransactWriteItems", "Social", "", Decimal(4)),
    Consumed("TransactWriteItems", "Social", "GSI1", Decimal(1)),
)


def report_of(
    request: ComposedRequest, outcome: RunOutcome, result: Done | Refused | None = None, before: Items | None = None
) -> RunReport:
    ids = () if result is None else (result.request_id,)
    return RunReport(
        "1", request, outcome, "", result, None, before, None, None, 1, SENT, ENDED, 0.021, ids, Sending(SENT, 1.0)
    )  # fmt: skip


def done() -> RunReport:
    return report_of(LIKE, "done", Done((), UNITS, 0.021, "8F2K"), (None, POST))


def cancelled(*more: ActionReason) -> RunReport:
    reasons = more or (
        ActionReason("ConditionalCheckFailed", "The conditional request failed", EARLIER),
        ActionReason("None", "", None),
    )
    return report_of(LIKE, "refused", Refused(tuple(reasons), (), 0.021, "8F2K"), (EARLIER, POST))


def unknown() -> RunReport:
    """Read back, it looks as if it was applied."""
    report = report_of(LIKE, "unknown", None, (None, POST))
    return replace(report, reason="no answer came in 10 s", after=(LIKED, LIKED_POST), seen="likely", tries=3)


def unknown_count() -> RunReport:
    """Without a token, and the item could not be read."""
    return replace(report_of(SingleWrite(COUNT), "unknown"), reason="no answer came in 10 s")


def looked_up(items: Sequence[Item | None] = (POST, None)) -> RunReport:
    units = (Consumed("TransactGetItems", "Social", "", Decimal(4)),)
    return replace(report_of(LOOKED, "done", Done(tuple(items), units, 0.004, "9A")), first_sent=None)


def selected(items: Sequence[Item]) -> RunReport:
    """One page of a SELECT."""
    request = SingleStatement(BoundStatement('SELECT * FROM "Social"'))
    done = Done(tuple(items), (), 0.004, "9A", goes_on=True)
    return replace(report_of(request, "done", done), first_sent=None)


def sharded(*counts: Value | None) -> RunReport:
    """What the shards of a counter hold."""
    gets = tuple(
        GetAction("Social", {**META, "SK": String(f"SHARD#{at}")}, parse_paths("likeTally"))
        for at in range(len(counts))
    )
    items = tuple(None if count is None else {"likeTally": count} for count in counts)
    return replace(report_of(TransactGet(gets), "done", Done(items, (), 0.004, "9A")), first_sent=None)
