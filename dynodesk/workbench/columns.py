"""The view of a set: a column for each attribute, its type decided by every item of the set.

| what the items have | columns |
|---|---|
| S | VARCHAR |
| N, every value fits one DECIMAL | DECIMAL |
| N, else | the exact text, and `… (number)`: DOUBLE, approximate |
| B | BLOB |
| BOOL | BOOLEAN |
| sets, L, M | DynamoDB JSON text of their content |
| several types | text, `… (type)`, and `… (number)` for those that are N |
| NULL among them | `… (type)` as well, which tells NULL from missing |

Names that differ by case alone, or that no identifier can be, get names of their own; `SetColumn.attribute` has the
attribute's.
"""

from __future__ import annotations

from collections.abc import Iterable

import duckdb

from dynodesk.domain.cells import visible
from dynodesk.workbench import sets
from dynodesk.workbench.census import Attribute, census, pointer
from dynodesk.workbench.sets import LoadedSet, SetColumn, literal, quoted

LONGEST_NAME = 200
"""Characters of an attribute's name that its column's name has at most."""
ITEM = "item"


def build_view(cursor: duckdb.DuckDBPyConnection, loaded: LoadedSet) -> tuple[SetColumn, ...]:
    """Make the view of a set anew from all its items, within the caller's transaction."""
    keys = {key.attribute: key for key in loaded.keys}
    foreseen = sets.foreseen_of(cursor, loaded)
    numbers = {one.attribute: quoted(one.column) for one in foreseen if one.column is not None}
    attributes = census(cursor, loaded, foreseen)
    columns: list[SetColumn] = []
    selected: list[str] = []
    looks = _Looks()
    names = _Names([ITEM])
    plain = {attribute.name: names.take(attribute.name) for attribute in attributes}
    for attribute in attributes:
        key = keys.get(attribute.name)
        stored = None if key is None or set(attribute.types) - {key.type} else quoted(key.column)
        if key is not None and not attribute.types:
            attribute.types[key.type] = 0
        for suffix, kind, note, expression in _expressions(attribute, stored, numbers.get(attribute.name), looks):
            name = plain[attribute.name] if not suffix else names.take(f"{plain[attribute.name]} ({suffix})")
            columns.append(SetColumn(name, attribute.name, kind, note, attribute.types))
            selected.append(f"{expression} AS {quoted(name)}")
    columns.append(SetColumn(ITEM, "", "VARCHAR", "the whole item as DynamoDB JSON", {}))
    selected.append(quoted(ITEM))
    cursor.execute(
        f"CREATE OR REPLACE VIEW {quoted(loaded.name)} AS SELECT {', '.join(selected)} "
        f"FROM (SELECT {', '.join(['*', *looks.selected()])} FROM {loaded.table})"
    )
    sets.save_columns(cursor, loaded, columns)
    return tuple(columns)


class _Looks:
    """Expressions that look into the item. Those for several attributes share one parsing of it.

    The engine keeps for each call that parses, on each thread, as much memory as the largest item once took, some
    megabytes: with a call for each attribute a wide set of large items would not fit. One call for all of them would
    have to find every attribute for who asks for one.
    """

    TOGETHER = 16

    def __init__(self) -> None:
        self._paths: dict[str, list[str]] = {"json_extract_string": [], "json_keys": []}

    def text(self, name: str, kind: str) -> str:
        """The attribute's content where it is of this type: text, or DynamoDB JSON."""
        return self._at("json_extract_string", pointer(name, kind))

    def type(self, name: str) -> str:
        return self._at("json_keys", pointer(name)) + "[1]"

    def selected(self) -> list[str]:
        """What the query beneath the view has to select."""
        return [
            f"{function}(item, [{', '.join(map(literal, paths[start : start + self.TOGETHER]))}]) "
            f"AS {function}_{start // self.TOGETHER}"
            for function, paths in self._paths.items()
            for start in range(0, len(paths), self.TOGETHER)
        ]

    def _at(self, function: str, path: str) -> str:
        group, place = divmod(len(self._paths[function]), self.TOGETHER)
        self._paths[function].append(path)
        return f"{function}_{group}[{place + 1}]"


def _expressions(
    attribute: Attribute, stored: str | None, numbers: str | None, looks: _Looks
) -> Iterable[tuple[str, str, str, str]]:
    """Columns of an attribute: suffix of the name, type, note, and the expression.

    `stored` is the table's column that has the value of a key, `numbers` the one that has the text of what is N.
    """
    kinds = [kind for kind in attribute.types if kind != "NULL"]
    if stored is not None and kinds != ["B"]:
        text = dict.fromkeys(kinds, stored)
    else:
        text = {
            kind: numbers if kind == "N" and numbers is not None else looks.text(attribute.name, kind) for kind in kinds
        }
    decimal = attribute.decimal if "N" in kinds else None
    number = f"dynodesk.written_out({text['N']})" if "N" in kinds and attribute.has_powers else text.get("N", "")
    match kinds:
        case []:
            yield "", "VARCHAR", "no item has a value", "CAST(NULL AS VARCHAR)"
        case ["N"] if decimal is not None:
            yield "", decimal, "", f"CAST({number} AS {decimal})"
        case ["N"]:
            yield "", "VARCHAR", "exact text: no DECIMAL holds every value", text["N"]
            yield "number", "DOUBLE", "approximate", f"TRY_CAST({text['N']} AS DOUBLE)"
        case ["B"]:
            yield "", "BLOB", "", stored or f"from_base64({text['B']})"
        case ["BOOL"]:
            yield "", "BOOLEAN", "", f"CAST({text['BOOL']} AS BOOLEAN)"
        case ["S"]:
            yield "", "VARCHAR", "", text["S"]
        case [kind]:
            yield "", "VARCHAR", f"content of the {kind}, DynamoDB JSON", text[kind]
        case _:
            yield "", "VARCHAR", "text of values of several types", f"coalesce({', '.join(text.values())})"
            if decimal is not None:
                yield "number", decimal, "the values that are N", f"CAST({number} AS {decimal})"
            elif "N" in kinds:
                yield "number", "DOUBLE", "the values that are N, approximate", f"TRY_CAST({text['N']} AS DOUBLE)"
    if len(attribute.types) > 1 or "NULL" in attribute.types:
        yield (
            *("type", "VARCHAR", "type in DynamoDB; NULL here: the item has no such attribute"),
            looks.type(attribute.name),
        )


# ------------------------------------------------------------------------------------------------------------- names


class _Names:
    """Hands out names of columns that identifiers of SQL, which know no case, can tell apart."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = {name.casefold() for name in taken}

    def take(self, wanted: str) -> str:
        shown = visible(wanted[:LONGEST_NAME]) + ("…" if len(wanted) > LONGEST_NAME else "") or "(empty name)"
        name, count = shown, 1
        while name.casefold() in self._taken:
            count += 1
            name = f"{shown} {count}"
        self._taken.add(name.casefold())
        return name
