"""Whether emulators decide as we do: `python -m tests.domain.expressions.agreement --count 20000`.

Random conditions on random items, as filters of a Scan and as conditions of a PutItem, and random updates of random
items. Where an emulator disagrees, the parts of a condition are asked for one by one, and what remains has to be one of
its known mistakes, each with what is known of the service: `rulings.py` for ministack, `dynalite_rulings.py` for
dynalite, which is asked with `--emulator dynalite` and has to be installed (see `dynalite.py`). With both, what both
decide otherwise is counted too: there our word stands against two.

Prints the tables of rulings, each with its count and its shortest example, as JSON; the exit status is 1 where a
disagreement has no ruling.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol
from typing import Literal as OneOf

from dynodesk.domain.errors import InvalidExpression
from dynodesk.domain.expressions import Condition, Placeholders, RequestExpressions, Update, check_request
from dynodesk.domain.expressions.conditions import And, Not, Or
from dynodesk.domain.item_json import item_from_dynamodb, item_to_dynamodb
from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.domain.values import Item, String, Value
from tests.domain.expressions import dynalite, dynalite_rulings, rulings
from tests.domain.expressions.emulators import FELL_OVER, ConditionFailed, Emulator, FellOver, Refused
from tests.domain.expressions.generated import Generator
from tests.helpers import ministack

TABLE = "agreement"
KEYS = TableInfo(TABLE, KeySchema((KeyAttribute("pk", "S"),)))
ITEMS_AT_A_TIME = 8
KINDS = ("filters", "conditions", "updates")


class Asking(Emulator):
    """Asks the emulator what it decides."""

    def matches(self, condition: Condition) -> set[str]:
        """The keys of the items that a Scan with this filter finds."""
        reply = self.call("Scan", TableName=TABLE, **parameters("FilterExpression", condition))
        return {item["pk"]["S"] for item in reply["Items"]}

    def holds(self, condition: Condition, item: Item) -> bool:
        """Whether the condition lets the item be written over itself."""
        try:
            self.call(
                "PutItem",
                TableName=TABLE,
                Item=item_to_dynamodb(item),
                **parameters("ConditionExpression", condition),
            )
        except ConditionFailed:
            return False
        return True

    def updated(self, update: Update, item: Item) -> dict[str, Value]:
        self.put(item)
        reply = self.call(
            "UpdateItem",
            TableName=TABLE,
            Key=item_to_dynamodb({"pk": item["pk"]}),
            ReturnValues="ALL_NEW",
            **parameters("UpdateExpression", update),
        )
        return item_from_dynamodb(reply["Attributes"])


def parameters(part: str, tree: Condition | Update) -> dict[str, Any]:
    placeholders = Placeholders()
    found: dict[str, Any] = {part: tree.text(placeholders)}
    if placeholders.names:
        found["ExpressionAttributeNames"] = placeholders.names
    if placeholders.values:
        found["ExpressionAttributeValues"] = item_to_dynamodb(placeholders.values)
    return found


class Rulings(Protocol):
    """Where one emulator is known to decide otherwise than the service; None where it is not."""

    def ruling_on_refusal(self, reason: str) -> str | None:
        """Of what our checks refuse, for `reason`, and the emulator takes."""

    def ruling_on_condition(self, leaf: Condition, item: Item) -> str | None:
        """Of a condition without AND, OR and NOT that our checks let pass."""

    def ruling_on_update(self, update: Update, item: Item, theirs: Item | None, reason: str) -> str | None:
        """`reason` is why we refuse it, empty where we do not; `theirs` what it made, None where it refused."""


@dataclass
class Tally:
    pairs: int = 0
    agreed: int = 0
    refused_by_both: int = 0
    rulings: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    unexplained: list[str] = field(default_factory=list)
    disagreed: dict[int, str] = field(default_factory=dict)
    """The rulings by the numbers of their pairs, which are the same for every emulator."""

    def disagree(self, ruling: str | None, example: str) -> None:
        self.disagreed[self.pairs] = ruling or "no ruling"
        if ruling is None:
            self.unexplained.append(example)
            return
        self.rulings[ruling] += 1
        if len(example) < len(self.examples.get(ruling, example + " ")):
            self.examples[ruling] = example

    def report(self) -> dict[str, Any]:
        return {
            "pairs": self.pairs,
            "agreed": self.agreed,
            "refused_by_both": self.refused_by_both,
            "rulings": {
                ruling: {"count": count, "example": self.examples[ruling]}
                for ruling, count in self.rulings.most_common()
            },
            "without_ruling": len(self.unexplained),
        }


def refusal(part: str, tree: Condition | Update) -> str:
    """Why our checks would not let the request be sent, empty where they would."""
    placeholders = Placeholders()
    text = tree.text(placeholders)
    request = RequestExpressions(**{part: text}, names=placeholders.names, values=placeholders.values)
    return next((remark.message for remark in check_request(request) if remark.severity == "error"), "")


def leaves(condition: Condition) -> Iterator[Condition]:
    match condition:
        case And(terms) | Or(terms):
            for term in terms:
                yield from leaves(term)
        case Not(inner):
            yield from leaves(inner)
        case _:
            yield condition


Verdict = bool | OneOf["refused", "fell over"]


class Comparing:
    """Asks one emulator, and counts where it decides as we do."""

    def __init__(self, emulator: Asking, rulings: Rulings) -> None:
        self._emulator = emulator
        self._rulings = rulings

    def compare(self, kind: str, random: Random, count: int) -> Tally:
        """`count` random pairs of one of `KINDS`."""
        if kind == "updates":
            return self._updates(random, count)
        return self._conditions(random, count, with_scans=kind == "filters")

    def _conditions(self, random: Random, count: int, *, with_scans: bool) -> Tally:
        tally, generator = Tally(), Generator(random, hostile=False)
        items: dict[str, dict[str, Value]] = {}
        while tally.pairs < count:
            if not items or random.random() < 0.05:
                items = {
                    f"i{number}": {"pk": String(f"i{number}"), **generator.item()} for number in range(ITEMS_AT_A_TIME)
                }
                for item in items.values():
                    self._emulator.put(item)
            item = random.choice(list(items.values()))
            generator.about(item)
            condition = generator.valid_condition() if random.random() < 0.9 else generator.condition()
            if not with_scans:
                self._condition(condition, item, self._verdict(condition, item), tally)
                continue
            try:
                found: set[str] | None = self._emulator.matches(condition)
            except (Refused, FellOver):
                found = None  # for one of the items, perhaps
            for key, item in items.items():
                self._condition(
                    condition, item, self._verdict(condition, item) if found is None else key in found, tally
                )
        return tally

    def _verdict(self, condition: Condition, item: Item) -> Verdict:
        try:
            return self._emulator.holds(condition, item)
        except Refused:
            return "refused"
        except FellOver:
            return "fell over"

    def _condition(self, condition: Condition, item: Item, said: Verdict, tally: Tally) -> None:
        tally.pairs += 1
        if reason := refusal("condition", condition):
            # The service refuses it whatever the item; the emulator may not see why.
            if said == "refused":
                tally.agreed += 1
                tally.refused_by_both += 1
            else:
                ruling = FELL_OVER if said == "fell over" else self._rulings.ruling_on_refusal(reason)
                tally.disagree(ruling, f"{condition}: {said}")
            return
        if said == condition.holds(item):
            tally.agreed += 1
            return
        explained = False
        for leaf in leaves(condition):
            verdict = self._verdict(leaf, item)
            if verdict != leaf.holds(item):
                explained = True
                ruling = FELL_OVER if verdict == "fell over" else self._rulings.ruling_on_condition(leaf, item)
                tally.disagree(ruling, f"{leaf} on {_shown(item)}: {verdict}")
        if not explained:
            tally.disagree(None, f"{condition} on {_shown(item)}: {said}")

    def _updates(self, random: Random, count: int) -> Tally:
        tally, generator = Tally(), Generator(random, hostile=False)
        for _ in range(count):
            item: dict[str, Value] = {"pk": String("u"), **generator.item()}
            generator.about(item)
            update = generator.valid_update() if random.random() < 0.9 else generator.update()
            ours, reason = _ours(update, item)
            while ours is None and random.random() < 0.7:  # of most items, most updates ask for what is not there
                update = generator.valid_update()
                ours, reason = _ours(update, item)
            tally.pairs += 1
            try:
                theirs: dict[str, Value] | None = self._emulator.updated(update, item)
            except Refused:
                theirs = None
            except FellOver:
                tally.disagree(FELL_OVER, f"{update} on {_shown(item)}")
                continue
            if ours == theirs:
                tally.agreed += 1
                tally.refused_by_both += ours is None
                continue
            ruling = self._rulings.ruling_on_update(update, item, theirs, reason)
            tally.disagree(ruling, f"{update} on {_shown(item)}: {_shown(theirs)}")
        return tally


def _ours(update: Update, item: Item) -> tuple[dict[str, Value] | None, str]:
    """What we make of the item, or why nothing."""
    if reason := refusal("update", update):
        return None, reason
    try:
        return update.apply(item), ""
    except InvalidExpression as problem:
        return None, problem.message


def _shown(item: Item | None) -> str:
    return "refused" if item is None else json.dumps(item_to_dynamodb(item), ensure_ascii=False)


EMULATORS: Mapping[str, tuple[Callable[[], AbstractContextManager[str]], Rulings]] = {
    "ministack": (ministack.running, rulings),
    "dynalite": (dynalite.running, dynalite_rulings),
}


def run(name: str, seed: object, count: int, kinds: Iterable[str] = KINDS) -> dict[str, Tally]:
    """What one emulator says to `count` pairs of each kind."""
    running, known = EMULATORS[name]
    with running() as url, closing(Asking(url, KEYS)) as emulator:
        comparing = Comparing(emulator, known)
        return {kind: comparing.compare(kind, Random(f"{seed}/{kind}"), count) for kind in kinds}


def both_disagree(tallies: Iterable[Tally]) -> Counter[str]:
    """Of the pairs that all emulators decide otherwise than we, how many have which rulings."""
    rulings_of = [tally.disagreed for tally in tallies]
    pairs = set.intersection(*(set(disagreed) for disagreed in rulings_of))
    return Counter(" / ".join(disagreed[pair] for disagreed in rulings_of) for pair in pairs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="pairs of each kind: filters, conditions, updates")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--emulator", nargs="+", choices=EMULATORS, default=["ministack"])
    options = parser.parse_args()
    try:
        found = {name: run(name, options.seed, options.count) for name in options.emulator}
    except dynalite.MissingEmulator as problem:
        parser.error(str(problem))
    report: dict[str, Any] = {
        name: {kind: tally.report() for kind, tally in tallies.items()} for name, tallies in found.items()
    }
    if len(found) > 1:
        report["all_disagree"] = {kind: both_disagree(tallies[kind] for tallies in found.values()) for kind in KINDS}
    sys.stdout.write(json.dumps(report, ensure_ascii=False, indent=2) + "\n")
    unexplained = [
        f"{name}: {example}" for name, tallies in found.items() for t in tallies.values() for example in t.unexplained
    ]
    for example in unexplained[:20]:
        sys.stderr.write(f"no ruling: {example}\n")
    return bool(unexplained)


if __name__ == "__main__":
    sys.exit(main())
