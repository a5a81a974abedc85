"""Which worlds produce what a player has seen. [section 9.5]"""

from collections.abc import Sequence

from masume.chaser.reference import State


def is_consistent(information_state: str, start: State, actions: Sequence[int], forfeit: int | None = None) -> bool:
    """Return whether a world produces exactly this information state. [section 9.5]

    Parameters
    ----------
    information_state : str
        Information state of a player.
    start : State
        Position of the world before its first method; it is not changed.
    actions : sequence of int
        The methods of both players since then.
    forfeit : int, optional
        The player who then forfeited.

    Returns
    -------
    bool
        False also if a method is played after the end of the game.
    """
    world = start.clone()
    for action in actions:
        if world.is_terminal():
            return False
        world.apply(action)
    if forfeit is not None:
        if world.is_terminal():
            return False
        world.forfeit(forfeit)
    return information_state in (world.information_state(player) for player in range(2))
