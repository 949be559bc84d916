"""A request as a Go program with the AWS SDK for Go, version 2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dynodesk.codegen.places import DEFAULT, Place
from dynodesk.codegen.shapes import ListOf, MapOf, Scalar, Shape, Structure, decoded_value, shape_of
from dynodesk.codegen.texts import code_point_escape, laid_out, quoted, without_texts

_INDENT = "\t"
_VALUE = "types.AttributeValue"
_SDK = "github.com/aws/aws-sdk-go-v2"


def as_go(operation: str, parameters: Mapping[str, Any], place: Place = DEFAULT) -> str:
    """A package `main`. Raises `NoCode` for what is not known of the API here."""
    shape = shape_of(operation)
    sent = _literal(f"&dynamodb.{operation}Input", _members(shape, parameters))
    load = ["ctx", *([f"config.WithRegion({_string(place.region)})"] if place.region else [])]
    client = "dynamodb.NewFromConfig(settings)"
    if place.endpoint:
        endpoint = f"options.BaseEndpoint = aws.String({_string(place.endpoint)})"
        client = f"dynamodb.NewFromConfig(settings, func(options *dynamodb.Options) {{\n\t{endpoint}\n}})"
    body = "\n".join(
        [
            "ctx := context.Background()",
            f"settings, err := config.LoadDefaultConfig({', '.join(load)})",
            *_stop_at("err"),
            f"client := {client}",
            f"response, err := client.{operation}(ctx, {sent})",
            *_stop_at("err"),
            'text, err := json.MarshalIndent(response, "", "  ")',
            *_stop_at("err"),
            "fmt.Println(string(text))",
        ]
    )
    imports = [
        *(f'"{name}"' for name in ("context", "encoding/json", "fmt", "log")),
        "",
        *(f'"{_SDK}/{name}"' for name in _packages(body)),
    ]
    listed = "\n".join(f"\t{line}" if line else "" for line in imports)
    indented = body.replace("\n", "\n\t")
    return f"package main\n\nimport (\n{listed}\n)\n\nfunc main() {{\n\t{indented}\n}}"


def _packages(body: str) -> list[str]:
    """What is imported: Go takes no import that is not used."""
    body = without_texts(body)
    return [
        *(["aws"] if "aws." in body else []),
        "config",
        "service/dynamodb",
        *(["service/dynamodb/types"] if "types." in body else []),
    ]


def _stop_at(error: str) -> list[str]:
    return [f"if {error} != nil {{", f"\tlog.Fatal({error})", "}"]


def _literal(type_: str, members: Iterable[str]) -> str:
    return laid_out(f"{type_}{{", list(members), "}", indent=_INDENT)


def _members(structure: Structure, members: Mapping[str, Any]) -> Iterable[str]:
    for name, value in members.items():
        yield f"{name}: {_member(structure.member(name), value)}"


def _member(shape: Shape, value: Any) -> str:
    """What a member of a structure holds: a pointer, but for lists, maps and choices."""
    match shape:
        case Structure(name):
            return _literal(f"&types.{name}", _members(shape, value))
        case Scalar.TEXT:
            return f"aws.String({_string(value)})"
        case Scalar.INT:
            return f"aws.Int32({value})"
        case Scalar.LONG:
            return f"aws.Int64({value})"
        case Scalar.FLAG:
            return f"aws.Bool({_flag(value)})"
        case _:
            return _element(shape, value)


def _element(shape: Shape, value: Any) -> str:
    """What a list, a map or a member of no pointer holds."""
    match shape:
        case MapOf(of):
            return _map(_type(of), {name: _inner(of, member) for name, member in value.items()})
        case ListOf(of):
            return _literal(f"[]{_type(of)}", (_inner(of, member) for member in value))
        case Structure():
            return _literal(_type(shape), _members(shape, value))
        case Scalar.VALUE:
            return _value(decoded_value(value))
        case _:
            return _string(value)


def _inner(shape: Shape, value: Any) -> str:
    """An element without its type where the list or map around it tells that."""
    return _element(shape, value).removeprefix("" if shape is Scalar.VALUE else _type(shape))


def _type(shape: Shape) -> str:
    match shape:
        case MapOf(of):
            return f"map[string]{_type(of)}"
        case ListOf(of):
            return f"[]{_type(of)}"
        case Structure(name):
            return f"types.{name}"
        case Scalar.VALUE:
            return _VALUE
        case _:
            return "string"


def _map(type_: str, members: Mapping[str, str]) -> str:
    return _literal(f"map[string]{type_}", (f"{_string(name)}: {member}" for name, member in members.items()))


def _value(tagged: Mapping[str, Any]) -> str:
    ((tag, content),) = tagged.items()
    match tag:
        case "S" | "N":
            held = _string(content)
        case "B":
            held = _bytes(content)
        case "BOOL" | "NULL":
            held = _flag(content)
        case "SS" | "NS":
            held = _literal("[]string", map(_string, content))
        case "BS":
            held = _literal("[][]byte", map(_bytes, content))
        case "L":
            held = _literal(f"[]{_VALUE}", map(_value, content))
        case _:
            held = _map(_VALUE, {name: _value(entry) for name, entry in content.items()})
    return f"&types.AttributeValueMember{tag}{{Value: {held}}}"


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _bytes(data: bytes) -> str:
    """Every byte by its number: a string in Go may hold bytes that are no text."""
    return f'[]byte("{"".join(f"{chr(92)}x{byte:02x}" for byte in data)}")'


def _string(text: str) -> str:
    return quoted(text, code_point_escape)
