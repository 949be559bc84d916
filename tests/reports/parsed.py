"""Reports read back, each form by a parser of that form."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "br", "hr", "img", "input", "link"}


@dataclass(frozen=True, slots=True)
class Row:
    """The numbers of one finding, as people see them."""

    verdict: str
    parent: str
    stored: str
    real: str
    drift: str


# ----------------------------------------------------------------------------------------------------------- HTML


@dataclass
class Element:
    tag: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)

    @property
    def classes(self) -> list[str]:
        return (self.attributes.get("class") or "").split()

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def walk(self) -> Iterator[Element]:
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def all(self, tag: str, of_class: str = "") -> list[Element]:
        return [e for e in self.walk() if e.tag == tag and (not of_class or of_class in e.classes)]


class _Tree(HTMLParser):
    """Builds the tree and fails where a browser would have to guess: tags that do not match, attributes twice."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("document")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = self._add(tag, attrs)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._add(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}> at {self.getpos()}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a declaration: {data}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data}")

    def _add(self, tag: str, attrs: list[tuple[str, str | None]]) -> Element:
        element = Element(tag, dict(attrs))
        assert len(element.attributes) == len(attrs), f"<{tag}> has an attribute twice"
        self.open[-1].children.append(element)
        return element


def html_tree(written: bytes) -> Element:
    parser = _Tree()
    parser.feed(written.decode())
    parser.close()
    assert len(parser.open) == 1, f"left open: {[element.tag for element in parser.open]}"
    return parser.open[0]


def html_rows(written: bytes) -> list[Row]:
    found = []
    for table in html_tree(written).all("table", "findings"):
        (body,) = table.all("tbody")
        for row in (child for child in body.children if isinstance(child, Element)):
            cells = [child.text.strip() for child in row.children if isinstance(child, Element)]
            found.append(Row(*cells[:5]))
    return found


def html_counts(written: bytes) -> list[dict[str, int]]:
    """Verdict counts of each rule."""
    sections = [section for section in html_tree(written).all("section") if section.all("ul", "chips")]
    return [dict(_count(item.text) for item in section.all("li")) for section in sections]


def _count(text: str) -> tuple[str, int]:
    verdict, number = text.split()
    return verdict, int(number.replace(",", ""))


# ------------------------------------------------------------------------------------------------------- CSV, JSON


def csv_table(written: bytes) -> list[dict[str, str]]:
    rows = csv.DictReader(io.StringIO(written.decode("utf-8-sig"), newline=""), strict=True)
    table = list(rows)
    assert all(None not in row and None not in row.values() for row in table), "a row of another length"
    return table


def csv_rows(written: bytes) -> list[Row]:
    return [
        Row(
            row["verdict"],
            row["parent"].removeprefix("'"),
            shown_stored(row["stored"].removeprefix("'"), row["stored type"]),
            row["real"],
            shown_drift(row["drift"], row["low"], row["high"]),
        )
        for row in csv_table(written)
    ]


def shown_stored(text: str, type_tag: str) -> str:
    match type_tag:
        case "" | "N":
            return text
        case "S":
            return f'"{text}" (S)'
        case _:
            return f"{text} ({type_tag})"


def shown_drift(drift: str | None, low: str | None, high: str | None) -> str:
    def signed(text: str) -> str:
        return text if text.startswith("-") or text == "0" else f"+{text}"

    if low and high:
        return f"{signed(low)}…{signed(high)}"
    return signed(drift) if drift else ""


def json_object(written: bytes) -> Any:
    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        assert len(dict(pairs)) == len(pairs), "a name twice in one object"
        return dict(pairs)

    return json.loads(written, object_pairs_hook=once)


# ------------------------------------------------------------------------------------------------- Markdown, text


def markdown_rows(written: bytes) -> list[Row]:
    rows = [line for line in written.decode().splitlines() if line.startswith("| **")]
    return [Row(*map(_cell, _split(row)[:5])) for row in rows]


def _split(row: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


def _cell(cell: str) -> str:
    bare = cell.removeprefix("**").removesuffix("**").replace(r"\|", "|")
    found = re.fullmatch(r"(`+)(.*)\1", bare, re.DOTALL)
    if not found:
        return bare
    inside = found[2]
    padded = inside.startswith(" ") and inside.endswith(" ") and inside.strip()
    return inside[1:-1] if padded else inside


def outside_code(markdown: str) -> str:
    """Markdown without its code spans and blocks: what a reader could take for markup."""
    markdown = re.sub(r"^(`{3,})\w*\n.*?\n\1\n", "", markdown, flags=re.DOTALL | re.MULTILINE)
    left, at = "", 0
    for run in re.finditer("`+", markdown):
        if run.start() < at:
            continue
        close = re.compile(f"(?<!`){run[0]}(?!`)").search(markdown, run.end())
        if close and "\n" not in markdown[run.start() : close.end()]:
            left += markdown[at : run.start()]
            at = close.end()
    return left + markdown[at:]


def text_counts(written: bytes) -> list[dict[str, int]]:
    """Verdict counts of each rule, of the text or the Markdown form."""
    lines = re.findall(r"^ *[\d,]+ parents?: (.*)$", written.decode(), re.MULTILINE)
    return [dict(_count(part) for part in line.split(" · ")) for line in lines]
