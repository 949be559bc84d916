"""Results as files, written by our own code: CSV, JSON lines, Parquet, XLSX. A whole file or none.

Where the numbers come from goes with them: in Parquet's metadata, on a sheet of an XLSX, beside CSV and JSON lines in a
file `….provenance.json`.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, Literal, NoReturn

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import xlsxwriter

from dynodesk.domain.errors import InvalidRequest, WorkbenchFailed
from dynodesk.domain.progress import Progress, Ticket
from dynodesk.domain.values import plain_digits
from dynodesk.workbench.results import Result, ResultColumn, batch_rows, column_texts, is_plain_number
from dynodesk.workbench.sets import LoadedSet

ExportForm = Literal["csv", "jsonl", "parquet", "xlsx"]

PROVENANCE_KEY = b"dynodesk.provenance"
SHEET_ROWS = 1_048_576
SHEET_COLUMNS = 16_384
CELL_CHARACTERS = 32_767
_NO_LINE_BREAK = {ord(c): json.dumps(c)[1:-1] for c in "\x85\u2028\u2029"}
"""Line breaks to some readers of lines, though not to JSON, which lets them stand in a string."""
_SHEET_DIGITS = 15
"""A sheet keeps numbers as binary64: more digits than these are text there."""


def export(result: Result, path: Path, form: ExportForm, origins: Sequence[LoadedSet], ticket: Ticket) -> None:
    """Write all rows to `path`, replacing what is there, and nothing where it fails.

    Raises `InvalidRequest` for what the form cannot hold, `WorkbenchFailed` where the file cannot be written,
    `Cancelled`.
    """
    write = _WRITERS[form]
    names = unique_names(result.columns)
    with _whole_file(path) as file:
        write(result, names, file, origins, ticket)
    if form in {"csv", "jsonl"} and origins:
        with _whole_file(path.with_name(path.name + ".provenance.json")) as beside:
            beside.write(json.dumps(provenance_of(origins), indent=2, ensure_ascii=False).encode("utf-8") + b"\n")


def provenance_of(origins: Sequence[LoadedSet]) -> list[dict[str, object]]:
    """As in files: one object a set."""
    return [
        {"set": one.name, **asdict(one.provenance), "units": plain_digits(one.provenance.units), "changed": one.changed}
        for one in origins
    ]


def unique_names(columns: Sequence[ResultColumn]) -> list[str]:
    """Names that tell columns apart, for forms that need it: the second `n` is `n 2`."""
    names: list[str] = []
    taken = {column.name for column in columns}
    for column in columns:
        name, count = column.name, 1
        while name in names or (count > 1 and name in taken):
            count += 1
            name = f"{column.name} {count}"
        names.append(name)
    return names


def csv_line(cells: Sequence[str | None], columns: Sequence[ResultColumn]) -> str:
    """Texts in quotes, numbers bare; NULL is empty, an empty text is a pair of quotes."""
    return ",".join(_csv_cell(cell, column) for cell, column in zip(cells, columns, strict=True)) + "\r\n"


def csv_header(columns: Sequence[ResultColumn]) -> str:
    return ",".join(_in_quotes(column.name) for column in columns) + "\r\n"


def json_line(cells: Sequence[str | None], columns: Sequence[ResultColumn], names: Sequence[str]) -> str:
    """One object: numbers with their digits, lists and structs as JSON, NaN and binary as text."""
    pairs = zip(names, cells, columns, strict=True)
    return "{" + ", ".join(f"{_json_text(name)}: {_json_cell(cell, column)}" for name, cell, column in pairs) + "}\n"


# ------------------------------------------------------------------------------------------------------------- writers


def _rows(result: Result, ticket: Ticket) -> Iterator[tuple[str | None, ...]]:
    done = 0
    for batch in result.batches():
        ticket.checkpoint(Progress(done, len(result), "Exporting, rows"))
        yield from batch_rows(batch)
        done += batch.num_rows


def _write_csv(
    result: Result, _names: Sequence[str], file: BinaryIO, _origins: Sequence[LoadedSet], ticket: Ticket
) -> None:
    file.write(csv_header(result.columns).encode("utf-8"))
    file.writelines(csv_line(row, result.columns).encode("utf-8") for row in _rows(result, ticket))


def _write_json_lines(
    result: Result, names: Sequence[str], file: BinaryIO, _origins: Sequence[LoadedSet], ticket: Ticket
) -> None:
    file.writelines(json_line(row, result.columns, names).encode("utf-8") for row in _rows(result, ticket))


def _write_parquet(
    result: Result, names: Sequence[str], file: BinaryIO, origins: Sequence[LoadedSet], ticket: Ticket
) -> None:
    fields = []
    for i, (name, column) in enumerate(zip(names, result.columns, strict=True)):
        kind = result.schema.field(i).type
        if column.type == "HUGEINT" and _longest(result, i) <= 38:
            kind = pa.decimal128(38, 0)
        fields.append(pa.field(name, kind))
    metadata: dict[bytes | str, bytes | str] = {PROVENANCE_KEY: json.dumps(provenance_of(origins))}
    schema = pa.schema(fields, metadata=metadata)
    done = 0
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for batch in result.batches():
            ticket.checkpoint(Progress(done, len(result), "Exporting, rows"))
            columns = [pc.cast(column, field.type) for column, field in zip(batch.columns, fields, strict=True)]
            writer.write_batch(pa.record_batch(columns, schema=schema))
            done += batch.num_rows


def _longest(result: Result, number: int) -> int:
    """Digits of the longest text in a column of integers, as the decimal they would be cast to counts them."""
    longest = 0
    for batch in result.batches():
        texts = column_texts(batch.column(number))
        longest = max([longest, *(len(text.lstrip("-")) for text in texts if text is not None)])
    return longest


def _write_xlsx(
    result: Result, names: Sequence[str], file: BinaryIO, origins: Sequence[LoadedSet], ticket: Ticket
) -> None:
    if len(result) >= SHEET_ROWS or len(names) > SHEET_COLUMNS:
        raise InvalidRequest(
            f"a sheet holds {SHEET_ROWS - 1:,} rows and {SHEET_COLUMNS:,} columns",
            hint="Export to CSV, JSON lines or Parquet.",
        )
    book = xlsxwriter.Workbook(file, {"constant_memory": True})
    try:
        _fill(book, result, names, origins, ticket)
    finally:
        book.close()  # it has files of its own open


def _fill(
    book: xlsxwriter.Workbook, result: Result, names: Sequence[str], origins: Sequence[LoadedSet], ticket: Ticket
) -> None:
    rows = book.add_worksheet("Result")
    for at, name in enumerate(names):
        rows.write_string(0, at, _fitting(name, 0, name))
    for number, row in enumerate(_rows(result, ticket), start=1):
        for at, (cell, column) in enumerate(zip(row, result.columns, strict=True)):
            if cell is None:
                continue
            if column.kind == "number" and _fits_a_sheet(cell):
                rows.write_number(number, at, float(cell))
            elif column.kind == "boolean":
                rows.write_boolean(number, at, cell == "true")
            else:
                rows.write_string(number, at, _fitting(cell, number, column.name))
    if origins:
        sheet = book.add_worksheet("Provenance")
        for at, origin in enumerate(provenance_of(origins)):
            for number, (name, value) in enumerate(origin.items()):
                sheet.write_string(number, 0, name)
                sheet.write_string(number, at + 1, "" if value is None else str(value))


def _fits_a_sheet(text: str) -> bool:
    digits = text.lstrip("-").split("e")[0].replace(".", "").strip("0")
    return len(digits) <= _SHEET_DIGITS and is_plain_number(text)


def _fitting(text: str, row: int, column: str) -> str:
    if len(text.encode("utf-16-le")) // 2 > CELL_CHARACTERS:
        raise InvalidRequest(
            f"row {row}, {column}: a cell of a sheet holds {CELL_CHARACTERS:,} characters, this has {len(text):,}",
            hint="Export to CSV, JSON lines or Parquet.",
        )
    return text


_Writer = Callable[[Result, Sequence[str], BinaryIO, Sequence[LoadedSet], Ticket], None]
_WRITERS: Mapping[ExportForm, _Writer] = {
    "csv": _write_csv,
    "jsonl": _write_json_lines,
    "parquet": _write_parquet,
    "xlsx": _write_xlsx,
}


# --------------------------------------------------------------------------------------------------------------- cells


def _csv_cell(cell: str | None, column: ResultColumn) -> str:
    if cell is None:
        return ""
    return cell if column.kind in {"number", "boolean"} else _in_quotes(cell)


def _in_quotes(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _json_cell(cell: str | None, column: ResultColumn) -> str:
    if cell is None:
        return "null"
    match column.kind:
        case "boolean":
            return cell
        case "json":
            # The engine writes NaN and Infinity into JSON, which has no such numbers: then all of it is a text.
            cell = cell.translate(_NO_LINE_BREAK)
            return cell if ("N" not in cell and "I" not in cell) or _is_json(cell) else _json_text(cell)
        case "number" if is_plain_number(cell):
            return cell
        case _:
            return _json_text(cell)


def _is_json(text: str) -> bool:
    def refuse(name: str) -> NoReturn:
        raise ValueError(name)

    with contextlib.suppress(ValueError):
        json.loads(text, parse_constant=refuse)
        return True
    return False


def _json_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).translate(_NO_LINE_BREAK)


@contextlib.contextmanager
def _whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file beside `path` that takes its place once all of it is on the disk."""
    part: Path | None = None
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        part = Path(name)
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        part = None
    except OSError as problem:
        raise WorkbenchFailed(
            f"{path} could not be written: {problem.strerror or problem}.", hint="Choose another place for the file."
        ) from None
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


def form_of(path: Path) -> ExportForm:
    """By the file's ending. Raises `InvalidRequest` for any other."""
    forms: dict[str, Any] = {".csv": "csv", ".jsonl": "jsonl", ".parquet": "parquet", ".xlsx": "xlsx"}
    if path.suffix.lower() not in forms:
        raise InvalidRequest(f"{path.name} is not a form that results are exported to", hint=" ".join(forms))
    found: ExportForm = forms[path.suffix.lower()]
    return found
