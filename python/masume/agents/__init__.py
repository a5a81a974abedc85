"""Agents: made from the texts that name them, and asked about games."""
