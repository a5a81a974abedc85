"""Configs of Kakomimasu for the tests of all games (tests/cases.py)."""

CASES = [
    {},
    {"width": 1, "height": 1, "n_agents": 1, "total_turns": 3},
    {"width": 5, "height": 4, "n_players": 3, "n_agents": 2, "total_turns": 12, "seed": 3},
    {"width": 7, "height": 30, "n_players": 4, "n_agents": 16, "total_turns": 6, "put_on_enemy_wall": "server"},
    {"width": 4, "height": 4, "n_agents": 3, "total_turns": 40, "seed": 8, "symmetry": "none"},
]
SMALL = {"width": 4, "height": 3, "n_agents": 2, "total_turns": 5, "seed": 3}
FUZZED = [
    {"width": 4, "height": 3, "n_agents": 2, "total_turns": 9, "seed": 1},
    {"width": 9, "height": 7, "n_players": 4, "n_agents": 5, "total_turns": 30, "seed": 2, "symmetry": "none"},
    {"width": 30, "height": 30, "n_players": 3, "n_agents": 16, "total_turns": 5, "put_on_enemy_wall": "server"},
    {"width": 1, "height": 1, "n_agents": 1, "total_turns": 2},
    {},
]
EXTREMES = (
    {"width": 1, "height": 1, "n_agents": 1, "total_turns": 1},
    {"width": 30, "height": 30, "n_players": 4, "n_agents": 16, "total_turns": 10_000},
)
PICTURES = {"": {"start": "strait", "agents": ["a4", "a3"], "seed": 4, "ply": 46}}
ACTIONS = {
    "STAY": "STAY",
    "MOVE x,y": r"MOVE \d+,\d+",
    "REMOVE x,y": r"REMOVE \d+,\d+",
    "PUT x,y": r"PUT \d+,\d+",
}


def letters(config):
    """Return the values of the letters in docs/games/kakomimasu.md."""
    return {"P": config.n_players, "A": config.n_agents, "W": config.width, "H": config.height}
