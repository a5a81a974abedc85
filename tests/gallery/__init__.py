"""A game of pictures: what a game's `render` module can ask for, drawn without any rules."""
