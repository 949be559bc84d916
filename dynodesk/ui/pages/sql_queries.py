"""Ready queries: SQL for a loaded set, by its keys and by what is in it. They fill the editor, to be run or changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynodesk.domain.errors import InvalidRequest
from dynodesk.domain.progress import Ticket
from dynodesk.ui.pages.sql_text import bare_or_quoted as name
from dynodesk.ui.pages.sql_work import SetInfo
from dynodesk.ui.shell import Workspace

if TYPE_CHECKING:
    from dynodesk.workbench.sets import SetColumn

MOST_TRIED = 12
"""Attributes that are looked at as tallies."""
_TALLY = re.compile(r"tally|count|total|likes|votes|num|size", re.IGNORECASE)
_PREFIX = "^[^#|/:]*[#|/:]"
"""The word that begins a key, with what parts it from the rest."""

Look = Callable[[str], list[tuple[str | None, ...]]]
"""Runs a query and returns its first rows."""


@dataclass(frozen=True, slots=True)
class ReadyQuery:
    title: str
    tip: str
    make: Callable[[SetInfo, Look], str]


def write_query(workspace: Workspace, query: ReadyQuery, info: SetInfo, ticket: Ticket) -> str:
    """On a worker's thread: some look into the set first. Raises `InvalidRequest` where the set has no use for it."""

    def look(text: str) -> list[tuple[str | None, ...]]:
        from dynodesk.workbench.results import run  # noqa: PLC0415  (loads the engine)

        for outcome in run(workspace.bench(), text, ticket, limit=1):
            with outcome.result as result:
                return result.rows(0, 1)
        return []

    return query.make(info, look)


def tallies_against_children(info: SetInfo, look: Look) -> str:
    keys = _keys(info)
    if len(keys) < 2:
        raise InvalidRequest(
            f"{info.loaded.name} has no sort key, so no item has children beside it", hint="Choose another set."
        )
    of, (pk, sk) = name(info.loaded.name), map(name, keys)
    for column in _tallies(info):
        shape = look(_shape_of_parents(of, pk, sk, name(column.name)))
        if not shape or shape[0][0] is None:
            continue
        parent_sk, parent_prefix, child_prefix = shape[0]
        parents = _all_of(
            f"{sk} = {_text(parent_sk)}" if parent_sk else f"{name(column.name)} IS NOT NULL",
            f"starts_with({pk}, {_text(parent_prefix)})" if parent_prefix else "",
        )
        children = _all_of(
            f"starts_with({sk}, {_text(child_prefix)})" if child_prefix else f"{name(column.name)} IS NULL",
            f"starts_with({pk}, {_text(parent_prefix)})" if parent_prefix else "",
        )
        return f"""-- {column.attribute} against the items that it counts: one row where they differ
WITH parents AS (
    SELECT {pk}, {name(column.name)} AS stored, true AS is_there FROM {of}
    WHERE {parents}
), children AS (
    SELECT {pk}, count(*) AS real FROM {of}
    WHERE {children}
    GROUP BY {pk}
)
SELECT {pk}, stored, coalesce(real, 0) AS real, stored - coalesce(real, 0) AS drift,
    CASE WHEN is_there IS NULL THEN 'orphans' WHEN stored IS NULL THEN 'incomparable' ELSE 'drift' END AS finding
FROM parents FULL JOIN children USING ({pk})
WHERE stored IS DISTINCT FROM coalesce(real, 0)
ORDER BY abs(drift) DESC NULLS LAST, {pk};"""
    raise InvalidRequest(
        f"no number in {info.loaded.name} has items beside it that it could count",
        hint="Write the comparison by hand: a LEFT JOIN from parents to children, and count(*).",
    )


