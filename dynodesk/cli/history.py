"""`dynodesk rules history`: what earlier runs of the rules in a file found, and where that goes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from dynodesk.cli.diagnostics import ExitCode, say
from dynodesk.cli.reconciling import FILE
from dynodesk.domain.past_runs import Course, PastRun, Where
from dynodesk.domain.repairs import RulesText
from dynodesk.domain.values import plain_digits
from dynodesk.reconcile.planning import rule_hashes
from dynodesk.reconcile.rules import parse_rules, rules_text
from dynodesk.reports.characters import visible
from dynodesk.reports.wording import counted
from dynodesk.wiring import run_history


@click.command()
@click.argument("rules_file", metavar="RULES.toml", type=FILE)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="What stdout gets.")
def history(rules_file: Path, form: str) -> int:
    """Show what earlier runs of these rules found, on this computer. Nothing is read of any table.

    Runs of the whole table that came to their end make the course of the drift; the others are listed and marked. A
    rule that says something else than before begins anew.
    """
    text = rules_text(rules_file)
    names = [draft.name for draft in parse_rules(text, str(rules_file))]
    hashes = rule_hashes(RulesText(str(rules_file), text))
    kept = run_history()
    runs = kept.of(hashes.values())
    if kept.notice:
        say(kept.notice)
    by_rule = {name: _by_place([run for run in runs if run.where.rule_hash == hashes[name]]) for name in names}
    if form == "json":
        rules = [_rule_json(name, hashes[name], places) for name, places in by_rule.items()]
        click.echo(json.dumps({"version": 1, "rules": rules}, indent=1, ensure_ascii=False))
    else:
        for name, places in by_rule.items():
            for line in _rule_text(name, places):
                click.echo(line)
    return ExitCode.OK


def _by_place(runs: Sequence[PastRun]) -> dict[Where, list[PastRun]]:
    """The runs of each place, the place of the latest run first."""
    places = dict.fromkeys(run.where for run in reversed(runs))
    return {place: [run for run in runs if run.where == place] for place in places}


def _rule_json(name: str, rule_hash: str, places: dict[Where, list[PastRun]]) -> dict[str, object]:
    return {"name": name, "hash": rule_hash, "places": [_place_json(place, runs) for place, runs in places.items()]}


def _place_json(place: Where, runs: Sequence[PastRun]) -> dict[str, object]:
    course = Course.of(runs)
    return {
        "table": place.table,
        "endpoint": place.endpoint,
        "region": place.region,
        "account": place.account,
        "growing": course.is_growing,
        "course": course.words,
        "runs": [
            {
                "id": run.run_id,
                "started": run.started,
                "scope": run.scope,
                "complete": run.complete,
                "stopped": run.stopped,
                "counts": run.counts,
                "parents": run.parents,
                "verdicts": dict(run.verdicts),
                "off": run.off,
                "drift": plain_digits(run.drift),
            }
            for run in runs
        ],
    }


def _rule_text(name: str, places: dict[Where, list[PastRun]]) -> Iterator[str]:
    if not places:
        yield f"{visible(name)}: no run is kept"
        yield ""
    for place, runs in places.items():
        where = " · ".join(part for part in (place.endpoint, place.region, place.account) if part)
        yield f"{visible(name)} in {visible(place.table)}"
        yield f"  {visible(where)}"
        for run in runs:
            why = f"; not counted: {visible(run.why_not)}" if run.why_not else ""
            found = f"{run.off:,} of {counted(run.parents, 'parent')} off, drift {run.drift_text}"
            yield f"  {run.time:%Y-%m-%d %H:%M} UTC  {found}{why}"
        course = Course.of(runs)
        if course.runs:
            yield f"  Drift: {course.words}"
        yield ""
