"""The page: a server on which people watch and play games, live. It needs the extra `web`.

films.py packs a match for one viewer; matches.py holds the matches of a page; drafts.py and people.py seat a person in
the referee's match; app.py answers requests, server.py listens. Nothing here knows a game: a game's `render` draws it,
and its module `people` offers what a person may press.
"""
