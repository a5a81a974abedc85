"""The parts of an iteration: games that are played at once, here or as tasks of a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ..nets.network import Network
from ..play.cluster import RETRIES, fetch
from .actor import Harvest, invite, play, teach
from .learner import load_torch

if TYPE_CHECKING:
    from .run import TrainingPlan


class Part(NamedTuple):
    """A part of an iteration: the seeds of its games, who else plays and the learner's seat, whether it is taught."""

    seeds: list[int]
    drawn: list[tuple[str, int] | None]
    is_taught: bool


class Iteration(NamedTuple):
    """What all parts of an iteration share: the plan, the network that plays, and the members of the pool by name."""

    plan: TrainingPlan
    network: Network
    members: Mapping[str, str | Network]

    def play(self, part: Part, tick: Callable[[int], None]) -> Harvest:
        """Play a part; tick is called with the number of games that have ended since the last call."""
        plan = self.plan
        if part.is_taught:
            return teach(self.network, part.seeds, plan.teacher, tick)
        guests = invite(plan.game.redrawn(part.seeds[0]), part.drawn, self.members)
        return play(self.network, part.seeds, guests, plan.simulations, plan.considered, plan.scale, tick)


class Playing(Protocol):
    """Parts that are played, or will be."""

    def finish(self, tick: Callable[[int], None]) -> list[Harvest]:
        """Return what each part gave, once all have ended; tick is as in `Iteration.play`."""


class Here:
    """Parts that are played here, one after the other, on demand."""

    def __init__(self, task: Iteration, parts: Sequence[Part]) -> None:
        self._task, self._parts = task, parts

    def finish(self, tick: Callable[[int], None]) -> list[Harvest]:
        """Return what `Playing.finish` returns."""
        return [self._task.play(part, tick) for part in self._parts]


class OnCluster:
    """Parts that are played as tasks of a cluster, from now on; one whose worker or node is lost is played again."""

    def __init__(self, ray: Any, task: Iteration, parts: Sequence[Part]) -> None:
        self._ray, self._parts = ray, parts
        shared = ray.put(task)
        play_part = ray.remote(num_cpus=1, max_retries=RETRIES)(_play_part)
        self._running = {play_part.remote(shared, part): number for number, part in enumerate(parts)}

    def finish(self, tick: Callable[[int], None]) -> list[Harvest]:
        """Return what `Playing.finish` returns."""
        found: dict[int, Harvest] = {}
        while self._running:
            (reference,), _ = self._ray.wait(list(self._running), num_returns=1)
            number = self._running.pop(reference)
            found[number] = fetch(self._ray, reference, f"part {number}")
            tick(len(self._parts[number].seeds))
        return [found[number] for number in range(len(self._parts))]


def _play_part(task: Iteration, part: Part) -> Harvest:
    load_torch()
    return task.play(part, lambda _: None)
