"""Networks that learn from self-play, which needs torch."""
