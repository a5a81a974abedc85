"""The plan of a contest: the game, the entries, the maps and the format, as `contest.toml` holds them."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..agents.names import distinct
from ..core.config import choice, describe_unknown, integer
from ..core.files import read_regular
from ..core.rng import stream
from ..core.shapes import Choice, Int, Items, Real
from ..core.shapes import read as read_shape
from ..errors import ConfigError
from ..game import Game, load
from ..pairings import Format
from ..pairings.brackets import Bracket
from ..pairings.groups import Groups
from ..pairings.leagues import RoundRobin
from ..pairings.qualifiers import Qualifier
from ..pairings.swiss import Swiss
from ..pairings.tables import Fixture
from ..referee.clients import Venue, VenueSettings
from ..referee.clock import TimeControl
from ..referee.hooks import clock_of
from ..starts import find_boards, starts_of
from . import lots
from .points import rule_of

FILE, USERS = "contest.toml", "users.json"
MAX_ENTRIES, MAX_GAMES = 256, 1000
STAGES = {
    "single": ("bracket",),
    "double": ("bracket",),
    "league": ("league",),
    "groups": ("groups", "bracket"),
    "qualifier": ("qualifier", "bracket"),
    "swiss": ("swiss",),
}
"""The stages of each format."""
OPTIONS = {
    "bracket": ("third",),
    "league": ("legs",),
    "groups": ("number", "advance", "legs", "order"),
    "qualifier": ("bot", "advance"),
    "swiss": ("rounds",),
}
COMMON = ("games", "maps")


def _table(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ConfigError(f"{name}: expected a table, [{name}] and below it FIELD = VALUE, got {value!r:.60}")
    return value


OPTION = {
    "games": Int(1, MAX_GAMES), "maps": Items(str), "third": bool, "legs": Int(1, 20), "number": Int(1, 26),
    "advance": Int(1, MAX_ENTRIES), "order": Choice("parallel", "sequence"), "bot": str, "rounds": Int(1, 100),
}  # fmt: skip
"""The shape of each option."""
TOP = {
    "title": str, "game": str, "preset": str, "format": str, "points": object,
    "seed": Int(0, 2**63 - 1), "lots": str, "clock": str, "timeout": Real(0.05, 600), "host": str, "port": object,
    "allow": Items(str), "games": OPTION["games"], "maps": OPTION["maps"], "set": _table, "entry": list,
}  # fmt: skip
"""The shape of each field outside the tables of stages."""
NONE_YET = ""
"""What an entry plays whose program has not been handed in."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """A team.

    Attributes
    ----------
    number : int
        Its number, from 1.
    name : str
        Its name, which no other entry has.
    play : str
        What plays for it: an agent, a program, or a network client; "" if nothing was handed in yet.
    sha256 : str
        The SHA-256 of its files in the contest's folder (`programs.digest_of`); "" if it has none there.
    """

    number: int
    name: str
    play: str = NONE_YET
    sha256: str = ""


@dataclasses.dataclass(frozen=True)
class ContestPlan:
    """A contest as it is planned; `read` and `from_dict` make one.

    Attributes
    ----------
    data : mapping
        The content of `contest.toml`.
    folder : Path
        The folder that paths of maps are relative to.
    """

    data: Mapping[str, Any]
    folder: Path

    def __post_init__(self) -> None:
        self._check()

    def __deepcopy__(self, _memo: object) -> ContestPlan:
        return self  # it never changes

    # -- what it holds ---------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """Name of the contest."""
        return str(self.data.get("title", self.data["game"]))

    @property
    def format(self) -> str:
        """Name of the format, a key of STAGES."""
        return str(self.data["format"])

    @property
    def stages(self) -> tuple[str, ...]:
        """Names of the stages."""
        return STAGES[self.format]

    @property
    def sealed(self) -> str | None:
        """The seal of the lots (`lots.seal`); None if the seed is in the plan."""
        return self.data.get("lots")

    @functools.cached_property
    def secret(self) -> str | None:
        """What the lots are drawn from, which becomes known with the results; None if the seed is in the plan."""
        return None if self.sealed is None else lots.open_sealed(self.folder, self.sealed)

    def random(self, number: int) -> int:
        """Return 64 random bits by their number, from the sealed secret or the seed of the plan."""
        return stream(int(self.data.get("seed", 0)), number) if self.secret is None else lots.draw(self.secret, number)

    def option(self, stage: str, name: str, default: Any = None) -> Any:
        """Return an option of a stage, else the one of the contest, else the default."""
        found = self.data.get(stage, {}).get(name)
        if found is None and name in COMMON:
            found = self.data.get(name)
        return default if found is None else found

    def entries(self) -> list[Entry]:
        """Return the entries of the file, numbered from 1; equal names are told apart by their number of occurrence."""
        given = self.data.get("entry", [])
        names = distinct([str(one["name"]) for one in given])
        return [
            Entry(k, name, str(one.get("play", NONE_YET)), str(one.get("sha256", "")))
            for k, (name, one) in enumerate(zip(names, given, strict=True), 1)
        ]

    @functools.cached_property
    def seats(self) -> int:
        """Number of entries in a match."""
        return self.game().num_players

    def games(self, stage: str) -> int:
        """Return the number of games of a match: by default every seat is played equally often."""
        return int(self.option(stage, "games", 2 if self.seats == 2 else math.factorial(self.seats)))

    def advance(self, stage: str) -> int:
        """Return how many advance: of each group, or of the qualifier."""
        return int(self.option(stage, "advance", 2 if stage == "groups" else 8))

    def maps(self, stage: str) -> list[str]:
        """Return the names of the maps of a stage; empty: every start is generated, or the game's own."""
        return list(self.option(stage, "maps", []))

    @property
    def all_maps(self) -> list[str]:
        """Names of the maps of all stages, each once."""
        return list(dict.fromkeys(name for stage in self.stages for name in self.maps(stage)))

    def game(self, map_name: str | None = None) -> Game:
        """Return the game, on a map; raise ConfigError if either is unknown."""
        name = self.data["game"]
        fields = dict(self.data.get("set", {}))
        if map_name is not None:
            starts = starts_of(name)
            if starts is None:
                raise ConfigError(f"maps: {name} has no maps")
            file = self.folder / map_name.partition(":")[0]
            found = find_boards(starts, str(self.folder / map_name) if file.is_file() else map_name)
            if len(found) != 1:
                raise ConfigError(f"maps: {map_name} holds {len(found)}; FILE:NAME picks one of a file")
            fields[starts.KIND] = found[0]
        return load(name, self.data.get("preset"), **fields)

    def clock(self, game: Game) -> TimeControl:
        """Return the time of each player: the contest's, else the game's own, else none."""
        return TimeControl.parse(self.data["clock"]) if "clock" in self.data else clock_of(game)

    @property
    def venue(self) -> type[Venue] | None:
        """The server of the game that plays whole matches in real time; None if the game has none."""
        return getattr(self.game().part("venue"), "Venue", None)

    def venue_settings(self) -> VenueSettings:
        """Return the settings of that server."""
        given = {name: self.data[name] for name in ("host", "port") if name in self.data}
        return VenueSettings(self.title, self.folder / USERS, allow=tuple(self.data.get("allow", ())), **given)

    # -- what is played --------------------------------------------------------------------------------

    def make(self, stage: str, entries: Sequence[int]) -> Format:
        """Return the format of a stage for these entries, in the order of their seeds."""
        if stage == "bracket":
            return Bracket(entries, bool(self.option(stage, "third", True)), self.format == "double")
        if stage == "league":
            return RoundRobin(entries, int(self.option(stage, "legs", 1)), self.seats)
        if stage == "groups":
            number = int(self.option(stage, "number", max(1, round(len(entries) / 4))))
            order = self.option(stage, "order", "parallel")
            return Groups(entries, number, int(self.option(stage, "legs", 1)), order == "parallel")
        if stage == "qualifier":
            return Qualifier(entries, rule_of(self.game(), self.data.get("points")).order)
        rounds = max(1, math.ceil(math.log2(max(2, len(entries)))))
        return Swiss(entries, int(self.option(stage, "rounds", rounds)))

    def start(self, stage: str, match: Fixture, attempt: int) -> tuple[str | None, int]:
        """Return the map of a match and the seed of its start: the same for every match of a round.

        attempt : 0, or the number of the replay, which is on another map.
        """
        maps = self.maps(stage)
        at = match.round + attempt
        seed = self.random(1000 * self.stages.index(stage) + at) >> 1
        return (maps[at % len(maps)] if maps else None), seed

    def orders(self, stage: str, match: Fixture, attempt: int = 0) -> list[tuple[int, ...]]:
        """Return who takes which seat in each game of a match.

        With several games the smaller number begins, and seats rotate; as many games as there are orders play every
        order. In a single game leagues balance the sides, and brackets draw them.
        """
        games = self.games(stage)
        if games == 1:
            first = match.entries
            if match.is_knockout and self.random(_code(match.id) + attempt) >> 40 & 1:
                first = first[::-1]
            return [first]
        line_up = match.entries if match.kind == "qualifier" else tuple(sorted(match.entries))
        every = list(itertools.permutations(line_up))
        if games % len(every) and games % len(line_up) == 0:
            every = [line_up[k:] + line_up[:k] for k in range(len(line_up))]
        return [every[k % len(every)] for k in range(games)]

    # -- whether it is right ---------------------------------------------------------------------------

    def _check(self) -> None:
        data = self.data
        for name in ("game", "format"):
            if name not in data:
                raise ConfigError(f"{name}: missing")
        choice("format", data["format"], STAGES)
        _check_table("contest", data, TOP | dict.fromkeys(self.stages, _table))
        if "seed" in data and "lots" in data:
            raise ConfigError("lots: expected either seed or lots")
        game = self.game()
        rule_of(game, data.get("points"))
        self.clock(game)
        if self.seats > 2 and self.format != "league":
            raise ConfigError(f"format: {game.name} is played by {self.seats}: expected league")
        self._check_venue()
        for stage in self.stages:
            self._check_stage(stage)
        self._check_entries()

    def _check_venue(self) -> None:
        for name in ("port", "allow"):
            if name in self.data and self.venue is None:
                raise ConfigError(f"{name}: {self.data['game']} has no server for all clients: leave it out")
        if self.venue is not None:
            self.venue.check(self.venue_settings())

    def _check_stage(self, stage: str) -> None:
        table = self.data.get(stage, {})
        _check_table(stage, table, {name: OPTION[name] for name in (*COMMON, *OPTIONS[stage])}, f"{stage}.")
        for one in self.maps(stage):
            self.game(one)
        if stage == "qualifier" and not table.get("bot"):
            raise ConfigError("qualifier.bot: expected the agent or program that everybody plays against")

    def _check_entries(self) -> None:
        given = self.data.get("entry", [])
        integer("entries", len(given), 0, MAX_ENTRIES)
        for k, one in enumerate(given, 1):
            if not isinstance(one, dict) or not set(one) <= {"name", "play", "sha256"}:
                raise ConfigError(f"entry {k}: expected name and play, got {one!r:.60}")
            check_name(one.get("name"))
            for field in ("play", "sha256"):
                if not isinstance(one.get(field, ""), str):
                    raise ConfigError(f"entry {k}: {field}: expected a string, got {one[field]!r:.60}")


