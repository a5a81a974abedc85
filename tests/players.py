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
    """Play like the policy `random`: `legal[below(len(legal))]` for each slot in order."""

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
    """Play at random, slowly."""

    def act(self, view):
        time.sleep(0.004)
        return super().act(view)


class Asleep(Random):
    """Play at random, taking longer than a busy machine can delay another agent."""

    def act(self, view):
        time.sleep(1)
        return super().act(view)


class Mortal(Random):
    """Send the own process the signal MORTAL_SIGNAL, if set, once all agents of this class have acted 290 times."""

    acts = 0

    def act(self, view):
        Mortal.acts += 1
        if Mortal.acts == 290 and "MORTAL_SIGNAL" in os.environ:
            os.kill(os.getpid(), int(os.environ["MORTAL_SIGNAL"]))
        return super().act(view)


class Kills(Random):
    """End the process at once."""

    def act(self, view):
        os.kill(os.getpid(), signal.SIGKILL)


class Counted(Random):
    """Count how often it is created and closed."""

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
    """Raise StopIteration."""

    name = "stops"

    def act(self, view):
        raise StopIteration


class StopsTogether(Random):
    """Raise StopIteration when asked about many games."""

    name = "stops together"

    def act_many(self, views, seeds):
        raise StopIteration


class Answers(Random):
    """Answer about many games with values that are not pairs."""

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
    """Play well for a while, then an illegal action."""

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
    """Play at random; report a value and a policy with the first action three times as likely as each other."""

    thought = None

    def act(self, view):
        policy = []
        for slot in view.slots:
            legal = view.legal_actions(slot)
            policy.append((legal, [0.75, *[0.25 / (len(legal) - 1)] * (len(legal) - 1)] if len(legal) > 1 else [1.0]))
        self.thought = Thought(policy, 0.25 if view.player else -0.5)
        return super().act(view)


class Network:
    """Evaluator with priors that rise with the code and differ by player; records its batch sizes."""

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
    """Evaluator for two agents per side on a board of 5x4."""

    slots, actions = 4, 37


class Broken(Network):
    def __call__(self, observations, players):
        return np.full((len(players), 1, 16), np.nan), np.zeros((len(players), 2))


class BrokenAtOnce(Network):
    """Evaluator for CHaser that answers NaN about the last of several positions."""

    def __call__(self, observations, players):
        priors = np.ones((len(players), 1, 16))
        priors[-1] = np.nan
        return priors, np.zeros((len(players), 2))


class Unsure(Network):
    """Evaluator for CHaser whose values are not finite."""

    def __call__(self, observations, players):
        return np.ones((len(players), 16)), np.full((len(players), 2), np.inf)


class Flat(Network):
    """Evaluator for CHaser that answers with as many numbers in another shape."""

    def __call__(self, observations, players):
        return np.ones((16, len(players))), np.zeros((len(players), 2))


class Silent(Network):
    """Evaluator that answers nothing."""

    def __call__(self, observations, players):
        return None


class Fails(Network):
    """Evaluator that raises."""

    def __call__(self, observations, players):
        raise RuntimeError("no weights")


class DiesOnce(Random):
    """End the process at once, unless the file LIFE is gone; the first one removes it."""

    def act(self, view):
        life = Path(os.environ["LIFE"])
        if life.exists():
            life.unlink(missing_ok=True)
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act(view)
