"""What was said and written in simulated worlds, and how much of it was false."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from dynodesk.domain.errors import DynodeskError
from dynodesk.domain.findings import Finding, Look
from dynodesk.reconcile.confirm import Conclusion
from tests.simulator.judge import judged, last_try, listed, words
from tests.simulator.naive import NAIVE
from tests.simulator.timeline import seconds_at
from tests.simulator.worlds import World


@dataclass
class Figures:
    """What was said, and how much of it was false."""

    worlds: int = 0
    confirmations: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    judgements: Counter[str] = field(default_factory=Counter)
    by_writer: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    naive: dict[str, Counter[str]] = field(default_factory=lambda: {name: Counter() for name in NAIVE})
    repairs: Counter[str] = field(default_factory=Counter)
    """Of writes that arrived whether they were right, and of outcomes how many there were."""
    false: list[str] = field(default_factory=list)
    """One line for each false verdict and wrong write, with the seed of its world."""
    misreported: list[str] = field(default_factory=list)
    """One line for each write that was not applied as often as was said of it."""

    @property
    def made_repairs(self) -> int:
        return self.repairs["right repair"] + self.repairs["wrong repair"]

    def as_json(self) -> dict[str, object]:
        return {
            "confirmations": self.confirmations,
            "false_drifts": self.judgements["false"],
            "repairs": self.made_repairs,
            "wrong_repairs": self.repairs["wrong repair"] + self.repairs["wrong undo"],
            "misreported": len(self.misreported),
            "inconclusive": self.judgements["undecided"],
            "missed": self.judgements["missed"],
            "worlds": self.worlds,
            "verdicts": dict(self.verdicts),
            "by_writer": {
                writer: {
                    "confirmations": counts.total(),
                    "false_drifts": counts["false"],
                    "inconclusive": counts["undecided"],
                    "missed": counts["missed"],
                }
                for writer, counts in sorted(self.by_writer.items())
            },
            "of_repairs": dict(self.repairs),
            "naive": {
                name: {"confirmations": counts.total(), "false_drifts": counts["false"]}
                for name, counts in self.naive.items()
            },
            "false": [*self.false, *self.misreported],
        }

    def confirmed(
        self, made: World, number: int, said: Conclusion | Finding | DynodeskError, looks: Sequence[Look], tool: str
    ) -> None:
        """Judge what was just said of a post."""
        if isinstance(said, DynodeskError):
            verdict, judgement = said.code, "undecided"
        else:
            # A bound may come from an earlier try than the last.
            start = seconds_at(looks[0].at) if said.verdict == "bounded" else last_try(looks, made.rule.settle)
            truths = made.posts[number].standing.between(start, made.timeline.now())
            verdict, judgement = str(said.verdict), judged(said, truths)
            if judgement == "false":
                self.false.append(f"{made.seed} p{number}: {words(said)}, where the truth was {listed(truths)}")
        self.confirmations += 1
        self.verdicts[verdict] += 1
        self.judgements[judgement] += 1
        writers = "+".join(made.mixes[number]) or "nobody"
        self.by_writer[writers + ("" if made.rule.version else ", no version")][judgement] += 1
        if tool:
            self.by_writer[tool][judgement] += 1
