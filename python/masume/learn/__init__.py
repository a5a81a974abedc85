"""Networks that learn from self-play: their weights, which NumPy runs, and the training, which needs torch."""
