"""What a composed request takes, in words: actions, bytes, units of the table and of its indexes."""

from __future__ import annotations

from dataclasses import dataclass

from dynodesk.domain.action_units import ActionUnits, DraftUnits, GetUnits, get_units, units_of
from dynodesk.domain.actions import MAX_ACTIONS, Action, GetAction
from dynodesk.domain.capacity import Consistency
from dynodesk.domain.cells import byte_text
from dynodesk.domain.composition import CheckedDraft
from dynodesk.domain.drafts import STATEMENTS, TRANSACTIONS
from dynodesk.ui.pages.compose_tables import KnownTables


@dataclass(frozen=True, slots=True)
class Totals:
    sizes: str
    """`2 of 100 actions · 283 B of 4 MB`."""
    units: str = ""
    """`4 WCU + 1 for GSI1`; "" where nothing is known of them."""
    of_actions: tuple[str, ...] = ()
    is_known: bool = True
    """Whether the units are those of the items as they are; else they are at least as many."""


def totals_of(checked: CheckedDraft, known: KnownTables) -> Totals:
    draft = checked.draft
    is_statements, is_transaction = draft.operation in STATEMENTS, draft.operation in TRANSACTIONS
    count = len(draft.statements if is_statements else draft.actions)
    what = "statement" if is_statements else "action"
    of = f" of {MAX_ACTIONS}" if is_transaction else ""
    sizes = f"{count:,}{of} {what}{'' if count == 1 and not of else 's'} · {byte_text(checked.bytes)}"
    if is_statements:
        return Totals(sizes)
    units = DraftUnits(tuple(_units(action, checked, known) for action in checked.actions))
    return Totals(
        f"{sizes} of 4 MB" if is_transaction else sizes,
        units.words,
        tuple("" if one is None else one.words for one in units.actions),
        all(one is None or one.is_known for one in units.actions),
    )


def _units(action: Action | None, checked: CheckedDraft, known: KnownTables) -> ActionUnits | GetUnits | None:
    table = None if action is None else known.infos.get(action.table)
    if action is None or table is None:
        return None
    before = known.item(action) or {} if known.is_read(action) else None
    is_transaction = checked.draft.operation in TRANSACTIONS
    if isinstance(action, GetAction):
        once: Consistency = "strong" if checked.draft.consistent else "eventual"
        return get_units(before, "transactional" if is_transaction else once)
    return units_of(action, table, before, transactional=is_transaction)
