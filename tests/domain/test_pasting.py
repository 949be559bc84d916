"""What was copied from elsewhere becomes the draft that means the same, or is refused with its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from dynodesk.codegen import as_boto3, as_cli, as_json
from dynodesk.domain.action_json import parameters_json
from dynodesk.domain.actions import PutAction, SingleWrite
from dynodesk.domain.drafts import Draft, DraftAction, draft_of, draft_to_json
from dynodesk.domain.errors import InvalidExpression, InvalidRequest
from dynodesk.domain.pasting import read_pasted
from dynodesk.domain.values import (
    Binary,
    BinarySet,
    Boolean,
    List,
    Map,
    Null,
    Number,
    NumberSet,
    String,
    StringSet,
)
from tests.domain.composed_requests import ComposedRequests

KEY = (("PK", String("POST#1")),)
COUNTED = Draft(
    "UpdateItem",
    (DraftAction("Update", "Social", KEY, "SET status = 'new' ADD likes 1.50", "attribute_exists(PK)"),),
)
PLACEHOLDERS = """"ExpressionAttributeNames": {"#s": "status", "#pk": "PK"},
    "ExpressionAttributeValues": {":n": {"N": "1.50"}, ":s": {"S": "new"}}"""
PARAMETERS = f"""{{
    "TableName": "Social", "Key": {{"PK": {{"S": "POST#1"}}}},
    "UpdateExpression": "SET #s = :s ADD likes :n", "ConditionExpression": "attribute_exists(#pk)",
    {PLACEHOLDERS}
}}"""


@pytest.mark.parametrize("write", [as_json, as_cli, as_boto3])
@pytest.mark.parametrize("seed", range(40))
def test_what_is_copied_from_a_request_is_the_request(
    seed: int, write: Callable[[str, dict[str, object]], str]
) -> None:
    request = ComposedRequests(Random(seed)).request()
    pasted = read_pasted(write(request.operation, parameters_json(request)))
    assert draft_to_json(pasted) == draft_to_json(draft_of(request))


@pytest.mark.parametrize(
    "text",
    [
        PARAMETERS,
        f'{{"UpdateItem": {PARAMETERS}}}',
        f'{{"Update": {PARAMETERS}}}',
        f'{{"operation": "UpdateItem", {PARAMETERS.strip()[1:]}',
        PARAMETERS.strip()[1:-1],
        """aws dynamodb update-item --table-name Social --key '{"PK": {"S": "POST#1"}}' \\
            --update-expression 'SET #s = :s ADD likes :n' --condition-expression "attribute_exists(#pk)" \\
            --expression-attribute-names '{"#s": "status", "#pk": "PK"}' --region eu-west-1 \\
            --expression-attribute-values='{":n": {"N": "1.50"}, ":s": {"S": "new"}}' --return-values ALL_NEW""",
        f"$ aws --profile work dynamodb update-item --cli-input-json '{PARAMETERS}' --no-cli-pager",
        f"aws dynamodb update-item --cli-input-json '{PARAMETERS.replace('Social', 'Other')}' --table-name Social",
        """
            client = boto3.client("dynamodb")
            response = client.update_item(
                TableName="Social",
                Key={"PK": {"S": "POST#1"}},
                UpdateExpression="SET #s = :s "
                "ADD likes :n",
                ConditionExpression="attribute_exists(#pk)",
                ExpressionAttributeNames={"#s": "status", "#pk": "PK"},
                ExpressionAttributeValues={":n": {"N": "1.50"}, ":s": {"S": "new"}},
            )
        """,
        """
