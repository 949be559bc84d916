"""Checks of dots: `a.b` is a path and `"a.b"` one name, and items tell which of them they have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dynodesk.domain.expressions.nodes import DocumentPath, Node
from dynodesk.domain.expressions.remarks import Marker
from dynodesk.domain.expressions.spelling import WRITTEN_OUT
from dynodesk.domain.values import Item


def check_dots(tree: Node, marker: Marker, items: Sequence[Item], *, is_written_out: bool) -> None:
    """Mark a path that leads nowhere in `items`, where the same text read in the other way is found in some.

    Only a text that `is_written_out` gets it as a replacement: in a request it would take other placeholders.
    """
    for path in tree.walk():
        if not isinstance(path, DocumentPath) or any(path.find(item) is not None for item in items):
            continue
        for other in _read_otherwise(path):
            count = sum(other.find(item) is not None for item in items)
            if count:
                meant = other.text(WRITTEN_OUT)
                marker.warning(
                    path.span,
                    f"{path.text(WRITTEN_OUT)} is in no item looked at, {meant} is in {count} of {len(items)}",
                    f"A name with a dot is one name: {_as_steps(other)}.",
                    meant if is_written_out else None,
                )
                break


def _read_otherwise(path: DocumentPath) -> Iterator[DocumentPath]:
    """With the names at its start as one, with dots; with the parts of its first name as several."""
    names = 0
    while names < len(path.steps) and isinstance(path.steps[names], str):
        names += 1
    for joined in range(names, 1, -1):
        yield DocumentPath((".".join(map(str, path.steps[:joined])), *path.steps[joined:]))
    parts = path.attribute.split(".")
    if len(parts) > 1 and all(parts):
        yield DocumentPath((*parts, *path.steps[1:]))


def _as_steps(path: DocumentPath) -> str:
    return " → ".join(str(step) for step in path.steps)
