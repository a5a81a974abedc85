"""Every exception masume raises on purpose."""

__all__ = [
    "AgentError",
    "ConfigError",
    "ConfigTypeError",
    "ExtraError",
    "GameOverError",
    "IllegalActionError",
    "MatchError",
    "NotationError",
    "ReplayError",
    "SearchError",
    "StageError",
    "StateError",
]


class ConfigError(ValueError):
    """A config that cannot be; the message begins with the field's name."""


class ConfigTypeError(ConfigError, TypeError):
    """A config field of the wrong type; a bool is no int."""


class ExtraError(ModuleNotFoundError, ConfigError):
    """A package is wanted that is not installed; the message says which extra of masume brings it."""


class StateError(ValueError):
    """Bytes or a dict that are no position of the game."""


class IllegalActionError(ValueError):
    """An action that is not allowed now; the state is unchanged."""


class GameOverError(IllegalActionError):
    """Any action on a finished game."""


class NotationError(ValueError):
    """Text that cannot be read; `line` and `column` count from 1, 0 where there is none."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        where = f"line {line}, column {column}: " if line else ""
        super().__init__(where + message)
        self.line = line
        self.column = column


class StageError(ConfigError):
    """A stage that breaks a rule; `code` is the rule's, `line` and `column` count from 1, 0 where there is none."""

    def __init__(self, message: str, code: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message, code, line, column)
        self.code = code
        self.line = line
        self.column = column

    def __str__(self) -> str:
        where = f"stage: line {self.line}, column {self.column}: " if self.line else ""
        return f"{where}{self.args[0]} [{self.code}]"


class ReplayError(ValueError):
    """A replay that is malformed, or that does not replay to what it says."""


class SearchError(ValueError):
    """A position that cannot be solved: of a game of another kind, or with more positions behind it than allowed."""


class AgentError(RuntimeError):
    """An agent that raised, or answered with what it may not play; names the agent, the game's seed and the ply."""


class MatchError(RuntimeError):
    """A match that cannot be held, and has no result; no player is to blame in a way that a verdict could say."""
