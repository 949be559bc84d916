"""Rules that call attributes sensitive: what they may not be, and what a run and its repairs tell of their values."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from dynodesk.domain.capacity import Meter
from dynodesk.domain.errors import InvalidRules
from dynodesk.domain.sensitive import HIDDEN, shown_payloads
from dynodesk.domain.tables import IndexInfo, KeyAttribute, KeySchema, Projection
from dynodesk.domain.values import Map, Number, String, Value
from dynodesk.domain.writing import INTENT
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.ledger import Ledger
from dynodesk.reconcile.rules import parse_rules
from dynodesk.reconcile.run import Origin, Run, Scope
from dynodesk.reports.writers import FORMATS, render
from tests.helpers.plain_sweep import PlainSweeper
from tests.helpers.social import SOCIAL, key, no_time_to_live
from tests.reconcile.repair_bench import GUARDS, HERE, RULE, Bench, drifted
from tests.reports.unpacked import comparable

SENSITIVE = 'sensitive = ["email", "profile.ssn"]\n'
BY_MAIL = IndexInfo("ByMail", "GSI", KeySchema((KeyAttribute("mail", "S"),)), Projection("ALL"))
TABLE = replace(SOCIAL, indexes=(BY_MAIL,))


@pytest.mark.parametrize(("index", "name"), [("", "PK"), ("", "SK"), ('index = "ByMail", ', "mail")])
def test_no_part_of_a_key_that_names_items(index: str, name: str) -> None:
    children = f'{{ {index}mail = "{{post}}" }}' if index else '{ PK = "POST#{post}", SK = "LIKE#{user}" }'
    text = RULE.replace('{ PK = "POST#{post}", SK = "LIKE#{user}" }', children) + f'sensitive = ["{name}"]\n'
    with pytest.raises(InvalidRules) as raised:
        bind_rules(parse_rules(text, "rules.toml"), lambda _: TABLE, no_time_to_live)
    (problem,) = raised.value.problems
    assert problem.message == f"sensitive: {name} is part of a key"
    assert text.splitlines()[problem.line - 1].startswith("sensitive")


@pytest.mark.parametrize("guard", GUARDS)
def test_repairs_say_what_is_sensitive_and_tell_none_of_it(guard: str) -> None:
    person: dict[str, Value] = {"email": String("canary-mail"), "profile": Map({"ssn": String("canary-ssn")})}
    bench = Bench(*drifted("a", 5, 3, **person), guard=GUARDS[guard] + SENSITIVE)
    assert bench.apply().is_done
    (intent,) = [entry for entry in bench.journal.entries if entry.kind == INTENT]
    assert intent.payload["sensitive"] == {"Social": [["email"], ["profile", "ssn"]]}
    shown = json.dumps(list(shown_payloads(bench.journal.entries)))
    assert "canary" not in shown
    (write,) = Ledger.of(bench.journal.entries).writes
    (undone,) = bench.desk.undo([write], frozenset({"Social"}), bench.ticket)
    assert undone.outcome == "undone"
    assert bench.tally("a") == 5
    assert bench.parent("a")["email"] == String("canary-mail")


def test_the_tally_of_a_repair_is_shown_whatever_another_rule_says_of_it() -> None:
    bench = Bench(*drifted("a", 5, 3), guard=GUARDS["version"])
    bench.apply()
    bench.journal.append(INTENT, {"what": "request", "id": "r", "try": 2, "sensitive": {"Social": [["likeTally"]]}})
    without_digest = {"left": HIDDEN, "hidden": True}  # of the whole item, whose other values may be guessed by it
    assert [*shown_payloads(bench.journal.entries)] == [
        {**entry.payload, **(without_digest if entry.payload.get("left") else {})} for entry in bench.journal.entries
    ]


def test_reports_of_every_form_have_none_of_it() -> None:
    """Also where a measure looks at such values, finds what it cannot take, and an explanation is written of it."""
    measured = 'measure = "distinct(email)"\nwhere = "attribute_exists(email)"\n'
    profile = Map({"ssn": String("canary-ssn")})
    bench = Bench(
        {**key("POST#a", "META"), "likeTally": Number("5"), "rev": Number("1"), "email": String("canary-parent")},
        {**key("POST#a", "LIKE#1"), "email": String("canary-child"), "profile": profile},
        {**key("POST#b", "META"), "likeTally": Number("5"), "rev": Number("1"), "profile": profile},
        {**key("POST#b", "LIKE#1"), "email": Map({"canary-name": String("canary-inner")})},
        {**key("POST#gone", "LIKE#1"), "email": String("canary-orphan"), "profile": profile},
        more=measured + SENSITIVE,
    )
    meter = Meter()
    origin = Origin(HERE.identity, HERE.endpoint, HERE.region, "rules.toml")
    sweeper = PlainSweeper(bench.reader)
    report = Run(bench.rules, Scope(), bench.reader, sweeper, meter, origin, clock=bench.clock).report(bench.ticket)
    assert {finding.verdict for finding in report.findings} == {"exact", "incomparable", "orphans"}
    for form in (*FORMATS, "text"):
        told = comparable(form, render(report, form))
        assert b"POST#gone" in told
        assert b"canary" not in told, form
