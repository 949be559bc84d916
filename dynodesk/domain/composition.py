"""What is wrong with a composed request before it is sent, and what holds."""

from __future__ import annotations

from dataclasses import dataclass

from dynodesk.domain.actions import ComposedRequest
from dynodesk.domain.drafts import Draft, DraftAction, draft_from_json, draft_of, draft_to_json
from dynodesk.domain.expressions import Remark

__all__ = [
    "ActionRemark",
    "CheckedDraft",
    "Draft",
    "DraftAction",
    "draft_from_json",
    "draft_of",
    "draft_to_json",
]


@dataclass(frozen=True, slots=True)
class ActionRemark:
    """One thing about one action, or about the whole."""

    action: int | None
    """Which action or statement, from 0; None: the whole request."""
    remark: Remark
    """Its place is one in the text of `remark.part` as it is typed, of what has no text none."""
    attribute: int | None = None
    """Which attribute of the item or key, from 0, where it is about one."""
    mended: Draft | None = None
    """The draft with this put right; None where only a person can."""


@dataclass(frozen=True, slots=True)
class CheckedDraft:
    draft: Draft
    request: ComposedRequest | None
    """None while it cannot be sent."""
    remarks: tuple[ActionRemark, ...]
    """Errors first, each kind in the order of the actions."""
    oks: tuple[str, ...]
    """What was looked at and holds, each a phrase of one line."""
    bytes: int
    """Of the names and values that are sent, counted as those of items are."""
    creates: tuple[int, ...] = ()
    """The updates, from 0, that make an item where there is none, which has to be agreed to before they are run."""
