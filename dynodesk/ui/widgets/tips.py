"""Tool tips over what comes from a table: Qt takes a text with tags in it for markup unless it is told otherwise."""

from __future__ import annotations

from html import escape

LONGEST = 4_000
"""Characters: a tip that fills the screen says nothing."""


def plain_tip(text: str) -> str:
    """The text as it stands, its lines broken where they are and where there is no more room."""
    shown = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    return f'<span style="white-space: pre-wrap">{escape(shown)}</span>' if shown else ""
