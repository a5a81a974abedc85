"""The board rotated by 120 degrees: cells, variables, lines and codes, worked out from coordinates alone."""

from masume.terraforming import hexes
from masume.terraforming.buildings import BUILDABLE
from masume.terraforming.notation import BUCKETS, FINISH, PER_AMOUNT, Build, command_of


def rotate(variables, turns=1):
    """The variables of the board rotated so many times."""
    radius = hexes.radius_of(len(variables["owner"]))
    index = hexes.indices(radius)
    sources = [index[hexes.rotate(place, -turns)] for place in hexes.cells(radius)]
    return {
        name: [value[n] for n in sources] if isinstance(value, list) else value for name, value in variables.items()
    }


def rename(variables):
    """The variables of the board rotated once, on which player p is called p + 1 and plays a turn later."""
    found = rotate(variables)
    found["owner"] = [(owner + 1) % 3 if owner >= 0 else owner for owner in found["owner"]]
    return found | {"player": (variables["player"] + 1) % 3, "ply": variables["ply"] + 1}


def rotate_direction(direction, turns=1):
    for _ in range(turns % 3):
        direction = hexes.ROTATED[direction]
    return direction


def rotate_command(line, turns=1):
    """The line with its cell and direction rotated, where it has them."""
    parts = line.split()
    if parts[:1] not in (["move"], ["build"]) or len(parts) < 4:
        return line
    parts[1:3] = map(str, hexes.rotate((int(parts[1]), int(parts[2])), turns))
    if parts[0] == "move" and parts[3] in hexes.DIRECTIONS:
        parts[3] = hexes.DIRECTIONS[rotate_direction(hexes.DIRECTIONS.index(parts[3]), turns)]
    return " ".join(parts)


def rotate_action(config, action, turns=1):
    """The exact code of the same action on the rotated board."""
    command = command_of(config, action)
    if command == "finish":
        return FINISH
    index = hexes.indices(config.radius)
    cell = index[hexes.rotate(command.cell, turns)]
    if isinstance(command, Build):
        return action + len(BUILDABLE[config.ruleset]) * (cell - index[command.cell])
    return 1 + 6 * cell + rotate_direction(command.direction, turns) + PER_AMOUNT * command.amount


def rotate_codes(config, turns=1):
    """For each RL code that of the same action on the rotated board."""
    moves = 6 * config.num_cells
    found = [FINISH]
    for index in range(1, 1 + moves):
        first = 1 + BUCKETS * (rotate_action(config, index, turns) - 1)
        found += range(first, first + BUCKETS)
    builds = range(1 + moves, 1 + moves + len(BUILDABLE[config.ruleset]) * config.num_cells)
    return found + [rotate_action(config, index, turns) + (BUCKETS - 1) * moves for index in builds]