def _check_table(where: str, table: Mapping[str, Any], shapes: Mapping[str, Any], prefix: str = "") -> None:
    """Raise ConfigError for a field of a table that is unknown, or of another shape."""
    for name, value in table.items():
        if name not in shapes:
            raise ConfigError(f"{where}: {describe_unknown('field', name, shapes)}")
        read_shape(f"{prefix}{name}", value, shapes[name])


def check_name(name: Any) -> str:
    """Return the name of a team; raise ConfigError unless it is one line of 1..60 printable characters."""
    if not isinstance(name, str) or not 1 <= len(name.strip()) <= 60 or not name.isprintable():
        raise ConfigError(f"name: expected 1..60 printable characters, got {name!r:.80}")
    return unicodedata.normalize("NFC", name.strip())


def _code(text: str) -> int:
    return int.from_bytes(text.encode()[:6], "big")


def read(folder: Path) -> ContestPlan:
    """Return the plan of the contest in a folder; raise ConfigError, which names the field."""
    path = folder / FILE
    try:
        data = tomllib.loads(read_regular(path).decode())
    except FileNotFoundError:
        raise ConfigError(f"contest: {folder} holds no {FILE}: `masume contest new` makes one") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from None
    return ContestPlan(data, folder)


def quote(text: str) -> str:
    """Return a text as TOML writes it."""
    escaped = re.sub(r'["\\]', lambda found: "\\" + found[0], text)
    return '"' + "".join(char if char >= " " else f"\\u{ord(char):04x}" for char in escaped) + '"'
