"""How people play Line: the next cell is pressed, and the number chosen."""

from masume.render.canvas import Choice

ABOUT = "Fill the line."


def choices(state, player):
    codes = state.legal_actions().tolist()
    cell = state.to_dict()["ply"]
    return [Choice([code], [cell], 0, word=f"add {code}") for code in codes]
