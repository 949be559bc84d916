"""Whatever is typed is read, or refused at its place; and the fixes that are offered can be taken, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from dynodesk.domain.expressions import (
    Remark,
    RequestExpressions,
    check_changes,
    check_paths,
    check_request,
    check_where,
    check_write_condition,
)
from dynodesk.domain.values import Item
from tests.domain.expressions.generated import Generator
from tests.domain.expressions.roundtrip import Tree, random_tree, read_request
from tests.domain.expressions.texts import TextWriter
from tests.helpers.small_tables import SOCIAL

PARTS = {"Update": "update", "Projection": "projection"}
SIGNS = "()#:\"'.,=<>[]{}+- aA1\0é\ud800"


def damaged(text: str, random: Random) -> str:
    """With a character more, or less, or without its end."""
    at = random.randrange(len(text))
    sign = random.choice(SIGNS)
    return random.choice((text[:at] + text[at + 1 :], text[:at] + sign + text[at:], text[:at])) or sign


def check_places(remarks: Sequence[Remark], texts: dict[str, str]) -> None:
    for remark in remarks:
        assert 0 <= remark.span.offset <= remark.span.end <= len(texts.get(remark.part, "")), (remark, texts)


def check_written(tree: Tree, text: str, items: Sequence[Item]) -> None:
    match type(tree).__name__:
        case "Update":
            check_places(check_changes(text, "", SOCIAL, items=items)[2], {"UpdateExpression": text})
        case "Projection":
            check_places(check_paths(text)[1], {"ProjectionExpression": text})
        case _:
            check_places(check_write_condition(text, items=items)[1], {"ConditionExpression": text})
            check_places(check_where(text, SOCIAL, items=items, of_query=True)[1], {"FilterExpression": text})


def test_what_is_damaged_is_read_or_refused_at_its_place() -> None:
    for number in range(60):
        random = Random(f"damaged/{number}")
        tree, generator = random_tree(random), Generator(random, hostile=True)
        items = [generator.item() for _ in range(3)]
        writer = TextWriter(random, written_out=False)
        text, written = writer.text(tree), TextWriter(random, written_out=True).text(tree)
        for _ in range(3):
            part = PARTS.get(type(tree).__name__, "filter")
            request = RequestExpressions(**{part: text}, names=writer.names, values=writer.values)
            check_places(check_request(request, SOCIAL, items=items), {str(p): t for p, t in request.texts.items()})
            check_written(tree, written, items)
            text, written = damaged(text, random), damaged(written, random)


def test_fixes_are_taken_one_by_one_until_none_is_left() -> None:
    """Reserved words get their aliases, parentheses go; what was said stays said."""
    taken = 0
    for number in range(100):
        random = Random(f"fixed/{number}")
        tree, writer = random_tree(random), TextWriter(random, written_out=False)
        part = PARTS.get(type(tree).__name__, "filter")
        text, names = writer.text(tree), dict(writer.names)
        while fixes := fixes_of(RequestExpressions(**{part: text}, names=names, values=writer.values)):
            text = fixes[0].applied_to(text)
            names |= fixes[0].names
            taken += 1
        assert read_request(tree, text, RequestExpressions(names=names, values=writer.values)) == tree
    assert taken > 50


def fixes_of(request: RequestExpressions) -> list[Remark]:
    """Those that leave the meaning: ends that are turned round are not."""
    return [remark for remark in check_request(request) if remark.replacement and "lower end" not in remark.message]
