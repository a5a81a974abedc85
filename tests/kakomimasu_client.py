"""A client of Kakomimasu's match server whose play depends on the match alone: kakomimasu_client.py URL TOKEN."""

import http.client
import json
import sys
import time
import urllib.error
import urllib.request

LOOK_S = 0.02


def ask(url, method, path, body=None, authorization=None):
    """Return the server's answer, errors too; raise OSError if it has none."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": authorization} if authorization else {})
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url + path, data, headers, method=method), timeout=60
        ) as reply:
            return json.load(reply)
    except urllib.error.HTTPError as error:
        return json.load(error)
    except (http.client.HTTPException, ValueError) as error:  # it was killed
        raise ConnectionError(str(error)) from None


def choose(match, seat):
    """Return actions: the best cells first, then steps along the row; each seat begins at another cell."""
    points, width = match["field"]["points"], match["field"]["width"]
    cells = sorted(range(len(points)), key=lambda cell: (-points[cell], cell))
    actions = []
    for number, agent in enumerate(match["players"][seat]["agents"]):
        y, x = divmod(cells[(2 * number + seat) % len(cells)], width)
        kind = "PUT"
        if agent["x"] >= 0:
            x, y, kind = agent["x"] + 1, agent["y"], "MOVE"  # off the board at the end of the row: no effect
        actions.append({"agentId": number, "type": kind, "x": x, "y": y})
    return actions


def play(url, token, is_over=lambda: False):
    """Play one match: join under the account of the token, and act once in each turn; return the match, or None."""
    joined = {}
    while "gameId" not in joined:
        if is_over():
            return None
        try:
            joined = ask(url, "POST", "/v1/matches/free/players", {"spec": "test"}, f"Bearer {token}")
        except OSError:  # the server has not begun
            time.sleep(LOOK_S)
    acted = 0
    while not is_over():
        try:
            match = ask(url, "GET", f"/v1/matches/{joined['gameId']}")
        except OSError:  # it was killed
            return None
        if match.get("status") == "ended" or match.get("errorCode") == 100:
            return match
        if match.get("status") == "gaming" and match["turn"] > acted:
            acted = match["turn"]
            body = {"actions": choose(match, joined["index"])}
            try:
                ask(url, "PATCH", f"/v1/matches/{joined['gameId']}/actions", body, joined["pic"])
            except OSError:
                return None
        time.sleep(LOOK_S)
    return None


def wait_for_players(venue):
    """Let a venue's clock stand until all clients have acted in a turn, so that no result depends on the machine."""
    now = [1_700_000_000.0]

    def clock():
        for match in venue.matches:
            clients = [one for one in match.entrants if one.user is not None]
            if match.phase.name != "OPERATION" or all(one.stored for one in clients):
                now[0] = max(now[0], match.moment if match.moment < 1e12 else 0.0)
        return now[0]

    venue._server._clock = clock


if __name__ == "__main__":
    play(*sys.argv[1:3])
