"""Reports in packed forms, unpacked: the text of PDF pages, the cells and the XML of a workbook."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from xml.etree import ElementTree

from pypdf import PdfReader

_SPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
SHEETS = ("Summary", "Findings", "Guards")


def comparable(form: str, written: bytes) -> bytes:
    """What a golden file holds of a report: the bytes themselves, or what they unpack to."""
    match form:
        case "pdf":
            return "\f\n".join(pdf_pages(written)).encode()
        case "xlsx":
            parts = (f"--- {name}\n{text}\n" for name, text in xlsx_parts(written).items())
            return "".join(parts).replace("><", ">\n<").encode()
        case _:
            return written


def pdf_pages(written: bytes) -> list[str]:
    return [page.extract_text() for page in PdfReader(io.BytesIO(written)).pages]


def unspaced(text: str) -> str:
    """Without blanks and line breaks: where a line ends is the printer's choice."""
    return re.sub(r"\s", "", text)


def xlsx_parts(written: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(written)) as book:
        return {name: book.read(name).decode() for name in sorted(book.namelist())}


def xlsx_sheet(written: bytes, name: str) -> list[dict[str, str | float]]:
    """The rows of a sheet, each its cells by their column's letters: a text, or a number."""
    parts = xlsx_parts(written)
    texts = [
        "".join(part.text or "" for part in shared.iter(f"{_SPACE}t"))
        for shared in _xml(parts["xl/sharedStrings.xml"]).iter(f"{_SPACE}si")
    ]
    rows = []
    for row in _xml(parts[f"xl/worksheets/sheet{SHEETS.index(name) + 1}.xml"]).iter(f"{_SPACE}row"):
        cells: dict[str, str | float] = {}
        for cell in row.iter(f"{_SPACE}c"):
            value = cell.findtext(f"{_SPACE}v")
            if value is not None:
                place = cell.attrib["r"].rstrip("0123456789")
                cells[place] = texts[int(value)] if cell.get("t") == "s" else float(value)
        rows.append(cells)
    return rows


def xlsx_table(written: bytes, name: str) -> list[Mapping[str, str | float]]:
    """The rows of a sheet by the words of its first row; without the cells that are empty."""
    head, *rows = xlsx_sheet(written, name)
    assert len(set(head.values())) == len(head), "a column twice"
    return [{str(head[place]): cell for place, cell in row.items()} for row in rows]


def _xml(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)  # noqa: S314  (our own file)
