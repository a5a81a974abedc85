"""Kakomimasu in typical plain Python, in the style of the official server: a field of tiles, agents as objects.

Two players, array form, valid actions; the points are left out, since a turn does not use them.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from masume.bench import Case, Midgame, Work

PLAYERS = (0, 1)
STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
FIRST_MOVE, FIRST_REMOVE, FIRST_PUT = 1, 9, 17  # of the codes


@dataclasses.dataclass
class Tile:
    wall: int = -1
    territory: int = -1


@dataclasses.dataclass(eq=False)
class Agent:
    player: int
    x: int = -1
    y: int = -1


@dataclasses.dataclass
class Action:
    agent: Agent
    kind: str
    x: int
    y: int


class Game:
    """Position of two players."""

    def __init__(self, width: int, height: int, num_agents: int) -> None:
        self.width, self.height = width, height
        self.tiles = [[Tile() for _ in range(width)] for _ in range(height)]
        self.agents = [Agent(player) for player in PLAYERS for _ in range(num_agents)]

    def turn(self, actions: list[Action]) -> None:
        """Play all actions of the agents at once."""
        wanted = [action for action in actions if action.kind != "STAY" and self.is_valid(action)]
        aims: dict[tuple[int, int], int] = {}
        for action in wanted:
            aims[action.x, action.y] = aims.get((action.x, action.y), 0) + 1
        wanted = [action for action in wanted if aims[action.x, action.y] == 1]
        while True:
            leaving = {action.agent for action in wanted if action.kind == "MOVE"}
            blocked = {(agent.x, agent.y) for agent in self.agents if agent.x >= 0 and agent not in leaving}
            kept = [action for action in wanted if action.kind == "REMOVE" or (action.x, action.y) not in blocked]
            if len(kept) == len(wanted):
                break
            wanted = kept
        for action in wanted:
            if (action.x, action.y) in blocked:
                continue
            tile = self.tiles[action.y][action.x]
            if action.kind == "REMOVE":
                tile.wall = -1
            else:
                tile.wall, tile.territory = action.agent.player, -1
                action.agent.x, action.agent.y = action.x, action.y
        self.mark_territory()

    def is_valid(self, action: Action) -> bool:
        """Return whether the agent may do this on the current field."""
        agent = action.agent
        if (action.kind == "PUT") != (agent.x < 0):
            return False
        if not (0 <= action.x < self.width and 0 <= action.y < self.height):
            return False
        if action.kind != "PUT" and max(abs(action.x - agent.x), abs(action.y - agent.y)) != 1:
            return False
        wall = self.tiles[action.y][action.x].wall
        return wall >= 0 if action.kind == "REMOVE" else wall in (-1, agent.player)

    def mark_territory(self) -> None:
        """Mark the cells that walls enclose; inside walls of both players the innermost counts."""
        walls = {(x, y): tile.wall for y, row in enumerate(self.tiles) for x, tile in enumerate(row) if tile.wall >= 0}
        undecided = [(x, y) for y in range(self.height) for x in range(self.width)]
        while undecided:
            outside = [self.flood(walls, player) for player in PLAYERS]
            both = []
            for x, y in undecided:
                inside = [player for player in PLAYERS if not outside[player][y + 1][x + 1]]
                if len(inside) == 2:
                    both.append((x, y))
                    continue
                walls.pop((x, y), None)
                if inside and self.tiles[y][x].wall < 0:
                    self.tiles[y][x].territory = inside[0]
            undecided = both

    def flood(self, walls: dict[tuple[int, int], int], player: int) -> list[list[bool]]:
        """Return the cells reached from outside around a player's walls, with a margin of one."""
        reached = [[False] * (self.width + 2) for _ in range(self.height + 2)]
        reached[0][0] = True
        stack = [(-1, -1)]
        while stack:
            x, y = stack.pop()
            for dx, dy in STEPS:
                nx, ny = x + dx, y + dy
                on_plane = -1 <= nx <= self.width and -1 <= ny <= self.height
                if on_plane and not reached[ny + 1][nx + 1] and walls.get((nx, ny)) != player:
                    reached[ny + 1][nx + 1] = True
                    stack.append((nx, ny))
        return reached


# -- on the recorded positions --------------------------------------------------------------------


def cases() -> list[Case]:
    return [
        Case("turn/plain Python", "turn", "peers", turn, game="kakomimasu"),
        Case("enclosure/plain Python", "position", "peers", enclosure, game="kakomimasu"),
    ]


def arrays(play: Midgame, later: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return walls, territory int8[n, height, width], cells int32[n, agents] of the positions, now or a ply later."""
    states = [state.clone() for state in play.states]
    if later:
        for state, action in zip(states, play.actions, strict=True):
            state.apply(action)
    cells = [state.agents.ravel() for state in states]
    return (
        np.array([state.walls for state in states], np.int8),
        np.array([state.territory for state in states], np.int8),
        np.array(cells, np.int32),
    )


def game_at(walls: np.ndarray, territory: np.ndarray, cells: np.ndarray) -> Game:
    """Return one of the positions."""
    height, width = walls.shape
    game = Game(width, height, len(cells) // 2)
    for y in range(height):
        for x in range(width):
            game.tiles[y][x] = Tile(int(walls[y, x]), int(territory[y, x]))
    for agent, cell in zip(game.agents, cells.tolist(), strict=True):
        if cell >= 0:
            agent.y, agent.x = divmod(cell, width)
    return game


def action_of(game: Game, agent: Agent, code: int) -> Action:
    """Return the action of a code."""
    if code >= FIRST_PUT:
        y, x = divmod(code - FIRST_PUT, game.width)
        return Action(agent, "PUT", x, y)
    if code == 0:
        return Action(agent, "STAY", 0, 0)
    dx, dy = STEPS[(code - FIRST_MOVE) % 8]
    return Action(agent, "MOVE" if code < FIRST_REMOVE else "REMOVE", agent.x + dx, agent.y + dy)


def turn(play: Midgame) -> Work:
    before, after = arrays(play), arrays(play, 1)
    games: list[Game] = []
    actions: list[list[Action]] = []

    def prepare() -> None:
        games[:] = [game_at(*(array[i] for array in before)) for i in play.picked]
        actions[:] = [
            [action_of(game, agent, int(code)) for agent, code in zip(game.agents, play.codes[i], strict=True)]
            for i, game in zip(play.picked, games, strict=True)
        ]

    def run() -> None:
        for game, asked in zip(games, actions, strict=True):
            game.turn(asked)

    def check() -> None:
        for i, game in zip(play.picked, games, strict=True):
            assert [[tile.wall for tile in row] for row in game.tiles] == after[0][i].tolist()
            assert [[tile.territory for tile in row] for row in game.tiles] == after[1][i].tolist()
            cells = [agent.y * game.width + agent.x if agent.x >= 0 else -1 for agent in game.agents]
            assert cells == after[2][i].tolist()

    return Work(run, len(play.picked), check, prepare)


def enclosure(play: Midgame) -> Work:
    walls, territory, cells = arrays(play)
    games = [game_at(walls[i], np.full_like(territory[i], -1), cells[i]) for i in play.picked]

    def run() -> None:
        for game in games:
            game.mark_territory()

    def check() -> None:
        for i, game in zip(play.picked, games, strict=True):
            twin = play.twin.from_dict(play.states[i].to_dict() | {"area": [-1] * walls[i].size})
            twin._mark_territory()
            assert [tile.territory for row in game.tiles for tile in row] == twin.to_dict()["area"]

    return Work(run, len(games), check)
