"""Exploration of every interleaving, and the judge of what tools say and write."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, NamedTuple

from tests.reconcile.model.tools import START, Claim, End, Looking, Position, Tool
from tests.reconcile.model.world import DONE, ReadModifyWrite, Scene, Truth, World

Kind = Literal["false verdict", "wrong repair", "repaired twice", "overwritten", "stuck"]


class Window(NamedTuple):
    """What was so between a tool's first read and now."""

    truths: frozenset[Truth] = frozenset()
    active: frozenset[int] = frozenset()
    """Writers that were under way at some time of it."""

    def __bool__(self) -> bool:
        """False for a tool that has not begun, or is through."""
        return bool(self.truths)


CLOSED = Window()


class State(NamedTuple):
    world: World
    positions: tuple[Position, ...]
    windows: tuple[Window, ...]


class Failure(NamedTuple):
    kind: Kind
    text: str


class Step(NamedTuple):
    """One request served: by whom, what, and what came of it."""

    actor: str
    act: str
    state: State
    failure: Failure | None = None
    """What is wrong about the verdict or the write that this step made."""

    def __str__(self) -> str:
        return f"{self.actor} {self.act}" + (f"  !! {self.failure.kind}: {self.failure.text}" if self.failure else "")


@dataclass(frozen=True)
class Result:
    """What the exploration of one protocol in one scene found."""

    states: int
    claims: frozenset[str]
    """Every verdict given on some path."""
    failures: dict[Kind, tuple[str, ...]] = field(default_factory=dict)
    """By kind, the steps of the shortest path to one."""

    @property
    def is_sound(self) -> bool:
        return not self.failures


