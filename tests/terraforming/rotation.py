"""The board rotated by 120 degrees: cells, variables, lines and codes, computed from coordinates alone."""

import functools

from masume.terraforming import hexes
from masume.terraforming.buildings import BUILDABLE
from masume.terraforming.config import Config
from masume.terraforming.notation import BUCKETS, FINISH, PER_AMOUNT, Build, command_of


def rotate(variables, turns=1):
    """Return the variables of the board rotated `turns` times."""
    radius = hexes.radius_of(len(variables["owner"]))
    index = hexes.indices(radius)
    sources = [index[hexes.rotate(place, -turns)] for place in hexes.cells(radius)]
    return {
        name: [value[n] for n in sources] if isinstance(value, list) else value for name, value in variables.items()
    }


def rename(variables):
    """Return the variables of the board rotated once; player p is renamed p + 1 and plays one turn later."""
    found = rotate(variables)
    found["owner"] = [(owner + 1) % 3 if owner >= 0 else owner for owner in found["owner"]]
    return found | {"player": (variables["player"] + 1) % 3, "ply": variables["ply"] + 1}


def rotate_direction(direction, turns=1):
    for _ in range(turns % 3):
        direction = hexes.ROTATED[direction]
    return direction


def rotate_command(line, turns=1):
    """Return the line with its cell and direction rotated, if it has them."""
    parts = line.split()
    if parts[:1] not in (["move"], ["build"]) or len(parts) < 4:
        return line
    parts[1:3] = map(str, hexes.rotate((int(parts[1]), int(parts[2])), turns))
    if parts[0] == "move" and parts[3] in hexes.DIRECTIONS:
        parts[3] = hexes.DIRECTIONS[rotate_direction(hexes.DIRECTIONS.index(parts[3]), turns)]
    return " ".join(parts)


def rotate_action(config, action, turns=1):
    """Return the exact code of the same action on the rotated board."""
    amount, index = divmod(action, PER_AMOUNT)
    return _rotated_actions(config.radius, config.ruleset, turns)[index] + PER_AMOUNT * amount


@functools.cache
def _rotated_actions(radius, ruleset, turns):
    """Return for each exact code without an amount that of the same action on the rotated board."""
    config = Config.make(radius=radius, ruleset=ruleset)
    index = hexes.indices(radius)

    def rotated(action):
        command = command_of(config, action)
        if command == "finish":
            return FINISH
        cell = index[hexes.rotate(command.cell, turns)]
        if isinstance(command, Build):
            return action + len(BUILDABLE[ruleset]) * (cell - index[command.cell])
        return 1 + 6 * cell + rotate_direction(command.direction, turns)

    return [rotated(action) for action in range(1 + (6 + len(BUILDABLE[ruleset])) * config.num_cells)]


def rotate_codes(config, turns=1):
    """Return for each RL code the code of the same action on the rotated board."""
    return _rotated_codes(config.radius, config.ruleset, turns)


@functools.cache
def _rotated_codes(radius, ruleset, turns):
    actions = _rotated_actions(radius, ruleset, turns)
    moves = 6 * len(hexes.cells(radius))
    found = [FINISH]
    for index in range(1, 1 + moves):
        first = 1 + BUCKETS * (actions[index] - 1)
        found += range(first, first + BUCKETS)
    return found + [action + (BUCKETS - 1) * moves for action in actions[1 + moves :]]
