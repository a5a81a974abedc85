"""Adapters to Gymnasium, PettingZoo and OpenSpiel; they know no rules. Each is a module of its own, and an extra."""
