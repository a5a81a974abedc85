"""Exceptions that masume raises on purpose."""

__all__ = [
    "AgentError",
    "ConfigError",
    "ConfigTypeError",
    "ContractError",
    "ExtraError",
    "GameOverError",
    "IllegalActionError",
    "MatchError",
    "NotationError",
    "ReplayError",
    "SearchError",
    "StageError",
    "StateError",
    "TrainingError",
]


class ConfigError(ValueError):
    """Bad config or argument; the message begins with the field's name."""


class ConfigTypeError(ConfigError, TypeError):
    """Config field of the wrong type; a bool is not accepted as an int."""


class ContractError(AssertionError):
    """Game whose function table or package breaks a clause of its contract; raised by `masume.testing`.

    Attributes
    ----------
    clause : str
        The clause, a key of `masume.testing.CLAUSES`.
    """

    def __init__(self, message: str, clause: str = "") -> None:
        super().__init__(message)
        self.clause = clause


class ExtraError(ModuleNotFoundError, ConfigError):
    """Missing optional package; the message names the extra of masume that installs it."""


class StateError(ValueError):
    """Bytes or a dict that are not a position of the game."""


class IllegalActionError(ValueError):
    """Action that is not allowed now; the state is unchanged."""


class GameOverError(IllegalActionError):
    """Action on a finished game."""


class NotationError(ValueError):
    """Text that cannot be read.

    Attributes
    ----------
    line, column : int
        Place of the error, counted from 1; 0 if there is none.
    """

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        where = f"line {line}, column {column}: " if line else ""
        super().__init__(where + message)
        self.line = line
        self.column = column


class StageError(ConfigError):
    """Stage that breaks a rule.

    Attributes
    ----------
    code : str
        Code of the rule.
    line, column : int
        Place of the error, counted from 1; 0 if there is none.
    """

    def __init__(self, message: str, code: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message, code, line, column)
        self.code = code
        self.line = line
        self.column = column

    def __str__(self) -> str:
        where = f"stage: line {self.line}, column {self.column}: " if self.line else ""
        return f"{where}{self.args[0]} [{self.code}]"


class ReplayError(ValueError):
    """Replay that is malformed, or whose games do not replay to the recorded result."""


class SearchError(ValueError):
    """Position that cannot be solved: of an unsupported kind of game, or followed by more positions than allowed."""


class AgentError(RuntimeError):
    """Agent that raised or gave an illegal answer; the message names the agent, the game's seed and the ply.

    Attributes
    ----------
    log : str
        What its author needs, of several lines: the traceback from the agent's own frames on, or the last lines that a
        program wrote to stderr. May be empty.
    player : int or None
        Its player, if a game was played.
    cause : str
        "crash" if it raised, "illegal" if its answer was not allowed; as in `masume.records.replay.Blame`.
    detail : str
        What went wrong, in one line.
    """

    log: str = ""

    def __init__(
        self, message: str, log: str = "", player: int | None = None, cause: str = "crash", detail: str = ""
    ) -> None:
        super().__init__(message)
        self.log, self.player, self.cause, self.detail = log, player, cause, detail


class MatchError(RuntimeError):
    """Match that cannot be held and has no result, for a cause that is not a player's fault."""


class TrainingError(RuntimeError):
    """Training that cannot go on, such as one whose losses are not numbers; what was learned before is kept."""
