"""Where dynalite is known to decide otherwise than the service, and what is known of the service.

What is "observed" of the service was found by tests of other projects that ran on it, as in `rulings.py`.
"""

from __future__ import annotations

from dynodesk.domain.expressions import Condition, Update
from dynodesk.domain.expressions.conditions import AttributeType, BeginsWith, Between, Comparison, Contains, In, Size
from dynodesk.domain.expressions.nodes import DocumentPath, Node
from dynodesk.domain.values import Binary, Boolean, Item, List, Map, Number, String, Value
from tests.domain.expressions.rulings import takes_indexes_of_one_list

OPERAND_TYPE = "a value without an order is refused in an ordering operator (observed); dynalite decides"
BOTH_MISSING = "of two missing operands <> is true, every other comparison false (observed); dynalite has them equal"
NO_ORDER = "values without an order in the item make a comparison false (observed); dynalite compares them as texts"
EMPTY = "empty strings, empty binary data and FALSE are values (Developer Guide); dynalite takes them for missing"
DOCUMENTS = "lists and maps are equal by what is in them (observed); dynalite has only empty lists equal"
BYTES = "binary data is what its bytes are (Developer Guide); dynalite looks for a part of it as UTF-8"
UTF16 = "strings are ordered by their UTF-8 (Developer Guide); dynalite orders them by UTF-16"
BEGINS_AS_TEXT = "begins_with of numbers in the item is false (observed); dynalite compares how they are spelled"
CONTAINS_ANY = "a list contains values of every type (observed); dynalite finds only strings, numbers and binary data"
DIGITS = "sums have 38 exact digits or are refused (observed); dynalite stores more"
SHARED = "SET copies a value as it was (Developer Guide); dynalite changes the copy along with its original"
INDEXES = "indexes are those of the list before the update (observed); dynalite goes on with the list as it is"


def ruling_on_refusal(reason: str) -> str | None:
    """Of what our checks refuse and dynalite takes."""
    return OPERAND_TYPE if "does not work on a" in reason else None


def ruling_on_condition(leaf: Condition, item: Item) -> str | None:
    """Of a condition without AND, OR and NOT that our checks let pass."""
    if any(isinstance(part, Size) and _is_empty(part.operand.find(item)) for part in leaf.walk()):
        return EMPTY
    match leaf:
        case Comparison(left, comparator, right):
            return _on_comparison(left.find(item), comparator, right.find(item))
        case Between(operand, low, high):
            values = operand.find(item), low.find(item), high.find(item)
            if all(value is None for value in values):
                return BOTH_MISSING
            return EMPTY if _is_empty(values[0]) else _on_order(*values)
        case In(operand, _):
            if _is_empty(operand.find(item)):
                return EMPTY
            return DOCUMENTS if isinstance(operand.find(item), List | Map) else None
        case AttributeType(operand, _):
            return EMPTY if _is_empty(operand.find(item)) else None
        case BeginsWith(operand, prefix):
            kinds = {type(operand.find(item)), type(prefix.find(item))}
            if kinds == {Binary}:
                return BYTES
            return BEGINS_AS_TEXT if kinds == {Number} else None
        case Contains(operand, sought):
            return _on_contains(operand.find(item), sought.find(item))
        case _:
            return None


def _on_comparison(left: Value | None, comparator: str, right: Value | None) -> str | None:
    if left is None and right is None:
        return BOTH_MISSING
    if comparator not in {"=", "<>"}:
        return _on_order(left, right)
    return DOCUMENTS if isinstance(left, List | Map) and type(left) is type(right) else None


def _on_order(*values: Value | None) -> str | None:
    there = [value for value in values if value is not None]
    if any(not isinstance(value, String | Number | Binary) for value in there):
        return NO_ORDER
    wide = any(isinstance(value, String) and max(value.text, default="") > "\uffff" for value in there)
    return UTF16 if wide else None


def _on_contains(operand: Value | None, sought: Value | None) -> str | None:
    match operand, sought:
        case List(), value if _is_empty(value):
            return EMPTY
        case List(), value:
            return None if isinstance(value, String | Number | Binary) else CONTAINS_ANY
        case Binary(), Binary():
            return BYTES
        case _:
            return None


def _is_empty(value: Value | None) -> bool:
    return value in (String(""), Binary(b""), Boolean(False))


def ruling_on_update(update: Update, _item: Item, theirs: Item | None, reason: str) -> str | None:
    """`reason` is why we refuse it, empty where we do not; `theirs` what dynalite made, None where it refused."""
    if theirs is not None and ("digits" in reason or "outside the range" in reason):
        return DIGITS
    if any(_reads(action.value, other.path) for action in update.sets for other in update.actions if other != action):
        return SHARED
    return INDEXES if takes_indexes_of_one_list(update) else None


def _reads(value: Node, changed: DocumentPath) -> bool:
    return any(isinstance(part, DocumentPath) and part.overlaps(changed) for part in value.walk())
