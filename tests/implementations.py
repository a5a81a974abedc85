"""The two implementations of a game, with the same methods; most tests run on both."""

import importlib

import masume


class Implementation:
    """Factory for states of the reference or the engine: `new(seed, **fields)`, `from_dict(variables, **fields)`.

    A game's subclass parses drawn positions with `_parse(text, **fields)`.
    """

    def __init__(self, name, new, parse, from_dict):
        self.name, self.new, self._parse, self.from_dict = name, new, parse, from_dict


def implementations(game, kind):
    """Return the reference and the engine of a game, each as an Implementation of class `kind`."""
    config = importlib.import_module(f"masume.{game}.config").Config
    state = importlib.import_module(f"masume.{game}.reference").State
    return [
        kind(
            "reference",
            lambda seed=None, **fields: state.new(config.make(**fields), seed),
            lambda text, **fields: state.parse(config.make(**fields), text),
            lambda variables, **fields: state.from_dict(config.make(**fields), variables),
        ),
        kind(
            "engine",
            lambda seed=None, **fields: masume.load(game, **fields).new_state(seed),
            lambda text, **fields: masume.load(game, **fields).parse(text),
            lambda variables, **fields: masume.load(game, **fields).state_from_dict(variables),
        ),
    ]
