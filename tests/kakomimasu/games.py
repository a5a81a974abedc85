"""Random configs and random turns, legal or junk."""

from masume.kakomimasu.config import SYMMETRIES, Config

KINDS = ("STAY", "PUT", "MOVE", "REMOVE")


def random_config(rng, max_side=8, max_turns=12, **fields):
    """Return a small config with a random board; in one of three the points are written out."""
    drawn = {
        "width": 1 + rng.below(max_side),
        "height": 1 + rng.below(max_side),
        "n_players": 2 + rng.below(3),
        "n_agents": 1 + rng.below(5),
        "total_turns": 1 + rng.below(max_turns),
        "seed": rng.next(),
        "symmetry": SYMMETRIES[rng.below(len(SYMMETRIES))],
        "put_on_enemy_wall": ("invalid", "server")[rng.below(2)],
    }
    config = Config(**{**drawn, **fields})
    return config if rng.below(3) else Config(**config.to_dict())


def random_codes(state, rng):
    """Return a random legal code for each slot."""
    legal = [state.legal_actions(slot) for slot in range(len(state.slots))]
    return [int(codes[rng.below(len(codes))]) for codes in legal]


def random_lists(state, rng, junk=4):
    """Return a turn in list form: mostly sensible; in `junk` of 16 entries the agent or the target is arbitrary."""
    variables = state.to_dict()
    width, height = variables["config"]["width"], variables["config"]["height"]
    lists = []
    for cells in variables["pos"]:
        lists.append([])
        for agent, cell in enumerate(cells):
            if rng.below(8) == 0:
                continue
            kind = KINDS[rng.below(4)] if rng.below(16) < junk or cell < 0 else KINDS[2 + rng.below(2)]
            if cell < 0 and rng.below(16) >= junk:
                kind = "PUT"
            if cell < 0 or rng.below(16) < junk:
                x, y = rng.below(width + 2) - 1, rng.below(height + 2) - 1
            else:
                x, y = cell % width + rng.below(3) - 1, cell // width + rng.below(3) - 1
            if rng.below(16) < junk // 2:
                agent = rng.below(len(cells) + 2) - 1
            lists[-1].append((agent, kind, x, y))
    return lists
