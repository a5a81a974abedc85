"""Search: tree searches that need no knowledge of a game, and an exact solver for small positions."""

from .agent import AlphaBetaAgent, BeamAgent, MCTSAgent
from .alphabeta import AlphaBeta, Line
from .beam import Beam, Plan
from .mcts import MCTS, Bandit, Evaluator, Result
from .solve import Solution, solve

__all__ = [
    "MCTS",
    "AlphaBeta",
    "AlphaBetaAgent",
    "Bandit",
    "Beam",
    "BeamAgent",
    "Evaluator",
    "Line",
    "MCTSAgent",
    "Plan",
    "Result",
    "Solution",
    "solve",
]
