"""A server of the course protocol with the habits of known ones (docs/rules/battleship.md, 13), each a switch."""

import dataclasses
import json

import masume
from habit_server import HabitServer
from masume.agent import View
from masume.agents.make import make_agent
from masume.battleship.protocol import (
    DIALECTS,
    LOSE,
    SETUP,
    WAITING,
    WIN,
    YOUR_TURN,
    map_message,
    observation,
    read_action,
    read_places,
    result,
)


@dataclasses.dataclass(frozen=True)
class Habits:
    """What a server does otherwise than section 13 says.

    dialect : of the messages. outcome : whether the last message tells it. last_word : whether it is sent. line_end :
    after the last word. end : how the connection ends (`HabitServer._leave`). text : a line before every turn. far :
    lets its own ships attack from any distance. leaves : turns after which it stops, as when a program has left.
    """

    dialect: str = "new"
    outcome: bool = True
    last_word: bool = True
    line_end: str = "\n"
    end: str = "close"
    text: str = ""
    far: bool = False
    leaves: int = 0


HABITS = {
    "section 13": Habits(),
    "old": Habits(dialect="old"),
    "closes": Habits(last_word=False),
    "resets": Habits(last_word=False, end="reset"),
    "no outcome": Habits(outcome=False),
    "no line end": Habits(line_end=""),
    "text": Habits(text="turn of the next player\n"),
    "stays": Habits(end="open"),
    "far": Habits(dialect="old", far=True),  # a server of 2020 looks only to one side
    "leaves": Habits(leaves=5),  # submarine_py, when the opponent's program has ended
}


class CourseServer(HabitServer):
    """A server of the course protocol whose other player is an agent.

    Attributes
    ----------
    turns : int
        Turns of both players.
    won : bool or None
        Whether the client won; None for a draw, or a game that the server broke off.
    """

    def __init__(self, habits, side, seed=0, agent="gunner", max_rounds=60, stay_s=0.3):
        self.habits, self.side, self.turns, self.won = habits, side, 0, None
        self._dialect = DIALECTS[habits.dialect]
        self._game = masume.load("battleship", "submarine", max_rounds=max_rounds)
        self._agent = make_agent(agent, self._game)
        self._agent.start(self._game.public, 1 - side, seed)
        super().__init__(stay_s)

    def _say(self, message, end="\n"):
        self._link.sendall(((message if isinstance(message, str) else json.dumps(message)) + end).encode())

    def _hear(self):
        return self._lines.readline().decode()

    def _play(self):
        self._say(self._dialect.greeting)
        if self._dialect.has_map:
            self.name = self._lines.readline()
            self._say(map_message(self._game.config))
        self._state = self._game.new_state(0)
        places = read_places(self._game.config, self._hear())
        while self._state.phase == SETUP:
            is_mine = self._state.current_player == self.side
            self._state.apply(places.pop(0) if is_mine else self._act())
        while not self._state.is_terminal() and self.turns != (self.habits.leaves or -1):
            self._turn()
        self._end()

    def _act(self):
        return int(self._agent.act(View(self._state, 1 - self.side)))

    def _turn(self):
        is_mine = self._state.current_player == self.side
        self._link.sendall(self.habits.text.encode())
        self._say(YOUR_TURN if is_mine else WAITING)
        self.turns += 1
        if not is_mine and self.habits.far and self.turns > 4:
            self._shoot_far()
            return
        if is_mine:
            text = self._hear()
            try:
                self._state.apply(read_action(self._state, text))
            except ValueError as error:
                self.faults.append(f"turn {self.turns}: {error}")
                raise ConnectionError from None
        else:
            self._state.apply(self._act())
        self._tell(result(self._game.config, self._state.events(self.side), self.side))

    def _tell(self, found):
        value = float(self._state.returns()[self.side]) if self._state.is_terminal() else 0
        if value:
            self.won = value > 0
            found |= {"outcome": self.won} if self.habits.outcome else {}
        self._say(found | observation(self._state, self.side, self._dialect))

    def _shoot_far(self):
        """Attack the panel that is farthest from its own ships, of those without a ship of the client."""
        before, width = self._state.to_dict(), self._game.config.width
        own, mine = self._ships(before, 1 - self.side), self._ships(before, self.side)
        free = set(range(self._game.config.panels)) - set(mine.values())
        far = max(sorted(free), key=lambda panel: min(_distance(panel, place, width) for place in own.values()))
        near = [letter for letter, place in mine.items() if _distance(far, place, width) == 1]
        self._state.apply(self._act())
        kept = {name: before[name] for name in ("ship_pos", "ship_hp")}
        self._state = self._game.state_from_dict({**self._state.to_dict(), **kept})
        self._tell({"result": {"attacked": {"position": [far % width, far // width], "near": near}}})

    def _ships(self, variables, player):
        """Return the panels of the living ships by their letters."""
        ships = zip("wcs", variables["ship_pos"][player], variables["ship_hp"][player], strict=True)
        return {letter: panel for letter, panel, hp in ships if hp}

    def _end(self):
        self.is_over = True
        if self._state.is_terminal() and self.habits.last_word:
            word = self._dialect.draw if self.won is None else WIN if self.won else LOSE
            self._say(word, self.habits.line_end)
        self._leave(self.habits.end)


def _distance(one, other, width):
    return max(abs(a - b) for a, b in zip(divmod(one, width), divmod(other, width), strict=True))
