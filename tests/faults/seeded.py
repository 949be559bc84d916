"""Drift of every kind and size, put into a table on purpose: is each found, with its verdict and to the last digit?

    python -m tests.faults.seeded --count 10000

prints one JSON object. The table is simulated, and time is virtual. Beside the drifts there are tallies that are right,
of which nothing may be said.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from dynodesk.domain.findings import Finding, Verdict
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import (
    EXACT,
    Binary,
    Boolean,
    Item,
    List,
    Map,
    Null,
    Number,
    NumberSet,
    String,
    Value,
    plain_digits,
)
from dynodesk.reconcile.binding import bind_rules
from dynodesk.reconcile.rules import parse_rules
from dynodesk.reconcile.run import Origin, Run, Scope
from tests.helpers.plain_sweep import PlainSweeper
from tests.helpers.social import SOCIAL, key
from tests.simulator.reading import Network, SimulatedReader
from tests.simulator.tables import Service
from tests.simulator.timeline import Timeline

RULE = """
[[tally]]
name = "{name}"
table = "Social"
parent = {{ PK = "{name}#{{id}}", SK = "META" }}
attribute = "{attribute}"
measure = "{measure}"
children = {{ PK = "{name}#{{id}}", SK = "CHILD#{{child}}" }}
{more}
"""
VERSION = 'version = "rev"'


@dataclass(frozen=True)
class Rule:
    """What parents of one rule look like."""

    name: str
    path: tuple[str, ...]
    measure: str = "count"
    more: str = VERSION

    @property
    def text(self) -> str:
        return RULE.format(name=self.name, attribute=".".join(self.path), measure=self.measure, more=self.more)

    @property
    def verdict(self) -> Verdict:
        return "exact" if VERSION in self.more else "probable"


PLAIN = Rule("plain", ("tally",))
UNVERSIONED = Rule("unversioned", ("tally",), more="")
NESTED = Rule("nested", ("stats", "of today", "likes"))
SUM = Rule("sum", ("total",), "sum(amount)")
ZERO = Rule("zero", ("tally",), more=f'{VERSION}\nmissing = "zero"')
RULES = (PLAIN, UNVERSIONED, NESTED, SUM, ZERO)

WRONG_TYPES: tuple[Value, ...] = (
    *(String("12"), String(""), Boolean(True), Null(), Binary(b"12"), List((Number("12"),)), Map({"N": Number("12")})),
    NumberSet((Number("12"),)),
)
RIGHT_EACH = 4
"""To so many drifts there is one tally that is right."""


@dataclass(frozen=True)
class Expected:
    kind: str
    verdict: Verdict
    drift: Decimal | None = None


@dataclass
class Figures:
    seeded: int = 0
    right: int = 0
    """Tallies that are as they should be."""
    by_kind: Counter[str] = field(default_factory=Counter)
    found: int = 0
    missed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    """Found, and not with the verdict or the size that it has."""
    false: list[str] = field(default_factory=list)
    """Found where nothing is off."""

    def as_json(self) -> dict[str, object]:
        return {
            "seeded": self.seeded,
            "found": self.found,
            "right_tallies": self.right,
            "missed": len(self.missed),
            "wrong": len(self.wrong),
            "false": len(self.false),
            "examples": [*self.missed[:3], *self.wrong[:3], *self.false[:3]],
            "by_kind": dict(sorted(self.by_kind.items())),
        }


class Table:
    """Where drift is made. `expected` says what is off, by the partition key of the parent."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.timeline = Timeline()
        self.service = Service(self.timeline, chance)
        self.rows = self.service.add(TableInfo("Social", SOCIAL.key_schema))
        self.expected: dict[str, Expected] = {}
        self.parents: dict[str, str] = {}
        """Rule by the partition key of the parent, drifted or not."""
        self._children: Mapping[str, Callable[[], Item]] = {SUM.name: self._amount}

    def add(
        self,
        kind: str,
        rule: Rule,
        stored: Callable[[Decimal], Value | None],
        verdict: Verdict | None,
        *,
        least: int = 0,
    ) -> None:
        """A parent that holds what `stored` makes of the real number; None: no tally. `verdict` None: it is right.

        It has at least so many children.
        """
        name, real = self._family(rule, least)
        value = stored(real)
        self.rows.seed({**key(name, "META"), "rev": Number("7"), **_at(rule.path, value)})
        if verdict is not None:
            drift = None
            if verdict == rule.verdict:
                number = value.value if isinstance(value, Number) else Decimal(0)
                drift = EXACT.subtract(number, real)
            self.expected[name] = Expected(kind, verdict, drift)

    def add_orphans(self, rule: Rule) -> None:
        name, _ = self._family(rule, least=1)
        self.expected[name] = Expected("no parent", "orphans")

    def reader(self) -> SimulatedReader:
        return SimulatedReader(self.service, Network(lambda: 0.0, page_keys=200, key_gap=0.0), self.chance)

    def _family(self, rule: Rule, least: int) -> tuple[str, Decimal]:
        """New children; the partition that they share with their parent, and what they come to."""
        name = f"{rule.name}#{len(self.parents)}"
        self.parents[name] = rule.name
        real = Decimal(0)
        for n in range(self.chance.randint(least, 4)):
            child = self._children.get(rule.name, dict)()
            amount = child.get("amount")
            real = EXACT.add(real, amount.value if isinstance(amount, Number) else Decimal(1))
            self.rows.seed({**key(name, f"CHILD#{n}"), **child})
        return name, real

    def _amount(self) -> Item:
        digits = self.chance.randint(1, 10 ** self.chance.randint(1, 20))
        amount = Decimal(digits).scaleb(-self.chance.randint(0, 12), EXACT)
        return {"amount": Number(plain_digits(amount * self.chance.choice((1, 1, -1))))}


