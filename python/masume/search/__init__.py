"""Search: what plays well without knowing the game, and what plays perfectly where it can be worked out."""

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
