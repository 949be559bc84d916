"""Repairs killed at every point of their way, and replies lost on it: is every doubt resolved, and nothing done twice?

    python -m tests.faults.repairs --kills 20 [--cuts 100]

prints one JSON object. `lost` is a write that the table shows and the journal does not, `doubled` one that was applied
more than once, `open` one whose outcome was not found out at the next start.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dynodesk.aws.clients import Clients, open_clients
from dynodesk.aws.reader import DynamoReader
from dynodesk.domain.capacity import Meter
from dynodesk.domain.clock import SystemClock
from dynodesk.domain.progress import Ticket
from dynodesk.domain.repairs import RepairPlan, RulesText
from dynodesk.domain.tallies import TallyRule
from dynodesk.domain.values import String
from dynodesk.reconcile.desk import RepairDesk
from dynodesk.reconcile.ledger import Ledger
from dynodesk.reconcile.looking import Suspect
from dynodesk.reconcile.plan_files import plan_text
from dynodesk.reconcile.planning import rules_of
from dynodesk.reconcile.run import Origin, Run, Scope
from dynodesk.store.journal import Journal
from tests.aws.tables import make_table, plain_client, profile, unique
from tests.faults.killing import POINTS, apply_and_die, new_desk
from tests.faults.proxy import Cut, Drop, Fault, FaultProxy, LoseReply, Rewrite, error
from tests.helpers import ministack
from tests.helpers.plain_sweep import PlainSweeper

RULE = """\
version = 1
[[tally]]
name = "likes"
table = "{table}"
parent = {{ PK = "POST#{{post}}", SK = "META" }}
attribute = "likeTally"
children = {{ PK = "POST#{{post}}", SK = "LIKE#{{user}}" }}
wait = 0
settle = 0
"""
GUARDS = ('version = "rev"\n', 'marker = "mark"\nrepairs = "probable"\n', 'version = "rev"\nmarker = "mark"\n')
"""What keeps a repair from being made twice: a version, a marker, or both."""
CHILDREN = 2

CUTS: dict[str, Fault] = {
    "request dropped": Drop(),
    "reply lost": LoseReply(),
    "reply cut before its body": Cut(at=0),
    "reply cut in its body": Cut(),
    "wrong checksum": Rewrite(headers={"x-amz-crc32": "1"}),
    "500 after it was applied": Rewrite(status=500, body=error("InternalServerError").body),
}
"""Where an answer is lost on its way."""


@dataclass
class Site:
    """A table, and everything that plans and makes repairs in it."""

    client: Any
    clients: Clients
    folder: Path
    guard: str
    table: str = ""
    number: int = 0
    journal: Journal = field(init=False)
    desk: RepairDesk = field(init=False)

    def __post_init__(self) -> None:
        self.table = self.table or make_table(self.client, name=unique("repairs"))
        self.source = RulesText("rules.toml", RULE.format(table=self.table) + self.guard)
        self.start_again()

    def start_again(self) -> None:
        """As another start of the program finds things."""
        self.journal = Journal(self.folder)
        self.desk = new_desk(self.clients, self.journal)

    def drift(self, by: int) -> None:
        """A new post whose tally is off."""
        self.number += 1
        parent = {"likeTally": {"N": str(CHILDREN + by)}, "rev": {"N": "7"}}
        for sort, more in [("META", parent), *((f"LIKE#{n}", {}) for n in range(CHILDREN))]:
            self.client.put_item(
                TableName=self.table, Item={"PK": {"S": f"POST#{self.number}"}, "SK": {"S": sort}, **more}
            )

    def planned(self, posts: int = 1) -> RepairPlan:
        """Of as many posts, the newest last."""
        rule = self._rule()
        meter = Meter()
        reader = DynamoReader(self.clients, meter)
        suspects = tuple(
            Suspect(rule, {"post": str(n)}, {"PK": String(f"POST#{n}"), "SK": String("META")})
            for n in range(self.number - posts + 1, self.number + 1)
        )
        origin = Origin("", self.clients.endpoint_url, self.clients.region, "rules.toml")
        sweeper = PlainSweeper(reader)
        run = Run([rule], Scope(suspects), reader, sweeper, meter, origin, clock=SystemClock())
        return self.desk.plan(run.report(Ticket()), [rule], self.source, Ticket())

    def _rule(self) -> TallyRule:
        catalog = self.desk.catalog
        rules = rules_of(
            self.source, frozenset({"likes"}), lambda name: catalog.describe(name, Ticket()), lambda _: None
        )
        return rules["likes"]

    def stored(self, number: int = 0) -> tuple[int, int]:
        """Tally of a post, or of the newest, and how often it was written since the drift was made."""
        key = {"PK": {"S": f"POST#{number or self.number}"}, "SK": {"S": "META"}}
        item = self.client.get_item(TableName=self.table, Key=key, ConsistentRead=True)["Item"]
        return int(item["likeTally"]["N"]), int(item["rev"]["N"]) - 7


@contextmanager
def sites(url: str, guards: Sequence[str] = GUARDS, *, through: str = "") -> Iterator[list[Site]]:
    """One for each guard; repairs go `through` another address."""
    clients = open_clients(profile(through or url, read_only=False))
    folder = Path(tempfile.mkdtemp(prefix="repairs-"))
    try:
        yield [Site(plain_client(url), clients, folder / str(n), guard) for n, guard in enumerate(guards)]
    finally:
        clients.close()
        shutil.rmtree(folder)


def kill_once(site: Site, point: str, context: multiprocessing.context.BaseContext, by: int) -> Counter[str]:
    """One repair that is killed, found again, and made if it was not."""
    site.drift(by)
    plan = site.planned()
    (repair,) = plan.repairs
    arguments = (point, site.clients.endpoint_url, str(site.folder), plan_text(plan))
    child: Any = context.Process(target=apply_and_die, args=arguments)  # type: ignore[attr-defined]
    child.start()
    child.join()
    if child.exitcode != -signal.SIGKILL:
        raise RuntimeError(f"{point}: the repair was not killed, it ended with {child.exitcode}")
    site.start_again()
    resolved = site.desk.resolve(Ticket())
    seen = _judged(site, repair.id, by)
    seen["resolved"] += len(resolved)
    seen["open"] += sum(1 for one in resolved if one.outcome not in {"applied", "settled", "not applied"})
    plan = site.planned()
    seen["made afterwards"] += sum(
        1 for result in site.desk.apply(plan, Ticket()).results if result.outcome == "repaired"
    )
    seen["wrong in the end"] += site.stored()[0] != CHILDREN
    return seen


def cut_once(site: Site, proxy: FaultProxy, fault: Fault, by: int) -> Counter[str]:
    """One repair whose answer is lost."""
    site.drift(by)
    plan = site.planned()
    proxy.on("UpdateItem", fault)
    (result,) = site.desk.apply(plan, Ticket()).results
    proxy.clear()
    seen = _judged(site, result.repair.id, by)
    seen["repaired"] += result.outcome in {"repaired", "settled"}
    seen["wrong in the end"] += site.stored()[0] != CHILDREN
    return seen


def _judged(site: Site, repair_id: str, by: int) -> Counter[str]:
    """What the table says against what the journal says."""
    contents = site.journal.read()
    write = Ledger.of(contents.records).writes.get(repair_id)
    tally, writes = site.stored()
    in_table = tally != CHILDREN + by
    in_journal = write is not None and write.outcome in {"applied", "settled"}
    return Counter(
        {
            "count": 1,
            "applied": int(in_table),
            "lost": int(in_table and not in_journal),
            "made up": int(in_journal and not in_table),
            "doubled": int((in_table and tally != CHILDREN) or ("rev" in site.guard and writes > 1)),
            "open": int(write is not None and write.is_open),
            "journal broken": int(contents.broken is not None),
        }
    )


def _shown(counted: Counter[str]) -> dict[str, int]:
    names = ("count", "applied", "resolved", "made afterwards", "repaired", "lost", "made up", "doubled", "open")
    return {name: counted[name] for name in (*names, "journal broken", "wrong in the end") if name in counted}


BAD = ("lost", "made up", "doubled", "open", "journal broken", "wrong in the end")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--kills", type=int, default=20, metavar="N", help="at each point")
    parser.add_argument("--cuts", type=int, default=0, metavar="N", help="at each place")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    chance = random.Random(chosen.seed)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.faults.killing"])
    totals: dict[str, dict[str, Counter[str]]] = {"kills": {}, "cuts": {}}
    with ministack.running() as url:
        with sites(url) as places:
            for point in POINTS:
                counted: Counter[str] = Counter()
                for n in range(chosen.kills):
                    counted.update(kill_once(places[n % 3], point, context, chance.choice([-1, 1, 4, -3])))
                totals["kills"][point] = counted
        with FaultProxy(url) as proxy, sites(url, through=proxy.url) as places:
            for name, fault in CUTS.items():
                counted = Counter()
                for n in range(chosen.cuts):
                    counted.update(cut_once(places[n % 3], proxy, fault, chance.choice([-1, 1, 4, -3])))
                totals["cuts"][name] = counted
    everything: Counter[str] = Counter()
    for kind in totals.values():
        for counted in kind.values():
            everything.update(counted)
    shown = {kind: {name: _shown(counted) for name, counted in of.items()} for kind, of in totals.items()}
    print(json.dumps({"seed": chosen.seed, **shown, "all": _shown(everything)}, indent=1))  # noqa: T201
    return 1 if any(everything[name] for name in BAD) else 0


if __name__ == "__main__":
    sys.exit(main())
