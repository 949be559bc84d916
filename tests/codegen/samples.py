"""Requests whose code is kept as golden files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SAMPLES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "put": (
        "PutItem",
        {
            "TableName": "Social",
            "Item": {
                "PK": {"S": "USER#it's"},
                "SK": {"N": "-1.50"},
                'q"uo\\te $x `y` ${z}': {"S": "\\u0041\n\t\r\0\x1b\x7f\u00a0\u200b\u2028\u202e\ufeff"},
                "__proto__": {"S": "Zürich 日本 \U0001f600\U0010ffff"},
                "binary": {"B": "AAH/Ig=="},
                "binary set": {"BS": ["AA==", "/w=="]},
                "strings": {"SS": ["a", "file:///etc/hostname", "-rf"]},
                "numbers": {"NS": ["1", "1E+30"]},
                "nothing": {"NULL": True},
                "true": {"BOOL": True},
                "false": {"BOOL": False},
                "list": {"L": [{"L": []}, {"M": {}}, {"M": {"class": {"S": ""}}}]},
            },
            "ConditionExpression": "attribute_not_exists(#n0)",
            "ExpressionAttributeNames": {"#n0": "PK"},
            "ReturnConsumedCapacity": "INDEXES",
        },
    ),
    "update": (
        "UpdateItem",
        {
            "TableName": "Social",
            "Key": {"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}},
            "UpdateExpression": "SET #n0 = #n0 + :v0, #n1.#n2[0] = :v1 REMOVE #n3 ADD #n4 :v2",
            "ConditionExpression": "attribute_exists(#n5) AND #n4 = :v3 AND #n0 BETWEEN :v4 AND :v5",
            "ExpressionAttributeNames": {
                "#n0": "likes",
                "#n1": "address",
                "#n2": "line.s",
                "#n3": "deleted-at",
                "#n4": "tags",
                "#n5": "PK",
            },
            "ExpressionAttributeValues": {
                ":v0": {"N": "1"},
                ":v1": {"S": "O'Hara St"},
                ":v2": {"SS": ["new"]},
                ":v3": {"SS": ["old"]},
                ":v4": {"N": "0"},
                ":v5": {"N": "41"},
            },
            "ReturnValues": "ALL_NEW",
        },
    ),
    "transaction": (
        "TransactWriteItems",
        {
            "TransactItems": [
                {
                    "Put": {
                        "TableName": "Social",
                        "Item": {"PK": {"S": "POST#a91f"}, "SK": {"S": "LIKE#7c20"}},
                        "ConditionExpression": "attribute_not_exists(PK)",
                    }
                },
                {
                    "Update": {
                        "TableName": "Social",
                        "Key": {"PK": {"S": "POST#a91f"}, "SK": {"S": "META"}},
                        "UpdateExpression": "SET likes = likes + :one",
                        "ConditionExpression": "attribute_exists(PK)",
                        "ExpressionAttributeValues": {":one": {"N": "1"}},
                        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                    }
                },
                {"Delete": {"TableName": "Social", "Key": {"PK": {"S": "DRAFT"}, "SK": {"B": "AAE="}}}},
                {
                    "ConditionCheck": {
                        "TableName": "Users",
                        "Key": {"id": {"S": "7c20"}},
                        "ConditionExpression": "#n0 <> :v0 AND attribute_exists(id)",
                        "ExpressionAttributeNames": {"#n0": "status"},
                        "ExpressionAttributeValues": {":v0": {"S": "banned"}},
                    }
                },
            ],
            "ClientRequestToken": "5f0c7d9e-1f0e-4d52-8f0a-0d6f3a1c2b3d",
        },
    ),
    "query": (
        "Query",
        {
            "TableName": "Social",
            "IndexName": "GSI1",
            "ProjectionExpression": "#n2, likedAt",
            "KeyConditionExpression": "#n0 = :v0 AND begins_with(#n1, :v1)",
            "ScanIndexForward": False,
            "FilterExpression": "NOT (size(#n2) IN (:v2, :v3) OR contains(#n2, :v1))",
            "ExpressionAttributeNames": {"#n0": "GSI1PK", "#n1": "GSI1SK", "#n2": "a.b"},
            "ExpressionAttributeValues": {
                ":v0": {"S": "USER#7c20"},
                ":v1": {"S": "LIKE#"},
                ":v2": {"N": "1"},
                ":v3": {"N": "2"},
            },
            "Limit": 100,
        },
    ),
    "batch-get": (
        "BatchGetItem",
        {
            "RequestItems": {
                "Social": {"Keys": [{"PK": {"S": "a"}}, {"PK": {"S": "b"}}], "ConsistentRead": True},
                "-Users": {"Keys": [{"id": {"N": "1"}}]},
            }
        },
    ),
    "batch-write": (
        "BatchWriteItem",
        {
            "RequestItems": {
                "Social": [{"PutRequest": {"Item": {"PK": {"S": "a"}}}}, {"DeleteRequest": {"Key": {"PK": {"S": "b"}}}}]
            }
        },
    ),
    "statement": (
        "ExecuteStatement",
        {
            "Statement": 'UPDATE "Social" SET "n" = ? WHERE "PK" = \'it\'\'s\'',
            "Parameters": [{"N": "1"}],
            "ReturnConsumedCapacity": "TOTAL",
        },
    ),
    "table": (
        "CreateTable",
        {
            "TableName": "Social",
            "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
            "BillingMode": "PROVISIONED",
            "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 3_000_000_000},
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        },
    ),
}
