"""That a tree, written and read again, is the same tree: `python -m tests.domain.expressions.roundtrip --count 100000`.

Prints what was tried as JSON. A tree that changes is printed and ends it.
"""

from __future__ import annotations

import argparse
import json
import sys
from random import Random

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
from dynodesk.domain.item_json import to_dynamodb
from tests.domain.expressions.generated import Generator

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


def read_request(tree: Tree, text: str, placeholders: Placeholders) -> Tree:
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
    return random.choice((generator.condition, generator.condition, generator.update, generator.projection))()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    longest = 0
    for number in range(options.count):
        tree = random_tree(Random(f"{options.seed}/{number}"))
        try:
            check_round_trip(tree)
        except Exception:
            sys.stderr.write(f"seed {options.seed}/{number}: {tree!r}\n")
            raise
        longest = max(longest, len(str(tree)))
    sys.stdout.write(json.dumps({"trees": options.count, "changed": 0, "longest_text": longest}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
