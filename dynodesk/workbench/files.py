"""Files as the source of a set: found, with the manifest of an export where there is one, and read as parts."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

from dynodesk.domain.bulk import Provenance, RawPage
from dynodesk.domain.errors import InvalidFile, InvalidRequest
from dynodesk.domain.progress import Ticket
from dynodesk.domain.tables import KeyAttribute, KeySchema, KeyType
from dynodesk.workbench.item_files import BEGINNING, FilePage, first_item, pages_of
from dynodesk.workbench.sets import KeyColumn

AT_ONCE = 2
"""Files that are read at the same time: unpacking runs beside the engine, checking does not."""
ENDINGS = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
"""Of the files that are taken from a folder."""
MANIFEST = "manifest-files.json"
_SUMMARY = "manifest-summary.json"


@dataclass(frozen=True, slots=True)
class ItemFile:
    path: Path
    size: int
    """Bytes on the disk."""
    modified: str
    """UTC, ISO 8601."""
    items: int | None = None
    md5: str = ""
    """As the manifest of its export says; in base64."""


@dataclass(frozen=True, slots=True)
class FileSource:
    """Each file is a part. What was read of it before a mistake in it stays: the set is partial and names the place."""

    files: tuple[ItemFile, ...]
    schema: KeySchema
    words: str
    """What they are, as in `file items.jsonl (1,024 bytes, 2026-01-02T03:04:05Z)`."""
    table: str = ""
    """Of the connection that the items are of, where that is known."""

    costs_units = False
    may_repeat = False  # then the key is another one, or the files overlap: which item stands is not for us to say

    @property
    def origin(self) -> Provenance:
        return Provenance(
            source=self.words,
            endpoint="",
            table=self.table,
            index=None,
            consistent=False,
            segments=1,
            first_page="",
            last_page="",
            pages=0,
            items=0,
            units=Decimal(0),
            complete=False,
            why_partial="not finished",
        )

    @property
    def identity(self) -> str:
        files = [[str(f.path.resolve()), f.size, f.modified, f.items, f.md5] for f in self.files]
        partition, sort = ([[a.name, a.type] for a in part] for part in (self.schema.partition, self.schema.sort))
        return json.dumps(
            {"files": files, "partition": partition, "sort": sort, "words": self.words, "table": self.table}
        )

    @property
    def keys(self) -> tuple[KeyColumn, ...]:
        return tuple(KeyColumn(a.name, a.type, f"k{i}", of_table=True) for i, a in enumerate(self.schema.attributes))

    @property
    def parts(self) -> int:
        return len(self.files)

    @property
    def at_once(self) -> int:
        return AT_ONCE

    def check(self) -> None:
        """Raises `InvalidFile` where a file is not as it was when it was found."""
        for file in self.files:
            now = _item_file(file.path)
            if (now.size, now.modified) != (file.size, file.modified):
                raise InvalidFile(f"{file.path.name} has changed since", hint="Load it as a set of another name.")

    def pages(self, part: int, _parts: int, ticket: Ticket, start: str | None) -> Iterator[RawPage]:
        held: RawPage | None = None  # the last one says that it is
        try:
            for page in self._pages(self.files[part], ticket, start):
                if held is not None:
                    yield held
                held = _raw(page)
        except InvalidFile:
            if held is not None:
                yield held
            raise
        yield replace(held or RawPage.of([], scanned=0, cursor=None, units=None, received=_now()), cursor=None)

    def _pages(self, file: ItemFile, ticket: Ticket, start: str | None) -> Iterator[FilePage]:
        if file.md5 and start is None:
            _check_sum(file, ticket)
        place = BEGINNING if start is None else json.loads(start)
        items = place["items"]
        for page in pages_of(file.path, self.schema, ticket, place):
            items = page.end["items"]
            yield page
        if file.items is not None and items != file.items:
            raise InvalidFile(
                f"{file.path.name} holds {items:,} items; its manifest says {file.items:,}", hint="Get the file again."
            )


def source_of(paths: Sequence[Path], schema: KeySchema | None, key: Sequence[str] = (), table: str = "") -> FileSource:
    """Files and folders, an export's among them, as one source.

    The key is `schema`, or named by `key`: `PK` and `SK`, of the type that the first item has, or `PK:S`. Raises
    `InvalidFile`, and `InvalidRequest` where the key cannot be known.
    """
    several, words = _all_found(paths)
    if schema is None:
        schema = _schema(several, key)
    return FileSource(several, schema, words, table)


def found_words(paths: Sequence[Path]) -> str:
    """What would be loaded, in the words of the set. Raises `InvalidFile`, and `InvalidRequest` for no path."""
    return _all_found(paths)[1]


def source_again(identity: str) -> FileSource:
    """The source by its identity, to take a load up again. Raises `InvalidFile` where a file is gone or has changed."""
    known: dict[str, Any] = json.loads(identity)
    files = tuple(ItemFile(Path(path), *rest) for path, *rest in known["files"])
    partition, sort = (tuple(KeyAttribute(*one) for one in known[part]) for part in ("partition", "sort"))
    source = FileSource(files, KeySchema(partition, sort), known["words"], known["table"])
    source.check()
    return source


def name_for(paths: Sequence[Path]) -> str:
    """What a set of these files is called where nothing says: an export's table, else the first file's name."""
    first = paths[0]
    export = _export_folder(first)
    if export is not None and (table := _table_of(_summary(export))):
        return table
    name = first.resolve().name
    for ending in sorted(ENDINGS, key=len, reverse=True):
        name = name.removesuffix(ending)
    return name or "items"


# ----------------------------------------------------------------------------------------------------------- finding


def _all_found(paths: Sequence[Path]) -> tuple[tuple[ItemFile, ...], str]:
    files: dict[Path, ItemFile] = {}
    words: list[str] = []
    for path in paths:
        found, said = _found(path)
        files |= {file.path.resolve(): file for file in found}
        words += [said] if said else []
    several = tuple(files.values())
    if not several:
        raise InvalidRequest("nothing says which files to load")
    return several, words[0] if len(paths) == 1 and words else _words(several)


def _found(path: Path) -> tuple[list[ItemFile], str]:
    """The files of one path, and what they are in words where that is more than their names."""
    export = _export_folder(path)
    if export is not None:
        return _of_export(export)
    if not path.is_dir():
        return [_item_file(path)], ""
    here = sorted(one for one in path.iterdir() if one.name.endswith(ENDINGS) and one.is_file())
    here = [one for one in here if not one.name.startswith((".", "manifest-"))]
    if not here:
        raise InvalidFile(f"{path} holds no file of items", hint=f"Their names end in {', '.join(ENDINGS)}.")
    files = [_item_file(one) for one in here]
    return files, f"folder {path.resolve().name} ({_size(files)})"


def _item_file(path: Path) -> ItemFile:
    try:
        facts = path.stat()
    except OSError as problem:
        raise InvalidFile(f"{path} cannot be read: {problem.strerror}") from None
    modified = datetime.fromtimestamp(facts.st_mtime, UTC).isoformat(timespec="milliseconds")
    return ItemFile(path, facts.st_size, modified.replace("+00:00", "Z"))


def _export_folder(path: Path) -> Path | None:
    """The folder with the manifest of the export that the path is, or its `data`, or is above."""
    if path.name in (MANIFEST, _SUMMARY):
        return path.parent
    if not path.is_dir():
        return None
    for folder in (path, path.resolve().parent) if path.resolve().name == "data" else (path,):
        if (folder / MANIFEST).is_file():
            return folder
    below = sorted((*path.glob(f"*/{MANIFEST}"), *path.glob(f"AWSDynamoDB/*/{MANIFEST}")))
    if len(below) > 1:
        names = ", ".join(one.parent.name for one in below)
        raise InvalidFile(f"{path} holds several exports: {names}", hint="Name one of their folders.")
    return below[0].parent if below else None


def _of_export(folder: Path) -> tuple[list[ItemFile], str]:
    summary = _summary(folder)
    if summary.get("exportType", "FULL_EXPORT") != "FULL_EXPORT":
        raise InvalidFile(
            f"{folder} is an incremental export: changes of items, not items",
            hint="Load a full export. What an incremental one says of an item is no state of it.",
        )
    if summary.get("outputFormat", "DYNAMODB_JSON") != "DYNAMODB_JSON":
        raise InvalidFile(
            f"{folder} is an export in {summary['outputFormat']}", hint="Export the table as DynamoDB JSON."
        )
    files = []
    for number, line in enumerate(_text(folder / MANIFEST).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            name, items, md5 = str(entry["dataFileS3Key"]), int(entry["itemCount"]), str(entry["md5Checksum"])
        except (ValueError, KeyError, TypeError):
            raise InvalidFile(f"{folder / MANIFEST}, line {number}: this names no file of an export") from None
        path = folder / "data" / name.rpartition("/")[2]
        if not path.is_file():
            raise InvalidFile(f"{path} is missing: the export's manifest names it", hint="Get the whole export.")
        files.append(replace(_item_file(path), items=items, md5=md5))
    table, when = _table_of(summary), str(summary.get("exportTime", ""))
    of = f" of {table}" if table else f" {folder.resolve().name}"
    as_of = f" as it was {when}" if when else ""
    return files, f"export{of}{as_of} ({_size(files)})"


def _summary(folder: Path) -> dict[str, Any]:
    """Empty where the export has lost it: its files can be loaded without."""
    if not (folder / _SUMMARY).is_file():
        return {}
    try:
        read = json.loads(_text(folder / _SUMMARY))
    except ValueError:
        raise InvalidFile(f"{folder / _SUMMARY} is not JSON") from None
    return read if isinstance(read, dict) else {}


def _table_of(summary: dict[str, Any]) -> str:
    return str(summary.get("tableArn", "")).rpartition(":table/")[2]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise InvalidFile(f"{path} cannot be read: {problem}") from None


def _size(files: Sequence[ItemFile]) -> str:
    many = "1 file" if len(files) == 1 else f"{len(files):,} files"
    return f"{many}, {sum(f.size for f in files):,} bytes"


def _words(files: Sequence[ItemFile]) -> str:
    first = files[0]
    if len(files) == 1:
        return f"file {first.path.name} ({first.size:,} bytes, {first.modified})"
    names = f"{first.path.name} to {files[-1].path.name}"
    return f"{len(files):,} files {names} ({sum(f.size for f in files):,} bytes)"


# --------------------------------------------------------------------------------------------------------------- keys


def _schema(files: Iterable[ItemFile], key: Sequence[str]) -> KeySchema:
    if not 1 <= len(key) <= 2:
        raise InvalidRequest(
            "a key is one attribute, or two: the partition key and the sort key", hint="As in PK,SK, or PK:S,SK:N."
        )
    attributes = [_key_attribute(files, text.strip()) for text in key]
    if len({attribute.name for attribute in attributes}) != len(attributes):
        raise InvalidRequest(f"the key names {attributes[0].name} twice")
    return KeySchema(tuple(attributes[:1]), tuple(attributes[1:]))


def _key_attribute(files: Iterable[ItemFile], text: str) -> KeyAttribute:
    kinds: tuple[KeyType, ...] = get_args(KeyType)
    name, _, said = text.rpartition(":")
    for kind in kinds:
        if name and said == kind:
            return KeyAttribute(name, kind)
    if not text:
        raise InvalidRequest("an attribute of the key has no name", hint="As in PK,SK, or PK:S,SK:N.")
    for file in files:
        item = first_item(file.path, text)
        if item:
            value = item.get(text)
            for kind in kinds:
                if isinstance(value, dict) and value.keys() == {kind}:
                    return KeyAttribute(text, kind)
            raise InvalidFile(
                f"{file.path.name}: the first item has no {text} that can be a key",
                hint="Name the table's key; an attribute of it is a string, a number or binary.",
            )
    raise InvalidRequest(f"no file has an item that tells the type of {text}", hint=f"Give it: {text}:S, :N or :B.")


# -------------------------------------------------------------------------------------------------------------- pages


def _check_sum(file: ItemFile, ticket: Ticket) -> None:
    found = hashlib.md5(usedforsecurity=False)
    with file.path.open("rb") as stream:
        while piece := stream.read(2**20):
            ticket.checkpoint()
            found.update(piece)
    if base64.b64encode(found.digest()).decode("ascii") != file.md5:
        raise InvalidFile(
            f"{file.path.name} is not as the export wrote it: its checksum is another one", hint="Get the file again."
        )


def _raw(page: FilePage) -> RawPage:
    end = json.dumps(page.end)
    return RawPage.of(page.items, scanned=len(page.items), cursor=end, units=None, received=_now())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
