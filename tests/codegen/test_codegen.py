"""The code of a request says the same as the request, in every language, whatever is in its names and values."""

from __future__ import annotations

import ast
import base64
import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from botocore.model import ListShape, MapShape, Shape, StructureShape
from botocore.session import Session

from dynodesk.codegen import LANGUAGES, Language, NoCode, Place, as_boto3, as_cli, as_json
from dynodesk.codegen.aws_cli import LONGEST_ARGUMENT
from dynodesk.codegen.go import as_go
from dynodesk.codegen.javascript import as_javascript
from dynodesk.codegen.shapes import OPERATIONS, ListOf, MapOf, Scalar, Structure, binary_as_bytes, holds_bytes
from dynodesk.codegen.shapes import Shape as OurShape
from tests.codegen.requests import EVERY_WRITE, READS, Request, Requests
from tests.codegen.samples import SAMPLES
from tests.reports.golden import golden

ELSEWHERE = Place("eu-west-1", "http://127.0.0.1:8000/it's")
SUFFIXES = ("json", "sh", "py", "mjs", "java", "go", "partiql")


def hostile_requests(count: int = 150) -> list[Request]:
    drawn = Requests(Random(36))
    return [drawn.request((EVERY_WRITE + READS)[number % 12]) for number in range(count)]


# ------------------------------------------------------------------------------------------------------------ golden


@pytest.mark.parametrize(("language", "suffix"), list(zip(LANGUAGES, SUFFIXES, strict=True)), ids=SUFFIXES)
@pytest.mark.parametrize("sample", SAMPLES)
def test_golden(sample: str, language: Language, suffix: str) -> None:
    operation, parameters = SAMPLES[sample]
    place = ELSEWHERE if sample == "update" else Place()
    try:
        code = language.write(operation, parameters, place)
    except NoCode as problem:
        code = f"{problem.message}\n{problem.hint}"
    assert code.encode() == golden(f"codegen/{sample}.{suffix}.txt", code.encode())


# ------------------------------------------------------------------------------------------------------ read it back


class _Decoded(ast.NodeTransformer):
    """`base64.b64decode("…")` as the bytes that it gives."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        assert ast.unparse(node.func) == "base64.b64decode"
        (argument,) = node.args
        return ast.Constant(base64.b64decode(ast.literal_eval(argument)))


def test_json_is_the_request() -> None:
    for request in hostile_requests():
        sent = request.as_json("x")
        assert json.loads(as_json(request.operation, sent)) == sent


def test_boto3_is_given_the_request() -> None:
    for request in hostile_requests():
        *_, assigned, shown = ast.parse(as_boto3(request.operation, request.as_json("x"), ELSEWHERE)).body
        assert ast.unparse(shown) == "print(response)"
        assert isinstance(assigned, ast.Assign)
        assert isinstance(assigned.value, ast.Call)
        given = {word.arg: ast.literal_eval(_Decoded().visit(word.value)) for word in assigned.value.keywords}
        assert given == request.as_called("x")


def test_boto3_imports_what_it_needs() -> None:
    assert "import base64" not in as_boto3("GetItem", {"TableName": "base64.b64decode(", "Key": {"id": {"S": "b"}}})
    assert "import base64" in as_boto3("GetItem", {"TableName": "t", "Key": {"id": {"B": ""}}})


def test_the_shell_hands_over_the_request() -> None:
    for request in hostile_requests():
        sent = request.as_json("x")
        *command, last = as_cli(request.operation, sent, ELSEWHERE).split("\n", 1)
        has_binary = command == ["# Binary values need version 2 of the AWS CLI."]
        assert has_binary == holds_bytes(binary_as_bytes(request.operation, sent))
        code = last if has_binary else "\n".join((*command, last))
        program, service, _, *options, last_option, said = shlex.split(code)
        assert (program, service, last_option) == ("aws", "dynamodb", "--cli-input-json")
        assert json.loads(said) == sent
        paginated = ["--no-paginate"] if request.operation in {"Query", "Scan"} else []
        place = ["--region", "eu-west-1", "--endpoint-url", "http://127.0.0.1:8000/it's"]
        assert options == paginated + place + (["--cli-binary-format", "base64"] if has_binary else [])


def test_the_shell_hands_over_a_request_longer_than_an_argument(tmp_path: Path) -> None:
    sent = {"TableName": "t", "Item": {"id": {"S": "it's $HOME\nREQUEST\n日本" * LONGEST_ARGUMENT}}}
    program = tmp_path / "aws"
    program.write_text('#!/bin/sh\necho "$1 $2 $3"\ncat "${4#file://}"\n', encoding="utf-8")
    program.chmod(0o700)
    script = tmp_path / "script"
    script.write_text(as_cli("PutItem", sent), encoding="utf-8")
    settings = {"PATH": f"{tmp_path}:/usr/bin:/bin", "TMPDIR": str(tmp_path)}
    ran = subprocess.run(["sh", str(script)], env=settings, capture_output=True, encoding="utf-8", check=True)
    command, said = ran.stdout.split("\n", 1)
    assert command == "dynamodb put-item --cli-input-json"
    assert json.loads(said) == sent
    assert sorted(tmp_path.iterdir()) == [program, script], "nothing is left"


def test_nothing_that_is_copied_is_invisible() -> None:
    for request in hostile_requests():
        for language in LANGUAGES[:-1]:
            code = language.write(request.operation, request.as_json("x"), ELSEWHERE)
            assert all(character.isprintable() or character in "\n\t" for character in code)
            assert language.name != "Java" or code.isascii()


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_javascript_makes_the_request(tmp_path: Path) -> None:
    """With a package of the SDK's name that shows what it is given."""
    package = tmp_path / "node_modules" / "@aws-sdk" / "client-dynamodb"
    package.mkdir(parents=True)
    commands = "".join(f"export class {name}Command extends Command {{}}\n" for name in OPERATIONS)
    (package / "package.json").write_text('{"type": "module", "main": "index.js"}', encoding="utf-8")
    (package / "index.js").write_text(_SHOWING_SDK + commands, encoding="utf-8")
    requests = hostile_requests()
    names = [f"./{number}.mjs" for number in range(len(requests))]
    for name, request in zip(names, requests, strict=True):
        code = as_javascript(request.operation, request.as_json("x"), ELSEWHERE)
        (tmp_path / name).write_text(code, encoding="utf-8")
    run = "console.dir = () => {};\n" + "".join(f'await import("{name}");\n' for name in names)
    (tmp_path / "run.mjs").write_text(run, encoding="utf-8")
    ran = subprocess.run(["node", str(tmp_path / "run.mjs")], capture_output=True, encoding="utf-8", check=True)
    shown = [json.loads(line) for line in ran.stdout.split("\n")[:-1]]
    place = {"region": ELSEWHERE.region, "endpoint": ELSEWHERE.endpoint}
    assert shown == [[place, f"{request.operation}Command", request.as_json("x")] for request in requests]


