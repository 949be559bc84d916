"""A request as a Java program with the AWS SDK for Java, version 2."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any

from dynodesk.codegen.places import DEFAULT, Place
from dynodesk.codegen.shapes import ListOf, MapOf, Scalar, Shape, Structure, decoded_value, shape_of
from dynodesk.codegen.texts import called, moved, quoted, utf16_escape, without_texts

LONGEST_CONSTANT = 65_535
"""Bytes of one string in a class file (Java Virtual Machine Specification, CONSTANT_Utf8)."""
_INDENT = "    "
_PIECE = LONGEST_CONSTANT // 6  # characters: one has six bytes at most


def as_java(operation: str, parameters: Mapping[str, Any], place: Place = DEFAULT) -> str:
    """A class `Request`. Raises `NoCode` for what is not known of the API here."""
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
        "java.util.List": "List.of(" in request,
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
            return _map(value, lambda member: _written(of, member))
        case ListOf(of):
            return _call("List.of", *(_written(of, member) for member in value))
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


def _map(members: Mapping[str, Any], write: Callable[[Any], str]) -> str:
    return _call("Map.ofEntries", *(_call("Map.entry", _string(name), write(value)) for name, value in members.items()))


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
            argument = _call("List.of", *map(_string, content))
        case "BS":
            argument = _call("List.of", *map(_bytes, content))
        case "L":
            argument = _call("List.of", *map(_value, content))
        case _:
            argument = _map(content, _value)
    return _call(f"AttributeValue.from{'Nul' if tag == 'NULL' else tag.capitalize()}", argument)


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
