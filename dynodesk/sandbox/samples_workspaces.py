"""`Workspaces` and `Members`: a tally in one table over children in another. A member who left has `deletedAt`."""

from __future__ import annotations

from dynodesk.sandbox.sample_table import (
    DAY,
    MIDSUMMER,
    SampleTable,
    TaggedItem,
    chance,
    create_request,
    moment,
    number,
    scaled,
    short_ids,
    text,
)

_OFF_BY = {"acme": +1, "2217": -1, "0b93": +3}
_NAMED = {**_OFF_BY, "søster & co": 0}
_ROLES = ("admin", "editor", "guest", "owner")


def workspaces(scale: float) -> tuple[SampleTable, SampleTable]:
    """Both tables at `scale`: 1 gives 24 workspaces with up to 20 members each."""
    rng = chance("Workspaces")
    owners: list[TaggedItem] = []
    members: list[TaggedItem] = []
    for workspace in [*_NAMED, *short_ids(rng, scaled(20, scale), taken=tuple(_NAMED))]:
        names = short_ids(rng, rng.randrange(2, 21))
        left = rng.sample(names, rng.randrange(2))
        for name in names:
            member = {
                "workspace": text(workspace),
                "member": text(name),
                "role": text(rng.choice(_ROLES)),
                "joinedAt": text(moment(MIDSUMMER - rng.randrange(700 * DAY))),
            }
            if name in left:
                member["deletedAt"] = number(MIDSUMMER + rng.randrange(90 * DAY))
            members.append(member)
        owners.append(
            {
                "id": text(workspace),
                "plan": text(rng.choice(("free", "team", "business"))),
                "memberCount": number(len(names) - len(left) + _OFF_BY.get(workspace, 0)),
                "rev": number(rng.randrange(len(names), 200)),
            }
        )
    return (
        SampleTable("Workspaces", create_request("Workspaces", [("id", "S")]), tuple(owners)),
        SampleTable("Members", create_request("Members", [("workspace", "S"), ("member", "S")]), tuple(members)),
    )
