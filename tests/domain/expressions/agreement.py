"""Whether the emulator decides as we do: `python -m tests.domain.expressions.agreement --count 20000`.

Random conditions on random items, half of them as filters of a Scan and half as conditions of a PutItem, and random
updates of random items. Where the two disagree, the parts of a condition are asked for one by one, and what remains has
to be one of the known mistakes of the emulator, each with what is known of the service. Prints them as JSON; the exit
status is 1 where a disagreement has no ruling.
"""

from __future__ import annotations

import argparse
import http.client
import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import urlsplit

from dynodesk.domain.errors import InvalidExpression
from dynodesk.domain.expressions import Condition, Placeholders, RequestExpressions, Update, check_request
from dynodesk.domain.expressions.conditions import And, Not, Or
from dynodesk.domain.item_json import item_from_dynamodb, item_to_dynamodb
from dynodesk.domain.values import Item, String, Value
from tests.domain.expressions.generated import Generator
from tests.domain.expressions.rulings import ruling_on_condition, ruling_on_refusal, ruling_on_update
from tests.helpers import ministack

TABLE = "agreement"
ITEMS_AT_A_TIME = 20


class Refused(Exception):
    """The emulator would not take the request."""


class ConditionFailed(Exception):
    """The emulator found the condition not met."""


class Emulator:
    """Requests to an emulator, unsigned and one at a time."""

    def __init__(self, url: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
        self.call(
            "CreateTable",
            TableName=TABLE,
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )

    def close(self) -> None:
        self._connection.close()

    def call(self, operation: str, **parameters: Any) -> Any:
        headers = {
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": f"DynamoDB_20120810.{operation}",
            "Authorization": "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, "
            "SignedHeaders=host, Signature=0",
        }
        self._connection.request("POST", "/", json.dumps(parameters), headers)
        reply = self._connection.getresponse()
        content = json.loads(reply.read())
        if reply.status == 200:
            return content
        if content["__type"].endswith("ConditionalCheckFailedException"):
            raise ConditionFailed
        if content["__type"].endswith("ValidationException"):
            raise Refused(content.get("message") or content.get("Message"))
        raise RuntimeError(f"{operation}: {content}")

    def put(self, item: Item) -> None:
        self.call("PutItem", TableName=TABLE, Item=item_to_dynamodb(item))

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


@dataclass
class Tally:
    pairs: int = 0
    agreed: int = 0
    refused_by_both: int = 0
    rulings: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    unexplained: list[str] = field(default_factory=list)

    def disagree(self, ruling: str | None, example: str) -> None:
        if ruling is None:
            self.unexplained.append(example)
            return
        self.rulings[ruling] += 1
        if len(example) < len(self.examples.get(ruling, example + " ")):
            self.examples[ruling] = example


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


def verdict(emulator: Emulator, condition: Condition, item: Item) -> bool | None:
    """What the emulator says, None where it refuses to."""
    try:
        return emulator.holds(condition, item)
    except Refused:
        return None


def compare_condition(emulator: Emulator, condition: Condition, item: Item, said: bool | None, tally: Tally) -> None:
    tally.pairs += 1
    if reason := refusal("condition", condition):
        # The service refuses it whatever the item; the emulator may not see why.
        if said is None:
            tally.agreed += 1
            tally.refused_by_both += 1
        else:
            tally.disagree(ruling_on_refusal(reason), str(condition))
        return
    if said == condition.holds(item):
        tally.agreed += 1
        return
    causes = [leaf for leaf in leaves(condition) if verdict(emulator, leaf, item) != leaf.holds(item)]
    for leaf in causes:
        shown = f"{leaf} on {json.dumps(item_to_dynamodb(item), ensure_ascii=False)}: {said}"
        tally.disagree(ruling_on_condition(leaf, item), shown)
    if not causes:
        tally.disagree(None, f"{condition} on {item_to_dynamodb(item)}: {said}")


def compare_conditions(emulator: Emulator, random: Random, count: int) -> Tally:
    tally, generator = Tally(), Generator(random, hostile=False)
    items: dict[str, dict[str, Value]] = {}
    while tally.pairs < count:
        if not items or random.random() < 0.02:
            items = {
                f"i{number}": {"pk": String(f"i{number}"), **generator.item()} for number in range(ITEMS_AT_A_TIME)
            }
            for item in items.values():
                emulator.put(item)
        item = random.choice(list(items.values()))
        generator.about(item)
        condition = generator.valid_condition() if random.random() < 0.9 else generator.condition()
        if random.random() < 0.1:  # a Scan asks for as many pairs as ten times this
            try:
                found: set[str] | None = emulator.matches(condition)
            except Refused:
                found = None
            for key, item in items.items():
                said = verdict(emulator, condition, item) if found is None else key in found
                compare_condition(emulator, condition, item, said, tally)
        else:
            compare_condition(emulator, condition, item, verdict(emulator, condition, item), tally)
    return tally


def compare_updates(emulator: Emulator, random: Random, count: int) -> Tally:
    tally, generator = Tally(), Generator(random, hostile=False)
    for _ in range(count):
        item: dict[str, Value] = {"pk": String("u"), **generator.item()}
        generator.about(item)
        update = generator.valid_update() if random.random() < 0.9 else generator.update()
        tally.pairs += 1
        ours, reason = _ours(update, item)
        theirs = _theirs(emulator, update, item)
        if ours == theirs:
            tally.agreed += 1
            tally.refused_by_both += ours is None
            continue
        shown = f"{update} on {json.dumps(item_to_dynamodb(item), ensure_ascii=False)}: {_shown(theirs)}"
        tally.disagree(ruling_on_update(update, item, theirs, reason), shown)
    return tally


def _ours(update: Update, item: Item) -> tuple[dict[str, Value] | None, str]:
    """What we make of the item, or why nothing."""
    if reason := refusal("update", update):
        return None, reason
    try:
        return update.apply(item), ""
    except InvalidExpression as problem:
        return None, problem.message


def _theirs(emulator: Emulator, update: Update, item: Item) -> dict[str, Value] | None:
    try:
        return emulator.updated(update, item)
    except Refused:
        return None


def _shown(item: Item | None) -> str:
    return "refused" if item is None else json.dumps(item_to_dynamodb(item), ensure_ascii=False)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="pairs, a quarter of them updates")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with ministack.running() as url, closing(Emulator(url)) as emulator:
        conditions = compare_conditions(emulator, Random(f"{options.seed}/conditions"), options.count * 3 // 4)
        updates = compare_updates(emulator, Random(f"{options.seed}/updates"), options.count // 4)
    for what, tally in (("conditions", conditions), ("updates", updates)):
        report = {"kind": what, **tally.__dict__, "unexplained": len(tally.unexplained)}
        sys.stdout.write(json.dumps(report, ensure_ascii=False, indent=2) + "\n")
        for example in tally.unexplained[:10]:
            sys.stderr.write(f"no ruling: {example}\n")
    return bool(conditions.unexplained or updates.unexplained)


if __name__ == "__main__":
    sys.exit(main())