def _shape_of_parents(of: str, pk: str, sk: str, tally: str) -> str:
    """One row: the parents' one sort key, the beginning of their partition keys, that of most children's sort keys."""
    return f"""
WITH parents AS (SELECT {pk}, {sk} FROM {of} WHERE {tally} IS NOT NULL),
beside AS (
    SELECT regexp_extract({sk}, '{_PREFIX}') AS prefix FROM {of}
    WHERE {pk} IN (SELECT {pk} FROM parents) AND {sk} NOT IN (SELECT {sk} FROM parents))
SELECT CASE WHEN count(DISTINCT {sk}) = 1 THEN min({sk}) ELSE '' END,
    CASE WHEN count(DISTINCT regexp_extract({pk}, '{_PREFIX}')) = 1
        THEN min(regexp_extract({pk}, '{_PREFIX}')) ELSE '' END,
    (SELECT mode(prefix) FROM beside)
FROM parents HAVING (SELECT count(*) FROM beside) > 0"""


def largest_collections(info: SetInfo, _look: Look) -> str:
    of, pk = name(info.loaded.name), name(_keys(info)[0])
    return f"""-- item collections by number of items; bytes are those of the items' JSON
SELECT {pk}, count(*) AS items, sum(strlen(item)) AS json_bytes
FROM {of}
GROUP BY {pk}
ORDER BY items DESC, {pk}
LIMIT 100;"""


def attribute_census(info: SetInfo, _look: Look) -> str:
    of = name(info.loaded.name)
    return f"""-- every attribute, by type, with the number of items that have it
SELECT attribute,
    json_keys(item, '/' || replace(replace(attribute, '~', '~0'), '/', '~1'))[1] AS type,
    count(*) AS items
FROM (SELECT unnest(json_keys(item)) AS attribute, item FROM {of})
GROUP BY ALL
ORDER BY items DESC, attribute, type;"""


def shard_sums(info: SetInfo, look: Look) -> str:
    of, keys = name(info.loaded.name), [name(key) for key in _keys(info)]
    whole = [f"regexp_replace({key}, '#[0-9]+$', '')" for key in keys]
    for column in _tallies(info):
        number = name(column.name)
        of_shards = f"FROM {of} WHERE {number} IS NOT NULL GROUP BY {', '.join(whole)} HAVING count(*) > 1"
        if look(f"SELECT 1 {of_shards}"):
            shown = ", ".join(f"{part} AS {key}" for part, key in zip(whole, keys, strict=True))
            return f"""-- counters that are spread over shards: keys that differ in a number at their end
SELECT {shown},
    count(*) AS shards, sum({number}) AS total
FROM {of}
WHERE {number} IS NOT NULL
GROUP BY ALL
HAVING count(*) > 1
ORDER BY total DESC;"""
    raise InvalidRequest(
        f"no numbers in {info.loaded.name} lie at keys that differ in a number at their end alone",
        hint="Shards look like STATS#0, STATS#1 …",
    )


READY = (
    ReadyQuery(
        "Tallies against children", "Stored counts that differ from the items beside them.", tallies_against_children
    ),
    ReadyQuery("Sum of shards", "Counters whose parts lie at several keys, put together.", shard_sums),
    ReadyQuery("Largest collections", "Partition keys with the most items.", largest_collections),
    ReadyQuery("Attribute census", "Which attributes there are, of which type, how often.", attribute_census),
)


def _keys(info: SetInfo) -> list[str]:
    """Columns of the table's own key, partition key first."""
    names = []
    for key in info.loaded.keys:
        if key.of_table:
            names += [c.name for c in info.columns if c.attribute == key.attribute][:1]
    return names


def _tallies(info: SetInfo) -> Iterator[SetColumn]:
    """Columns of whole numbers that may be counts, those named like one first."""
    keys = {key.attribute for key in info.loaded.keys}
    whole = [c for c in info.columns if c.type.startswith("DECIMAL(") and c.type.endswith(",0)")]
    found = [c for c in whole if c.attribute not in keys]
    found.sort(key=lambda column: _TALLY.search(column.attribute) is None)
    yield from found[:MOST_TRIED]


def _all_of(*conditions: str) -> str:
    return " AND ".join(filter(None, conditions))


def _text(value: str | None) -> str:
    return "'" + (value or "").replace("'", "''") + "'"
