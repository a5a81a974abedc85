"""Matches: one game between seats, with clocks, and a record of the moves, faults and result.

The game defines the cost of a fault and the reason of its end (`hooks.py`).
"""

from __future__ import annotations

import asyncio
import dataclasses
import operator
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from ..agent import View
from ..core._state import State
from ..core.rng import stream
from ..errors import IllegalActionError
from ..game import Game
from ..records.replay import Blame, Forfeit, Replay, play_move, results
from ..results import reason_of, winners
from .clock import Clock, TimeControl
from .seat import ILLEGAL, NOT_STARTED, TIMEOUT, Fault, GameEnd, Seat

Turn = Forfeit | Sequence[int]

SKIPPED, RESTARTED = "skipped", "started again"
"""Causes of remarks (`Seat.remarks`): commands without effect; a program that had ended between two games."""
NOT_PLAYED = "not played"
"""The reason of a game that was not played, because a program could not be started."""
MAX_STARTS = 3  # in a row, of a program that ends at once
MAX_REMARKS = 100  # kept of each player in a game
LOG_LINES, LOG_CHARS = 12, 4000  # kept of a program's stderr at a fault: the first error, and the end
NAMES_ERROR = re.compile(r"\w(?:Error|Exception)\b|\b(?:[Ee]rror|ERROR|panic|Exception|panicked at)\b[: ]")


@dataclasses.dataclass
class Record:
    """A match that was played.

    Attributes
    ----------
    replay : Replay
        The game, with its moves, times, results and reason. If it was not played (`is_played`) it has no moves, and
        its results are those of a walkover.
    faults : list of Blame
        The faults, in order; `log` holds the traceback of an agent, or the last lines of a program's stderr.
    remarks : list of Blame
        What had no effect and is no fault, such as skipped commands, in order; at most 100 of each player.
    logs : list of str
        What each program wrote for people (stderr), by player.
    """

    replay: Replay
    faults: list[Blame]
    remarks: list[Blame]
    logs: list[str]

    @property
    def is_played(self) -> bool:
        """Whether the game was played: whether all programs could be started."""
        return self.replay.reason != NOT_PLAYED

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain JSON types; the moves are in the replay."""
        replay = self.replay
        return {
            "game": replay.game.name,
            "seed": replay.seed,
            "names": replay.names,
            "returns": replay.returns,
            "scores": replay.scores,
            "winners": winners(replay.returns),
            "reason": replay.reason,
            "plies": len(replay.moves),
            "faults": [fault._asdict() for fault in self.faults],
            "remarks": [remark._asdict() for remark in self.remarks],
            "logs": self.logs,
        }


class Moment(NamedTuple):
    """A moment of a match, between two decisions.

    Attributes
    ----------
    state : State
        The position; it must not be changed.
    names : list of str
        Names of the players.
    moves : sequence
        What was played so far, as in a Replay.
    left_ms : list of (int or None)
        Milliseconds left on each player's clock, None without a clock.
    ms : sequence
        The time of each move, as in a Replay.
    """

    state: State
    names: list[str]
    moves: Sequence[Any]
    left_ms: list[int | None]
    ms: Sequence[Any]


class Interrupted(NamedTuple):
    """The part of a match that was played before it was interrupted.

    Attributes
    ----------
    moves : sequence
        What was played, as in a Replay.
    ms : sequence
        The time of each move, as in a Replay; the clocks are charged with it.
    """

    moves: Sequence[Any]
    ms: Sequence[Any]


Follow = Callable[[Moment], Awaitable[None]]
"""Follows a match: the match waits for it between two decisions, while all clocks stand."""


async def play_match(
    game: Game,
    seats: Sequence[Seat],
    seed: int,
    control: TimeControl | None = None,
    watch: Callable[[State], None] | None = None,
    follow: Follow | None = None,
    begun: Interrupted | None = None,
    start: State | None = None,
) -> Record:
    """Play one game between seats, from `new_state(seed)` or another start to its end; the seats stay open.

    Faults of players do not raise: the game judges them, and they are recorded. If a program cannot be started three
    times in a row, this game and all others of its seat are not played (`Record.is_played`).

    Parameters
    ----------
    game : Game
        The game.
    seats : sequence of Seat
        seats[p] is player p; `seats.make_seat` makes one.
    seed : int
        Seed of the start; agents start from stream(seed, player).
    control : TimeControl, optional
        Time of each player. None: no limit except those of the seats.
    watch : callable, optional
        Called with the first position and after each move; it must not change the state.
    follow : callable, optional
        Awaited at the first position and after each move; a page for people sets the pace there.
    begun : Interrupted, optional
        What was played of an interrupted match, which goes on. Agents begin anew in its last position; faults before
        the interruption are forgotten.
    start : State, optional
        The first position; it is copied. None: `new_state(seed)`.

    Returns
    -------
    Record
        The game, the faults and the logs.

    Raises
    ------
    ValueError
        If the number of seats is not the number of players, or if a move of `begun` is illegal.
    MatchError
        If a seat cannot play the game at all and is not to blame, such as a program that does not accept the game.
    """
    match = _Match(game, seats, seed, control or TimeControl(), watch, follow, start)
    if begun is not None:
        match.resume(begun)
    await match.start()
    if match.absent:
        return match.walkover()
    while not match.is_over:
        await (match.turn_of_all() if game.is_simultaneous else match.turn())
    return await match.end()


def neutral(state: State, player: int, fault: Fault) -> list[int]:
    """Return the lowest legal action of each of the player's slots; after an illegal answer, only of illegal ones."""
    view = View(state, player)
    given = fault.actions if fault.cause == ILLEGAL and fault.actions else [None] * len(view.slots)
    return [
        int(view.legal_actions(slot)[0]) if action is None else action
        for slot, action in zip(view.slots, given, strict=True)
    ]


