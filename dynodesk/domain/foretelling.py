"""What composed writes do to items, by the rules of the language: without a server, from the items as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dynodesk.domain.actions import (
    CheckAction,
    DeleteAction,
    PutAction,
    SingleWrite,
    TransactWrite,
    UpdateAction,
    WriteAction,
)
from dynodesk.domain.errors import DynodeskError, InvalidRequest, InvalidValue
from dynodesk.domain.values import Item, check_item, check_item_size


@dataclass(frozen=True, slots=True)
class Foretold:
    failed: tuple[bool, ...]
    """Of each action, whether its condition does not hold."""
    invalid: DynodeskError | None
    """What the service would not take, whatever the conditions say."""
    after: tuple[Item | None, ...]
    """The items as they are then: as they were where anything failed."""

    @property
    def is_done(self) -> bool:
        return self.invalid is None and not any(self.failed)


def write_actions(request: SingleWrite | TransactWrite) -> tuple[WriteAction, ...]:
    return (request.action,) if isinstance(request, SingleWrite) else request.actions


def foretell(request: SingleWrite | TransactWrite, before: Sequence[Item | None]) -> Foretold:
    """`before` has the item of each action, None where there is none."""
    actions = write_actions(request)
    failed = tuple(
        action.condition is not None and not action.condition.holds(item or {})
        for action, item in zip(actions, before, strict=True)
    )
    invalid: DynodeskError | None = None
    after: list[Item | None] = []
    for action, item, is_refused in zip(actions, before, failed, strict=True):
        try:
            after.append(item if is_refused else _after(action, item))
        except (InvalidRequest, InvalidValue) as problem:
            invalid = invalid or problem
            after.append(item)
    is_done = invalid is None and not any(failed)
    return Foretold(failed, invalid, tuple(after) if is_done else tuple(before))


def _after(action: WriteAction, item: Item | None) -> Item | None:
    match action:
        case PutAction():
            check_item(action.item)
            return action.item
        case UpdateAction():
            changed = action.update.apply(action.key if item is None else item, exists=item is not None)
            # What is left alone is not looked at: emulators hold values that the service would not take.
            check_item({name: value for name, value in changed.items() if item is None or item.get(name) != value})
            check_item_size(changed)
            return None if item is None and not action.update.makes_items else changed
        case DeleteAction():
            return None
        case CheckAction():
            return item
