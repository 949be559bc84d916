"""Projections: which attributes, or parts of them, a read returns."""

from __future__ import annotations

from dataclasses import dataclass

from dynodesk.domain.expressions.nodes import DocumentPath, Node, Spelling
from dynodesk.domain.expressions.spelling import WRITTEN_OUT


@dataclass(frozen=True, slots=True)
class Projection(Node):
    """One or more paths. Its `str` is the text that `parse_paths` reads."""

    paths: tuple[DocumentPath, ...]

    def text(self, spelling: Spelling) -> str:
        return ", ".join(path.text(spelling) for path in self.paths)

    def __str__(self) -> str:
        return self.text(WRITTEN_OUT)
