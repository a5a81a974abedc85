"""The page: a server on which people watch and play games, live. It needs the extra `web`.

match.py, gallery.py and holding.py hold matches and know nothing of HTTP; drafts.py and people.py seat a person in the
referee's match; films.py packs a match for one viewer. guard.py finds who asks, a Viewer; playing.py, watching.py,
lobby.py and pages.py answer; app.py wires them, server.py listens. Nothing here knows a game: a game's `render` draws
it, and its module `people` offers what a person may press.
"""
