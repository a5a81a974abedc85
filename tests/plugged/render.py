"""Drawing of Line: a cell for each ply, filled when it has been played."""

from masume.render.canvas import Act, Frame, Outcome, Scene, Tile, Verb


def scene(state):
    return Scene(
        title="Line",
        players=("low", "high"),
        score_names=("points",),
        width=6,
        height=1,
        tiles=(Tile(".", "plain", -1, "free"), *(Tile(mark, "solid", n, mark) for n, mark in enumerate("LH"))),
        verbs=(Verb("fill", "ring"),),
        outcomes=(Outcome("done", ""),),
    )


def frame(state):
    ply = state.to_dict()["ply"]
    cells = "".join("LH"[n % 2] if n < ply else "." for n in range(6))
    return Frame(caption=f"{ply} of 6 filled", scores=[(int(score),) for score in state.scores()], cells=cells)


def acts(before, move, after):
    return [Act(-1, 0, before.to_dict()["ply"], 0)]
