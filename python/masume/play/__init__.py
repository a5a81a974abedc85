"""Games of agents: one, many, on many machines, and tournaments."""
