"""Search: what plays well without knowing the game."""

from .agent import Searcher
from .mcts import MCTS, Bandit, Evaluator, Result

__all__ = ["MCTS", "Bandit", "Evaluator", "Result", "Searcher"]
