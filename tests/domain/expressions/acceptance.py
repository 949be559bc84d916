"""Whether the checks let pass what is right: `python -m tests.domain.expressions.acceptance --count 5000`.

Random requests, right by the way they are made: queries with a key condition, a filter and a projection, conditions of
a put, and updates of an item that allows them, with a condition. Our checks have to find no error in them, neither in
the request nor written out, and an emulator has to take them: ministack, or else dynalite where that is installed.
As many are drawn as it takes for the count: those of which ministack wrongly says no, and dynalite nothing because it
falls over them, are undecided. Prints the counts as JSON; the exit status is 1 where a request has an error for us or
is refused by both.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass, field
from random import Random
from typing import Any

from dynodesk.domain.errors import InvalidExpression
from dynodesk.domain.expressions import (
    Condition,
    Placeholders,
    Projection,
    Remark,
    RequestExpressions,
    Update,
    check_changes,
    check_paths,
    check_request,
    check_where,
    check_write_condition,
)
from dynodesk.domain.expressions.conditions import And, BeginsWith, Between, Comparator, Comparison
from dynodesk.domain.expressions.nodes import DocumentPath, Literal
from dynodesk.domain.item_json import item_to_dynamodb
from dynodesk.domain.tables import KeyAttribute, KeySchema, TableInfo
from dynodesk.domain.values import Item, String, Value
from tests.domain.expressions import dynalite
from tests.domain.expressions.emulators import FELL_OVER, ConditionFailed, Emulator, FellOver, Refused
from tests.domain.expressions.generated import Generator
from tests.helpers import ministack

TABLE = "acceptance"
KEYS = TableInfo(TABLE, KeySchema((KeyAttribute("pk", "S"),), (KeyAttribute("sk", "S"),)))


@dataclass(frozen=True)
class Asked:
    """One request: its operation, its expressions as trees, and the item that a write is about."""

    operation: str
    item: Item
    key_condition: Condition | None = None
    filter: Condition | None = None
    condition: Condition | None = None
    update: Update | None = None
    projection: Projection | None = None

    def expressions(self) -> RequestExpressions:
        """With placeholders."""
        placeholders = Placeholders()
        trees = {
            "key_condition": self.key_condition,
            "filter": self.filter,
            "condition": self.condition,
            "update": self.update,
            "projection": self.projection,
        }
        texts = {part: tree.text(placeholders) for part, tree in trees.items() if tree is not None}
        return RequestExpressions(**texts, names=placeholders.names, values=placeholders.values)

    def parameters(self) -> dict[str, Any]:
        """Of the request that is sent."""
        expressions = self.expressions()
        found: dict[str, Any] = {"TableName": TABLE, **{str(part): text for part, text in expressions.texts.items()}}
        if expressions.names:
            found["ExpressionAttributeNames"] = expressions.names
        if expressions.values:
            found["ExpressionAttributeValues"] = item_to_dynamodb(expressions.values)
        if self.operation == "PutItem":
            found["Item"] = item_to_dynamodb(self.item)
        if self.operation == "UpdateItem":
            found["Key"] = item_to_dynamodb({name: self.item[name] for name in KEYS.key_schema.names})
        return found

    def errors(self) -> list[Remark]:
        """What our checks have against it, in the request and written out."""
        remarks = [*check_request(self.expressions(), KEYS, items=[self.item])]
        if self.filter is not None:
            remarks += check_where(str(self.filter), KEYS, of_query=True)[1]
        if self.projection is not None:
            remarks += check_paths(str(self.projection))[1]
        if self.update is not None:
            remarks += check_changes(str(self.update), str(self.condition), KEYS, items=[self.item])[2]
        elif self.condition is not None:
            remarks += check_write_condition(str(self.condition))[1]
        return [remark for remark in remarks if remark.severity == "error"]


def draw(random: Random) -> Asked:
    generator = Generator(random, hostile=False)
    item: dict[str, Value] = {"pk": String("p"), "sk": String("s"), **generator.item()}
    generator.about({name: value for name, value in item.items() if name != "sk"})
    match random.choice(("Query", "PutItem", "UpdateItem")):
        case "Query":
            projection = generator.valid_projection()
            filter_ = generator.valid_condition()
            return Asked("Query", item, _key_condition(random), filter_, projection=projection)
        case "PutItem":
            return Asked("PutItem", item, condition=generator.valid_condition())
        case operation:
            condition = generator.valid_condition()
            while not condition.holds(item):  # else the emulator does not come to the update
                condition = generator.valid_condition()
            return Asked(operation, item, condition=condition, update=_applicable(generator, item))


def _key_condition(random: Random) -> Condition:
    partition = Comparison(DocumentPath.of("pk"), "=", Literal(String("p")))
    sort = DocumentPath.of("sk")
    comparators: tuple[Comparator, ...] = ("=", "<", "<=", ">", ">=")
    low, high = sorted(random.choices(("a", "m", "s", "z", "é", "𐀂"), k=2))
    of_sort: list[Condition] = [
        Comparison(sort, random.choice(comparators), Literal(String(low))),
        Comparison(Literal(String(low)), random.choice(comparators), sort),
        Between(sort, Literal(String(low)), Literal(String(high))),
        BeginsWith(sort, Literal(String(low))),
    ]
    both = [partition, random.choice(of_sort)]
    random.shuffle(both)
    return partition if random.random() < 0.2 else And(tuple(both))


def _applicable(generator: Generator, item: Item) -> Update:
    while True:
        update = generator.valid_update()
        try:
            update.apply(item)
        except InvalidExpression:
            continue
        return update


def refusal(emulator: Emulator, asked: Asked) -> str:
    """Why the emulator does not take it; empty where it does, whatever the condition comes to."""
    try:
        if asked.operation == "UpdateItem":
            emulator.put(asked.item)
        emulator.call(asked.operation, **asked.parameters())
    except ConditionFailed:
        return ""
    except Refused as problem:
        return str(problem)
    except FellOver:
        return FELL_OVER
    return ""


@dataclass
class Tally:
    requests: int = 0
    accepted: Counter[str] = field(default_factory=Counter)
    """By the emulator that took it first."""
    operations: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)
    """What our checks have against requests that are right."""
    refused: list[str] = field(default_factory=list)
    """What all emulators refuse."""
    undecided: list[str] = field(default_factory=list)
    """What one refuses and the other has no answer to."""


def run(seed: object, count: int, emulators: Mapping[str, Callable[[], AbstractContextManager[str]]]) -> Tally:
    tally = Tally()
    with ExitStack() as opened:
        asked_of = {
            name: opened.enter_context(closing(Emulator(opened.enter_context(running()), KEYS)))
            for name, running in emulators.items()
        }
        while tally.accepted.total() < count:
            asked = draw(Random(f"{seed}/{tally.requests}"))
            tally.requests += 1
            tally.operations[asked.operation] += 1
            tally.errors += [f"{asked.expressions()}: {remark}" for remark in asked.errors()]
            reasons: dict[str, str] = {}
            for name, emulator in asked_of.items():
                if reason := refusal(emulator, asked):
                    reasons[name] = reason
                else:
                    tally.accepted[name] += 1
                    break
            else:
                is_decided = len(reasons) > 1 and FELL_OVER not in reasons.values()
                shown = json.dumps({**asked.parameters(), **reasons}, ensure_ascii=False)
                (tally.refused if is_decided else tally.undecided).append(shown)
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    emulators: dict[str, Callable[[], AbstractContextManager[str]]] = {"ministack": ministack.running}
    try:
        dynalite.command()
        emulators["dynalite"] = dynalite.running
    except dynalite.MissingEmulator as problem:
        sys.stderr.write(f"without dynalite: {problem}\n")
    tally = run(options.seed, options.count, emulators)
    sys.stdout.write(json.dumps(vars(tally), ensure_ascii=False, indent=2) + "\n")
    return bool(tally.errors or tally.refused)


if __name__ == "__main__":
    sys.exit(main())
