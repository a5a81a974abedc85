"""Drawing of Connect Four: the stones of the players as tiles, in text, SVG and pages."""

from masume.render.canvas import Act, Frame, Outcome, Scene, Tile, Verb

from .notation import COLUMNS, EMPTY, HEIGHT, PLAYERS, marks


def scene(state):
    """Return the board and its letters."""
    width = state.game.config.width
    return Scene(
        title=f"Connect Four {width}×{HEIGHT}",
        players=PLAYERS,
        score_names=("lines",),
        width=width,
        height=HEIGHT,
        tiles=(
            Tile(EMPTY, "plain", -1, "empty"),
            *(Tile(letter, "solid", player, f"stone of {letter}") for player, letter in enumerate(PLAYERS)),
        ),
        verbs=(Verb("drop", "ring"),),
        outcomes=(Outcome("done", ""),),
        columns=COLUMNS[:width],
        rows=[str(row) for row in range(HEIGHT, 0, -1)],
    )


def frame(state):
    """Return the stones of one position."""
    cells = marks(state.game.config, state.to_dict())
    mover = state.current_player
    won = [letter for letter, value in zip(PLAYERS, state.returns(), strict=True) if value > 0]
    caption = f"{PLAYERS[mover]} to move" if mover >= 0 else f"{won[0]} wins" if won else "a draw"
    return Frame(caption=caption, scores=[(int(score),) for score in state.scores()], cells=cells)


def acts(before, move, after):  # noqa: ARG001
    """Return the cell where the stone landed."""
    cells = zip(frame(before).cells, frame(after).cells, strict=True)
    landed = [cell for cell, (old, new) in enumerate(cells) if old != new]
    return [Act(-1, 0, cell, 0) for cell in landed]
