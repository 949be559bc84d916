"""Runs generated code as it stands and compares what it does with what the same request does when we send it.

    python -m tests.codegen.execution --count 200 [--seed 1] [--cache FOLDER] [--aws PROGRAM]

Every language has tables of its own on one emulator. The AWS CLI and the SDK for JavaScript are put into environments
of their own in the cache, from PyPI and npm's registry. PyPI has version 1 of the AWS CLI only, which cannot be given
binary values: what holds some is left out there. `--aws` names a version 2, which is given everything.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from botocore import xform_name
from botocore.client import BaseClient
from botocore.exceptions import ClientError

from dynodesk.codegen import Place, as_boto3, as_cli
from dynodesk.codegen.javascript import as_javascript
from tests.aws.tables import make_table, plain_client
from tests.codegen.requests import Request, Requests, table_names
from tests.helpers import ministack

DONE = "done"
LEFT_OUT = "left out"
SDK = "@aws-sdk/client-dynamodb"
SETTINGS = {
    "AWS_ACCESS_KEY_ID": "dummy",
    "AWS_SECRET_ACCESS_KEY": "dummy",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_MAX_ATTEMPTS": "1",
    "AWS_PAGER": "",
}
_RUNNER = """
import { readFileSync } from "node:fs";
console.dir = () => {};
for (const file of JSON.parse(readFileSync(process.argv[2]))) {
  let outcome = "done";
  try {
    await import(file);
  } catch (problem) {
    outcome = problem.name;
  }
  process.stdout.write(outcome + "\\n");
}
"""

Run = Callable[[Sequence[Request], Place], list[str]]
"""The outcome of each request in their order: done, left out, or the name of the service's error."""


def send(request: Request, client: BaseClient, owner: str) -> dict[str, Any]:
    """As we send it; the reply."""
    reply: dict[str, Any] = getattr(client, xform_name(request.operation))(**request.as_called(owner))
    return reply


def outcome_of(act: Callable[..., object], *arguments: object) -> str:
    try:
        act(*arguments)
    except ClientError as problem:
        return str(problem.response["Error"]["Code"])
    return DONE


# -------------------------------------------------------------------------------------------------------- languages


def run_boto3(requests: Sequence[Request], place: Place) -> list[str]:
    with patch.dict(os.environ, SETTINGS):
        return [
            outcome_of(execute, as_boto3(request.operation, request.as_json("boto3"), place)) for request in requests
        ]


def execute(code: str) -> dict[str, Any]:
    """Run Python as it stands; the names that it leaves."""
    left: dict[str, Any] = {}
    with redirect_stdout(StringIO()):
        exec(compile(code, "copied", "exec"), left)  # noqa: S102 -- that it runs is what is tested
    return left