from decimal import Decimal
TABLE = "Social"
table = boto3.resource("dynamodb").Table(TABLE)
names = {"#s": "status", "#pk": "PK"}
table.update_item(
    Key={"PK": "POST#1"}, UpdateExpression="SET #s = :s ADD likes :n", ConditionExpression="attribute_exists(#pk)",
    ExpressionAttributeNames=names, ExpressionAttributeValues={":n": Decimal("1.50"), ":s": "new"},
)""",
        """table.update_item(
            **{"TableName": "Social", "Key": {'PK': "POST#1"}}, ConditionExpression="attribute_exists(PK)",
            UpdateExpression="SET #s = :s ADD likes :n", ExpressionAttributeNames={"#s": "status"},
            ExpressionAttributeValues={":n": 1.50, ":s": "new"})""",
        """{'TableName': 'Social', 'Key': {'PK': {'S': 'POST#1'}}, 'UpdateExpression': 'SET #s = :s ADD likes :n',
            'ConditionExpression': 'attribute_exists(PK)', 'ExpressionAttributeNames': {'#s': 'status'},
            'ExpressionAttributeValues': {':n': {'N': '1.50'}, ':s': {'S': 'new'}}}""",
    ],
)
def test_every_form_says_the_same(text: str) -> None:
    assert draft_to_json(read_pasted(text)) == draft_to_json(COUNTED)


@pytest.mark.parametrize(
    ("text", "operation", "action"),
    [
        (
            'SET #n = :v\n{"#n": "likes"}\n{":v": {"N": "1"}}',
            "UpdateItem",
            DraftAction("Update", "", update="SET likes = 1"),
        ),
        ("SET likes = likes + 1", "UpdateItem", DraftAction("Update", "", update="SET likes = likes + 1")),
        ('tags = {"SS": ["#a"]} AND note <> \':v\'', "TransactWriteItems", None),
        ('#a.#b = :v {":v": {"S": "x"}}, {"#a": "m.x", "#b": "n"}', "TransactWriteItems", None),
        ('"ConditionExpression": "attribute_exists(PK)"', "TransactWriteItems", None),
        ('#a, b[0].c {"#a": "m.x"}', "GetItem", DraftAction("Get", "", projection='"m.x", b[0].c')),
    ],
)
def test_an_expression_alone(text: str, operation: str, action: DraftAction | None) -> None:
    draft = read_pasted(text)
    assert draft.operation == operation
    if action is not None:
        assert draft.actions == (action,)
    else:
        assert draft.actions[0].kind == "ConditionCheck"
        assert draft.actions[0].condition in {
            'tags = {"SS": ["#a"]} AND note <> \':v\'',
            "\"m.x\".n = 'x'",
            "attribute_exists(PK)",
        }


def test_a_statement_alone() -> None:
    text = "UPDATE \"Social\" SET likes = likes + 1 WHERE PK = 'x'"
    commented = "-- all of it\n/* or\n-- less */ SELECT * FROM t"
    assert read_pasted(commented).statements[0].text == commented
    exists = "EXISTS (SELECT * FROM t WHERE a = 'x')"
    assert read_pasted(exists).statements[0].text == exists
    assert read_pasted("exists = 5").actions[0].condition == "exists = 5"
    assert read_pasted(text).statements[0].text == text
    assert read_pasted("update = 5").actions[0].condition == "update = 5"


def test_all_values_of_python_are_exact() -> None:
    draft = read_pasted(
        """table.put_item(Item={
            "s": "it's", "i": 12345678901234567890123456789012345678, "f": 0.10, "e": 1e-7, "u": 1_000.5, "n": -7,
            "d": Decimal("1.0"), "b": b"\\x00\\xff", "bb": Binary(b"x"), "t": True, "none": None,
            "l": [1, ("a",)], "m": {"S": "not a tag"}, "ss": {"a"}, "ns": {1, 2.50}, "bs": set([b"x"]),
        })"""
    )
    assert draft.actions[0].attributes == (
        ("s", String("it's")),
        ("i", Number("12345678901234567890123456789012345678")),
        ("f", Number("0.10")),
        ("e", Number("1e-7")),
        ("u", Number("1000.5")),
        ("n", Number("-7")),
        ("d", Number("1.0")),
        ("b", Binary(b"\x00\xff")),
        ("bb", Binary(b"x")),
        ("t", Boolean(True)),
        ("none", Null()),
        ("l", List((Number("1"), List((String("a"),))))),
        ("m", Map({"S": String("not a tag")})),
        ("ss", StringSet(("a",))),
        ("ns", NumberSet((Number("1"), Number("2.50")))),
        ("bs", BinarySet((b"x",))),
    )
    texts = {name: value.text for name, value in draft.actions[0].attributes if isinstance(value, Number)}
    assert texts["f"] == "0.10"
    assert texts["e"] == "1e-7"


def test_a_get_item_reads_as_it_says() -> None:
    text = '{"TableName": "Social", "Key": {"PK": {"S": "x"}}, "ProjectionExpression": "a, #b"%s}'
    names = ', "ExpressionAttributeNames": {"#b": "b.c"}'
    action = DraftAction("Get", "Social", (("PK", String("x")),), projection='a, "b.c"')
    assert read_pasted(text % names) == Draft("GetItem", (action,), consistent=False)
    assert read_pasted(text % f'{names}, "ConsistentRead": true') == Draft("GetItem", (action,))


def test_a_transaction_without_a_token_gets_its_own() -> None:
    text = '[{"Delete": {"TableName": "t", "Key": {"id": {"N": "1"}}}}]'
    draft = read_pasted(text)
    assert len(draft.token) == 36
    assert replace(draft, token="") == Draft(
        "TransactWriteItems", (DraftAction("Delete", "t", (("id", Number("1")),)),)
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "nothing to read"),
        ("word", "this is no request"),
        ('PK, "a, b"', "this is no request"),
        ('{"Key": {"a": {"S": "1"}, "a": {"S": "2"}}}', "key .*a.* occurs twice in one object"),
        ('{"Put": {"Item": {"a": {"N": 1}}}}', "Item, a: .* is not the content of type N"),
        ('{"Put": {"Item": {"a": {"X": "1"}}}}', "Item, a: 'X' is not a type"),
        ('{"Put": {"Item": [], "TableName": "t"}}', "Item: a JSON object is expected"),
        ('{"Put": {"Itm": {}}}', "PutItem|Put: Itm has no place"),
        ('{"TableName": "t", "Key": {}, "AttributeUpdates": {}}', "AttributeUpdates is a legacy parameter"),
        ('{"TableName": "t", "Item": {}, "Expected": {}}', "Expected is a legacy parameter"),
        ('{"TableName": "t", "KeyConditions": {}}', "KeyConditions is a legacy parameter"),
        ('{"TableName": "t", "Item": {}, "ConditionalOperator": "AND"}', "ConditionalOperator is a legacy"),
        ('{"TableName": "t", "Key": {}, "ConditionExpression": "a = :v"}', "a DeleteItem or a ConditionCheck"),
        ('{"RequestItems": {}}', "a batch is not put together here"),
        ('{"TransactItems": [{"Put": {}, "Update": {}}]}', "action 1: one of Put, Update"),
        ('{"TransactItems": [{"Get": {}}, {"Put": {}}]}', "action 1: one of Put, Update"),
        ('{"TransactItems": "x"}', "TransactItems: a list is expected"),
        ('{"Put": {"TableName": "t", "Item": {}, "ConditionExpression": ""}}', "ConditionExpression is empty"),
        ('{"Update": {"TableName": "t", "Key": {}, "UpdateExpression": " "}}', "UpdateExpression is empty"),
        ('{"a": 1}', "not told what the request is"),
        ("{'TableName': name}", "line 1: name is no literal"),
        ("{'a': 1", "Expecting property name"),
        ("aws dynamodb put-item --item file://item.json", "names a file"),
        ("aws dynamodb put-item --table-name 't", "a quote is not closed"),
        ("aws dynamodb put-item --item id={S=1}", "--item is not JSON"),
        ("aws dynamodb put-item --table-name t | jq", "\\| has no place in the command"),
        ("aws dynamodb put-item --table-name", "--table-name: its value is missing"),
        ("aws dynamodb put-item --table-name t --table-name u", "--table-name is given twice"),
        ("aws dynamodb put-item --table-name $TABLE", "the variable \\$TABLE in it"),
        ("""aws dynamodb delete-item --key '{"a": {"S": "'"$ID"'"}}'""", "the variable \\$ID in it"),
        ("aws dynamodb put-item --table-name `cat t`", "the output of another command"),
        ('aws dynamodb put-item --table-name "${T:-x}"', "only the shell knows"),
        ("aws dynamodb put-item --table-name $'\\xff'", "an escape in it is no character"),
        ("aws dynamodb put-item --table-name $'\\UFFFFFFFF'", "an escape in it is no character"),
        ("aws s3 ls", "no command of aws dynamodb"),
        ("aws dynamodb delete-table --table-name t", "DeleteTable is not put together here"),
        ("table.put_item(Item={'a': Decimal(0.1)})", "line 1: the Decimal of a float"),
        ("table.put_item(Item={'a': now()})", "line 1: now\\(\\) is no literal"),
        ("table.put_item(Item={'a': 1, 'a': 2})", "line 1: the key a occurs twice"),
        ("table.put_item(\nItem={'a': f'{x}'})", "line 2: f'{x}' is no literal"),
        ("table.put_item(Item={'a': set()})", "set\\(\\) is no literal"),
        ("table.put_item(Item={'a': {1, 'x'}})", "Item, a: a set has members, all of them"),
        ("table.put_item(Item={'a': 1e999})", "outside the range"),
        ("table.put_item(Item={'a': 1}); table.delete_item(Key={})", "there are 2 requests"),
        ("table.put_item({'a': 1})", "given without its name is no literal"),
        ("table.put_item(Item={'a': 1)", "line 1: this is not Python"),
        ("client.put_item(TableName='t', Item={'a': {'B': 'x'}})", "a binary value is a text here"),
        ("table.update_item(Key={'a': x}); x = [x]", "no literal"),
        ("k = 'a'\nk = 'b'\ntable.delete_item(Key={'id': k})", "line 3: k is no literal"),
        ("k = 'a'\nk += 'b'\ntable.delete_item(Key={'id': k})", "line 3: k is no literal"),
        ("k = 'a'\nfor k in 'bc':\n    table.delete_item(Key={'id': k})", "line 3: k is no literal"),
        ("k = 'a'\ndef f(k):\n    table.delete_item(Key={'id': k})", "line 3: k is no literal"),
        ("i = {'id': 'a'}\ni['n'] = 1\ntable.put_item(Item=i)", "line 3: i is no literal"),
        ("i = {'id': ['a']}\ni['id'].append('b')\ntable.put_item(Item=i)", "line 3: i is no literal"),
        ('SET a = :v {":v": {"S": "x"}} {":w": {"S": "x"}}', "there are two ExpressionAttributeValues"),
        ('SET a = :v {":v": {"S": "x"}', "the names or values, line 1"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(text: str, said: str) -> None:
    with pytest.raises(InvalidRequest, match=said):
        read_pasted(text)


def test_texts_that_could_take_for_ever_do_not() -> None:
    """As they did while quotes could be paired in more than one way, and names be read anew each time."""
    with pytest.raises(InvalidExpression, match="has no meaning here"):
        read_pasted('"' * 10_000 + "!")
    doubled = "\n".join(f"l{n} = [l{n - 1}, l{n - 1}]" for n in range(1, 40))
    with pytest.raises(InvalidRequest, match="more than 100,000 values"):
        read_pasted(f"l0 = [1]\n{doubled}\ntable.put_item(Item={{'id': 'a', 'l': l39}})")


def test_a_long_command_is_read_as_a_shell_reads_it() -> None:
    item = {"id": {"S": "it's $HOME"}, "x": {"S": "é" * 390_000}}
    quoted = json.dumps(item, ensure_ascii=False).replace("'", "'\\''")
    draft = read_pasted(f"aws dynamodb put-item \\\n  --table-name t --item '{quoted}' # all of it")
    assert draft.actions[0].attributes == (("id", String("it's $HOME")), ("x", String("é" * 390_000)))


@pytest.mark.parametrize("value", [String("y'\n\\$HOME`x`" * 20_000), Binary(b"\0" * 200_000)])
def test_a_command_copied_with_its_file_is_the_request(value: String | Binary) -> None:
    request = SingleWrite(PutAction("t", {"id": String("a"), "x": value}))
    text = as_cli(request.operation, parameters_json(request))
    assert "mktemp" in text
    assert draft_to_json(read_pasted(text)) == draft_to_json(draft_of(request))
    with pytest.raises(InvalidRequest, match="only the shell knows"):
        read_pasted(text.replace("dynamodb put-item", "dynamodb put-item --region $REGION"))


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("""'{"id": {"S": "a\\\\b"}}'""", "a\\b"),
        (r'''"{\"id\": {\"S\": \"\$5 \`x\`\"}}"''', "$5 `x`"),
        (r"""$'{"id": {"S": "it\'s \xc3\xa9 \u00e9 \101"}}'""", "it's é é A"),
        (r"""{\"id\":{\"S\":\"#x\"}}""", "#x"),
        ("""'{"id": {"S": "a'" "'b"}}'""", "a b"),
        ("""'{"id": {"S": "a'""\\\n"b" '"}}'""", ""),
    ],
)
def test_quotes_are_those_of_a_shell(written: str, key: str) -> None:
    command = f"aws dynamodb delete-item --table-name t --key={written}"
    if not key:  # a space outside quotes parts words
        with pytest.raises(InvalidRequest, match="has no place in the command"):
            read_pasted(command)
        return
    assert read_pasted(command).actions[0].attributes == (("id", String(key)),)


