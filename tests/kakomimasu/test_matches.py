"""Whole matches over the match server's API, compared with the rules of their course. [section 14.4 to 14.9]

Players of all kinds send random actions at random times. These tests compute from the clock alone which actions count,
and for which turn. The Game JSON at the end must equal the reference's for those turns, verify by its replay, and
convert to a masume replay.
"""

import json
import math
from collections import Counter

import pytest

from masume.core.rng import Rng
from masume.kakomimasu.boards import Board
from masume.kakomimasu.protocol import TYPES, game_from_json, game_to_json
from masume.kakomimasu.reference import State
from masume.kakomimasu.replays import read_text
from masume.kakomimasu.server.hall import Refusal

from .clients import Client, user
from .games import random_config, random_lists

SEEDS, BLOCK, SLOW = 240, 40, 120  # seeds from SLOW on are slow tests
BAD = (1, {}, {"agentId": 0}, {"agentId": 0.5, "type": "PUT", "x": 0, "y": 0}, {"agentId": 0, "type": "STAY"})
KINDS = {
    "early", "merged", "late", "old late", "after the end", "dry", "bad", "foreign", "computer", "skipped a turn",
    "replaced", "res 0", "res 1", "res 2", "res 4", "res 5",
}  # fmt: skip
"""Events that must happen in every block of matches."""


