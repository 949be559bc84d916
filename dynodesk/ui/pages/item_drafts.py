"""What was changed in items and is not staged, while other items are looked at and from one session to the next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dynodesk.domain.collections import Identity
from dynodesk.domain.errors import InvalidFile, InvalidValue
from dynodesk.domain.item_json import item_from_dynamodb
from dynodesk.ui.pages.item_work import Work

Place = Identity | None
"""The identity of an item; None for the one new item that may be on its way."""
Draft = dict[str, Any]
"""As JSON can hold it: a `Work`, and what is in the editor."""


class ItemDrafts:
    """One draft for each item."""

    def __init__(self) -> None:
        self._drafts: dict[Place, Draft] = {}

    def __len__(self) -> int:
        return len(self._drafts)

    def __contains__(self, place: object) -> bool:
        return place in self._drafts

    @property
    def places(self) -> tuple[Place, ...]:
        return tuple(self._drafts)

    def keep(self, place: Place, work: Work, editor: Mapping[str, Any]) -> None:
        self._drafts[place] = {**work.to_json(), "editor": dict(editor)}

    def take(self, place: Place) -> tuple[Work, Mapping[str, Any]]:
        """The work, and what was in the editor. It is kept no longer."""
        found = self._drafts.pop(place)
        return Work.from_json(found), found["editor"]

    def forget(self, place: Place) -> None:
        self._drafts.pop(place, None)

    def to_json(self) -> dict[str, Any]:
        return {
            "drafts": [{"item": None if place is None else list(place), **one} for place, one in self._drafts.items()]
        }

    def add_from_json(self, found: Mapping[str, Any]) -> None:
        """Raises `InvalidFile` for what `to_json` did not make."""
        drafts: dict[Place, Draft] = {}
        try:
            for one in found["drafts"]:
                place = None if one["item"] is None else tuple(map(str, one["item"]))
                item_from_dynamodb(one["editor"]["item"])
                drafts[place] = {**Work.from_json(one).to_json(), "editor": one["editor"]}
        except (InvalidValue, KeyError, TypeError, ValueError, AttributeError) as problem:
            raise InvalidFile("the drafts of items cannot be read", details=repr(problem)) from problem
        self._drafts |= drafts
