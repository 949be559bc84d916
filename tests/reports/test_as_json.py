from __future__ import annotations

import json

from dynodesk.reports.writers import render
from tests.reports.awkward import awkward_report


def test_the_shape_is_the_documented_one() -> None:
    decoded = json.loads(render(awkward_report(), "json"))
    assert list(decoded) == ["version", "run", "rules"]
    assert decoded["version"] == 1
    assert {key: decoded["run"][key] for key in list(decoded["run"])[:10]} == {
        "id": "20260102T030405Z-7f3a",
        "started": "2026-01-02T03:04:05Z",
        "ended": "2026-01-02T03:05:37Z",
        "identity": "arn:aws:sts::111122223333:assumed-role/support|ro/<eve>",
        "endpoint": "https://dynamodb.eu-west-1.amazonaws.com",
        "region": "eu-west-1",
        "complete": False,
        "stopped": "budget of 500 read units used up",
        "read_units": "500.5",
        "pages": 1234,
    }
    rule = decoded["rules"][0]
    assert (rule["name"], rule["table"], rule["parents"]) == ("post likes", "Social", 265)
    assert rule["verdicts"] == {
        "ok": 246,
        "exact": 4,
        "probable": 1,
        "bounded": 2,
        "busy": 1,
        "suspect": 1,
        "incomparable": 8,
        "orphans": 1,
        "gone": 1,
    }


def test_a_finding_has_its_numbers_as_text_and_null_for_what_there_is_not() -> None:
    findings = json.loads(render(awkward_report(), "json"))["rules"][0]["findings"]
    by_key = {finding["parent"]["PK"]["S"]: finding for finding in findings}
    negative = dict(by_key["POST#77b0"])
    evidence = negative.pop("evidence")
    assert negative == {
        "verdict": "exact",
        "parent": {"PK": {"S": "POST#77b0"}, "SK": {"S": "META"}},
        "stored": "-2",
        "real": "0",
        "drift": "-2",
        "low": None,
        "high": None,
        "negative": True,
        "reason": None,
        "causes": ["Unlike without attribute_exists"],
    }
    assert {key: evidence[key] for key in ("passes", "consistent", "version")} == {
        "passes": 2,
        "consistent": True,
        "version": True,
    }
    assert evidence["at"] == [look["at"] for look in evidence["looks"]]
    assert len(evidence["at"]) == 4
    drift_only = {name: by_key[f"POST#{name}"] for name in ("1.50", "negative", "f5c2", "zz", "empty", "map", "null")}
    assert {
        name: tuple(finding[part] for part in ("stored", "real", "drift", "low", "high"))
        for name, finding in drift_only.items()
    } == {
        "1.50": ("1.50", "1", "0.5", None, None),
        "negative": ("0", "9", None, "-12", "-6"),
        "f5c2": (None, None, None, None, None),
        "zz": (None, "2", None, None, None),
        "empty": ("", "3", None, None, None),
        "map": ('{"$map": {"$binary": {"$number": "NaN"}}}', "3", None, None, None),
        "null": ("null", "3", None, None, None),
    }


def test_one_finding_is_one_line() -> None:
    report = awkward_report()
    lines = render(report, "json").decode().splitlines()
    found = [json.loads(line.rstrip(",")) for line in lines if line.startswith('   {"verdict"')]
    assert len(found) == len(report.findings)
