"""The drawing of a position: the position contains it."""


def scene(state, player=None):
    return state.scene if player is None else state.views[player][0]


def frame(state, player=None):
    return state.frame if player is None else state.views[player][1]


def acts(before, move, after, player=None):
    return after.acts if player is None else after.views[player][2]
