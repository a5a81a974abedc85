"""A match: one game between seats, with clocks, and a record that says who did what and why it ended.

What a fault costs and why a game ended is said by the game (`hooks.py`).
"""

from __future__ import annotations

import asyncio
import dataclasses
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..agent import View
from ..core.rng import stream
from ..errors import IllegalActionError
from ..records.replay import Forfeit, Replay, results, winners
from .clock import Clock, TimeControl
from .hooks import hook
from .seat import ILLEGAL, TIMEOUT, Fault, Outcome, Seat

if TYPE_CHECKING:
    from ..core._state import State
    from ..game import Game

Turn = Forfeit | Sequence[int]


class Blame(NamedTuple):
    """A fault as it is recorded: `ply` counts the moves played before it."""

    player: int
    ply: int
    cause: str
    detail: str


@dataclasses.dataclass
class Record:
    """A match that was played: the game, the faults in order, and what each program wrote for people."""

    replay: Replay
    faults: list[Blame]
    logs: list[str]

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain JSON types; the moves are in the replay."""
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
            "logs": self.logs,
        }


async def play_match(
    game: Game,
    seats: Sequence[Seat],
    seed: int,
    control: TimeControl | None = None,
    watch: Callable[[State], None] | None = None,
) -> Record:
    """One game from `new_state(seed)` to its end, seats[p] being player p; seats stay open.

    control : the time of each player; None: no limit but what seats keep themselves. watch : called with the first
    position and after each move; it must not change the state. Agents start from stream(seed, player).
    Nothing that a program does raises here.
    """
    match = _Match(game, seats, seed, control or TimeControl(), watch)
    await match.start()
    while not match.is_over:
        await (match.turn_of_all() if game.is_simultaneous else match.turn())
    return await match.end()


def neutral(state: State, player: int, fault: Fault) -> list[int]:
    """The lowest legal action of each of the player's slots; after an illegal answer, of those where it was."""
    view = View(state, player)
    given = fault.actions if fault.cause == ILLEGAL and fault.actions else [None] * len(view.slots)
    return [
        int(view.legal_actions(slot)[0]) if action is None else action
        for slot, action in zip(view.slots, given, strict=True)
    ]