class _Match:
    def __init__(
        self,
        game: Game,
        seats: Sequence[Seat],
        seed: int,
        control: TimeControl,
        watch: Callable[[State], None] | None,
        follow: Follow | None,
        start: State | None,
    ) -> None:
        if len(seats) != game.num_players:
            raise ValueError(f"seats: expected {game.num_players}, got {len(seats)}")
        self.state = game.new_state(seed) if start is None else start.clone()
        self._start = start
        self._game, self._seats, self._seed, self._watch, self._follow = game, seats, seed, watch, follow
        self._clock = Clock(control, game.num_players)
        self._penalty: Callable[[State, int, Fault], Turn] = game.hook("penalty") or neutral
        self._mover = 0
        self._moves: list[Any] = []
        self._ms: list[Any] = []
        self._blames: list[Blame] = []
        self._remarks: list[Blame] = []
        self._gone: dict[int, Fault] = {}  # players that are not asked again
        self.absent: set[int] = set()  # players whose programs could not be started
        self._failures = [0] * game.num_players  # number of failed decisions, by player
        self._verdict: Forfeit | None = None  # in a game without forfeits

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self._verdict is not None or self.state.is_terminal()

    def resume(self, begun: Interrupted) -> None:
        """Play the moves of an interrupted match, and charge the clocks with their times."""
        for move, used in zip(begun.moves, begun.ms, strict=True):
            self._mover = max(0, self.state.current_player)
            play_move(self.state, move, self._moves[-1:])
            for player, spent in enumerate(used) if isinstance(used, list) else [(self._mover, used)]:
                if spent is not None:
                    self._clock.start(player)
                    self._clock.charge(player, spent)
            self._moves.append(move)
            self._ms.append(used)
            if isinstance(move, Forfeit) and not self._game.has_forfeits:
                self._verdict = move

    async def start(self) -> None:
        """Open all seats, then start the game in each of them, one after the other.

        A player that fails here is judged when it is to move.
        """
        for player, seat in enumerate(self._seats):
            seat.player = player
        tasks = [asyncio.create_task(self._open(player)) for player in range(self._game.num_players)]
        try:
            await asyncio.gather(*tasks)
        finally:  # if the match cannot be held, stop the seats that still wait
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        names = [seat.name for seat in self._seats]
        for player, seat in enumerate(self._seats):
            if player in self._gone or self.absent:
                continue
            seat.note(f"{self._game.name}, seed {self._seed}: player {player} of {', '.join(map(repr, names))}")
            while not await self._try(player, seat.start(self._view(player), names, stream(self._seed, player))):
                await self._open(player)
                if player in self._gone:
                    break
            else:
                seat.missed_starts = 0
        if not self.absent:
            await self._show()

    async def _open(self, player: int) -> None:
        while not await self._try(player, self._seats[player].open(self._game, self._clock.control)):
            pass
        self._note_remarks(player, RESTARTED)

    async def _try(self, player: int, beginning: Awaitable[None]) -> bool:
        """Await a part of a player's beginning, and judge the player if it fails; return False if it is to be repeated.

        That is if its program could not be started. After MAX_STARTS such attempts in a row the player is absent, and
        there is one attempt in each later game.
        """
        seat = self._seats[player]
        try:
            await beginning
        except Fault as fault:
            if fault.cause == NOT_STARTED:
                seat.missed_starts += 1
                if seat.missed_starts < MAX_STARTS:
                    return False
                self.absent.add(player)
            self._blame(player, fault)
        return True

    async def turn(self) -> None:
        """Play a turn of the player to move: all actions that it gave at once."""
        self._mover = player = self.state.current_player
        turn, used = await self._ask(player)
        before = len(self._moves)
        try:
            await self._play(player, turn, used)
        except Fault as fault:
            turn = self._judge(player, fault)
            if isinstance(turn, Forfeit) or self.state.current_player == player:
                await self._play(player, turn, used if len(self._moves) == before else None)

    async def _play(self, player: int, turn: Turn, used: float | None) -> None:
        """Play a turn to its end; raise Fault at an illegal action, after playing those before it."""
        if isinstance(turn, Forfeit):
            await self._forfeit(turn)
            return
        if not turn:
            raise Fault(ILLEGAL, "no action", is_final=False)
        for action in turn:
            if self.state.is_terminal():
                break
            try:
                if self.state.current_player != player:
                    raise IllegalActionError(f"action {action!r:.60} comes after the end of the turn")
                self.state.apply(operator.index(action))
            except (ValueError, TypeError) as error:
                raise Fault(ILLEGAL, _first_line(error), is_final=False) from None
            await self._note_move(operator.index(action), used)
            used = None  # the time of a turn is recorded with its first action

    async def turn_of_all(self) -> None:
        """Play a turn in which every player decides at once."""
        deciding = self.state.slots.tolist()
        async with asyncio.TaskGroup() as group:
            asked = {player: group.create_task(self._ask(player)) for player in sorted(set(deciding))}
        actions = [0] * len(deciding)
        used: list[float | None] = [None] * self._game.num_players
        for player, task in asked.items():
            turn, used[player] = task.result()
            slots = [slot for slot, decider in enumerate(deciding) if decider == player]
            if not isinstance(turn, Forfeit):
                fault = self._refuse(slots, turn)
                if fault:
                    turn = self._judge(player, fault)
            if isinstance(turn, Forfeit):
                self._mover = player
                await self._forfeit(turn)
                return
            for slot, action in zip(slots, turn, strict=True):
                actions[slot] = operator.index(action)
        self.state.apply(actions)
        await self._note_move(actions, used)

    def _refuse(self, slots: Sequence[int], actions: Sequence[int]) -> Fault | None:
        """Return the fault of a player that gave these actions for its slots; None if all may be played."""
        if len(actions) != len(slots):
            return Fault(ILLEGAL, f"expected {len(slots)} actions, got {len(actions)}", is_final=False)
        allowed = [self._allow(*pair) for pair in zip(slots, actions, strict=True)]
        for slot, action, its in zip(slots, actions, allowed, strict=True):
            if its is None:
                return Fault(ILLEGAL, f"action {action!r:.60} in slot {slot}", actions=allowed, is_final=False)
        return None

    def _allow(self, slot: int, action: Any) -> int | None:
        """Return the action as an int; None if it may not be played in the slot."""
        try:
            code = operator.index(action)
        except TypeError:
            return None
        return code if code in self.state.legal_actions(slot) else None

    async def _ask(self, player: int) -> tuple[Turn, float | None]:
        """Return the player's turn, or its replacement, and its time in milliseconds, None if it was not asked."""
        if player in self._gone:
            return self._cost(player, self._gone[player]), None
        left_ms, each_ms = self._clock.left_ms(player), self._clock.control.each_ms
        view = View(self.state.clone(), player, left_ms, each_ms)  # a copy: a late agent may still read it
        timer = self._clock.start(player)
        try:
            turn: Turn = await self._seats[player].act(view, timer)
            used = timer.stop()
            if timer.is_late:
                raise Fault(TIMEOUT, f"the answer came after {used:.0f} ms", actions=turn, is_final=False)
        except Fault as fault:
            turn = self._judge(player, fault)
        self._note_remarks(player)
        return turn, timer.stop()

    def _note_remarks(self, player: int, cause: str = SKIPPED) -> None:
        """Record what the player's seat remarks about the turn, or before the game with what its program wrote."""
        seat = self._seats[player]
        found, seat.remarks = seat.remarks, ()
        left = MAX_REMARKS - sum(remark.player == player for remark in self._remarks)
        log = end_of(seat.log_so_far()) if cause == RESTARTED and found else ""
        self._remarks += [Blame(player, len(self._moves), cause, detail, log) for detail in found[: max(0, left)]]

    async def _note(self, move: int | list[int] | Forfeit, used: Any) -> None:
        self._moves.append(move)
        self._ms.append(used)
        await self._show()

    async def _note_move(self, move: int | list[int] | Forfeit, used: Any) -> None:
        """Record a move, report it to all players, the mover first, and judge those that could not be reached."""
        await self._note(move, used)
        faults: dict[int, Fault] = {}
        for player in self._from_mover():
            if player not in self._gone:
                try:
                    await self._seats[player].tell(self._view(player))
                except Fault as fault:
                    faults[player] = fault
                    self._blame(player, fault)
        for player, its in faults.items():
            if not self.is_over:
                turn = self._cost(player, its)
                if isinstance(turn, Forfeit):  # other penalties are played when the player is to move
                    await self._forfeit(turn)

    async def _forfeit(self, forfeit: Forfeit) -> None:
        """Record a player's loss and report it to those who play on; one that ends the game is reported by `end`."""
        if not self._game.has_forfeits:
            self._verdict = forfeit
            await self._note(forfeit, None)
            return
        self.state.forfeit(*forfeit)
        if self.state.is_terminal():
            await self._note(forfeit, None)
        else:
            await self._note_move(forfeit, None)

    def walkover(self) -> Record:
        """Return the record of a game that was not played: those who are absent have lost it to the others."""
        is_here = [player not in self.absent for player in range(self._game.num_players)]
        returns = [(1.0 if here else -1.0) if any(is_here) else 0.0 for here in is_here]
        names, scores = [seat.name for seat in self._seats], [0] * self._game.num_players
        replay = Replay(self._game, self._seed, names, [], returns, scores, [], NOT_PLAYED, notes=tuple(self._blames))
        return Record(replay, self._blames, self._remarks, [seat.log_so_far() for seat in self._seats])

    async def end(self) -> Record:
        """Report the end to every seat, the mover first, and return the record."""
        reason = reason_of(self.state) if self._verdict is None else str(self._verdict.cause)
        returns = results(self.state, self._moves)
        outcome = GameEnd(self.state, returns, reason, dict(self._gone))
        for player in self._from_mover():
            try:
                await self._seats[player].end(outcome)
            except Fault as fault:
                self._blame(player, fault)
        state, names = self.state, [seat.name for seat in self._seats]
        scores = state.scores().tolist()
        notes = sorted((*self._blames, *self._remarks), key=lambda note: note.ply)
        start = None if self._start is None else self._start.to_dict()
        replay = Replay(
            self._game, self._seed, names, self._moves, returns, scores, self._ms, reason, start, tuple(notes)
        )
        return Record(replay, self._blames, self._remarks, [seat.log for seat in self._seats])

    def _from_mover(self) -> list[int]:
        """Return all players in turn, from the one whose turn it is or was."""
        players = range(self._game.num_players)
        return [*players[self._mover :], *players[: self._mover]]

    def _view(self, player: int) -> View:
        return View(self.state, player, self._clock.left_ms(player), self._clock.control.each_ms)

    def _judge(self, player: int, fault: Fault) -> Turn:
        """Return what is played in place of a turn that went wrong, and record the fault."""
        turn = self._cost(player, fault)
        self._blame(player, fault)
        return turn

    def _cost(self, player: int, fault: Fault) -> Turn:
        """Return the game's penalty for a fault, and count it for the player."""
        self._failures[player] += 1
        fault.number = self._failures[player]
        return self._penalty(self.state, player, fault)

    def _blame(self, player: int, fault: Fault) -> None:
        log = fault.log or end_of(self._seats[player].log_so_far())
        its = [blame.log for blame in self._blames if blame.player == player and blame.log]
        log = "" if its[-1:] == [log] else log  # nothing new
        self._blames.append(Blame(player, len(self._moves), fault.cause, fault.detail, log))
        self._seats[player].note(f"fault in move {len(self._moves) + 1}: {fault}")
        if fault.is_final:  # without its actions: those completed before the fault are played only once
            self._gone.setdefault(player, Fault(fault.cause, fault.detail))

    async def _show(self) -> None:
        if self._watch:
            self._watch(self.state)
        if self._follow:
            names = [seat.name for seat in self._seats]
            left = [self._clock.left_ms(player) for player in range(self._game.num_players)]
            await self._follow(Moment(self.state, names, self._moves, left, self._ms))


def end_of(log: str) -> str:
    """Return the last lines of a log, for people, after the first line that names an error if it is above them."""
    lines = log.rstrip().split("\n")
    last = log[-LOG_CHARS:].rstrip().split("\n")[-LOG_LINES:]
    named = next((number for number, line in enumerate(lines) if NAMES_ERROR.search(line)), len(lines))
    if named < len(lines) - len(last):
        last = [lines[named][:LOG_CHARS], "...", *last[2:]]
    return "\n".join(last)


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]
