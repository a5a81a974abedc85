"""A server of CHaser with the habits of known servers (docs/rules/chaser.md, section 14.10), each a switch.

It serves one side of one game on a port of this machine, as the referee of the rules would, except for its habits. The
other side is played by an agent. What the client says out of turn is noted in `faults`.
"""

import dataclasses

import masume
from habit_server import HabitServer
from masume.agent import View
from masume.agents.make import make_agent
from masume.chaser.knowledge import ahead, info_cells
from masume.chaser.maps import BLOCK, FLOOR, ITEM, OPPONENT
from masume.chaser.notation import CODES, LOOK, PUT, REASONS, WALK

WAIT = CODES.index("su")


@dataclasses.dataclass(frozen=True)
class Habits:
    """What a server does otherwise than the rules say.

    line_end : after every message. turn : what begins a turn. text : said before every turn. stray : an info that
    nobody asked for, before every turn. twice : says `@` twice. pieces : sends every byte by itself. late_limit :
    notices the turn limit only after one more method of COOL, which it does not answer. answers_end : tells the mover
    that its method has ended the game. end : how the other player, or both at the turn limit, learn of it: by "info",
    "zeros", "#", "close" (the connection is closed) or "reset"; "open": by an info, after which nothing is closed for a
    while. own_zero : the own cell of a ready info is 0. ghost : after a walk the player sees itself where it was.
    soft : walking into a block does nothing, blocks are only put on floor. one_cell : look shows one cell only.
    hot_first : HOT begins.
    """

    line_end: bytes = b"\r\n"
    turn: bytes = b"@"
    text: bytes = b""
    stray: bool = False
    twice: bool = False
    pieces: bool = False
    late_limit: bool = False
    answers_end: bool = True
    end: str = "info"
    own_zero: bool = False
    ghost: bool = False
    soft: bool = False
    one_cell: bool = False
    hot_first: bool = False


HABITS = {
    "rules": Habits(),
    "late limit": Habits(late_limit=True),  # U1, U2
    "late limit, open": Habits(late_limit=True, end="open"),
    "no message at the end": Habits(answers_end=False, end="close", soft=True),  # U4
    "no line ends, zeros": Habits(line_end=b"", end="zeros"),  # U5
    "closes": Habits(line_end=b"", end="close", own_zero=True, ghost=True),  # U6
    "Ready and #": Habits(line_end=b"\n", turn=b"Ready", end="#", one_cell=True, soft=True),  # U8
    "resets": Habits(end="reset"),
    "text": Habits(text=b"COOL 3 - HOT 35\r\n#\r\n"),
    "stray infos": Habits(stray=True),
    "twice": Habits(twice=True),
    "pieces": Habits(pieces=True, line_end=b"\n"),
    "HOT first": Habits(hot_first=True),
}


class ChaserServer(HabitServer):
    """A server of CHaser whose other player is an agent.

    Attributes
    ----------
    turns : int
        Methods that the client played.
    won : bool or None
        Whether the client won or lost; None for a draw, or a game that the server broke off.
    """

    def __init__(self, habits, text, side, seed=0, agent="greedy", stay_s=0.3):
        self.habits, self.side = habits, side
        self.turns, self.won, self._is_told = 0, None, False
        self._game = masume.load("chaser", map=text)
        self._state = self._game.new_state(0)
        self._agent = make_agent(agent, self._game)
        self._agent.start(self._game.public, 1 - side, seed)
        super().__init__(stay_s)

    # -- messages -----------------------------------------------------------------------------------

    def _say(self, text):
        data = text + self.habits.line_end
        for piece in [data[at : at + 1] for at in range(len(data))] if self.habits.pieces else [data]:
            self._link.sendall(piece)

    def _hear(self, wanted):
        """Return the next line of the client, which must be one of `wanted`; at the end it may be missing."""
        line = self._lines.readline()
        if not line.endswith(b"\r\n") or line.strip().decode() not in wanted:
            self.faults.append(f"turn {self.turns}: expected {wanted[0]}, got {line!r}")
        return line.strip().decode()

    def _info(self, is_over, action=None, is_ready=False):
        """Return ten digits about the client's surroundings."""
        habits, state = self.habits, self._state
        (own, foe) = (tuple(map(int, state.positions[p])) for p in (self.side, 1 - self.side))
        digits = []
        for cell in info_cells(action, own):
            inside = 0 <= cell[0] < state.cells.shape[0] and 0 <= cell[1] < state.cells.shape[1]
            digits.append(BLOCK if not inside else OPPONENT if cell == foe else int(state.cells[cell]))
        if is_ready and habits.own_zero:
            digits[4] = FLOOR
        if action is not None and action // 4 == WALK and habits.ghost and not is_over:
            digits[info_cells(None, own).index(ahead(own, action % 4, -1))] = OPPONENT
        if action is not None and action // 4 == LOOK and habits.one_cell:
            digits = [0, digits[4], 0, 0, 0, 0, 0, 0, 0]
        return (str(int(not is_over)) + "".join(map(str, digits))).encode()

    # -- the game -----------------------------------------------------------------------------------

    def _play(self):
        """Play until the game is over; the client has been told so if its own method ended it."""
        habits, state = self.habits, self._state
        self.name = self._lines.readline()
        if habits.hot_first:
            state.apply(WAIT)
        while not state.is_terminal():
            if state.current_player == self.side:
                self._turn()
            else:
                state.apply(int(self._agent.act(View(state, 1 - self.side))))
        self._end()

    def _begin_turn(self):
        habits = self.habits
        if habits.text:
            self._link.sendall(habits.text)
        if habits.stray:
            self._say(b"1000000000")
        for _ in range(1 + habits.twice):
            self._say(habits.turn)
        self._hear(["gr"])

    def _turn(self):
        habits, state = self.habits, self._state
        self._begin_turn()
        self._say(self._info(False, is_ready=True))
        action = CODES.index(self._hear(CODES))
        self.turns += 1
        self._is_told = False
        state.apply(self._softened(action))
        is_over = state.is_terminal()
        is_late = is_over and habits.late_limit and REASONS[state.reason] == "SCORE"
        if not is_over or habits.answers_end:
            self._say(self._info(is_over and not is_late, action))
            self._is_told = is_over and not is_late
        if not is_over or is_late:
            self._hear(["#"])

    def _softened(self, action):
        kind, direction = divmod(action, 4)
        own = tuple(map(int, self._state.positions[self.side]))
        row, column = ahead(own, direction)
        inside = 0 <= row < self._state.cells.shape[0] and 0 <= column < self._state.cells.shape[1]
        cell = int(self._state.cells[row, column]) if inside else BLOCK
        refused = (kind == WALK and cell == BLOCK) or (kind == PUT and cell in (BLOCK, ITEM))
        return WAIT if self.habits.soft and refused else action

    def _end(self):
        habits, state = self.habits, self._state
        self.is_over = True
        self.won = None if state.winner == 2 else state.winner == self.side
        if habits.late_limit and REASONS[state.reason] == "SCORE" and self.side == 0:
            self._begin_turn()
            self._say(self._info(False, is_ready=True))
            self._hear(CODES)  # and no answer
        elif not self._is_told and habits.end in ("info", "zeros", "open"):
            self._begin_turn()
            self._say(b"0" * 10 if habits.end == "zeros" else self._info(True, is_ready=True))
        elif habits.end == "#":
            self._say(b"#")
        self._leave(habits.end)
