"""That trees and texts mean the same: `python -m tests.domain.expressions.roundtrip --count 100000`.

Each random tree is written and read again, by placeholders and written out, and each of its random texts is read and
written again. Prints what was tried as JSON. A tree that changes is printed and ends it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Protocol

from dynodesk.domain.expressions import (
    Condition,
    Placeholders,
    Projection,
    Update,
    parse_changes,
    parse_condition,
    parse_paths,
    parse_projection,
    parse_update,
    parse_where,
)
from dynodesk.domain.expressions.nodes import Literal, Node
from dynodesk.domain.item_json import to_dynamodb
from dynodesk.domain.values import Value, type_word
from tests.domain.expressions.generated import Generator
from tests.domain.expressions.texts import TextWriter

Tree = Condition | Update | Projection


def check_round_trip(tree: Tree) -> None:
    """As text of a request and back, and as text with everything written out and back."""
    placeholders = Placeholders()
    text = tree.text(placeholders)
    again = read_request(tree, text, placeholders)
    assert again == tree
    once_more = Placeholders()
    assert again.text(once_more) == text
    assert once_more.names == placeholders.names
    # Equal numbers may be spelled differently: the spelling has to survive too.
    assert [to_dynamodb(value) for value in once_more.values.values()] == [
        to_dynamodb(value) for value in placeholders.values.values()
    ]
    written = str(tree)
    read = read_written_out(tree, written)
    assert read == tree
    assert str(read) == written


def check_text(tree: Tree, random: Random) -> int:
    """Random texts of the tree say what it says, and so does what is made of them. How long they are together."""
    writer = TextWriter(random, written_out=False)
    text = writer.text(tree)
    read = read_request(tree, text, writer)
    assert read == tree, text
    placeholders = Placeholders()
    assert read_request(tree, read.text(placeholders), placeholders) == tree, text
    written = TextWriter(random, written_out=True).text(tree)
    read = read_written_out(tree, written)
    assert read == tree, written
    assert read_written_out(tree, str(read)) == tree, written
    return len(text) + len(written)


class Names(Protocol):
    """What the placeholders of a request stand for."""

    @property
    def names(self) -> Mapping[str, str]: ...

    @property
    def values(self) -> Mapping[str, Value]: ...


def read_request(tree: Tree, text: str, placeholders: Names) -> Tree:
    match tree:
        case Condition():
            return parse_condition(text, placeholders.names, placeholders.values)
        case Update():
            return parse_update(text, placeholders.names, placeholders.values)
        case Projection():
            return parse_projection(text, placeholders.names)


def read_written_out(tree: Tree, text: str) -> Tree:
    match tree:
        case Condition():
            return parse_where(text)
        case Update():
            return parse_changes(text)
        case Projection():
            return parse_paths(text)


def random_tree(random: Random) -> Tree:
    generator = Generator(random, hostile=True)
    if random.random() < 0.02:
        return random.choice((generator.tower, generator.wide_condition, generator.deep_update))()
    return random.choice((generator.condition, generator.condition, generator.update, generator.projection))()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    met: Counter[str] = Counter()
    longest = deepest = 0
    for number in range(options.count):
        random = Random(f"{options.seed}/{number}")
        tree = random_tree(random)
        try:
            check_round_trip(tree)
            longest = max(longest, check_text(tree, random))
        except Exception:
            sys.stderr.write(f"seed {options.seed}/{number}: {tree!r}\n")
            raise
        met.update({type(part).__name__ for part in tree.walk()})
        met.update({type_word(part.value) for part in tree.walk() if isinstance(part, Literal)})
        deepest = max(deepest, depth(tree))
    report = {"trees": options.count, "changed": 0, "longest_texts": longest, "deepest": deepest, "trees_with": met}
    sys.stdout.write(json.dumps(report, indent=2) + "\n")
    return 0


def depth(node: Node) -> int:
    return 1 + max(map(depth, node.parts), default=0)


if __name__ == "__main__":
    sys.exit(main())
