"""A request as a Java program with the AWS SDK for Java, version 2."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from dynodesk.codegen.places import DEFAULT, Place
from dynodesk.codegen.shapes import ListOf, MapOf, NoCode, Scalar, Shape, Structure, decoded_value, shape_of
from dynodesk.codegen.texts import called, moved, quoted, utf16_escape, without_texts

LONGEST_CONSTANT = 65_535
"""Bytes of one string in a class file (Java Virtual Machine Specification, CONSTANT_Utf8)."""
MOST_VALUES = 2_000
"""Values of one request: a method has 65,535 bytes of code at most, and each value takes about 20 of them."""
_FEW = 10
"""Entries that `Map.of` takes. Of more, the types are given: the compiler takes minutes to find those of hundreds."""
_INDENT = "    "
_VALUE = "AttributeValue"
_PIECE = LONGEST_CONSTANT // 6  # characters: one has six bytes at most


def as_java(operation: str, parameters: Mapping[str, Any], place: Place = DEFAULT) -> str:
    """A class `Request`. Raises `NoCode` for what is not known of the API here, and for what no method can hold."""
    if _leaves(parameters) > MOST_VALUES:
        raise NoCode(
            f"a Java method cannot hold more than {MOST_VALUES:,} values", hint="Read the request from a file instead."
        )
    request = _builder(f"{operation}Request", shape_of(operation), parameters)
    method = operation[0].lower() + operation[1:]
    statement = f"{operation}Response response = client.{method}({request});"
    settings = []
    if place.region:
        settings.append(f".region(Region.of({_string(place.region)}))")
    if place.endpoint:
        settings.append(f".endpointOverride(URI.create({_string(place.endpoint)}))")
    client = (
        "\n".join(["DynamoDbClient.builder()", *map(_moved, [*settings, ".build()"])])
        if settings
        else "DynamoDbClient.create()"
    )
    body = "\n".join(
        [
            f"try (DynamoDbClient client = {client}) {{",
            _moved(statement),
            _moved("System.out.println(response);"),
            "}",
        ]
    )
    main = "\n".join(["public static void main(String[] arguments) {", _moved(body), "}"])
    written = "\n".join(["public class Request {", _moved(main), "}"])
    return f"{_imports(request, place)}\n\n{written}"


def _imports(request: str, place: Place) -> str:
    """What the program names, and no more."""
    request = without_texts(request)
    java = {
        "java.net.URI": bool(place.endpoint),
        "java.util.Base64": "Base64.getDecoder()" in request,
        "java.util.List": "List." in request,
        "java.util.Map": "Map." in request,
    }
    amazon = {
        "software.amazon.awssdk.core.SdkBytes": "SdkBytes." in request,
        "software.amazon.awssdk.regions.Region": bool(place.region),
        "software.amazon.awssdk.services.dynamodb.DynamoDbClient": True,
        "software.amazon.awssdk.services.dynamodb.model.*": True,
    }
    groups = ("\n".join(f"import {name};" for name, needed in group.items() if needed) for group in (java, amazon))
    return "\n\n".join(filter(None, groups))


def _moved(text: str) -> str:
    return moved(text, _INDENT)


def _call(name: str, *arguments: str) -> str:
    return called(name, arguments, indent=_INDENT)


def _builder(name: str, structure: Structure, members: Mapping[str, Any]) -> str:
    calls = [
        _call(f".{member[0].lower()}{member[1:]}", _written(structure.member(member), value))
        for member, value in members.items()
    ]
    return "\n".join([f"{name}.builder()", *map(_moved, calls), _moved(".build()")])


def _written(shape: Shape, value: Any) -> str:
    match shape:
        case Structure(name):
            return _builder(name, shape, value)
        case MapOf(of):
            return _map(_type(of), {name: _written(of, member) for name, member in value.items()})
        case ListOf(of):
            return _list(_type(of), [_written(of, member) for member in value])
        case Scalar.VALUE:
            return _value(decoded_value(value))
        case Scalar.INT:
            return str(value)
        case Scalar.LONG:
            return f"{value}L"
        case Scalar.FLAG:
            return "true" if value else "false"
        case Scalar.TEXT | Scalar.CHOICE:
            return _string(value)


def _type(shape: Shape) -> str:
    match shape:
        case Structure(name):
            return name
        case MapOf(of):
            return f"Map<String, {_type(of)}>"
        case ListOf(of):
            return f"List<{_type(of)}>"
        case Scalar.VALUE:
            return _VALUE
        case _:
            return "String"


def _map(type_: str, members: Mapping[str, str]) -> str:
    if len(members) <= _FEW:
        return _call("Map.of", *(f"{_string(name)}, {member}" for name, member in members.items()))
    entries = (_call("Map.entry", _string(name), member) for name, member in members.items())
    return _call(f"Map.<String, {type_}>ofEntries", *entries)


def _list(type_: str, members: Sequence[str]) -> str:
    return _call("List.of" if len(members) <= _FEW else f"List.<{type_}>of", *members)


def _value(tagged: Mapping[str, Any]) -> str:
    ((tag, content),) = tagged.items()
    match tag:
        case "S" | "N":
            argument = _string(content)
        case "B":
            argument = _bytes(content)
        case "BOOL" | "NULL":
            argument = "true" if content else "false"
        case "SS" | "NS":
            argument = _list("String", [_string(text) for text in content])
        case "BS":
            argument = _list("SdkBytes", [_bytes(data) for data in content])
        case "L":
            argument = _list(_VALUE, [_value(element) for element in content])
        case _:
            argument = _map(_VALUE, {name: _value(entry) for name, entry in content.items()})
    return _call(f"{_VALUE}.from{'Nul' if tag == 'NULL' else tag.capitalize()}", argument)


def _bytes(data: bytes) -> str:
    return f"SdkBytes.fromByteArray(Base64.getDecoder().decode({_string(base64.b64encode(data).decode())}))"


def _string(text: str) -> str:
    """A constant, or several joined when it runs, because the compiler would join a sum of constants."""
    if len(text) <= _PIECE:
        return _constant(text)
    pieces = (text[at : at + _PIECE] for at in range(0, len(text), _PIECE))
    return _call("String.join", '""', *map(_constant, pieces))


def _constant(text: str) -> str:
    # Compilers read the source in the encoding of the machine, so there is nothing but ASCII in it.
    return quoted(text, _escape, only_ascii=True)


def _escape(character: str) -> str:
    # A \\u escape stands for the character itself before anything is read: a line end would end the line.
    return f"\\{ord(character):03o}" if character < " " else utf16_escape(character)


def _leaves(value: object) -> int:
    match value:
        case Mapping():
            return sum(map(_leaves, value.values()))
        case list():
            return sum(map(_leaves, value))
        case _:
            return 1
