"""What a run over the freshly seeded sandbox must find: counted here by plain means, without the engine under test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

from dynodesk.sandbox.sample_table import TaggedItem, text
from dynodesk.sandbox.samples import sample_tables

Answer = dict[str, Any]
Stored = Mapping[str, dict[str, Any] | None]
"""Of each parent the tally with its type tag; None: the attribute is missing. Named as in the real counts."""


def answers(scale: float = 1.0) -> dict[str, list[Answer]]:
    """Findings to expect at `scale`, by sample rules file, in the order in which a run reports them.

    Each is `{"rule", "verdict", "parent", "stored", "real", "drift"}`: the parent's key as DynamoDB JSON, numbers as
    text.
    """
    return expected({table.name: table.items for table in sample_tables(scale)})


def expected(tables: Mapping[str, Iterable[TaggedItem]]) -> dict[str, list[Answer]]:
    """The same for the sample tables' items by table name, wherever they were read."""
    social = [_keyed(item) for item in tables["Social"]]
    courses = [_keyed(item) for item in tables["Courses"]]
    stats = [_keyed(item) for item in tables["Stats"]]
    return {
        "social.toml": [
            *_compare(
                "post likes",
                "exact",
                {pk: item.get("likeTally") for pk, sk, item in social if pk.startswith("POST#") and sk == "META"},
                Counter(pk for pk, sk, _ in social if pk.startswith("POST#") and sk.startswith("LIKE#")),
                lambda pk: {"PK": text(pk), "SK": text("META")},
            ),
            *_compare(
                "following",
                "probable",  # users have no version attribute
                {pk: item.get("followingCount") for pk, sk, item in social if pk.startswith("USER#") and sk == "META"},
                Counter(
                    pk.replace("ACTOR#", "USER#", 1)
                    for pk, sk, _ in social
                    if pk.startswith("ACTOR#") and sk.startswith("TARGET#")
                ),
                lambda pk: {"PK": text(pk), "SK": text("META")},
            ),
            *_compare(
                "followers",
                "probable",
                {pk: item.get("followerCount") for pk, sk, item in social if pk.startswith("USER#") and sk == "META"},
                Counter(
                    sk.replace("TARGET#", "USER#", 1)
                    for pk, sk, _ in social
                    if pk.startswith("ACTOR#") and sk.startswith("TARGET#")
                ),
                lambda pk: {"PK": text(pk), "SK": text("META")},
            ),
        ],
        "courses.toml": _compare(
            "course places",
            "exact",
            {pk: item.get("enrolled") for pk, sk, item in courses if pk.startswith("COURSE#") and sk == "META"},
            Counter(pk for pk, sk, _ in courses if sk.startswith("STUDENT#")),
            lambda pk: {"PK": text(pk), "SK": text("META")},
        ),
        "workspaces.toml": _seats(tables),
        "stats.toml": [*_plays(stats, "video plays", "PLAY#", 2), *_plays(stats, "video views", "VIEW#", 3)],
    }


def _seats(tables: Mapping[str, Iterable[TaggedItem]]) -> list[Answer]:
    return _compare(
        "workspace seats",
        "exact",
        {item["id"]["S"]: item["memberCount"] for item in tables["Workspaces"]},
        Counter(item["workspace"]["S"] for item in tables["Members"] if "deletedAt" not in item),
        lambda workspace: {"id": text(workspace)},
    )


def _plays(stats: Iterable[tuple[str, str, TaggedItem]], rule: str, child: str, parts: int) -> list[Answer]:
    """One of the two layouts of shards, told apart by how many `parts` a partition key has.

    The parent of a sharded tally is no single item: its key is what the partition keys of its shards have in common.
    """
    stored: Counter[str] = Counter()
    real: Counter[str] = Counter()
    for pk, sk, item in stats:
        if len(pk.split("#")) != parts:
            continue
        video = "#".join(pk.split("#")[:2])
        if "play_count" in item:
            stored[video] += int(item["play_count"]["N"])
        elif sk.startswith(child):
            real[video] += 1
    tallies: Stored = {video: {"N": str(total)} for video, total in stored.items()}
    return _compare(rule, "probable", tallies, real, lambda video: {"PK": text(video)})


def _keyed(item: TaggedItem) -> tuple[str, str, TaggedItem]:
    return item["PK"]["S"], item["SK"]["S"], item


def _compare(
    rule: str, proof: str, stored: Stored, real: Counter[str], key: Callable[[str], TaggedItem]
) -> list[Answer]:
    findings = []
    for name in stored.keys() | real.keys():
        tally = stored.get(name)
        drift = None
        if name not in stored:
            verdict = "orphans"
        elif tally is None or "N" not in tally:
            verdict = "incomparable"
        else:
            verdict = proof
            drift = Decimal(tally["N"]) - real[name]
            if drift == 0:
                continue
        findings.append(
            {
                "rule": rule,
                "verdict": verdict,
                "parent": key(name),
                "stored": next(iter(tally.values())) if tally else None,
                "real": str(real[name]),
                "drift": None if drift is None else str(drift),
            }
        )
    return sorted(findings, key=_as_reported)


def _as_reported(finding: Answer) -> tuple[bool, Decimal, list[bytes]]:
    """Largest drift first, those without one last, then by key in table order."""
    drift = finding["drift"]
    key = [value["S"].encode() for value in finding["parent"].values()]
    return drift is None, -abs(Decimal(drift or 0)), key