def test_placeholders_that_are_not_used_or_not_given_are_named() -> None:
    both = '{"Update": {"Key": {}, "UpdateExpression": "SET n = :a", "ExpressionAttributeValues": %s}}'
    with pytest.raises(InvalidRequest, match=":b, :c are used in no expression"):
        read_pasted(both % '{":a": {"N": "1"}, ":b": {"N": "2"}, ":c": {"N": "2"}}')
    text = both % '{":b": {"N": "2"}}'
    with pytest.raises(InvalidExpression, match="UpdateExpression: :a stands for no value") as caught:
        read_pasted(text)
    assert text[caught.value.offset :][: caught.value.length] == ":a"


def test_the_action_of_a_mistake_is_named() -> None:
    update = {"Update": {"TableName": "t", "Key": {}, "UpdateExpression": "SET a ="}}
    with pytest.raises(InvalidRequest, match=r"action 2, UpdateExpression: .* in SET a ="):
        read_pasted(json.dumps({"TransactItems": [{"Delete": {"TableName": "t", "Key": {}}}, update, update]}))


def test_whatever_is_pasted_is_read_or_refused() -> None:
    refused = 0
    for seed in range(400):
        random = Random(seed)
        request = ComposedRequests(random).request()
        write = random.choice((as_json, as_cli, as_boto3))
        text = write(request.operation, parameters_json(request))
        at, end = sorted(random.choices(range(len(text)), k=2))
        damaged = (text[:at], text[:at] + text[end:], text[:at] + random.choice("{}[]()'\"\\,:=#\0") + text[at:])
        try:
            read_pasted(random.choice(damaged))
        except InvalidRequest:
            refused += 1
    assert refused > 200


def test_reads_of_many_items_go_to_browse() -> None:
    text = """aws dynamodb query --table-name Social --key-condition-expression "PK = :pk AND begins_with(SK, :l)" \\
        --filter-expression "likes > :n" --expression-attribute-values \\
        '{":pk": {"S": "POST#1"}, ":l": {"S": "LIKE#"}, ":n": {"N": "5"}}' --limit 10 --no-scan-index-forward"""
    with pytest.raises(InvalidRequest, match="a Query is no request of this kind") as caught:
        read_pasted(text)
    assert caught.value.hint == (
        "Open it in a Browse tab. Its condition is there: PK = 'POST#1' AND begins_with(SK, 'LIKE#') "
        "and, as the filter, likes > 5"
    )
    with pytest.raises(InvalidRequest, match="a Scan is no request"):
        read_pasted('{"TableName": "Social"}')
