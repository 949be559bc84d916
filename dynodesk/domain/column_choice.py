"""Which columns of a table somebody wants to see, and in what order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """Keys stand first and are never hidden, whatever is chosen. The empty choice is the usual order."""

    order: tuple[str, ...] = ()
    """Attributes in the order wanted; others follow in the usual order."""
    hidden: frozenset[str] = frozenset()

    def arranged(self, usual: Sequence[str], keys: Collection[str]) -> list[str]:
        """All columns in the order wanted, hidden ones too. `usual` are the columns as they would be."""
        known = set(usual)
        chosen = [name for name in self.order if name in known and name not in keys]
        first = [name for name in usual if name in keys]
        return list(dict.fromkeys([*first, *chosen, *usual]))

    def shown(self, usual: Sequence[str], keys: Collection[str]) -> list[str]:
        return [name for name in self.arranged(usual, keys) if self.shows(name, keys)]

    def shows(self, name: str, keys: Collection[str]) -> bool:
        return name in keys or name not in self.hidden

    def showing(self, name: str, *, shown: bool) -> ColumnChoice:
        """The choice with one column shown or hidden."""
        return replace(self, hidden=self.hidden - {name} if shown else self.hidden | {name})

    def to_json(self) -> dict[str, list[str]]:
        return {"order": list(self.order), "hidden": sorted(self.hidden)}

    @staticmethod
    def from_json(written: object) -> ColumnChoice:
        """What was written by `to_json`; anything else is as good as no choice."""
        if not isinstance(written, dict):
            return ColumnChoice()
        order, hidden = (
            [name for name in names if isinstance(name, str)] if isinstance(names := written.get(part), list) else []
            for part in ("order", "hidden")
        )
        return ColumnChoice(tuple(order), frozenset(hidden))
