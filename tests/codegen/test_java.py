"""Generated Java compiles and makes the request, with classes in the SDK's place that show what they are given."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dynodesk.codegen import NoCode, Place
from dynodesk.codegen.java import LONGEST_CONSTANT, MOST_VALUES, as_java
from dynodesk.codegen.shapes import OPERATIONS
from tests.codegen.java_stubs import write_stubs
from tests.codegen.samples import SAMPLES
from tests.codegen.test_codegen import hostile_requests

LONG_TEXT = "\U0001f600\0é" * LONGEST_CONSTANT
MANY = {f"a{number}": {"B": "AAE="} for number in range(MOST_VALUES - 2)}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("javac") is None, reason="no Java compiler is installed")
def test_java_makes_the_request(tmp_path: Path) -> None:
    """Compiled in the encoding of a machine that knows nothing but ASCII."""
    requests: list[tuple[str, Mapping[str, Any]]] = [
        *SAMPLES.values(),
        *((request.operation, request.as_json("x")) for request in hostile_requests(60)),
        ("PutItem", {"TableName": "t", "Item": {"id": {"S": LONG_TEXT}}}),
        ("PutItem", {"TableName": "t", "Item": {**MANY, "id": {"S": ""}}}),
    ]
    place = Place("eu-west-1", "http://127.0.0.1:8000/%27")
    sources = write_stubs(tmp_path / "sdk", OPERATIONS)
    runs = []
    for number, (operation, parameters) in enumerate(requests):
        file = tmp_path / "generated" / f"r{number}" / "Request.java"
        file.parent.mkdir(parents=True)
        code = as_java(operation, parameters, place)
        file.write_text(f"package r{number};\n{code}", encoding="ascii")
        sources.append(file)
        runs.append(f"r{number}.Request.main(arguments);")
    everything = tmp_path / "Everything.java"
    calls = "\n".join(runs)
    everything.write_text(
        f"public class Everything {{ public static void main(String[] arguments) {{ {calls} }} }}", encoding="ascii"
    )
    classes = tmp_path / "classes"
    command = ["javac", "-encoding", "US-ASCII", "-d", str(classes), "-nowarn", "-Xlint:-unchecked"]
    compiled = subprocess.run(
        [*command, *map(str, [*sources, everything])], capture_output=True, text=True, check=False
    )
    assert compiled.returncode == 0, compiled.stderr
    ran = subprocess.run(["java", "-cp", str(classes), "Everything"], capture_output=True, text=True, check=True)
    shown = [line.split(" ", 3) for line in ran.stdout.split("\n") if line.startswith("eu-west-1 ")]
    assert [(operation, json.loads(said)) for _, _, operation, said in shown] == requests
    assert {endpoint for _, endpoint, _, _ in shown} == {place.endpoint}


def test_java_says_what_no_method_holds() -> None:
    with pytest.raises(NoCode, match="cannot hold more than 2,000 values"):
        as_java("PutItem", {"TableName": "t", "Item": {**MANY, "id": {"S": ""}, "one": {"S": ""}}})
