"""The state of a contest as a pure function of its journal: who plays, what was played, what comes next."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, assert_never

from ..core.config import integer
from ..errors import ConfigError
from ..pairings import Format
from ..pairings.brackets import Bracket, seed_bracket
from ..pairings.groups import Groups
from ..pairings.qualifiers import Qualifier
from ..pairings.swiss import Swiss
from ..pairings.tables import BOT, DRAW, LOSS, NOBODY, WIN, Fixture, MatchResult, TableRow, at_the_line
from .events import (
    Attended,
    Begun,
    Change,
    Confirmed,
    CountedGame,
    Entered,
    Event,
    HandedIn,
    JournalLine,
    Played,
    StageDrawn,
    Undone,
)
from .plan import MAX_ENTRIES, NONE_YET, ContestPlan, Entry, check_name
from .points import Rule, rule_of
from .steps import ChooseAdvancing, ConfirmResult, DecideTie, DrawStage, FillIn, Over, PlayMatch, Step

LOT = "lot"
"""The reason of a decision by lot, in the journal."""


@dataclasses.dataclass
class Stage:
    """A stage that has begun: its name and its format with the entries in it."""

    name: str
    form: Format


class Sum(NamedTuple):
    """What a match came to.

    won : games won by each entry. totals : points of each. parts : their parts. winner : NOBODY if it is a tie.
    places : points by place, for matches of more than two.
    """

    won: tuple[int, ...]
    totals: tuple[float, ...]
    parts: tuple[dict[str, float], ...]
    winner: int
    places: tuple[float, ...]


def add_up(entries: Sequence[int], games: Iterable[CountedGame], rule: Rule) -> Sum:
    """Return what the games of a match come to: games won, then points, then the parts that the rule names."""
    won = dict.fromkeys(entries, 0)
    places = dict.fromkeys(entries, 0.0)
    parts: dict[int, dict[str, float]] = {entry: {} for entry in entries}
    for game in games:
        if len(game.first) == 1:
            won[game.first[0]] += 1
        for entry, value, numbers in zip(game.seats, game.returns, game.parts, strict=True):
            below = sum(other < value for other in game.returns)
            equal = sum(other == value for other in game.returns) - 1
            places[entry] += below + equal / 2
            for name, number in numbers.items():
                parts[entry][name] = parts[entry].get(name, 0) + number
    totals = {entry: sum(numbers.values()) for entry, numbers in parts.items()}
    keys = {entry: (won[entry], totals[entry], *(parts[entry].get(name, 0) for name in rule.ties)) for entry in entries}
    best_key = max(keys.values())
    leaders = [entry for entry in entries if keys[entry] == best_key]
    return Sum(
        tuple(won.values()), tuple(totals.values()), tuple(parts.values()),
        leaders[0] if len(leaders) == 1 else NOBODY, tuple(places.values()),
    )  # fmt: skip


class State:
    """A contest at a moment; `apply` takes it to the next.

    Attributes
    ----------
    plan : ContestPlan
        The plan it began with.
    entries : dict
        The entries by number.
    absent : set
        Numbers of those who do not play any more.
    stages : list of Stage
        The stages that have begun.
    played : dict
        For each match by its id what was played: first, and in its replays on other maps.
    confirmed : dict
        The confirmation of each match by its id.
    """

    def __init__(self, plan: ContestPlan) -> None:
        self.plan = plan
        self.rule = rule_of(plan.game(), plan.data.get("points"))
        self.seats = plan.seats
        self.entries = {entry.number: entry for entry in plan.entries()}
        self.absent: set[int] = set()
        self.stages: list[Stage] = []
        self.played: dict[str, list[Played]] = {}
        self.confirmed: dict[str, Confirmed] = {}

    # -- what is so ------------------------------------------------------------------------------------

    @property
    def stage(self) -> Stage | None:
        """The stage that is played now; None before the first."""
        return self.stages[-1] if self.stages else None

    def sum_of(self, match: Fixture) -> Sum | None:
        """Return what the last games of a match came to; None if it has not been played."""
        attempts = self.played.get(match.id)
        return add_up(match.entries, attempts[-1].games, self.rule) if attempts else None

    def _result(self, match: Fixture) -> MatchResult:
        """Return the result of a confirmed match; its points are those of its first games."""
        attempts = self.played.get(match.id)
        nothing = (0.0,) * len(match.entries)
        first = add_up(match.entries, attempts[0].games, self.rule) if attempts else None
        winner = self.confirmed[match.id].winner
        is_out = winner == NOBODY
        if winner is None:
            summed = self.sum_of(match)
            winner = summed.winner if summed else NOBODY
        points = self._points(match, winner, None if is_out else first)
        totals, parts = (first.totals, first.parts) if first else (nothing, ())
        return MatchResult(match.entries, points, totals, winner, parts)

    def _points(self, match: Fixture, winner: int, summed: Sum | None) -> tuple[float, ...]:
        if len(match.entries) > 2:
            return summed.places if summed else (0.0,) * len(match.entries)
        if winner == NOBODY:
            return (float(DRAW if summed else LOSS),) * 2
        return tuple(float(WIN if entry == winner else LOSS) for entry in match.entries)

    def results(self, stage: Stage) -> dict[str, MatchResult]:
        """Return the results of a stage by match: those confirmed, and walkovers against absent entries."""
        results: dict[str, MatchResult] = {}
        while True:
            before = len(results)
            for match in stage.form.matches(results):
                if match.id in results or not match.is_known:
                    continue
                if match.id in self.confirmed:
                    results[match.id] = self._result(match)
                elif self.absent.intersection(match.entries) and match.kind != "qualifier":
                    here = [entry for entry in match.entries if entry not in self.absent]
                    winner = here[0] if len(here) == 1 else NOBODY
                    points = (
                        self._points(match, winner, None) if len(match.entries) == 2 else (0.0,) * len(match.entries)
                    )
                    results[match.id] = MatchResult(match.entries, points, (0.0,) * len(match.entries), winner)
            if len(results) == before:
                return results

    def matches(self, stage: Stage) -> list[Fixture]:
        """Return the matches of a stage that are known so far, in the order of play."""
        return stage.form.matches(self.results(stage))

    def find(self, name: str) -> tuple[Stage, Fixture] | None:
        """Return the match of this id and its stage; None if there is none now."""
        for stage in self.stages:
            for match in self.matches(stage):
                if match.id == name:
                    return stage, match
        return None

    def standings(self, stage: Stage) -> list[TableRow]:
        """Return the table of a stage."""
        return stage.form.standings(self.results(stage))

    def is_walkover(self, match: Fixture) -> bool:
        """Return whether a match is not played because somebody is absent."""
        return match.id not in self.confirmed and bool(self.absent.intersection(match.entries))

    def waiting(self, stage: Stage) -> list[Fixture]:
        """Return the matches that are still to be played or confirmed, in the order of play."""
        results = self.results(stage)
        return [
            match for match in stage.form.matches(results)
            if match.id not in results and not self.absent.intersection(match.entries)
        ]  # fmt: skip

    def unconfirmed(self) -> list[Fixture]:
        """Return the matches that were played, with results that are not confirmed."""
        found = [self.find(name) for name in self.played if name not in self.confirmed]
        return [one[1] for one in found if one is not None]

    @property
    def takes_entries(self) -> bool:
        """Whether an entry can still be added: not to a bracket that has begun, or that others have qualified for."""
        stage = self.stage
        return not (
            stage is not None
            and isinstance(stage.form, Bracket)
            and (len(self.plan.stages) > 1 or any(match.id in self.played for match in self.matches(stage)))
        )

    def step(self) -> Step:
        """Return what the organiser does next."""
        stage = self.stage
        if stage is None:
            return DrawStage(tuple(entry for entry in self.entries if entry not in self.absent))
        left = self.waiting(stage)
        for match in left:
            if match.id in self.played:
                summed = self.sum_of(match)
                is_tied = match.is_knockout and summed is not None and summed.winner == NOBODY
                return DecideTie(match) if is_tied else ConfirmResult(match)
        known = [(match, self.missing(match)) for match in left if match.is_known]
        for match, missing in sorted(known, key=lambda one: bool(one[1])):  # those that can be played first
            return FillIn(match, missing) if missing else PlayMatch(match)
        if len(self.stages) == len(self.plan.stages):
            return Over()
        return self._advance(stage)

    def missing(self, match: Fixture) -> tuple[int, ...]:
        """Return the entries of a match that have not handed in a program."""
        return tuple(one for one in match.entries if one != BOT and self.entries[one].play == NONE_YET)

    def _advance(self, stage: Stage) -> Step:
        """Return the step that draws the next stage: who advances, in the order of seeds."""
        number = self.plan.advance(stage.name)
        rows = [row for row in self.standings(stage) if row.entry not in self.absent]
        groups = [[row for row in rows if row.group == letter] for letter in sorted({row.group for row in rows})]
        tiers: list[list[int]] = [[] for _ in range(number)]
        sure: list[int] = []
        tied: list[int] = []
        wanted = 0
        for group in groups:
            wanted += min(number, len(group))
            above, line = at_the_line(group, number)
            sure += above
            if len(above) + len(line) > number:
                tied += line
            for place, entry in enumerate([*above, *line][:number]):
                tiers[place].append(entry)
        if tied:
            return ChooseAdvancing(tuple(sure), tuple(tied), wanted)
        order = seed_bracket(tiers) if isinstance(stage.form, Groups) else [entry for tier in tiers for entry in tier]
        return DrawStage(tuple(order), wanted)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to do."""
        return isinstance(self.step(), Over)

    @property
    def last(self) -> str | None:
        """The id of the match that was confirmed last."""
        return next(reversed(self.confirmed), None)

    # -- what happens ----------------------------------------------------------------------------------

    def apply(self, event: Change) -> None:
        """Take an event; raise ConfigError, and change nothing, if it is not possible now."""
        match event:
            case Entered():
                self._enter(event)
            case HandedIn():
                self._hand_in(event)
            case Attended():
                self._attend(event)
            case StageDrawn():
                self._draw(event)
            case Played():
                self._play(event)
            case Confirmed():
                self._confirm(event)
            case _:
                assert_never(event)

    def _entry(self, number: int) -> Entry:
        if number not in self.entries:
            raise ConfigError(f"entry: expected 1..{len(self.entries)}, got {number}")
        return self.entries[number]

    def _enter(self, event: Entered) -> None:
        if event.number != len(self.entries) + 1 or len(self.entries) >= MAX_ENTRIES:
            raise ConfigError(f"entry: expected the number {len(self.entries) + 1}, got {event.number}")
        if check_name(event.name) in (entry.name for entry in self.entries.values()):
            raise ConfigError(f"name: {event.name} is taken")
        number, stage = event.number, self.stage
        if not self.takes_entries:
            raise ConfigError("entry: the bracket has begun: undo its matches, or take the place of an entry")
        if stage is not None:
            if isinstance(stage.form, Bracket):
                seeds = stage.form.entries
                stage.form = Bracket([*seeds, number], stage.form.has_third, stage.form.is_double)
            else:
                stage.form = stage.form.with_late(number, self.results(stage))
        self.entries[number] = Entry(number, event.name, event.play, event.sha256)

    def _hand_in(self, event: HandedIn) -> None:
        entry = self._entry(event.number)
        for name in self.played:
            if name not in self.confirmed and (found := self.find(name)) and entry.number in found[1].entries:
                raise ConfigError(
                    f"entry: {entry.name}: programs are not exchanged during a match: confirm {name} first"
                )
        self.entries[entry.number] = dataclasses.replace(entry, play=event.play, sha256=event.sha256)

    def _attend(self, event: Attended) -> None:
        entry = self._entry(event.number)
        if (entry.number in self.absent) == event.is_absent:
            raise ConfigError(f"entry: {entry.name} is {'absent' if event.is_absent else 'here'} already")
        stage = self.stage
        before = set(self.absent), stage.form if stage else None
        if event.is_absent:
            if stage is not None and isinstance(stage.form, Swiss):
                stage.form = stage.form.without(entry.number, self.results(stage))
            self.absent.add(entry.number)
        else:
            self.absent.discard(entry.number)
            if stage is not None and isinstance(stage.form, Swiss):
                left = {one: number for one, number in stage.form.left.items() if one != entry.number}
                joined = stage.form.joined | {entry.number: stage.form.fresh_round(self.results(stage))}
                stage.form = Swiss(stage.form.entries, stage.form.rounds, joined, left)
        if not self._is_sound():
            self.absent = before[0]
            if stage is not None and before[1] is not None:
                stage.form = before[1]
            raise ConfigError(f"entry: {entry.name}: matches were played since: undo them first")

    def _is_sound(self) -> bool:
        """Return whether every match that was played or confirmed is a match of the contest, with these entries."""
        known = {match.id: match for stage in self.stages for match in self.matches(stage)}
        return all(
            name in known and sorted(known[name].entries) == sorted(attempts[0].entries)
            for name, attempts in self.played.items()
        ) and all(name in known for name in self.confirmed)

    def _draw(self, event: StageDrawn) -> None:
        if event.stage != len(self.stages) or event.stage >= len(self.plan.stages):
            raise ConfigError(f"stage: expected {len(self.stages)}, got {event.stage}")
        step = self.step()
        chosen = list(event.entries)
        if not isinstance(step, DrawStage | ChooseAdvancing):
            raise ConfigError("draw: the stage before is not over")
        allowed = {*step.entries} if isinstance(step, DrawStage) else {*step.sure, *step.tied}
        if len(set(chosen)) < len(chosen) or not set(chosen) <= allowed:
            raise ConfigError(f"draw: expected entries that advance, got {chosen}")
        if isinstance(step, DrawStage) and set(chosen) != allowed:
            raise ConfigError(f"draw: expected {list(step.entries)}, got {chosen}")
        if isinstance(step, ChooseAdvancing) and (not set(step.sure) <= set(chosen) or len(chosen) > step.places):
            raise ConfigError(f"draw: expected {step.places} entries with all of {list(step.sure)}, got {chosen}")
        name = self.plan.stages[event.stage]
        if len(chosen) < self.seats and name != "qualifier":
            raise ConfigError(f"draw: expected at least {self.seats} entries, got {len(chosen)}")
        self.stages.append(Stage(name, self.plan.make(name, chosen)))

    def seeds(self, chosen: Sequence[int]) -> list[int]:
        """Return the entries that were chosen to advance in the order of the seeds of the next stage."""
        stage = self.stage
        if stage is None:
            return list(chosen)
        rows = [row for row in self.standings(stage) if row.entry in chosen]
        if isinstance(stage.form, Qualifier):
            return [row.entry for row in rows]
        tiers: list[list[int]] = []
        for letter in sorted({row.group for row in rows}):
            for place, row in enumerate(one for one in rows if one.group == letter):
                if place == len(tiers):
                    tiers.append([])
                tiers[place].append(row.entry)
        return seed_bracket(tiers)

    def _open(self, name: str) -> Fixture:
        found = self.find(name)
        if found is None or found[0] is not self.stage:
            raise ConfigError(f"match: {name} is no match of this stage")
        if name in self.confirmed:
            raise ConfigError(f"match: {name} is confirmed: undo it first")
        if not found[1].is_known:
            raise ConfigError(f"match: {name}: its entries are not known yet")
        if self.is_walkover(found[1]):
            raise ConfigError(f"match: {name}: an entry is absent")
        return found[1]

    def _play(self, event: Played) -> None:
        match = self._open(event.match)
        if sorted(match.entries) != sorted(event.entries):
            raise ConfigError(f"match: {match.id} is between {list(match.entries)}, got {list(event.entries)}")
        for game in event.games:
            if sorted(game.seats) != sorted(match.entries) or len(game.returns) != len(match.entries):
                raise ConfigError(f"match: {match.id}: a game of {game.seats}")
            if len(game.parts) != len(match.entries):
                raise ConfigError(f"match: {match.id}: expected the points of {len(match.entries)}")
        if not event.games:
            raise ConfigError(f"match: {match.id}: no game")
        attempts = self.played.get(match.id, [])
        if attempts and not isinstance(self.step(), DecideTie):
            raise ConfigError(f"match: {match.id} was played already")
        self.played[match.id] = [*attempts, event]

    def _confirm(self, event: Confirmed) -> None:
        match, winner = self._open(event.match), event.winner
        if winner is not None and winner != NOBODY and winner not in match.entries:
            raise ConfigError(f"winner: expected one of {list(match.entries)} or {NOBODY}, got {winner}")
        summed = self.sum_of(match)
        if winner is None:
            if summed is None:
                raise ConfigError(f"match: {match.id} has not been played")
            if match.is_knockout and summed.winner == NOBODY:
                raise ConfigError(f"match: {match.id} is tied: replay it, or decide it with a reason")
        elif not event.why.strip():
            raise ConfigError(f"match: {match.id}: a decision of the organiser needs a reason")
        self.confirmed[match.id] = event

    def lot(self, match: Fixture) -> int:
        """Return the entry that the lot of the contest draws for a match."""
        at = sum(match.id.encode()) + 7919 * len(match.id)
        return match.entries[self.plan.random(at) >> 17 & 1]

    def drawn_by_lot(self, entries: Iterable[int]) -> list[int]:
        """Return entries in the order that the lot of the contest draws for the next stage."""
        base = (len(self.stages) + 1) << 32
        return sorted(entries, key=lambda entry: (self.plan.random(base + entry), entry))


