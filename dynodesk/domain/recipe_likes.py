"""Recipes for a child and its parent's tally in one transaction: like and unlike."""

from __future__ import annotations

from dynodesk.domain.actions import DeleteAction, PutAction, TransactWrite, UpdateAction, new_token
from dynodesk.domain.expressions.conditions import Exists
from dynodesk.domain.expressions.nodes import DocumentPath, Literal
from dynodesk.domain.expressions.updates import Add, IfNotExists, Set, Sum, Update
from dynodesk.domain.recipe_fields import Field, FieldValue, Filled, InvalidField, typed_key
from dynodesk.domain.recipe_guesses import Seen, family_by_keys, version_name
from dynodesk.domain.recipe_rules import rule_for
from dynodesk.domain.tables import Key
from dynodesk.domain.values import KeyValue, Number

ONE, MINUS_ONE = Number("1"), Number("-1")
ZERO = Number("0")

LIKE_FIELDS = (
    Field("me", "Who", "text", "Your own key, as it stands in the child's: it takes the place of {me} below."),
    Field("parent_table", "Parent's table", "table", "The table of the item with the tally."),
    Field("parent", "Parent's key", "key", "The item with the tally, such as the post.", table="parent_table"),
    Field("tally", "Tally", "attribute", "The number on the parent that counts its children."),
    Field(
        "version",
        "Version",
        "attribute",
        "A number on the parent that every write of it raises by one.",
        is_optional=True,
    ),
    Field("child_table", "Child's table", "table", "The table of the items that are counted."),
    Field("child", "Child's key", "key", "The counted item, such as the like. {me} is who.", table="child_table"),
)
BESIDE = Field(
    "beside",
    "Beside the key",
    "attributes",
    "What else the new item has: keys of indexes, the time. What is empty is left out.",
    is_optional=True,
    table="child_table",
)


def guess_like(seen: Seen) -> dict[str, FieldValue]:
    return {**guess_unlike(seen), "me": ""}


def guess_unlike(seen: Seen) -> dict[str, FieldValue]:
    """As for a like, which it takes back: that of the selected item, if that is one."""
    match = rule_for(seen, sharded=False)
    if match is not None:
        rule = match.rule
        return {
            "me": match.actor(seen.selected, seen.table.name),
            "parent_table": rule.table,
            "parent": match.parent,
            "tally": str(rule.attribute),
            "version": rule.version or "",
            "child_table": rule.children.table,
            "child": match.child,
            "beside": match.beside(seen),
        }
    family = family_by_keys(seen)
    return {
        "me": family.actor,
        "parent_table": seen.table.name,
        "parent": typed_key(seen.schema, family.parent),
        "tally": family.tally,
        "version": version_name(family.parent),
        "child_table": seen.table.name,
        "child": family.child,
        "beside": family.beside,
    }


def example_of_me(seen: Seen) -> str:
    """How the one who acts is written in the keys of children that are there; "" where there are none."""
    match = rule_for(seen, sharded=False)
    return family_by_keys(seen).example if match is None else match.example(seen)


def make_like(filled: Filled) -> TransactWrite:
    child, parent = _both(filled)
    item = {**child, **filled.attributes("beside", me=filled.text("me"))}
    put = PutAction(filled.text("child_table"), item, is_missing(child))
    return TransactWrite((put, _tally(filled, parent, ONE)), new_token())


def make_unlike(filled: Filled) -> TransactWrite:
    child, parent = _both(filled)
    delete = DeleteAction(filled.text("child_table"), child, Exists(DocumentPath.of(last_name(child))))
    return TransactWrite((delete, _tally(filled, parent, MINUS_ONE)), new_token())


def _both(filled: Filled) -> tuple[dict[str, KeyValue], dict[str, KeyValue]]:
    child, parent = filled.key("child", me=filled.text("me")), filled.key("parent")
    if (filled.text("child_table"), child) == (filled.text("parent_table"), parent):
        raise InvalidField("child", "The child is the parent itself: a transaction does one thing to one item.")
    return child, parent


def _tally(filled: Filled, parent: Key, delta: Number) -> UpdateAction:
    update = counted(filled.needed_path("tally"), delta, filled.path("version"))
    return UpdateAction(filled.text("parent_table"), parent, update, is_there(parent))


def counted(tally: DocumentPath, delta: Number, version: DocumentPath | None = None) -> Update:
    """The tally with `delta` added, and the version, if there is one, raised."""
    sets = () if version is None else (raised(version, ONE),)
    if len(tally.steps) == 1:
        return Update(sets=sets, adds=(Add(tally, Literal(delta)),))
    return Update(sets=(raised(tally, delta), *sets))  # ADD is for attributes that are not within others


def raised(path: DocumentPath, delta: Number) -> Set:
    """`SET path = if_not_exists(path, 0) + delta`."""
    return Set(path, Sum(IfNotExists(path, Literal(ZERO)), "+", Literal(delta)))


def is_there(key: Key) -> Exists:
    """An item exists where the first attribute of its key does."""
    return Exists(DocumentPath.of(next(iter(key))))


def is_missing(key: Key) -> Exists:
    return Exists(DocumentPath.of(last_name(key)), wanted=False)


def last_name(key: Key) -> str:
    """The sort key's name, or where there is none, the partition key's."""
    return list(key)[-1]
