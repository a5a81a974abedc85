"""Foundations: configs, checks, files, and the Python side of the loops over the function table."""