def _at(path: tuple[str, ...], value: Value | None) -> Item:
    if value is None:
        return {path[0]: Map({})} if len(path) > 1 else {}
    for name in reversed(path[1:]):
        value = Map({name: value})
    return {path[0]: value}


# ------------------------------------------------------------------------------------------------------- kinds of drift


def _off_by(drift: Decimal) -> Callable[[Decimal], Value]:
    return lambda real: Number(plain_digits(EXACT.add(real, drift)))


def _size(chance: random.Random) -> Decimal:
    """From 1 to a million, each order of magnitude as often, either way."""
    size = min(10**6, int(10 ** chance.uniform(0, 6.05)))
    return Decimal(size * chance.choice((1, -1)))


def _by_size(table: Table, rule: Rule, kind: str) -> None:
    table.add(kind, rule, _off_by(_size(table.chance)), rule.verdict)


def _by_one(table: Table) -> None:
    rule = table.chance.choice((PLAIN, UNVERSIONED, ZERO))
    table.add("by one", rule, _off_by(Decimal(table.chance.choice((1, -1)))), rule.verdict)


def _by_any_size(table: Table) -> None:
    _by_size(table, table.chance.choice((PLAIN, UNVERSIONED, ZERO)), "by 1 to a million")


def _nested(table: Table) -> None:
    _by_size(table, NESTED, "nested")


def _negative(table: Table) -> None:
    below = Number(f"-{table.chance.randint(1, 10**6)}")
    rule = table.chance.choice((PLAIN, UNVERSIONED, NESTED))
    table.add("negative", rule, lambda _real: below, rule.verdict)


def _missing(table: Table) -> None:
    table.add("missing", table.chance.choice((PLAIN, UNVERSIONED, NESTED, SUM)), lambda _real: None, "incomparable")


def _missing_as_zero(table: Table) -> None:
    table.add("missing, stands for zero", ZERO, lambda _real: None, ZERO.verdict, least=1)


def _wrong_type(table: Table) -> None:
    value = table.chance.choice(WRONG_TYPES)
    table.add("wrong type", table.chance.choice(RULES), lambda _real: value, "incomparable")


def _fraction(table: Table) -> None:
    """Of a count, or in the last digit of a sum."""
    digits, places = table.chance.randint(1, 10**6), table.chance.randint(1, 12)
    drift = Decimal(digits * table.chance.choice((1, -1)) * 10 + 1).scaleb(-places, EXACT)
    rule = table.chance.choice((PLAIN, SUM, SUM, SUM))
    table.add("fraction", rule, _off_by(drift), rule.verdict)


def _no_parent(table: Table) -> None:
    table.add_orphans(table.chance.choice(RULES))


KINDS = (
    *(_by_one, _by_any_size, _by_any_size, _nested, _negative),
    *(_missing, _missing_as_zero, _wrong_type, _fraction, _no_parent),
)


# --------------------------------------------------------------------------------------------------------- found again


def seeded(count: int, seed: int | str) -> Figures:
    """As many drifts in a table, and what a run over it finds. A seed always gives the same."""
    chance = random.Random(seed)
    table = Table(chance)
    for n in range(count):
        KINDS[n % len(KINDS)](table)
        if n % RIGHT_EACH == 0:
            table.add("", chance.choice(RULES), _off_by(Decimal(0)), None)
    figures = Figures(seeded=len(table.expected), right=len(table.parents) - len(table.expected))
    figures.by_kind.update(expected.kind for expected in table.expected.values())
    _judge(table.expected, figures, _found(table))
    return figures


def _found(table: Table) -> Iterator[Finding]:
    text = "version = 1\n" + "".join(rule.text for rule in RULES)
    rules: tuple[TallyRule, ...] = bind_rules(
        parse_rules(text, "rules.toml"), lambda _: table.rows.info, lambda _: None
    )
    reader = table.reader()
    origin = Origin("", "simulated", "simulated", "rules.toml")
    sweeper = PlainSweeper(reader)
    run = Run(rules, Scope(), reader, sweeper, reader.meter, origin, clock=table.timeline, chance=table.chance)
    yield from run.report(Ticket()).findings


def _judge(expected: Mapping[str, Expected], figures: Figures, findings: Iterator[Finding]) -> None:
    seen = set()
    for finding in findings:
        partition = finding.parent["PK"]
        name = partition.text if isinstance(partition, String) else ""
        said = f"{name}: {finding.verdict} {finding.drift_text}"
        wanted = expected.get(name)
        if wanted is None or name in seen:
            figures.false.append(said)
        elif (finding.verdict, finding.drift) == (wanted.verdict, wanted.drift):
            figures.found += 1
        else:
            figures.wrong.append(f"{said}, and {wanted.verdict} {wanted.drift} was made ({wanted.kind})")
        seen.add(name)
    figures.missed += [f"{name}: {wanted.kind}" for name, wanted in expected.items() if name not in seen]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=10_000)
    options.add_argument("--seed", default="1")
    chosen = options.parse_args()
    began = time.monotonic()
    figures = seeded(chosen.count, chosen.seed)
    seconds = {"seconds": round(time.monotonic() - began, 1), "cpu_seconds": round(time.process_time(), 1)}
    sys.stdout.write(json.dumps(figures.as_json() | seconds) + "\n")
    return int(figures.found < figures.seeded or bool(figures.false))


if __name__ == "__main__":
    sys.exit(main())
