"""Hostile input for the readers that only Kakomimasu has; tests/fuzz.py submits it."""

from __future__ import annotations

import functools
import json
from typing import Any

import masume
from masume.kakomimasu import boards, protocol
from mutations import Entrance, Sample, load_last, must, mutate_text, mutate_value


def board_file(s: Sample) -> masume.State:
    shipped = [board.to_json() for board in boards.load_shipped().values()]
    contest = {"width": 2, "height": 1, "points": [[1, -2]], "teams": [{"agents": [{}, {}]}, {"agents": [{}, {}]}]}
    value = s.rng.choice((shipped[0], shipped[:3], {board["name"]: board for board in shipped[:3]}, contest))
    value = mutate_value(s.rng, value)
    if s.rng.random() < 0.5:
        value = mutate_text(s.rng, json.dumps(value, default=str, skipkeys=True))
    found = boards.load_boards(value)
    must(boards.load_boards(boards.dump_boards(found.values())) == found, "the boards do not read back")
    return masume.load("kakomimasu", board=next(iter(found.values()))).new_state() if found else s.state


def lists(s: Sample) -> masume.State:
    """Submit a mutated turn in list form."""
    before = s.state.to_bytes()
    try:
        s.state.apply_lists(mutate_value(s.rng, random_turn(s)), s.rng.choice(("raise", "fallback")))
    except ValueError:
        must(s.state.to_bytes() == before, "a refused turn changed the state")
        raise
    return s.state


def random_turn(s: Sample) -> list[list[list[Any]]]:
    """Return an entry for every agent of every player."""
    own = s.game.config

    def entry(agent: int) -> list[Any]:
        kind = s.rng.choice(("STAY", "PUT", "PUT", "MOVE", "REMOVE"))
        return [agent, kind, s.rng.randrange(own.width), s.rng.randrange(own.height)]

    return [[entry(agent) for agent in range(own.n_agents)] for _ in range(own.n_players)]


def game_json(s: Sample) -> masume.State:
    """Submit a mutated Game JSON of the match server."""

    def new_state(own: Any) -> masume.State:
        return masume.load("kakomimasu", **own.to_dict()).new_state()

    own = s.game.config
    turns = [random_turn(s) for _ in range(min(own.total_turns, s.rng.choice((0, 1, 3))))]
    write = functools.partial(protocol.game_to_json, new_state=new_state)
    read = functools.partial(protocol.game_from_json, new_state=new_state, put_on_enemy_wall=own.put_on_enemy_wall)
    value = mutate_value(s.rng, write(own, turns))
    if s.rng.random() < 0.3:
        text = mutate_text(s.rng, json.dumps(value, default=str, skipkeys=True))
        if s.rng.random() < 0.5:
            return load_last(text.encode(errors="surrogatepass"))
        value = text
    found, turns = read(value)
    must(read(write(found, turns)) == (found, turns), "the game does not read back")
    return new_state(found)


ENTRANCES: dict[Entrance, tuple[type[Exception], ...]] = {
    board_file: (masume.ConfigError,),
    lists: (ValueError,),
    game_json: (masume.ReplayError,),
}
