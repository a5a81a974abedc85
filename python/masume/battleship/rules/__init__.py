"""The rules of Battleship in plain Python, a class a system of the rule book; `reference.State` is all of them.

The engine has a file of the same name for each of those that change a position: cython/masume/_battleship_<system>.pxd.
"""
