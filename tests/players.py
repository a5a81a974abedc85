"""Agents in plain Python for tests, named py:players:NAME."""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

from masume.agent import Thought
from masume.core.rng import Rng


class Random:
    """What the policy `random` does: `legal[below(len(legal))]` for each slot in order."""

    name = "slow random"

    def start(self, game, player, seed):
        self.rng = Rng(seed)

    def act(self, view):
        actions = []
        for slot in view.slots:
            legal = view.legal_actions(slot)
            actions.append(legal[self.rng.below(len(legal))])
        return actions if view.game.num_slots > 1 else actions[0]

    def close(self):
        pass


class Sleepy(Random):
    """The same, but it takes its time."""

    def act(self, view):
        time.sleep(0.004)
        return super().act(view)


class Asleep(Random):
    """The same, but it takes much longer than a busy machine can keep another from answering."""

    def act(self, view):
        time.sleep(1)
        return super().act(view)


class Mortal(Random):
    """Sends its process the signal MORTAL_SIGNAL, if there is one, when all its kind have acted 290 times."""

    acts = 0

    def act(self, view):
        Mortal.acts += 1
        if Mortal.acts == 290 and "MORTAL_SIGNAL" in os.environ:
            os.kill(os.getpid(), int(os.environ["MORTAL_SIGNAL"]))
        return super().act(view)


class Kills(Random):
    """Ends its process at once."""

    def act(self, view):
        os.kill(os.getpid(), signal.SIGKILL)


class Counted(Random):
    """Counts how often it is made and closed."""

    made = closed = 0

    def __init__(self):
        Counted.made += 1

    def close(self):
        Counted.closed += 1


class Raises(Random):
    name = "raises"

    def act(self, view):
        raise KeyError("lost\nits way")


class Stops(Random):
    """Raises what a generator that has ended does."""

    name = "stops"

    def act(self, view):
        raise StopIteration


class StopsTogether(Random):
    """The same, asked about many games."""

    name = "stops together"

    def act_many(self, views, seeds):
        raise StopIteration


class Answers(Random):
    """Answers about many games with what are no pairs."""

    name = "answers"

    def act_many(self, views, seeds):
        return [None] * len(views)


class Exits(Random):
    name = "exits"

    def act(self, view):
        sys.exit(3)


class Thoughtless(Random):
    name = "thoughtless"

    @property
    def thought(self):
        raise ZeroDivisionError("no thought")


class RaisesAtClose(Random):
    name = "raises at close"

    def close(self):
        raise KeyError("lost\nits way")


class RaisesWhenMade(Random):
    def __init__(self):
        raise ZeroDivisionError


class RaisesAtStart(Random):
    name = "raises at start"

    def start(self, game, player, seed):
        raise RuntimeError


class Illegal(Random):
    """Plays well for a while, then what nobody may."""

    name = "illegal"

    def start(self, game, player, seed):
        super().start(game, player, seed)
        self.left = 2

    def act(self, view):
        actions = super().act(view)
        self.left -= 1
        if self.left:
            return actions
        if view.game.num_slots == 1:
            return view.game.num_actions
        return [*actions[:-1], view.game.num_actions]


class Short(Random):
    name = "short"

    def act(self, view):
        return [0]


class Text(Random):
    name = "text"

    def act(self, view):
        return "STAY"


class Incomplete:
    name = "incomplete"


class Thinker(Random):
    """Plays at random and tells a policy, the first action three times as likely as all others, and a value."""

    thought = None

    def act(self, view):
        policy = []
        for slot in view.slots:
            legal = view.legal_actions(slot)
            policy.append((legal, [0.75, *[0.25 / (len(legal) - 1)] * (len(legal) - 1)] if len(legal) > 1 else [1.0]))
        self.thought = Thought(policy, 0.25 if view.player else -0.5)
        return super().act(view)


class Network:
    """An evaluator: priors that rise with the code and differ by player, and how many positions it got at once."""

    sizes = []  # noqa: RUF012

    def __call__(self, observations, players):
        count = len(players)
        Network.sizes.append(count)
        assert all(len(field) == count for field in observations.values())
        priors = np.broadcast_to(self.priors, (count, *self.priors.shape)) * (1 + players[:, None, None] % 2)
        return priors, np.tile([0.5, -0.5], (count, 1))

    @property
    def priors(self):
        return np.arange(1, 1 + self.actions, dtype=float)[None].repeat(self.slots, axis=0)


class Chaser(Network):
    slots, actions = 1, 16


class Kakomimasu(Network):
    """Of two agents a side on a board of 5x4."""

    slots, actions = 4, 37


class Broken(Network):
    def __call__(self, observations, players):
        return np.full((len(players), 1, 16), np.nan), np.zeros((len(players), 2))


class DiesOnce(Random):
    """Ends its process at once, unless the file LIFE is gone, which it takes with it."""

    def act(self, view):
        life = Path(os.environ["LIFE"])
        if life.exists():
            life.unlink(missing_ok=True)
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act(view)
