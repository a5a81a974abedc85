"""Step engine and reference side by side, report the first difference with both boards, and keep it as a case.

    with Lockstep("nezumi", config, seed) as twins:
        twins.apply(action)
        twins.compare()

A case is a file in FAILURES; `python tests/campaign.py GAME --case FILE` plays it again.
"""

import functools
import hashlib
import importlib
import json
import traceback
from pathlib import Path

import numpy as np

import masume.render
from masume.core import registry
from masume.core._wide import levels
from masume.core.rng import Rng, stream
from masume.game import Game

FAILURES = Path(__file__).parent / "data" / "failures"


class DifferenceError(AssertionError):
    """Difference between the twins; the message is the report."""


class Lockstep:
    """The `engine` and the `reference` of a game, which receive the same calls and must give the same answers.

    level : CPU level of the engine's kernels; None: the best.
    position : variables (`to_dict`) to start from; None: the start of the game `seed`.

    As a context manager it turns every exception into a DifferenceError, and writes the case.
    """

    def __init__(self, name, config, seed=0, *, level=None, position=None):
        self.game = game_at(name, config, level)
        self.seed, self.level, self.position = seed, level, position
        self.calls, self.plies, self.has_past = [], 0, True
        if position is None:
            self.engine, self.reference = self.game.new_state(seed), self.game.reference.State.new(config, seed)
        else:
            self._start_from(position)
        self.previous = self.engine.clone()

    def _start_from(self, position):
        self.engine = self.game.state_from_dict(position)
        self.reference = self.game.reference.State.parse(self.game.config, str(self.engine))

    # -- calls -------------------------------------------------------------------------------------

    def attempt(self, verb, *arguments):
        """Call `verb` on both; return the common result, or the class of the ValueError that both raise."""
        self.calls.append([verb, *arguments])
        self.previous.copy_from(self.engine)
        found, expected = (outcome(getattr(state, verb), *arguments) for state in (self.engine, self.reference))
        self.same(describe(verb, arguments), found, expected)
        if isinstance(found, type):
            self.same(f"the bytes after a refused {verb}", self.engine.to_bytes(), self.previous.to_bytes())
        else:
            self.plies += 1
        return found

    def apply(self, action):
        """Play an action that both must accept."""
        refused = self.attempt("apply", action)
        assert refused is None, f"apply({action!r}): both refuse with {refused.__name__}"

    def refuse(self, action):
        """Play an action that both must refuse."""
        found = self.attempt("apply", action)
        assert isinstance(found, type), f"apply({action!r}): both accept it"

    def restart(self):
        """Continue from the position of each other's variables, with an empty history."""
        self.calls.append(["restart"])
        variables = self.engine.to_dict()
        self._start_from(self.reference.to_dict())
        self.same("to_dict()", variables, self.reference.to_dict())
        self.has_past = False

    # -- comparisons ---------------------------------------------------------------------------------

    def same(self, what, engine, reference):
        """Raise AssertionError with the first difference of two answers."""
        found = first_difference(engine, reference, what)
        assert found is None, found

    def ask(self, name, *arguments):
        """Raise AssertionError unless a method or property of both gives the same answer."""
        found, expected = (getattr(state, name) for state in (self.engine, self.reference))
        if callable(found):
            name, found, expected = describe(name, arguments), found(*arguments), expected(*arguments)
        self.same(name, found, expected)

    def compare(self):
        """Compare everything that all games report."""
        for name in ("to_dict", "slots", "current_player", "is_terminal", "returns", "scores", "__str__"):
            self.ask(name)
        for slot in range(len(self.reference.slots)):
            self.ask("legal_actions", slot)
            self.ask("legal_mask", slot)
        for player in range(self.game.num_players):
            self.ask("observation", player)
        for player in (None, *range(self.game.num_players)):
            self.ask("events", player)

    def is_due(self, every):
        """Return whether to run slow comparisons: at the start, every `every` calls, after a restart, at the end."""
        restarted = self.calls[-1:] == [["restart"]]
        return restarted or len(self.calls) % every == 0 or self.reference.is_terminal()

    def rng(self):
        """Return a generator for the draws of a comparison; it is the same whenever the case is played again."""
        return Rng(stream(self.seed, len(self.calls)))

    # -- failures ------------------------------------------------------------------------------------

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        if isinstance(error, Exception) and not isinstance(error, DifferenceError):
            raise DifferenceError(self.report(message_of(error))) from error

    def report(self, difference):
        """Write the case; return the difference, the call, both boards, and how to repeat the case."""
        case = {
            "config": self.game.config.to_dict(), "seed": self.seed, "level": self.level, "position": self.position,
            "calls": self.calls, "difference": difference,
        }  # fmt: skip
        content = json.dumps(case, indent=1, ensure_ascii=False) + "\n"
        name = self.game.name
        path = FAILURES / f"{name}-{hashlib.sha256(content.encode()).hexdigest()[:12]}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return "\n".join([
            difference,
            f"after {self.last_call()}",
            *("", "engine:", board_of(self.engine), "", "reference:", board_of(self.reference), ""),
            f"config: {self.game!r}",
            f"seed: {self.seed}, ply: {self.plies}, level: {self.level or 'best'}",
            f"again: python tests/campaign.py {name} --case {path}",
        ])  # fmt: skip

    def last_call(self):
        """Return the last call as text, with actions in the notation of the rules."""
        if not self.calls:
            return "the start"
        verb, *arguments = self.calls[-1]
        told = describe(verb, arguments)
        if verb not in ("apply", "attempt") or not isinstance(arguments[0], int | list):
            return told
        actions = [arguments[0]] if isinstance(arguments[0], int) else arguments[0]
        texts = [outcome(self.previous.action_to_text, action, slot) for slot, action in enumerate(actions)]
        return told if any(isinstance(text, type) for text in texts) else f"{told}: {' '.join(texts)}"


