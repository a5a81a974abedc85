"""The rules of Battleship in plain Python, a class a system of the rule book; `reference.State` is all of them.

The engine's are in cython/masume/battleship, in files of the same names: rules/fuel.py is fuel.pxd there, with the same
functions; `contradictions` holds what its resample.pxd draws to the rules, and `dicts` has no twin.
"""