def state_after(plan: ContestPlan, changes: Iterable[Change]) -> State:
    """Return the state of a contest after these changes."""
    state = State(plan)
    for change in changes:
        state.apply(change)
    return state


def fold(plan: ContestPlan, lines: Iterable[JournalLine]) -> tuple[State, dict[int, Change]]:
    """Return the state after these lines of a journal (without its first), and the changes that count, by number."""
    state = State(plan)
    counting: dict[int, Change] = {}
    for line in lines:
        match line.event:
            case Begun():
                raise ConfigError("contest: it begins a second time")
            case Undone(of=dropped):
                counting = {number: change for number, change in counting.items() if number not in dropped}
                state = state_after(plan, counting.values())
            case change:
                state.apply(change)
                counting[line.n] = change
    return state, counting


def dependents(plan: ContestPlan, counting: Mapping[int, Change], dropped: Iterable[int]) -> list[int]:
    """Return the numbers of the events that go if these are taken back: they, and what is impossible without them."""
    gone = set(dropped)
    integer("undo", len(gone), 1, len(counting))
    state = State(plan)
    for number, change in counting.items():
        if number in gone:
            continue
        try:
            state.apply(change)
        except ConfigError:
            gone.add(number)
    return sorted(gone)


def plan_of(event: Event, folder: Path) -> ContestPlan:
    """Return the plan that a contest began with, from the first event of its journal."""
    if not isinstance(event, Begun):
        raise ConfigError("contest: the journal does not begin with its plan")
    return ContestPlan(event.plan, folder)
