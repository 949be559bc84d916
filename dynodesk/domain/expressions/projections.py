"""Projections: which attributes, or parts of them, a read returns."""

from __future__ import annotations

from dataclasses import dataclass, field

from dynodesk.domain.expressions.nodes import NOWHERE, DocumentPath, Node, Span, Spelling
from dynodesk.domain.expressions.spelling import WRITTEN_OUT


@dataclass(frozen=True, slots=True)
class Projection(Node):
    """One or more paths. Its `str` is the text that `parse_paths` reads."""

    paths: tuple[DocumentPath, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    @property
    def parts(self) -> tuple[Node, ...]:
        return self.paths

    def text(self, spelling: Spelling) -> str:
        return ", ".join(path.text(spelling) for path in self.paths)

    def __str__(self) -> str:
        return self.text(WRITTEN_OUT)