class Course:
    """A match with a random config: its random clients, and the actions they have stored for each turn."""

    def __init__(self, seed):
        self.rng, self.seen = Rng(seed), Counter()
        rng = self.rng
        times = {"operation_sec": (1 + rng.below(12)) / 4, "transition_sec": rng.below(9) / 4}
        self.computer = "a" + str(1 + rng.below(4)) if rng.below(5) == 0 else None
        players = {} if self.computer is None else {"n_players": 2}
        self.config = config = random_config(rng, max_turns=6, **times, **players)
        fields = config.to_dict()
        names = ("width", "height", "points", "n_agents", "n_players", "total_turns")
        board = Board("any", **{name: fields[name] for name in names}, **times)
        rule = config.put_on_enemy_wall
        self.ask = Client(users=[user("ann")], boards=[board], open_boards=["any"], put_on_enemy_wall=rule)
        self.joined = []
        self.stored = [[{} for _ in range(config.n_players)] for _ in range(config.total_turns)]
        self.start = None

    # -- time --------------------------------------------------------------------------------------

    def when(self):
        """Return, by 14.5, the present status, the shown turn, the turn for which actions count, and whether 105."""
        if self.start is None or self.ask.now < self.start:
            return "free" if self.start is None else "ready", 0, 0, False
        passed, total = self.ask.now - self.start, self.config.total_turns
        period = self.config.operation_sec + self.config.transition_sec
        turn = int(passed // period)
        is_decided = passed - turn * period >= self.config.operation_sec
        if turn + is_decided >= total:
            return "ended", total, None, False
        return "gaming", turn + is_decided + 1, turn + is_decided, is_decided

    # -- clients -----------------------------------------------------------------------------------

    def play(self):
        """Play the match from the first join to after the end."""
        if self.computer is not None:
            self.joined.append(self.ask.join("guest", "ai", aiName=self.computer))
            self.start = math.floor(self.ask.now) + 5
            self.seen["computer"] += 1
        else:
            self.come()
        end = self.start + self.config.total_turns * (self.config.operation_sec + self.config.transition_sec)
        while self.ask.now < end + 1:
            before = self.when()[2]
            self.ask.now += self.rng.below(7) * self.rng.below(7) / 8
            after = self.when()[2]
            self.seen["skipped a turn"] += before is not None and after is not None and after - before > 1
            for _ in range(self.rng.below(4)):
                self.look()
                self.act(self.joined[self.rng.below(len(self.joined))])

    def come(self):
        rng = self.rng
        match = "free" if rng.below(2) else self.ask("POST", "/v1/matches", {"boardName": "any"})["id"]
        while self.start is None:
            bearer = "Bearer token-ann" if rng.below(2) else "Bearer undefined"
            body = {"guestName": f"guest {rng.below(3)}"}
            self.joined.append(self.ask("POST", f"/v1/matches/{match}/players", body, authorization=bearer))
            if len(self.joined) == self.config.n_players:
                self.start = math.floor(self.ask.now) + 5
            self.ask.now += rng.below(20) / 8
            self.act(self.joined[-1])

    def look(self):
        """Check the present answer to GET."""
        status, turn, _, is_changing = self.when()
        path = f"/v1/matches/{self.joined[0]['gameId']}"
        if is_changing:
            assert self.ask.error("GET", path) == 105
            (found,) = self.ask("GET", "/v1/matches")
        else:
            found = self.ask("GET", path)
        assert (found["status"], found["turn"], found["startedAtUnixTime"]) == (status, turn, self.start)
        resolved = turn - (status == "gaming") if status != "ended" else self.config.total_turns
        assert len(found["log"]) == max(0, resolved)
        old = self.ask("GET", f"/api/match/{found['id']}")
        period = self.config.operation_sec + self.config.transition_sec
        next_turn = None if status in ("free", "ended") else self.start + period * turn
        assert (old["gaming"], old["ending"], old["turn"]) == (status == "gaming", status == "ended", turn)
        assert old["nextTurnUnixTime"] == next_turn

    def act(self, seat):
        """Send a random request of a seat's player."""
        rng = self.rng
        (state,) = (match.state for match in self.ask.hall.matches.values())
        self.ask.hall.advance(self.ask.now)
        entries = random_lists(state, rng)[seat["index"]] if not state.is_terminal() else [(0, "PUT", 0, 0)]
        is_old = seat["userId"] == "id-ann" and rng.below(2)
        _, _, turn, is_changing = self.when()
        method, path, code = "PATCH", f"/v1/matches/{seat['gameId']}/actions", seat["pic"]
        body = {"actions": [write_entry(entry, is_old, rng) for entry in entries]}
        errors = {"bad": 6, "foreign": 207}
        if is_old:
            method, path, code = "POST", f"/api/match/{seat['gameId']}/action", "Bearer token-ann"
            body["index"] = seat["index"]
            errors = {"bad": 104, "foreign": 4}
        kind = ("dry", "bad", "foreign")[rng.below(3)] if rng.below(4) == 0 else "good"
        if kind == "bad":
            body["actions"].insert(rng.below(len(entries) + 1), BAD[rng.below(len(BAD))])
        elif kind == "foreign":
            code = "Bearer token-bob" if is_old else "1"
        elif kind == "dry":
            body["dryRun"] = True
        error = 105 if is_changing and not is_old else errors.get(kind)
        if kind == "good" and turn is not None and error is None:
            kept = set() if is_old else set(self.stored[turn][seat["index"]])
            strangers = [
                agent for agent in kept | {entry[0] for entry in entries} if not 0 <= agent < self.config.n_agents
            ]
            if len(strangers) > self.config.n_agents:  # too many actions of nonexistent agents
                kind, error = "bad", errors["bad"]
        if error is not None:
            assert self.ask.error(method, path, body, authorization=code) == error
            self.seen["late" if error == 105 else kind] += 1
            return
        reply = self.ask(method, path, body, authorization=code)
        assert reply == {"receptionUnixTime": math.floor(self.ask.now), "turn": self.when()[1]}
        if kind == "dry" or turn is None:
            self.seen["dry" if kind == "dry" else "after the end"] += 1
            return
        stored = self.stored[turn][seat["index"]]
        self.seen["early"] += self.start is None or self.ask.now < self.start
        self.seen["old late"] += is_changing
        self.seen["replaced" if is_old else "merged"] += bool(stored)
        if is_old:
            stored.clear()
        stored.update((entry[0], entry) for entry in entries)

    # -- the end -----------------------------------------------------------------------------------

    def check(self):
        """Check the Game JSON of the finished match."""
        (found,) = self.ask("GET", "/v1/matches")
        if self.computer is not None:  # its choices are only in the log
            for stored, entry in zip(self.stored, found["log"], strict=True):
                for one in entry["players"][1]["actions"]:
                    stored[1][one["agentId"]] = one["agentId"], TYPES[one["type"]], one["x"], one["y"]
        turns = [[list(stored.values()) for stored in turn] for turn in self.stored]
        names = [seat["userId"] for seat in self.joined] + ([] if self.computer is None else [self.computer])
        wanted = game_to_json(self.config, turns, game_id=found["id"], names=names, started_at=self.start)
        for player, name in zip(wanted["players"], names, strict=True):
            player["type"] = "account" if name in ("id-ann", self.computer) else "guest"
        wanted["type"] = found["type"]
        if self.computer is not None:
            wanted["name"] = f"guest vs AI({self.computer})"
        assert found == json.loads(json.dumps(wanted))
        for entry in found["log"]:
            self.seen.update(f"res {one['res']}" for player in entry["players"] for one in player["actions"])
        rule = self.config.put_on_enemy_wall
        assert game_from_json(found, put_on_enemy_wall=rule)[1] == turns
        state = State.new(self.config)
        for turn in turns:
            state.apply_lists(turn, on_illegal="fallback")
        (replay,) = read_text(json.dumps(found))
        assert (replay.names, replay.scores) == (names, list(state.scores()))
        assert replay.returns == list(state.returns())
        assert ([match.id for match in self.ask.ended], self.ask.told[-1].id) == ([found["id"]], found["id"])


def write_entry(entry, is_old, rng):
    """Return an entry of a turn in one of its forms in a request."""
    agent, kind, x, y = entry
    number = float if rng.below(4) == 0 else int
    action = {"agentId": number(agent), "type": "NONE" if kind == "STAY" else kind, "x": number(x), "y": number(y)}
    if not is_old and not x:
        del action["x"]  # the same as 0
    return action


@pytest.mark.parametrize(
    "first",
    [pytest.param(first, marks=[pytest.mark.slow] if first >= SLOW else []) for first in range(0, SEEDS, BLOCK)],
)
def test_a_match_comes_out_as_the_rules_say(first):
    seen = Counter()
    for seed in range(first, first + BLOCK):
        course = Course(seed)
        try:
            course.play()
            course.check()
        except (AssertionError, Refusal) as error:
            raise AssertionError(f"the match of seed {seed}") from error
        seen += course.seen
    assert set(seen) >= KINDS
