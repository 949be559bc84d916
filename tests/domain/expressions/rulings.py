"""Where the emulator is known to decide otherwise than the service, and what is known of the service."""

from __future__ import annotations

from collections import Counter

from dynodesk.domain.expressions import Condition, Update
from dynodesk.domain.expressions.conditions import AttributeType, BeginsWith, Comparison, Contains, In, Size
from dynodesk.domain.expressions.nodes import DocumentPath, Literal
from dynodesk.domain.expressions.updates import Sum
from dynodesk.domain.values import Binary, Boolean, Item, Null, Number, NumberSet, String

# "Observed" is what tests of other projects found when they ran on the service: ScyllaDB's test/alternator,
# nubo-db's dynamodb-conformance, architect's dynalite.

BOTH_MISSING = "= of two missing attributes is false and <> true (observed); the emulator has them equal"
NO_SIZE = "a Number, Boolean or NULL has no size (observed: no size equals it); the emulator says 0"
SIZE_OF_A_VALUE = (
    "size takes a value too (grammar of operands); the emulator takes paths only and refuses or finds none"
)
FUNCTION_ON_A_VALUE = (
    "the first operand of a function may be a value or a size (observed); the emulator reads paths only"
)
BEGINS_WITH_TYPES = "another type in the item makes begins_with false, only one in the request is refused (observed)"
CONTAINS_BINARY = "contains finds a part of binary data (observed); the emulator does not"
CONTAINS_BY_VALUE = "a number set contains a number by its value; the emulator compares the spelling"
OPERAND_TYPE = "a value without an order is refused in an ordering operator (observed); the emulator says false"
ITSELF = "an attribute compared with itself is refused (observed); the emulator decides it"
SIZE_OPERAND = "size of a Number, Boolean or NULL value is refused (observed); the emulator has it missing"
ENDS = "ends of BETWEEN of different types or the wrong way round are refused (observed); the emulator says false"

THROUGH_NOTHING = (
    "a path that leads through what is missing or no map or list is refused (observed); the emulator makes it"
)
CLASH = "paths that overlap or conflict are refused (observed); the emulator applies one after the other"
INDEXES = (
    "indexes are those of the list before the update, appended ones in order (observed); the emulator goes on as it is"
)
DIGITS = "sums have 38 exact digits or are refused (Developer Guide); the emulator rounds to 28"
SUM_TYPES = "a sum of anything but two numbers that are there is refused (observed); the emulator takes the left one"
LIST_TYPES = "list_append of anything but two lists is refused (observed); the emulator takes them for empty lists"
SET_BY_VALUE = "members of a number set are the same by value; the emulator compares the spelling"


def ruling_on_refusal(reason: str) -> str | None:
    """Of what our checks refuse and the emulator takes."""
    for words, ruling in {
        "does not work on a": OPERAND_TYPE,
        "is compared with itself": ITSELF,
        "has no size": SIZE_OPERAND,
        "the ends have": ENDS,
        "the lower end": ENDS,
        "lie within each other": CLASH,
        "are changed in one update": CLASH,
        "for a map and for a list": CLASH,
        "takes numbers": SUM_TYPES,
        "list_append gives": SUM_TYPES,
        "takes lists": LIST_TYPES,
        "cannot stand within list_append": "list_append within list_append is refused (observed); the emulator joins",
    }.items():
        if words in reason:
            return ruling
    return None


def ruling_on_condition(leaf: Condition, item: Item) -> str | None:
    """Of a condition without AND, OR and NOT that our checks let pass."""
    for part in leaf.walk():
        if isinstance(part, Size) and isinstance(part.operand, Literal):
            return SIZE_OF_A_VALUE
        if isinstance(part, Size) and isinstance(part.operand.find(item), Number | Boolean | Null):
            return NO_SIZE
    match leaf:
        case Contains(operand, _) | BeginsWith(operand, _) | AttributeType(operand, _) if not isinstance(
            operand, DocumentPath
        ):
            return FUNCTION_ON_A_VALUE
        case Comparison(left, ("=" | "<>"), right) if left.find(item) is None and right.find(item) is None:
            return BOTH_MISSING
        case In(operand, choices) if operand.find(item) is None and any(not choice.find(item) for choice in choices):
            return BOTH_MISSING
        case BeginsWith(operand, prefix):
            kinds = {type(operand.find(item)), type(prefix.find(item))}
            return None if kinds in ({String}, {Binary}) else BEGINS_WITH_TYPES
        case Contains(operand, sought):
            match operand.find(item), sought.find(item):
                case Binary(), Binary():
                    return CONTAINS_BINARY
                case NumberSet(), Number():
                    return CONTAINS_BY_VALUE
                case _:
                    return None
        case _:
            return None


def ruling_on_update(update: Update, item: Item, theirs: Item | None, reason: str) -> str | None:
    """`reason` is why we refuse it, empty where we do not; `theirs` what the emulator made, None where it refused."""
    shifts = takes_indexes_of_one_list(update)
    if reason and theirs is not None:
        if "leads through" in reason:
            return THROUGH_NOTHING
        if "digits" in reason or "outside the range" in reason:
            return DIGITS
        if "list_append joins" in reason:
            return LIST_TYPES
        if "is not in the item" in reason and any(isinstance(part, Sum) for part in update.walk()):
            return SUM_TYPES
        return ruling_on_refusal(reason) or (INDEXES if shifts else None)
    changed = [add.value.value for add in update.adds] + [delete.value.value for delete in update.deletes]
    if any(isinstance(value, NumberSet) for value in changed):
        return SET_BY_VALUE
    return INDEXES if shifts and not reason else None


def takes_indexes_of_one_list(update: Update) -> bool:
    """Whether two actions count in the same list."""
    lists = Counter(
        action.path.steps[:at]
        for action in update.actions
        for at, step in enumerate(action.path.steps)
        if isinstance(step, int)
    )
    return any(count > 1 for count in lists.values())
