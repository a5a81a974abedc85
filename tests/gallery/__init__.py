"""A game of pictures: everything that a game's `render` module can draw, without any rules."""
