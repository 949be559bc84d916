"""The permissions that something takes, as a policy of IAM: no more than that, on these tables alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from dynodesk.domain.tables import TableInfo

Purpose = Literal["browse", "reconcile", "repair", "edit", "tables"]
PURPOSES: tuple[Purpose, ...] = get_args(Purpose)
WORDS: dict[Purpose, str] = {
    "browse": "Browse: read items and what is known of the tables",
    "reconcile": "Reconcile: browse, and confirm counts; follow streams",
    "repair": "Repair: reconcile, and set counts right",
    "edit": "Edit: browse, and write items, also in batches and transactions",
    "tables": "Tables: create, change and delete them and their indexes",
}

_BROWSE = (
    "BatchGetItem",
    "DescribeContinuousBackups",
    "DescribeTable",
    "DescribeTimeToLive",
    "GetItem",  # also for what TransactGetItems reads
    "PartiQLSelect",
    "Query",
    "Scan",
)
_STREAMS = ("DescribeStream", "GetRecords", "GetShardIterator")
_OF_TABLE: dict[Purpose, tuple[str, ...]] = {
    "browse": _BROWSE,
    "reconcile": _BROWSE,
    "repair": (*_BROWSE, "UpdateItem"),
    "edit": (
        *_BROWSE,
        *("BatchWriteItem", "ConditionCheckItem", "DeleteItem", "PartiQLDelete", "PartiQLInsert", "PartiQLUpdate"),
        *("PutItem", "UpdateItem"),
    ),
    "tables": ("CreateTable", "DeleteTable", "DescribeTable", "UpdateTable"),
}
_OF_INDEXES = ("PartiQLSelect", "Query", "Scan")


@dataclass(frozen=True, slots=True)
class TableScope:
    """What of a table a policy is about."""

    arn: str
    index_arns: tuple[str, ...]
    stream_arn: str

    @classmethod
    def of(cls, info: TableInfo, region: str = "", account: str = "") -> TableScope:
        """Region and account stand in where an emulator tells no ARN."""
        arn = info.arn or table_arn(info.name, region, account)
        stream = info.stream.arn if info.stream else f"{arn}/stream/*"
        return cls(arn, tuple(f"{arn}/index/{index.name}" for index in info.indexes), stream)

    @classmethod
    def named(cls, table: str, region: str = "", account: str = "") -> TableScope:
        """Of a table that cannot be described, as without the permissions that are asked for here."""
        arn = table_arn(table, region, account)
        return cls(arn, (f"{arn}/index/*",), f"{arn}/stream/*")


def table_arn(table: str, region: str = "", account: str = "") -> str:
    """`*` for a Region or an account that is not known."""
    partition = "aws-cn" if region.startswith("cn-") else "aws-us-gov" if region.startswith("us-gov-") else "aws"
    return f"arn:{partition}:dynamodb:{region or '*'}:{account or '*'}:table/{table}"


def policy(purpose: Purpose, tables: Sequence[TableScope]) -> dict[str, Any]:
    """A policy document. Listing tables is asked of all of them: the service knows no less."""
    statements = [_statement("Tables", _OF_TABLE[purpose], [table.arn for table in tables])]
    if purpose != "tables":
        indexes = [arn for table in tables for arn in table.index_arns]
        if indexes:
            statements.append(_statement("Indexes", _OF_INDEXES, indexes))
        if purpose in {"reconcile", "repair"}:
            statements.append(_statement("Streams", _STREAMS, [table.stream_arn for table in tables]))
    elif tables:
        indexes = [f"{table.arn}/index/*" for table in tables]
        statements[0]["Resource"] += indexes
    statements.append(_statement("List", ("ListTables",), ["*"]))
    return {"Version": "2012-10-17", "Statement": statements}


def policy_text(purpose: Purpose, tables: Sequence[TableScope]) -> str:
    return json.dumps(policy(purpose, tables), indent=2)


def missing_statement(action: str, resource: str) -> str:
    """What is to be added to a policy after a refusal, in one line. `action` as in `dynamodb:Query`."""
    return json.dumps({"Effect": "Allow", "Action": [action], "Resource": [resource]})


def _statement(sid: str, actions: Sequence[str], resources: list[str]) -> dict[str, Any]:
    return {
        "Sid": sid,
        "Effect": "Allow",
        "Action": [f"dynamodb:{action}" for action in actions],
        "Resource": resources,
    }
