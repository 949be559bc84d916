"""The writes that keep a tally right, as code with the table's own names: what was missing where drift was found.

Child and tally change in one transaction or not at all; the child's condition makes a second try count nothing; the
parent's condition keeps a deleted parent from coming back as an item that has nothing but a number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping

from dynodesk.domain.findings import LANGUAGES, Guard, Language
from dynodesk.domain.patterns import Capture, KeyPattern, Pattern
from dynodesk.domain.tables import KeySchema
from dynodesk.domain.tallies import TallyRule

Leaf = str | Pattern
Tree = Leaf | list["Tree"] | dict[str, "Tree"]


def guards(rule: TallyRule, language: Language) -> tuple[Guard, ...]:
    """The write that adds a child and the one that takes it away.

    Nothing for a tally about its own item, nor for one of values that differ: whether it changes depends on others.
    """
    if rule.measure.kind not in {"count", "sum"}:
        return ()
    render = {"python": _python, "javascript": _javascript, "json": _json}[language]
    return (
        Guard(language, "Add a child and count it", render(_added(rule))),
        Guard(language, "Take a child away and count it off", render(_removed(rule))),
    )


def _added(rule: TallyRule) -> dict[str, Tree]:
    item: dict[str, Tree] = dict(_key(rule.children.pattern, rule.children.key_schema))
    if rule.children.index is not None:
        item = {**_own_key(rule), **item}
    put: dict[str, Tree] = {
        "TableName": rule.children.table,
        "Item": item,
        "ConditionExpression": "attribute_not_exists(#pk)",
        "ExpressionAttributeNames": {"#pk": rule.children.schema.partition[0].name},
    }
    if rule.measure.kind == "sum" and rule.measure.of is not None:
        value: dict[str, Tree] = {"N": Pattern("{amount}", (Capture("amount"),))}
        for name in reversed(rule.measure.of.names[1:]):
            value = {"M": {name: value}}
        item[rule.measure.of.names[0]] = value
    return _transaction({"Put": put}, _counted(rule, "+"))


def _removed(rule: TallyRule) -> dict[str, Tree]:
    own = _own_key(rule) if rule.children.index is not None else _key(rule.children.pattern, rule.children.schema)
    delete: dict[str, Tree] = {
        "TableName": rule.children.table,
        "Key": dict(own),
        "ConditionExpression": "attribute_exists(#pk)",
        "ExpressionAttributeNames": {"#pk": rule.children.schema.partition[0].name},
    }
    return _transaction({"Delete": delete}, _counted(rule, "-"))


def _transaction(child: dict[str, Tree], parent: dict[str, Tree]) -> dict[str, Tree]:
    # With a token a request that is sent again within ten minutes counts once, also where the reply was lost.
    return {"TransactItems": [child, {"Update": parent}], "ClientRequestToken": Pattern("{token}", (Capture("token"),))}


def _counted(rule: TallyRule, sign: str) -> dict[str, Tree]:
    path = [f"#n{i}" if i else "#n" for i in range(len(rule.attribute.names))]
    names: dict[str, Tree] = {"#pk": rule.schema.partition[0].name}
    names |= dict(zip(path, rule.attribute.names, strict=True))
    place = ".".join(path)
    by: Leaf = Pattern("{amount}", (Capture("amount"),)) if rule.measure.kind == "sum" else "1"
    values: dict[str, Tree] = {":by": {"N": by}}
    now = place
    if rule.missing == "zero":
        now, values[":zero"] = f"if_not_exists({place}, :zero)", {"N": "0"}
    update = f"SET {place} = {now} {sign} :by"
    if rule.version is not None:
        names["#rev"] = rule.version
        update += ", #rev = #rev + :one"
        values[":one"] = {"N": "1"}
    return {
        "TableName": rule.table,
        "Key": dict(_key(rule.parent, rule.schema)),
        "UpdateExpression": update,
        "ConditionExpression": "attribute_exists(#pk)",
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }


def _key(pattern: KeyPattern, schema: KeySchema) -> dict[str, Tree]:
    whole: dict[str, Tree] = {}
    for attribute in schema.attributes:
        part = pattern.attributes.get(attribute.name)
        whole[attribute.name] = {attribute.type: part if part is not None else _free(attribute.name)}
    return whole


def _own_key(rule: TallyRule) -> dict[str, Tree]:
    """The key of a child in its table, where the rule knows only the index's."""
    return {attribute.name: {attribute.type: _free(attribute.name)} for attribute in rule.children.schema.attributes}


