"""What a tree says of a node of an item: its words, their ink and ground, and the mark of what became of it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt

from dynodesk.domain.cells import cell_text, shorter_number, visible
from dynodesk.domain.values import List, Map, String, type_tag, type_word
from dynodesk.ui.models.item_nodes import Node, count_of
from dynodesk.ui.theme.grid import CELL_INKS
from dynodesk.ui.widgets.trees import FACE, GROUND, INK, NOTE, STRUCK

ATTRIBUTE, TYPE, VALUE = range(3)
"""The columns."""
_INKS = {"NULL": CELL_INKS["null"], "BOOL": CELL_INKS["bool"], "B": "ink_violet"}
_GROUNDS = {"": None, "new": "ok_soft", "edited": "edited_soft", "removed": "danger_soft"}


def cell(node: Node, column: int, role: int) -> Any:
    """The answer to Qt's question for a role; None for one that is of no account."""
    match role:
        case Qt.ItemDataRole.DisplayRole:
            return (visible(node.name), type_tag(node.value), _value_text(node))[column]
        case Qt.ItemDataRole.AccessibleTextRole:
            words = (visible(node.name), type_word(node.value), _value_text(node))[column]
            return ", ".join(filter(None, [words, _note(node)])) if column == VALUE else words
        case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleDescriptionRole:
            return node.problem or shorter_number(node.value) or None
        case _ if role == FACE:
            return ("monobold" if node.is_key else "mono", "caption", "mono")[column]
        case _ if role == INK:
            return _ink(node) if column == VALUE else "muted" if column == TYPE else "text"
        case _ if role == NOTE:
            return _note(node) if column == VALUE else None
        case _ if role == GROUND:
            return "danger_soft" if node.is_wrong else _GROUNDS[node.mark]
        case _ if role == STRUCK:
            return node.is_gone and column != TYPE
        case _:
            return None


def _note(node: Node) -> str:
    """The mark in a word, where it is the node's own: not again for all that is in a new map."""
    if node.is_wrong:
        return "wrong"
    above = node.parent
    if node.mark == "new" and above is not None and above.parent is not None and above.before is None:
        return ""
    return node.mark


def _value_text(node: Node) -> str:
    if node.typed is not None:
        return visible(node.typed)
    value = node.value
    count = count_of(value)
    if count is None:
        return cell_text(value)
    word = "attribute" if isinstance(value, Map) else "element" if isinstance(value, List) else "value"
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _ink(node: Node) -> str:
    if node.is_wrong:
        return "danger"
    if count_of(node.value) is not None or node.value == String(""):
        return "muted"
    return _INKS.get(type_tag(node.value), "text")
