"""Adapters for Gymnasium, PettingZoo and OpenSpiel; they know no rules. Each is a module that needs an extra."""
