"""masume: exact, fast engines for grid games.

>>> import masume
>>> game = masume.load("kakomimasu", width=10, height=10, n_agents=2, total_turns=5, seed=1)
>>> state = game.new_state()
>>> while not state.is_terminal():
...     state.apply([int(state.legal_actions(slot)[0]) for slot in range(len(state.slots))])
>>> state.returns()
array([0., 0.], dtype=float32)
"""

from typing import TYPE_CHECKING

try:
    from .core._state import State
except ImportError as error:
    from .core.unloadable import explain

    raise explain(error) from None
from . import errors
from .agent import Agent, View
from .batch import Batch
from .errors import *  # noqa: F403 - as __all__ says below
from .game import Game, games, load

if TYPE_CHECKING:
    from .records.arrays import load_records

    __version__: str
else:

    def __getattr__(name):
        """Import these names on first use: archives, hashes and metadata take longer to import than everything else."""
        if name == "load_records":
            from .records.arrays import load_records

            return load_records
        if name == "__version__":
            from importlib.metadata import version

            return version(__name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["Agent", "Batch", "Game", "State", "View", "games", "get_include", "load", "load_records"]
__all__ += errors.__all__


def get_include() -> str:
    """Return the folder of masume's C headers, for the compiler's `-I`; the .pxd files are in the package itself."""
    from importlib.resources import files  # imported here: it takes half as long as importing numpy

    return str(files(__name__) / "include")
