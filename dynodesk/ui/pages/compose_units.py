"""What a composed request takes, in words: actions, bytes, units of the table and of its indexes."""

from __future__ import annotations

from dataclasses import dataclass

from dynodesk.domain.action_units import draft_units
from dynodesk.domain.actions import MAX_ACTIONS, Action
from dynodesk.domain.cells import byte_text
from dynodesk.domain.composition import CheckedDraft
from dynodesk.domain.drafts import STATEMENTS, TRANSACTIONS
from dynodesk.domain.values import Item
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

    def before_of(action: Action) -> Item | None:
        return known.item(action) or {} if known.is_read(action) else None

    units = draft_units(checked, known.infos, before_of)
    return Totals(
        f"{sizes} of 4 MB" if is_transaction else sizes,
        units.words,
        tuple("" if one is None else one.words for one in units.actions),
        all(one is None or one.is_known for one in units.actions),
    )
