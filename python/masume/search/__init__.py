"""Search: tree searches that need no knowledge of a game, and an exact solver for small positions."""

from .alphabeta import AlphaBeta, Line
from .beam import Beam, Plan
from .forest import Leaves, TreeBatch
from .mcts import MCTS, Bandit, Evaluator, Result
from .solve import Solution, solve

__all__ = [
    "MCTS",
    "AlphaBeta",
    "Bandit",
    "Beam",
    "Evaluator",
    "Leaves",
    "Line",
    "Plan",
    "Result",
    "Solution",
    "TreeBatch",
    "solve",
]