def _free(name: str) -> Pattern:
    word = re.sub(r"\W", "_", name, flags=re.ASCII).lower()
    word = f"child_{word}"
    return Pattern(f"{{{word}}}", (Capture(word),))


# ------------------------------------------------------------------------------------------------------- languages


def _python(request: dict[str, Tree]) -> str:
    def text(pattern: Pattern) -> str:
        if len(pattern.parts) == 1 and isinstance(pattern.parts[0], Capture):
            return f"str({pattern.parts[0].name})" if pattern.parts[0].name != "token" else "token"
        inside = "".join(
            _escaped(part, "{{", "}}") if isinstance(part, str) else f"{{{part.name}}}" for part in pattern.parts
        )
        return f'f"{inside}"' if pattern.captures else f'"{inside}"'

    return "client.transact_write_items(\n" + _arguments(request, text) + ")"


def _arguments(request: Mapping[str, Tree], text: Callable[[Pattern], str]) -> str:
    return "".join(f"    {name}={_tree(value, text, 1, 'python')},\n" for name, value in request.items())


def _javascript(request: dict[str, Tree]) -> str:
    def text(pattern: Pattern) -> str:
        if len(pattern.parts) == 1 and isinstance(pattern.parts[0], Capture):
            return f"String({pattern.parts[0].name})"
        inside = "".join(
            _escaped(part, "{", "}").replace("`", "\\`").replace("${", "\\${")
            if isinstance(part, str)
            else f"${{{part.name}}}"
            for part in pattern.parts
        )
        return f"`{inside}`" if pattern.captures else f'"{_escaped("".join(map(str, pattern.parts)), "{", "}")}"'

    return f"await client.send(new TransactWriteItemsCommand({_tree(request, text, 0, 'js')}));"


def _json(request: dict[str, Tree]) -> str:
    def text(pattern: Pattern) -> str:
        return json.dumps(
            "".join(part if isinstance(part, str) else f"<{part.name}>" for part in pattern.parts), ensure_ascii=False
        )

    return _tree(request, text, 0, "json")


def _escaped(literal: str, open_brace: str, close_brace: str) -> str:
    text = json.dumps(literal, ensure_ascii=False)[1:-1]  # escapes that all three languages read alike
    return text.replace("{", open_brace).replace("}", close_brace)


def _tree(tree: Tree, text: Callable[[Pattern], str], depth: int, language: str) -> str:
    match tree:
        case Pattern():
            return text(tree)
        case str():
            return json.dumps(tree, ensure_ascii=False)
        case dict():
            entries = [
                f"{_member(name, language)}: {_tree(value, text, depth + 1, language)}" for name, value in tree.items()
            ]
            ends = "{}"
        case list():
            entries = [_tree(value, text, depth + 1, language) for value in tree]
            ends = "[]"
    flat = ", ".join(entries)
    if "\n" not in flat and len(flat) < 70:
        space = " " if language == "js" and ends == "{}" else ""
        return f"{ends[0]}{space}{flat}{space}{ends[1]}"
    pad = "    " * (depth + 1)
    last = "" if language == "json" else ","
    return f"{ends[0]}\n{pad}" + f",\n{pad}".join(entries) + f"{last}\n{'    ' * depth}{ends[1]}"


def _member(name: str, language: str) -> str:
    return name if language == "js" and name.isidentifier() else json.dumps(name, ensure_ascii=False)


def every_language(rule: TallyRule) -> Iterator[Guard]:
    for language in LANGUAGES:
        yield from guards(rule, language)
