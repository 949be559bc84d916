"""Checks of updates: keys, paths that clash, types, items that come into being, counts that count twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from dynodesk.domain.errors import InvalidExpression, InvalidValue
from dynodesk.domain.expressions.conditions import Comparison, Condition, Exists, Or, all_terms
from dynodesk.domain.expressions.nodes import DocumentPath, Literal, Node, Span
from dynodesk.domain.expressions.remarks import Marker, Remark
from dynodesk.domain.expressions.spelling import WRITTEN_OUT
from dynodesk.domain.expressions.updates import Action, Add, Delete, ListAppend, Set, Sum, Update, clashes
from dynodesk.domain.tables import TableInfo
from dynodesk.domain.values import (
    MAX_PARTITION_KEY_BYTES,
    BinarySet,
    Item,
    List,
    Number,
    NumberSet,
    StringSet,
    Value,
    check_key,
    type_tag,
    type_word,
)


def check_update(tree: Update, marker: Marker) -> None:
    """Mark what the service refuses whatever the item and the table."""
    for first, second, why in clashes(tree):
        shown = f"{first.path.text(WRITTEN_OUT)} and {second.path.text(WRITTEN_OUT)}"
        marker.error(second.path.span, f"{shown} {why}", "Keep one of them, or make two updates.")
    for node in tree.walk():
        match node:
            case Sum(left, sign, right):
                for operand in (left, right):
                    _check_operand(operand, sign, Number, marker)
            case ListAppend():
                for operand in (node.first, node.second):
                    _check_operand(operand, "list_append", List, marker)
                    if isinstance(operand, ListAppend):
                        marker.error(operand.span, "list_append cannot stand within list_append", "Join the values.")
            case Add(path, value):
                if not isinstance(value.value, Number | StringSet | NumberSet | BinarySet):
                    fix = "SET replaces a value, list_append extends a list."
                    marker.error(value.span, f"ADD takes a Number or a set, not a {type_word(value.value)}", fix)
                _check_top_level("ADD", path, marker)
            case Delete(path, value):
                if not isinstance(value.value, StringSet | NumberSet | BinarySet):
                    fix = "DELETE takes members out of a set; REMOVE takes an attribute away."
                    marker.error(value.span, f"DELETE takes a set, not a {type_word(value.value)}", fix)
                _check_top_level("DELETE", path, marker)
            case _:
                pass
    _check_several_indexes(tree, marker)


def _check_operand(operand: Node, operator: str, wanted: type[Value], marker: Marker) -> None:
    if isinstance(operand, Literal) and not isinstance(operand.value, wanted):
        needed = "lists" if wanted is List else "numbers"
        marker.error(operand.span, f"{operator} takes {needed}, this is a {type_word(operand.value)}")
    elif isinstance(operand, ListAppend) and wanted is Number:
        marker.error(operand.span, f"{operator} takes numbers, list_append gives a List")


def _check_top_level(clause: str, path: DocumentPath, marker: Marker) -> None:
    if len(path.steps) > 1:
        marker.warning(
            path.span,
            f"{clause} is documented for top-level attributes only",
            f"SET {marker.at(path.span)} = {marker.at(path.span)} + … is for nested ones too." * (clause == "ADD"),
        )


def _check_several_indexes(tree: Update, marker: Marker) -> None:
    lists = Counter(action.path.steps[:-1] for action in tree.removes if isinstance(action.path.steps[-1], int))
    for remove in tree.removes:
        steps = remove.path.steps[:-1]
        if lists.pop(steps, 0) > 1:
            marker.warning(
                remove.path.span,
                f"all indexes are those of {DocumentPath(steps).text(WRITTEN_OUT)} before the update",
                "Nothing moves up until all are removed.",
            )


# ------------------------------------------------------------------------------------------------- with the table


def check_keys(tree: Update, table: TableInfo, marker: Marker) -> None:
    """Mark changes of the key, and of index keys to what cannot be one."""
    for action in tree.actions:
        if action.path.attribute in table.key_schema.names:
            marker.error(
                action.path.span,
                f"{action.path.attribute} is part of the key, which no update changes",
                "Put the item with its new key and delete the old one, in one transaction.",
            )
        elif isinstance(action, Set | Add) and isinstance(action.value, Literal):
            _check_index_key(action, action.value, table, marker)


def _check_index_key(action: Action, new: Literal, table: TableInfo, marker: Marker) -> None:
    for index in table.indexes:
        for attribute in index.key_schema.attributes:
            if action.path.steps != (attribute.name,):
                continue
            if type_tag(new.value) != attribute.type:
                marker.error(
                    new.span,
                    f"{attribute.name} is a key of the index {index.name} with type {attribute.type}, "
                    f"this is a {type_word(new.value)}",
                    "REMOVE takes the item out of the index.",
                )
                return
            try:
                check_key(new.value, attribute.name, MAX_PARTITION_KEY_BYTES)
            except InvalidValue as problem:
                marker.error(new.span, f"index {index.name}: {problem.message}", problem.hint)
                return


def check_ghost(
    tree: Update, condition: Condition | None, text: str, guard: str, names: Mapping[str, str], marker: Marker
) -> None:
    """Mark an update that makes an item where there is none: UpdateItem does not ask whether there is one.

    `text` is that of the `condition`, empty without one; `guard` is the term that asks, with the aliases `names` that
    the request does not have yet.
    """
    if not makes_an_item(tree, condition):
        return
    marker.add(
        Remark(
            "warning",
            "ConditionExpression",
            Span(0, len(text)),
            "where there is no such item, this update makes one of the key and what is set",
            f"Add the condition that it exists: {guard}.",
            guard if condition is None else f"{_as_term(condition, text)} AND {guard}",
            names,
        )
    )


def makes_an_item(tree: Update, condition: Condition | None) -> bool:
    """Whether the update, under its condition, makes an item where there is none."""
    if not tree.makes_items or (condition is not None and not condition.holds({})):
        return False
    try:
        tree.apply({}, exists=False)
    except InvalidExpression:
        return False
    return True


def _as_term(condition: Condition, text: str) -> str:
    """The text of a condition with another one to be joined by AND; the service takes no parentheses too many."""
    is_enclosed = condition.span != Span(len(text) - len(text.lstrip()), len(text.strip()))
    return f"({text})" if isinstance(condition, Or) and not is_enclosed else text


def check_counters(tree: Update, condition: Condition | None, marker: Marker) -> None:
    """Mark counts that are counted again when a lost reply makes the SDK send the update again."""
    changed = frozenset(action.path for action in (*tree.sets, *tree.adds))
    if condition is not None and any(_fails_once_changed(term, changed) for term in all_terms(condition)):
        return
    for action in tree.actions:
        if _counts(action):
            marker.warning(
                action.span,
                "sent again after a lost reply, this counts twice",
                "Guard it with the value it had (n = :seen) or a version, or send it in a transaction with a token.",
            )


def _fails_once_changed(term: Condition, changed: frozenset[DocumentPath]) -> bool:
    match term:
        case Comparison(DocumentPath() as path, "=", Literal()) | Comparison(Literal(), "=", DocumentPath() as path):
            return path in changed
        case Exists(path, wanted):
            return not wanted and path in changed
        case _:
            return False


def _counts(action: Action) -> bool:
    match action:
        case Add(_, Literal(Number())):
            return True
        case Set(path, Sum() as value):
            return any(part == path for part in value.walk())
        case _:
            return False


# ---------------------------------------------------------------------------------------------------- with items


def check_on_items(tree: Update, items: Sequence[Item], marker: Marker) -> None:
    """Mark what the update cannot do to some of `items`, and where it would append."""
    refusals: list[InvalidExpression] = []
    for item in items:
        try:
            tree.apply(item)
        except InvalidExpression as problem:
            refusals.append(problem)
    if refusals and not any(True for _ in clashes(tree)):
        first = refusals[0]
        marker.warning(
            Span(first.offset, first.length),
            f"refused for {len(refusals)} of {len(items)} items looked at: {first.message}",
            first.hint,
        )
    for action in (*tree.sets, *tree.removes):
        index = action.path.steps[-1]
        if not isinstance(index, int):
            continue
        around = DocumentPath(action.path.steps[:-1])
        found = [value for item in items if isinstance(value := around.find(item), List)]
        beyond = sum(index >= len(value.elements) for value in found)
        if beyond:
            then = "it is appended there" if isinstance(action, Set) else "nothing is removed there"
            marker.warning(
                action.path.span,
                f"the list ends before index {index} in {beyond} of {len(found)} items looked at: {then}",
            )