class Model:
    """One scene, and the protocol that all its tools follow."""

    def __init__(self, scene: Scene, tool: Tool) -> None:
        self.scene, self.tool = scene, tool
        self._names = ["tool"] if scene.tools == 1 else [f"tool {i + 1}" for i in range(scene.tools)]
        self._untold = frozenset(i for i, w in enumerate(scene.writers) if not (tool.ok_is_certain and w.in_step))
        # Few worlds meet many positions of the tools: what only depends on the world is worked out once.
        self._writes = cache(self._all_writes)
        self._truth = cache(scene.truth)
        self._may_overwrite = any(isinstance(writer, ReadModifyWrite) for writer in scene.writers)

    def begin(self) -> State:
        return State(self.scene.begin(), (START,) * self.scene.tools, (CLOSED,) * self.scene.tools)

    def steps(self, state: State) -> Iterator[Step]:
        """Every request that may be served next."""
        for active, name, act, world in self._writes(state.world):
            then = State(world, state.positions, self._seen(state.windows, world, active))
            yield Step(name, act, then, self._judge_end(then))
        for i, position in enumerate(state.positions):
            for act, world, then_at in self.tool.moves(self.scene, state.world, position):
                yield self._moved(state, i, act, world, then_at)

    def _all_writes(self, world: World) -> list[tuple[frozenset[int], str, str, World]]:
        return [
            (frozenset((i,)), str(writer), act, then)
            for i, writer in enumerate(self.scene.writers)
            for act, then in writer.steps(world, i)
        ]

    def _moved(self, state: State, i: int, act: str, world: World, position: Position) -> Step:
        before, windows = state.positions[i], state.windows
        if before == START:
            opened = Window(frozenset((self._truth(world),)), self.scene.in_flight(world))
            windows = (*windows[:i], opened, *windows[i + 1 :])
        window = windows[i]
        if isinstance(position, End):
            windows = (*windows[:i], CLOSED, *windows[i + 1 :])
        if world is not state.world:
            windows = self._seen(windows, world, frozenset())
        then = State(world, (*state.positions[:i], position, *state.positions[i + 1 :]), windows)
        failure = None
        if isinstance(before, Looking) and not isinstance(position, Looking):
            failure = self._judge_claim(position.claim, window)
        elif isinstance(position, End):
            failure = self._judge_repair(position, then, window)
        return Step(self._names[i], act, then, failure)

    def _seen(self, windows: tuple[Window, ...], world: World, active: frozenset[int]) -> tuple[Window, ...]:
        if not any(windows):
            return windows
        truth = frozenset((self._truth(world),))
        return tuple(Window(w.truths | truth, w.active | active) if w else w for w in windows)

    # ------------------------------------------------------------------------------------------------------ the judge

    def _judge_claim(self, claim: Claim, window: Window) -> Failure | None:
        """A verdict is right if it was true at some instant since the tool's first read.

        `ok` looks once, and so may miss a drift as large as what was written meanwhile without telling the version.
        """
        drifts = [truth.amount for truth in window.truths if truth.kind == "drift"]
        match claim.verdict:
            case "drift" | "exact" | "probable" | "bounded":
                is_true = any(claim.low <= drift <= claim.high for drift in drifts)
            case "ok":
                is_true = any(abs(drift) <= len(window.active & self._untold) for drift in drifts)
            case "orphans":
                is_true = claim.low > 0 and Truth("orphans", claim.low) in window.truths
            case "gone":
                is_true = Truth("orphans", 0) in window.truths
            case "incomparable":
                is_true = Truth("incomparable") in window.truths
            case _:
                is_true = claim.verdict in {"busy", "nothing"}
        return None if is_true else Failure("false verdict", f"{claim}, where the truth was {_words(window)}")

    def _judge_repair(self, end: End, then: State, window: Window) -> Failure | None:
        if end.repaired is None:
            return None
        if Truth("drift", end.repaired) not in window.truths:
            return Failure("wrong repair", f"took {end.repaired:+d}, where the truth was {_words(window)}")
        left = self._truth(then.world).amount
        if left and sum(isinstance(at, End) and at.repaired is not None for at in then.positions) > 1:
            return Failure("repaired twice", f"drift {left:+d} is left")
        return self._judge_end(then)

    def _judge_end(self, state: State) -> Failure | None:
        """A right repair may be undone by a writer that computed its tally before it."""
        if not self._may_overwrite or not self._is_over(state) or not self._has_repaired(state):
            return None
        left = self._truth(state.world).amount
        return Failure("overwritten", f"drift {left:+d} is left after the repair") if left else None

    def _is_over(self, state: State) -> bool:
        return all(stage == DONE for stage in state.world.stages) and self._all_ended(state)

    def _all_ended(self, state: State) -> bool:
        return all(isinstance(position, End) for position in state.positions)

    def _has_repaired(self, state: State) -> bool:
        return any(isinstance(position, End) and position.repaired is not None for position in state.positions)

    # ---------------------------------------------------------------------------------------------------- exploration

    def explore(self, *, stop_at_failure: bool = False) -> Result:
        """Every reachable state once, nearest first; no further than every tool's end, where nothing can be undone."""
        begin = self.begin()
        came: dict[State, tuple[State, Step] | None] = {begin: None}
        claims: set[str] = set()
        failures: dict[Kind, tuple[str, ...]] = {}
        queue = deque([begin])
        while queue and not (failures and stop_at_failure):
            state = queue.popleft()
            if self._all_ended(state):
                claims.update(position.claim.verdict for position in state.positions if isinstance(position, End))
                if not (self._may_overwrite and self._has_repaired(state)):
                    continue
            is_stuck = not self._all_ended(state)
            for step in self.steps(state):
                is_stuck = False
                if step.failure and step.failure.kind not in failures:
                    failures[step.failure.kind] = _path(came, state, str(step))
                if step.state not in came:
                    came[step.state] = (state, step)
                    queue.append(step.state)
            if is_stuck and "stuck" not in failures:
                failures["stuck"] = _path(came, state, "!! stuck: nobody can go on, and a tool is not through")
        return Result(len(came), frozenset(claims), failures)

    def play(self, schedule: Sequence[str]) -> list[Step]:
        """One interleaving: for each entry the step whose words begin so, of writers alike the first.

        Raises `ValueError` where there is none, or where it could be one of several.
        """
        played: list[Step] = []
        state = self.begin()
        for entry in schedule:
            possible = list(self.steps(state))
            fitting = [step for step in possible if f"{step.actor} {step.act}".startswith(entry)]
            if len({str(step) for step in fitting}) != 1:
                raise ValueError(f"{entry!r} is not one of {[str(step) for step in possible]}")
            played.append(fitting[0])
            state = fitting[0].state
        return played


def _path(came: dict[State, tuple[State, Step] | None], state: State, last: str) -> tuple[str, ...]:
    steps = [last]
    while (before := came[state]) is not None:
        state = before[0]
        steps.append(str(before[1]))
    return tuple(reversed(steps))


def _words(window: Window) -> str:
    return ", ".join(sorted(f"{truth.kind} {truth.amount:+d}" for truth in window.truths))
