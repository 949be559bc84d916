"""A report in which everything is awkward at once: every verdict, every kind of key and tally, hostile texts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from decimal import Decimal

from dynodesk.domain.findings import VERDICTS, Evidence, Finding, Guard, Look, Report, RuleResult, Verdict
from dynodesk.domain.tables import Key
from dynodesk.domain.values import EXACT, Binary, List, Map, Null, Number, NumberSet, String, Value

LONGEST = "9" * 38 + "0" * 88
"""The largest number of the service, in plain digits: 126 of them."""
FORMULA = "=cmd|'/c calc'!A0"
GROWING = (
    "The drift grows from run to run (3 on 1 December 2025, 8 on 15 December 2025, 32 on 2 January 2026): "
    "a <writer> still misses it."
)
GUARDS = (
    Guard(
        "python",
        "Add a child and count it",
        'client.transact_write_items(\n    TransactItems=[{"Put": f"LIKE#{user}"}],\n    note="````<b>&\u202e日本",\n)',
    ),
    Guard("python", "Take a child away and count it off", 'client.delete_item(Key="=1+1")'),
    Guard("javascript", "Add a child and count it", "await client.send(`${user}` + '</code></pre><script>');"),
    Guard("json", "Add a child and count it", '{\n    "TransactItems": [{"Put": "LIKE#<user>"}]\n}'),
)
LONG_NAME = "likes of a post with a name as long as names may be " * 5


def awkward_report() -> Report:
    return Report(
        run_id="20260102T030405Z-7f3a",
        started="2026-01-02T03:04:05Z",
        ended="2026-01-02T03:05:37Z",
        identity="arn:aws:sts::111122223333:assumed-role/support|ro/<eve>",
        endpoint="https://dynamodb.eu-west-1.amazonaws.com",
        region="eu-west-1",
        rules_file="social `rules`.toml",
        scope="whole table",
        complete=False,
        stopped="budget of 500 read units used up",
        read_units=Decimal("500.50"),
        pages=1234,
        notes=(
            "Waits were set to 0: right only where nobody writes.",
            "A sweep may miss drift that writes in flight hide at that moment.",
        ),
        rules=(_post_likes(), _numbered(), _binary(), _clean()),
    )


def rule_result(name: str, table: str, text: str, ok: int, *findings: Finding) -> RuleResult:
    counts: dict[Verdict, int] = dict.fromkeys(VERDICTS, 0)
    counts.update(Counter(finding.verdict for finding in findings))
    counts["ok"] = ok
    in_order = tuple(sorted(findings, key=Finding.sort_key))
    return RuleResult(name, table, text, ok + len(findings), counts, in_order)


def post(name: str) -> Key:
    return {"PK": String(f"POST#{name}"), "SK": String("META")}


def confirmed(passes: int = 2, *, version: bool = True) -> Evidence:
    looks = [
        Look("2026-01-02T03:04:31.208Z", "Parent, transactional", "likeTally 41 · rev 318"),
        Look("2026-01-02T03:04:33.214Z", "Pass 1, strong, 1 page", "37 children · 9f3c…e1"),
        Look("2026-01-02T03:04:33.226Z", "Parent, transactional", "41 · 318, unchanged"),
        Look("2026-01-02T03:05:03.244Z", "Pass 2, strong, 1 page", "37 children · 9f3c…e1"),
    ]
    return Evidence(passes, consistent=True, version=version, tries=1, looks=tuple(looks))


def _post_likes() -> RuleResult:
    rule, twice = "post likes", ("Retries without a guard", 'A <b>writer</b> that "adds" `1` | twice')

    def finding(
        verdict: Verdict,
        parent: Key,
        stored: Value | None,
        real: int | None,
        drift: str | None = None,
        *,
        ends: tuple[str, str] | None = None,
        reason: str = "",
        causes: tuple[str, ...] = (),
        evidence: Evidence | None = None,
    ) -> Finding:
        low, high = (Decimal(ends[0]), Decimal(ends[1])) if ends else (None, None)
        size = None if drift is None else Decimal(drift)
        return Finding(rule, verdict, parent, stored, real, size, low, high, reason, causes, evidence or Evidence())

    two, three = confirmed(), confirmed(3, version=False)
    text, busy = "likeTally is text, not a number", "changed or held by a writer in each of 8 tries"
    result = rule_result(
        rule,
        "Social",
        "likeTally of PK begins_with POST# counts its LIKE# items",
        246,
        finding("exact", post("a91f"), Number("41"), 37, "4", causes=twice, evidence=two),
        finding(
            "exact", post("77b0"), Number("-2"), 0, "-2", causes=("Unlike without attribute_exists",), evidence=two
        ),
        finding("exact", post("1.50"), Number("1.50"), 1, "0.5", evidence=two),
        finding("exact", {"PK": String(FORMULA), "SK": String("＝1+1")}, Number("1E+1"), 9, "1", evidence=two),
        finding("probable", post("<script>alert(1)</script>"), Number("25"), 24, "1", causes=twice[:1], evidence=three),
        finding("bounded", post('"quoted"|`x`\\|'), Number("88214"), 88196, ends=("12", "24"), evidence=confirmed(1)),
        finding("bounded", post("negative"), Number("0"), 9, ends=("-12", "-6"), evidence=confirmed(1)),
        finding("busy", post("f5c2"), None, None, reason=busy),
        finding(
            "suspect", post("日本語 é ❤"), Number("500210"), 500188, "22", reason="not confirmed: the run was stopped"
        ),
        finding("incomparable", post("nul\0tab\tnew\r\nline\x1b[31m\x9b"), String("12"), 12, reason=text, evidence=two),
        finding("incomparable", post("rtl\u202egpj.exe\u200b\u00a0"), String(FORMULA), 3, reason=text, evidence=two),
        finding("incomparable", post("empty"), String(""), 3, reason=text),
        finding("incomparable", post("null"), Null(), 3, reason="likeTally is NULL"),
        finding("incomparable", post("map"), Map({"$binary": Number("NaN")}), 3, reason="likeTally is a Map"),
        finding("incomparable", post("list"), List((Number("1.0"), String("\x07"))), 3, reason="likeTally is a List"),
        finding("incomparable", post("no number"), Number("=1+1"), 3, reason="likeTally is no number"),
        finding("incomparable", post("missing"), None, 3, reason="likeTally is missing", evidence=two),
        finding("orphans", post("zz"), None, 2, reason="the parent item does not exist", evidence=two),
        finding("gone", post("was here"), None, 0, reason="the parent was deleted meanwhile"),
    )
    return replace(result, guards=GUARDS, causes=(GROWING,))


def _numbered() -> RuleResult:
    def key(number: str) -> Key:
        return {"id": Number(number)}

    drift = EXACT.subtract(Decimal(LONGEST), Decimal(1))
    return rule_result(
        "<img src=x onerror=alert(1)>",
        "Stats",
        "",
        3,
        Finding("", "exact", key("-0.50"), Number(LONGEST), 1, drift, evidence=confirmed()),
        Finding("", "exact", key("9" * 38), Number("7"), 9007199254740993, Decimal(-9007199254740986)),
    )


def _binary() -> RuleResult:
    key: Key = {"id": Binary(b"\x00\xff<script>"), "sort": Number("1.0")}
    stored = NumberSet((Number("1"), Number("2.50")))
    reason = "tally is a Number set"
    return rule_result(
        LONG_NAME[:255], "Type.Zoo_1-x", "", 0, Finding("", "incomparable", key, stored, 1, None, reason=reason)
    )


def _clean() -> RuleResult:
    return rule_result("workspace seats", "Workspaces", "seats of WS# counts the items of Members", 12)