_SHOWING_SDK = """
const asBase64 = (key, value) => {
  if (value?.type === "Buffer") return Buffer.from(value.data).toString("base64");
  return value;
};
class Command { constructor(input) { this.input = input; } }
export class DynamoDBClient {
  constructor(settings) { this.settings = settings; }
  async send(command) {
    const seen = [this.settings, command.constructor.name, command.input];
    process.stdout.write(JSON.stringify(seen, asBase64) + "\\n");
  }
}
"""


def test_go_imports_what_it_needs_and_no_more() -> None:
    """Go takes no import that is not used."""
    for request in hostile_requests():
        code = as_go(request.operation, request.as_json("x"))
        bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', code)
        for package in re.findall(r'^\t".*?([a-z]+)"$', code, re.MULTILINE):
            assert f"{package}." in bare
        assert ("aws." in bare) == ('aws-sdk-go-v2/aws"' in code)
        assert ("types." in bare) == ('dynamodb/types"' in code)


def test_binary_in_go_is_its_bytes() -> None:
    assert r'types.AttributeValueMemberB{Value: []byte("\x00\x01\xff")}' in as_go(
        "GetItem", {"TableName": "t", "Key": {"id": {"B": "AAH/"}}}
    )


# ------------------------------------------------------------------------------------------------------ what is known


def test_what_is_unknown_is_refused_by_name() -> None:
    with pytest.raises(NoCode, match="there is no code for Dream"):
        as_boto3("Dream", {})
    with pytest.raises(NoCode, match="GetItem has no parameter AttributesToGet here"):
        as_go("GetItem", {"AttributesToGet": ["a"]})


def test_json_and_the_shell_take_any_operation() -> None:
    assert json.loads(as_json("Dream", {"A": 1})) == {"A": 1}
    assert as_cli("DescribeLimits", {}) == "aws dynamodb describe-limits --cli-input-json '{}'"


@pytest.mark.parametrize("operation", OPERATIONS)
def test_types_are_those_of_the_service(operation: str) -> None:
    service = Session().get_service_model("dynamodb")
    theirs = service.operation_model(operation).input_shape
    ours = OPERATIONS[operation]
    assert theirs is not None
    assert list(_differences(ours, theirs, operation)) == []
    left_out = set(theirs.members) - set(ours.members)
    assert operation in {"CreateTable", "UpdateTable"} or left_out <= LEGACY


LEGACY = {
    *("AttributesToGet", "AttributeUpdates", "ConditionalOperator", "Expected", "KeyConditions", "QueryFilter"),
    "ScanFilter",
}
"""API Reference, "Legacy conditional parameters"."""
_SCALARS = {"integer": Scalar.INT, "long": Scalar.LONG, "boolean": Scalar.FLAG}


def _differences(ours: OurShape, theirs: Shape, path: str) -> Iterator[str]:
    match ours, theirs:
        case Structure(name, members), StructureShape():
            if name not in {path, theirs.name}:
                yield f"{path} is a {theirs.name}"
            for member, shape in members.items():
                if member in theirs.members:
                    yield from _differences(shape, theirs.members[member], f"{path}.{member}")
                else:
                    yield f"{path}.{member} is not there"
        case MapOf(of), MapShape():
            yield from _differences(of, theirs.value, f"{path}.*")
        case ListOf(of), ListShape():
            yield from _differences(of, theirs.member, f"{path}[]")
        case Scalar.VALUE, StructureShape() if theirs.name == "AttributeValue":
            pass
        case ((Scalar.TEXT | Scalar.CHOICE), Shape(type_name="string")):
            if bool(getattr(theirs, "enum", None)) != (ours is Scalar.CHOICE):
                yield f"{path} is a choice or none"
        case _:
            if _SCALARS.get(theirs.type_name) is not ours:
                yield f"{path} is a {theirs.type_name}"
