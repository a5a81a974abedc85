"""Rules of Battleship in plain Python, one class per system of the rule book; `reference.State` inherits from all.

The rules of the engine are in files of the same names in cython/masume/battleship: rules/fuel.py corresponds to
fuel.pxd and has the same functions. `contradictions` checks the positions that resample.pxd draws; `dicts` has no twin.
"""
