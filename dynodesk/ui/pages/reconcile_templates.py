"""Rules to start from: one for each place where children may be, with the words that explain them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path

TEMPLATES: Mapping[str, str] = {
    "Children beside their parent": """\
[[tally]]
name = "post likes"
table = "Social"
# {post} takes whatever stands there; parent and children with the same {post} belong together.
parent = { PK = "POST#{post}", SK = "META" }
attribute = "likeTally"
children = { PK = "POST#{post}", SK = "LIKE#{user}" }
# How your application writes child and tally: "transaction", "two-step" or "async".
writers = "transaction"
# An attribute that every write of the parent raises. Without it drift is probable, never exact.
version = "rev"
""",
    "Children in another table": """\
[[tally]]
name = "workspace seats"
table = "Workspaces"
parent = { id = "{workspace}" }
attribute = "memberCount"
children = { table = "Members", workspace = "{workspace}", member = "{member}" }
# Only these count, by DynamoDB's own rules for conditions.
where = "attribute_not_exists(deletedAt)"
writers = "transaction"
""",
    "Children behind an index": """\
[[tally]]
name = "followers"
table = "Social"
parent = { PK = "USER#{user}", SK = "META" }
attribute = "followerCount"
# The index lags behind its table: what looks off is counted in the table itself.
children = { index = "GSI1", GSI1PK = "TARGET#{user}", GSI1SK = "ACTOR#{actor}" }
writers = "transaction"
""",
    "A tally in several shards": """\
[[tally]]
name = "video plays"
table = "Stats"
# The tally is the sum over all items that differ in {shard} only.
parent = { PK = "VID#{video}#{shard}", SK = "STATS" }
attribute = "play_count"
sum_of = "shards"
shards = 4
children = { PK = "VID#{video}#{shard}", SK = "VIEW#{view}" }
writers = "transaction"
""",
    "A sum instead of a count": """\
[[tally]]
name = "order total"
table = "Orders"
parent = { PK = "ORDER#{order}", SK = "META" }
attribute = "total"
children = { PK = "ORDER#{order}", SK = "LINE#{line}" }
measure = "sum(amount)"
writers = "transaction"
""",
}


def new_file(template: str) -> str:
    """A rules file with one of the templates."""
    return f"version = 1\n\n{TEMPLATES[template]}"


def sample_rules() -> tuple[Path, ...]:
    """The rules files that come with the program, for the sandbox and as examples."""
    return tuple(sorted(Path(str(resources.files("dynodesk_resources") / "rules")).glob("*.toml"), reverse=True))
