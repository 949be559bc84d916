"""A rule that is right in itself, and not yet checked against the tables it is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from dynodesk.domain.attribute_path import AttributePath
from dynodesk.domain.errors import RuleProblem
from dynodesk.domain.expressions import Condition
from dynodesk.domain.measures import Measure
from dynodesk.domain.patterns import KeyPattern
from dynodesk.domain.tallies import Missing, Repairs, Writers


@dataclass(frozen=True, slots=True)
class ChildrenDraft:
    """Where a rule finds its children, as written. For `size` the parent itself stands for them."""

    table: str
    index: str | None
    pattern: KeyPattern
    where: Condition | None
    ignores_expired: bool


@dataclass(frozen=True, slots=True)
class RuleDraft:
    """A rule that is right in itself. `lines` tells where each field stands."""

    file: str
    lines: Mapping[str, int]
    name: str
    table: str
    parent: KeyPattern
    attribute: AttributePath
    children: ChildrenDraft
    measure: Measure
    is_sharded: bool
    shards: tuple[str, ...]
    tolerance: Decimal
    writers: Writers
    wait: float
    settle: float
    version: str | None
    missing: Missing
    marker: str | None
    repairs: Repairs
    siblings: tuple[str, ...]
    sensitive: tuple[AttributePath, ...]

    def problem(self, message: str, field: str = "", hint: str = "") -> RuleProblem:
        line = self.lines.get(field, self.lines[""])
        return RuleProblem(message, file=self.file, line=line, rule=self.name, hint=hint)
