"""What composed requests cost: write units of each action on its table and on every index, read units of each get.

Rules: Developer Guide, "DynamoDB read and write operations" and "Managing complex workflows with DynamoDB
transactions": a transaction takes twice the units of its table. What they leave open was measured at the service by
github.com/paritysuite/dynamodb-conformance (67) and github.com/nubo-db/dynoxide (188): a condition adds no reads; a
condition check takes the write units of the item that it looks at; indexes take in a transaction what they always take.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from dynodesk.domain.actions import Action, CheckAction, DeleteAction, GetAction, PutAction, UpdateAction, WriteAction
from dynodesk.domain.capacity import Consistency, read_units, write_units
from dynodesk.domain.cells import visible
from dynodesk.domain.composition import CheckedDraft
from dynodesk.domain.drafts import TRANSACTIONS, Draft
from dynodesk.domain.errors import InvalidExpression
from dynodesk.domain.expressions.conditions import Condition, Exists, all_terms
from dynodesk.domain.index_writes import index_writes
from dynodesk.domain.reading import units_text
from dynodesk.domain.tables import KeySchema, TableInfo
from dynodesk.domain.values import Item, item_size


@dataclass(frozen=True, slots=True)
class ActionUnits:
    """Write units of one action."""

    table: int
    indexes: Mapping[str, int]
    """Of each index that it touches, by name."""
    is_known: bool
    """False where it depends on an item that was not read: it is counted as if there were none."""

    @property
    def words(self) -> str:
        """`2 WCU + 1 GSI1`."""
        parts = [f"{self.table:,} WCU", *(f"{units:,} {visible(name)}" for name, units in self.indexes.items())]
        return _at_least(self.is_known) + " + ".join(parts)


@dataclass(frozen=True, slots=True)
class GetUnits:
    """Read units of one get."""

    table: Decimal
    is_known: bool

    @property
    def words(self) -> str:
        return f"{_at_least(self.is_known)}{units_text(self.table)} RCU"


@dataclass(frozen=True, slots=True)
class DraftUnits:
    """Units of a request."""

    actions: tuple[ActionUnits | GetUnits | None, ...]
    """Of each action; None where it is not right yet."""

    @property
    def words(self) -> str:
        """`4 WCU + 1 for GSI1`; "" where nothing is known of any action."""
        writes = [units for units in self.actions if isinstance(units, ActionUnits)]
        gets = [units for units in self.actions if isinstance(units, GetUnits)]
        is_known = all(units is not None and units.is_known for units in self.actions)
        parts: list[str] = []
        if writes:
            indexes: Counter[str] = Counter()
            for units in writes:
                indexes.update(units.indexes)
            parts = [f"{sum(units.table for units in writes):,} WCU"]
            parts += [f"{units:,} for {visible(name)}" for name, units in indexes.items()]
        if gets:
            parts.append(f"{units_text(sum((units.table for units in gets), Decimal(0)))} RCU")
        return _at_least(is_known) + " + ".join(parts) if parts else ""


def draft_units(
    checked: CheckedDraft, tables: Mapping[str, TableInfo], before_of: Callable[[Action], Item | None]
) -> DraftUnits:
    """`before_of` gives the item that an action is about, as `units_of` takes it."""
    return DraftUnits(
        tuple(
            _units(action, checked.draft, tables[action.table], before_of(action))
            if action is not None and action.table in tables
            else None
            for action in checked.actions
        )
    )


def _units(action: Action, draft: Draft, table: TableInfo, before: Item | None) -> ActionUnits | GetUnits:
    is_transaction = draft.operation in TRANSACTIONS
    if not isinstance(action, GetAction):
        return units_of(action, table, before, transactional=is_transaction)
    once: Consistency = "strong" if draft.consistent else "eventual"
    return get_units(before, "transactional" if is_transaction else once)


def units_of(action: WriteAction, table: TableInfo, before: Item | None, *, transactional: bool) -> ActionUnits:
    """`before` is the whole item that is there, empty where there is none; None where that is not known."""
    if before is None and _asks_for_none(action.condition, table.key_schema):
        before = {}
    there = before or {}
    after = _after(action, there)
    size = max(item_size(there), item_size(after))
    # An action on an item that is not known is counted as if there were none; a condition check leaves it as it is.
    indexes = {} if isinstance(action, CheckAction) else index_writes(there or None, after or None, table)
    return ActionUnits(write_units(size, transactional=transactional), indexes, before is not None)


def get_units(before: Item | None, consistency: Consistency) -> GetUnits:
    """`before` as in `units_of`. All of the item is read, whatever is asked of it."""
    return GetUnits(read_units(item_size(before or {}), consistency), before is not None)


def _after(action: WriteAction, there: Item) -> Item:
    match action:
        case PutAction(item=item):
            return item
        case DeleteAction():
            return {}
        case CheckAction():
            return there
        case UpdateAction(key=key, update=update):
            try:
                after = update.apply(there or key, exists=bool(there))
            except InvalidExpression:
                return there or key  # which fails, and takes the units of what is there
            return after if there or update.makes_items else {}


def _asks_for_none(condition: Condition | None, schema: KeySchema) -> bool:
    """Whether the condition fails where there is an item with this key."""
    return condition is not None and any(
        isinstance(term, Exists) and not term.wanted and term.path.steps in {(name,) for name in schema.names}
        for term in all_terms(condition)
    )


def _at_least(is_known: bool) -> str:
    return "" if is_known else "at least "
