"""The forms a report can be written in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath

from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.findings import Report
from dynodesk.reports import as_csv, as_html, as_json, as_markdown, as_text

FORMATS: Mapping[str, str] = {
    "html": "Web page (HTML)",
    "pdf": "PDF",
    "xlsx": "Workbook (XLSX)",
    "csv": "Spreadsheet (CSV)",
    "json": "JSON",
    "md": "Markdown",
}
"""Forms of a report file, which are also the endings of file names, with their names for people."""


def _as_pdf(report: Report) -> Iterator[bytes]:
    from dynodesk.reports import as_pdf  # noqa: PLC0415  (slow to import, and seldom asked for)

    return as_pdf.write(report)


def _as_xlsx(report: Report) -> Iterator[bytes]:
    from dynodesk.reports import as_xlsx  # noqa: PLC0415

    return as_xlsx.write(report)


_WRITERS: Mapping[str, Callable[[Report], Iterator[str] | Iterator[bytes]]] = {
    "html": as_html.write,
    "pdf": _as_pdf,
    "xlsx": _as_xlsx,
    "csv": as_csv.write,
    "json": as_json.write,
    "md": as_markdown.write,
    "text": as_text.write,
}


def render(report: Report, form: str) -> bytes:
    """The whole report, texts as UTF-8, in one of `FORMATS` or as `text` for a terminal. Raises `InvalidRequest`."""
    writer = _WRITERS.get(form)
    if writer is None:
        raise InvalidRequest(f"{form} is not a form of a report", hint=_endings())
    # Piece by piece: a million findings as one str take four times the room of their bytes.
    return b"".join(piece.encode() if isinstance(piece, str) else piece for piece in writer(report))


def form_of(path: str | PurePath) -> str:
    """The form a file's ending asks for. Raises `InvalidRequest`, naming the endings there are."""
    form = PurePath(path).suffix.lower().removeprefix(".")
    if form not in FORMATS:
        raise InvalidRequest(f"the ending of {PurePath(path).name} names no form of a report", hint=_endings())
    return form


def _endings() -> str:
    return f"Reports are written as {', '.join(f'.{form}' for form in FORMATS)}."