class _Match:
    def __init__(
        self, game: Game, seats: Sequence[Seat], seed: int, control: TimeControl, watch: Callable[[State], None] | None
    ) -> None:
        if len(seats) != game.num_players:
            raise ValueError(f"seats: {game.num_players} are wanted, not {len(seats)}")
        self.state = game.new_state(seed)
        self._game, self._seats, self._seed, self._watch = game, seats, seed, watch
        self._clock = Clock(control, game.num_players)
        self._penalty: Callable[[State, int, Fault], Turn] = hook(game, "penalty") or neutral
        self._reason: Callable[[State], str | None] = hook(game, "reason") or (lambda _: None)
        self._mover = 0
        self._moves: list[Any] = []
        self._ms: list[Any] = []
        self._blames: list[Blame] = []
        self._gone: dict[int, Fault] = {}  # players who are asked nothing more
        self._failures = [0] * game.num_players  # decisions that went wrong
        self._verdict: Forfeit | None = None  # in a game that knows no forfeits

    @property
    def is_over(self) -> bool:
        """Whether there is nothing more to play."""
        return self._verdict is not None or self.state.is_terminal()

    async def start(self) -> None:
        """Let everybody come, then begin the game in every seat, one after the other.

        Whoever fails is judged when it is to move.
        """
        tasks = [asyncio.create_task(self._open(player)) for player in range(self._game.num_players)]
        try:
            await asyncio.gather(*tasks)
        finally:  # who still waits when the match cannot be held waits no more
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        names = [seat.name for seat in self._seats]
        for player, seat in enumerate(self._seats):
            if player in self._gone:
                continue
            try:
                await seat.start(self._view(player), names, stream(self._seed, player))
            except Fault as fault:
                self._blame(player, fault)
        self._show()

    async def _open(self, player: int) -> None:
        try:
            await self._seats[player].open(self._game, self._clock.control)
        except Fault as fault:
            self._blame(player, fault)

    async def turn(self) -> None:
        """A turn of the player to move: all actions that it gave at once."""
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
        """Play a turn to its end; Fault at an action that is not allowed, those before it stand."""
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
            used = None  # the time of a turn stands beside its first action

    async def turn_of_all(self) -> None:
        """A turn in which every player decides at once."""
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
        """The fault of a player who gave these actions for its slots; None where all may be played."""
        if len(actions) != len(slots):
            return Fault(ILLEGAL, f"{len(slots)} actions are wanted, not {len(actions)}", is_final=False)
        allowed = [self._allow(*pair) for pair in zip(slots, actions, strict=True)]
        for slot, action, its in zip(slots, actions, allowed, strict=True):
            if its is None:
                return Fault(ILLEGAL, f"action {action!r:.60} in slot {slot}", actions=allowed, is_final=False)
        return None

    def _allow(self, slot: int, action: Any) -> int | None:
        """The action as an int; None where it may not be played in the slot."""
        try:
            code = operator.index(action)
        except TypeError:
            return None
        return code if code in self.state.legal_actions(slot) else None

    async def _ask(self, player: int) -> tuple[Turn, float | None]:
        """The player's turn, or what is played in its place; and the milliseconds it took, None if it was not asked."""
        if player in self._gone:
            return self._cost(player, self._gone[player]), None
        view = View(self.state.clone(), player, self._clock.left_ms(player))  # an agent may look at it for too long
        timer = self._clock.start(player)
        try:
            turn: Turn = await self._seats[player].act(view, timer)
            used = timer.stop()
            if timer.is_late:
                raise Fault(TIMEOUT, f"the answer came after {used:.0f} ms", actions=turn, is_final=False)
        except Fault as fault:
            turn = self._judge(player, fault)
        return turn, timer.stop()

    def _note(self, move: int | list[int] | Forfeit, used: Any) -> None:
        self._moves.append(move)
        self._ms.append(used)
        self._show()

    async def _note_move(self, move: int | list[int] | Forfeit, used: Any) -> None:
        """Note a move, tell it to everybody, the mover first, and judge who could not be told."""
        self._note(move, used)
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
                if isinstance(turn, Forfeit):  # anything else is played when the player is to move
                    await self._forfeit(turn)

    async def _forfeit(self, forfeit: Forfeit) -> None:
        """A player has lost: those who play on are told; of one that ends the game all hear at its end."""
        if not self._game.has_forfeits:
            self._verdict = forfeit
            self._note(forfeit, None)
            return
        self.state.forfeit(*forfeit)
        if self.state.is_terminal():
            self._note(forfeit, None)
        else:
            await self._note_move(forfeit, None)

    async def end(self) -> Record:
        """Tell every seat how it ended, the mover first."""
        reason = self._reason(self.state) if self._verdict is None else str(self._verdict.cause)
        returns = results(self.state, self._moves)
        outcome = Outcome(self.state, returns, reason, dict(self._gone))
        for player in self._from_mover():
            try:
                await self._seats[player].end(outcome)
            except Fault as fault:
                self._blame(player, fault)
        state, names = self.state, [seat.name for seat in self._seats]
        scores = state.scores().tolist()
        replay = Replay(self._game, self._seed, names, self._moves, returns, scores, self._ms, reason)
        return Record(replay, self._blames, [seat.log for seat in self._seats])

    def _from_mover(self) -> list[int]:
        """All players in turn, from the one whose turn it is or was."""
        players = range(self._game.num_players)
        return [*players[self._mover :], *players[: self._mover]]

    def _view(self, player: int) -> View:
        return View(self.state, player, self._clock.left_ms(player))

    def _judge(self, player: int, fault: Fault) -> Turn:
        """What is played in the place of a turn that went wrong; the fault is noted."""
        turn = self._cost(player, fault)
        self._blame(player, fault)
        return turn

    def _cost(self, player: int, fault: Fault) -> Turn:
        """What the game says that a fault costs, which is one more of the player's."""
        self._failures[player] += 1
        fault.number = self._failures[player]
        return self._penalty(self.state, player, fault)

    def _blame(self, player: int, fault: Fault) -> None:
        self._blames.append(Blame(player, len(self._moves), fault.cause, fault.detail))
        if fault.is_final:  # what was complete before it is played once
            self._gone.setdefault(player, Fault(fault.cause, fault.detail))

    def _show(self) -> None:
        if self._watch:
            self._watch(self.state)


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]