def game_at(name, config, level=None):
    """Return the game of this config with the kernels of a CPU level; None: the best."""
    package = registry.package_of(name)
    return Game(functools.partial(package.table, level=level) if level else package.table, config, package)


def play_case(name, path):
    """Play the case of a file again, comparing after every call; raise DifferenceError if the twins differ."""
    case = json.loads(path.read_text(encoding="utf-8"))
    config = registry.package_of(name).Config.make(**case["config"])
    level = case["level"] if case["level"] in levels() else None
    compare = importlib.import_module(f"{name}.campaign").compare
    with Lockstep(name, config, case["seed"], level=level, position=case["position"]) as twins:
        compare(twins)
        twins.compare()
        for verb, *arguments in case["calls"]:
            if verb == "restart":
                twins.restart()
            else:
                twins.attempt(verb, *arguments)
            compare(twins)
            twins.compare()


def first_difference(engine, reference, where):
    """Return the path to the first difference of two answers and both values there; None if they are equal."""
    if isinstance(engine, np.ndarray):
        if engine.dtype.kind == "f":
            reference = np.asarray(reference, engine.dtype).tolist()
        engine = engine.tolist()
    if not isinstance(engine, dict) and engine == reference:
        return None
    if isinstance(engine, dict) and isinstance(reference, dict) and engine.keys() == reference.keys():
        steps = ((repr(key), value, reference[key]) for key, value in engine.items())
    elif isinstance(engine, list | tuple) and isinstance(reference, list | tuple) and len(engine) == len(reference):
        steps = ((str(index), *pair) for index, pair in enumerate(zip(engine, reference, strict=True)))
    elif isinstance(engine, str) and isinstance(reference, str) and engine.count("\n") == reference.count("\n") > 0:
        pairs = zip(engine.split("\n"), reference.split("\n"), strict=True)
        steps = ((f"line {number}", *pair) for number, pair in enumerate(pairs, 1))
    else:
        return f"{where}: engine {engine!r}, reference {reference!r}"
    found = (first_difference(left, right, f"{where}[{step}]") for step, left, right in steps)
    return next((text for text in found if text is not None), None)


def outcome(call, *arguments):
    """Return what the call returns, or the class of the ValueError that it raises."""
    try:
        return call(*arguments)
    except ValueError as error:
        return type(error)


def describe(verb, arguments):
    return f"{verb}({', '.join(map(repr, arguments))})"


def message_of(error):
    """Return the message of an exception; of a bare assert, its line."""
    if type(error) is AssertionError:
        return str(error) or traceback.extract_tb(error.__traceback__)[-1].line
    return f"{type(error).__name__}: {error}"


def board_of(state):
    """Return the drawing of a position, or the reason why it cannot be drawn."""
    try:
        return masume.render.text(state)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