def run_javascript(requests: Sequence[Request], place: Place, folder: Path) -> list[str]:
    """`folder` has the SDK."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        files = []
        for number, request in enumerate(requests):
            file = Path(name, f"{number}.mjs")
            code = as_javascript(request.operation, request.as_json("javascript"), place)
            file.write_text(code, encoding="utf-8")
            files.append(file.as_uri())
        runner, listed = Path(name, "run.mjs"), Path(name, "files.json")
        runner.write_text(_RUNNER, encoding="utf-8")
        listed.write_text(json.dumps(files), encoding="utf-8")
        ran = subprocess.run(
            ["node", str(runner), str(listed)],
            env={**os.environ, **SETTINGS},
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
    return ran.stdout.split("\n")[:-1]


@dataclass(frozen=True, slots=True)
class AwsCli:
    program: Path
    takes_binary: bool

    @classmethod
    def found(cls, program: Path) -> AwsCli:
        said = subprocess.run([str(program), "--version"], capture_output=True, text=True, check=True).stdout
        return cls(program, said.startswith("aws-cli/2"))

    def run(self, requests: Sequence[Request], place: Place) -> list[str]:
        """In the shell that scripts run in, as `aws`."""
        with tempfile.TemporaryDirectory() as name:
            Path(name, "aws").symlink_to(self.program.absolute())
            settings = {**os.environ, **SETTINGS, "PATH": f"{name}{os.pathsep}{os.environ['PATH']}"}
            return [self._outcome(request, place, settings) for request in requests]

    def _outcome(self, request: Request, place: Place, settings: Mapping[str, str]) -> str:
        code = as_cli(request.operation, request.as_json("cli"), place)
        if "--cli-binary-format" in code and not self.takes_binary:
            return LEFT_OUT
        ran = subprocess.run(["sh", "-c", code], env=settings, capture_output=True, encoding="utf-8", check=False)
        if ran.returncode == 0:
            return DONE
        # An error occurred (ConditionalCheckFailedException) when calling the PutItem operation: ...
        opened, _, rest = ran.stderr.partition("An error occurred (")
        return rest.partition(")")[0] if rest else opened


# ---------------------------------------------------------------------------------------------------- environments


def javascript_folder(cache: Path) -> Path:
    folder = cache / "javascript"
    if not (folder / "node_modules" / SDK).exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}', encoding="utf-8")
        subprocess.run(["npm", "install", "--no-fund", "--no-audit", SDK], cwd=folder, check=True)
    return folder


def aws_program(cache: Path) -> Path:
    folder = cache / "aws-cli"
    program = folder / "bin" / "aws"
    if not program.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "awscli"], check=True)
    return program


# ----------------------------------------------------------------------------------------------------- comparison


def make_tables(client: BaseClient, owner: str) -> None:
    for name, keys in table_names(owner).items():
        make_table(client, name=name, keys=keys)


def items_of(client: Any, owner: str) -> dict[str, list[str]]:
    """Of each table, by its name without the owner; an item as sorted text, members of sets sorted too."""
    found = {}
    for name in table_names(owner):
        pages = client.get_paginator("scan").paginate(TableName=name, ConsistentRead=True)
        items = [item for page in pages for item in page["Items"]]
        found[name.replace(owner, "")] = sorted(repr(_ordered(item)) for item in items)
    return found


def _ordered(value: object) -> object:
    match value:
        case {"SS": list(members)} | {"NS": list(members)} | {"BS": list(members)}:
            return sorted(members)
        case dict():
            return sorted((name, _ordered(member)) for name, member in value.items())
        case list():
            return [_ordered(member) for member in value]
        case _:
            return value


@dataclass(frozen=True, slots=True)
class Verdict:
    language: str
    outcomes: tuple[str, ...]
    differences: tuple[str, ...]
    """In words; none when it did the same."""


def compare(language: str, run: Run, requests: Sequence[Request], client: BaseClient, place: Place) -> Verdict:
    """What a language leaves out, we leave out as well."""
    us = f"{language}-ours"
    for owner in (language, us):
        make_tables(client, owner)
    outcomes = run(requests, place)
    kept = [request for request, outcome in zip(requests, outcomes, strict=True) if outcome != LEFT_OUT]
    ours = [outcome_of(send, request, client, us) for request in kept]
    theirs = [outcome for outcome in outcomes if outcome != LEFT_OUT]
    differences = [
        f"{request.operation} {json.dumps(request.as_json(language))}: {other}, ours: {mine}"
        for request, mine, other in zip(kept, ours, theirs, strict=True)
        if mine != other
    ]
    wanted, found = items_of(client, us), items_of(client, language)
    for table, items in wanted.items():
        differences += [f"missing in {table}: {item}" for item in items if item not in found[table]]
        differences += [f"only in {table}: {item}" for item in found[table] if item not in items]
    return Verdict(language, tuple(outcomes), tuple(differences))


def languages(cache: Path, aws: Path | None) -> Iterator[tuple[str, Run]]:
    yield "boto3", run_boto3
    if shutil.which("node") is None:
        raise SystemExit("node is missing")
    folder = javascript_folder(cache)
    yield "javascript", lambda requests, place: run_javascript(requests, place, folder)
    yield "cli", AwsCli.found(aws or aws_program(cache)).run


@contextmanager
def cache_folder(given: Path | None) -> Iterator[Path]:
    if given is not None:
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="codegen-") as folder:
        yield Path(folder)


def main() -> int:
    parser = argparse.ArgumentParser(description="Run generated code and compare what it does.")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", type=Path, help="keeps the environments for the next time")
    parser.add_argument("--aws", type=Path, help="an AWS CLI that is there already")
    given = parser.parse_args()
    requests = Requests(Random(given.seed)).writes(given.count)
    is_same = True
    with cache_folder(given.cache) as cache, ministack.running() as url:
        client, place = plain_client(url), Place("us-east-1", url)
        for language, run in languages(cache, given.aws):
            verdict = compare(language, run, requests, client, place)
            counted = ", ".join(f"{count} {outcome}" for outcome, count in Counter(verdict.outcomes).most_common())
            sys.stdout.write(f"{language}: {counted}: {len(verdict.differences)} differences\n")
            sys.stdout.writelines(f"  {difference[:1000]}\n" for difference in verdict.differences[:20])
            is_same = is_same and not verdict.differences
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
