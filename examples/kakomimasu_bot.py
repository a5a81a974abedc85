"""A Kakomimasu bot for the match server's HTTP API: it takes the best cells, then moves to the most valuable neighbour.

python kakomimasu_bot.py [--url http://127.0.0.1:8880] [--name NAME] [--ai a1]

With --ai it plays against one of the server's own players, otherwise against the next guest.
"""

import argparse
import json
import random
import time
import urllib.error
import urllib.request


def ask(method, url, body=None, authorization=None):
    """Return the server's answer; None while it computes a turn (error 105)."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": authorization} if authorization else {})
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method)) as reply:
            return json.load(reply)
    except urllib.error.HTTPError as error:
        if json.load(error).get("errorCode") == 105:
            return None
        raise


def look(url):
    """Return the current match, after the turn that is being computed."""
    while (match := ask("GET", url)) is None:
        time.sleep(0.1)
    return match


def choose(match, me):
    """Return an action for each agent, no two of them at the same cell."""
    field, taken = match["field"], set()
    width, height = field["width"], field["height"]

    def worth(x, y):
        tile = field["tiles"][y * width + x]
        is_mine = tile == {"type": 1, "player": me}
        chance = 8 * random.random()  # otherwise two such bots would block each other forever
        return -99 if (x, y) in taken or is_mine else field["points"][y * width + x] + chance

    everywhere = [(x, y) for y in range(height) for x in range(width)]
    actions = []
    for number, agent in enumerate(match["players"][me]["agents"]):
        near = [(x, y) for x, y in everywhere if max(abs(x - agent["x"]), abs(y - agent["y"])) == 1]
        x, y = max(everywhere if agent["x"] < 0 else near, key=lambda cell: worth(*cell))
        taken.add((x, y))
        tile = field["tiles"][y * width + x]
        is_enemy_wall = tile["type"] == 1 and tile["player"] != me
        kind = "PUT" if agent["x"] < 0 else "REMOVE" if is_enemy_wall else "MOVE"
        actions.append({"agentId": number, "type": kind, "x": x, "y": y})
    return actions


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", default="http://127.0.0.1:8880")
    parser.add_argument("--name", default="walker")
    parser.add_argument("--ai")
    options = parser.parse_args()
    where, body = ("ai", {"aiName": options.ai}) if options.ai else ("free", {})
    joined = ask("POST", f"{options.url}/v1/matches/{where}/players", {"guestName": options.name, **body})
    url, me = f"{options.url}/v1/matches/{joined['gameId']}", joined["index"]
    while (match := look(url))["status"] in ("free", "ready"):
        time.sleep(0.1)
    period = match["operationSec"] + match["transitionSec"]
    while (match := look(url))["status"] == "gaming":
        ask("PATCH", f"{url}/actions", {"actions": choose(match, me)}, joined["pic"])
        time.sleep(max(0, match["startedAtUnixTime"] + period * match["turn"] - time.time()))
    print(*(f"{player['id']}: {sum(player['point'].values())}" for player in match["players"]), sep=", ")


if __name__ == "__main__":
    main()
