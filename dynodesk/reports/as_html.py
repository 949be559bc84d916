"""The report for people and printers: one HTML file without script, link or anything to fetch.

Whatever is put into the template passes through `visible` and is escaped, wherever it stands. The file carries a
content security policy that allows nothing but its one style sheet, named by its hash.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib import resources

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup, escape

from dynodesk.domain.findings import MEANINGS, Finding, Report
from dynodesk.domain.item_json import item_to_dynamodb
from dynodesk.reports import wording
from dynodesk.reports.characters import json_text, visible, visible_lines

LISTED = 5_000
"""Findings of one rule that are listed, largest drift first. Browsers take tens of seconds for longer tables."""

ROLES = {
    "ok": "ok",
    "exact": "danger",
    "probable": "danger",
    "bounded": "warn",
    "busy": "slate",
    "suspect": "warn",
    "incomparable": "slate",
    "orphans": "plum",
    "gone": "muted",
}
"""The colour of each verdict, by its name in the style sheet."""


def write(report: Report) -> Iterator[str]:
    style = _resource("report.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")
    yield _template().render(report=report, style=Markup(style), style_hash=digest)  # noqa: S704  # our own file


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True,
        finalize=_finalized,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.update(
        words=wording, key_json=_key_json, code=_code, roles=ROLES, meanings=MEANINGS, listed=LISTED
    )
    return environment.from_string(_resource("report.html"))


def _finalized(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _code(text: str) -> Markup:
    """Code keeps the breaks between its lines, which `_finalized` would show."""
    return escape(visible_lines(text))


def _key_json(finding: Finding) -> str:
    return json_text(item_to_dynamodb(finding.parent))


@cache
def _resource(name: str) -> str:
    return (resources.files("dynodesk_resources") / "reports" / name).read_text(encoding="utf-8")
