"""Search: what plays well without knowing the game, and what plays perfectly where it can be worked out."""

from .agent import Deepener, Planner, Searcher
from .alphabeta import AlphaBeta, Line
from .beam import Beam, Plan
from .mcts import MCTS, Bandit, Evaluator, Result
from .solve import Solution, solve

__all__ = [
    "MCTS",
    "AlphaBeta",
    "Bandit",
    "Beam",
    "Deepener",
    "Evaluator",
    "Line",
    "Plan",
    "Planner",
    "Result",
    "Searcher",
    "Solution",
    "solve",
]
