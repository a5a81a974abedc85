"""Clients of the match server in contests: over real sockets, by a clock that waits for them."""

import asyncio
import contextlib
import json
import threading

import pytest

import kakomimasu_client
from masume.contest import runner
from masume.contest.events import StageDrawn
from masume.contest.kept import Contest
from masume.contest.steps import ConfirmResult, DecideTie
from masume.errors import MatchError
from masume.kakomimasu import venue as venues
from masume.kakomimasu.server import app
from masume.records import replay
from players import Random

WAIT_S = 60
HEAD = """
game = "kakomimasu"
format = "single"
port = 0
games = {games}
[set]
width = 6
height = 6
n_agents = 2
total_turns = 4
"""


class Wrong(Random):
    """Play at random, with an illegal action for the first agent every other time."""

    def act(self, view):
        actions = super().act(view)
        return [view.game.num_actions + 1, *actions[1:]] if self.rng.below(2) else actions


class Failing(Random):
    """Play at random, and fail at the third move."""

    def start(self, game, player, seed):
        super().start(game, player, seed)
        self.moves = 0

    def act(self, view):
        self.moves += 1
        if self.moves == 3:
            raise ValueError("enough")
        return super().act(view)


def make(folder, first, second, games=1):
    entries = "".join(f"[[entry]]\nname = '{play}'\nplay = '{play}'\n" for play in (first, second))
    (folder / "contest.toml").write_text(HEAD.format(games=games) + entries)
    contest = Contest(folder)
    runner.make_accounts(contest.plan, contest.state.entries.values())
    contest.do(StageDrawn(0, [1, 2]))
    return contest


def tokens(folder):
    return {one["name"]: one["bearerToken"] for one in json.loads((folder / "users.json").read_bytes())}


@contextlib.asynccontextmanager
async def opened(contest):
    """Open the server of a contest for the block; its clock waits for the players."""
    venue = venues.Venue(contest.plan.venue_settings(), lambda _: None)
    kakomimasu_client.wait_for_players(venue)
    await venue.open()
    try:
        yield venue
    finally:
        await venue.close()


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """End servers without waiting for clients."""
    monkeypatch.setattr("masume.http.server.LEAVE_S", 0.0)


@pytest.fixture
def clients():
    """Return a function that starts a client in a thread; it ends with the test."""
    is_over, threads = threading.Event(), []

    def start(venue, token, games=1):
        def run():
            for _ in range(games):
                kakomimasu_client.play(f"http://127.0.0.1:{venue.port}", token, is_over.is_set)

        threads.append(threading.Thread(target=run, daemon=True))
        threads[-1].start()

    yield start
    is_over.set()
    for thread in threads:
        thread.join(WAIT_S)


def hold(contest, clients, names, games=1):
    """Play the match of two; return its records, and the matches of the server."""

    async def main():
        async with opened(contest) as venue:
            for name in names:
                clients(venue, tokens(contest.folder)[name], games)
            records = await runner.play_match(contest, contest.state.step().match, lambda _: None, None, venue)
            return records, list(venue.hall.matches.values()), venue.hall.tournaments

    return asyncio.run(main())


def test_two_clients_play_the_games_of_a_match_on_both_sides(tmp_path, clients):
    contest = make(tmp_path, "user:ann", "user:bob", games=2)
    records, matches, tournaments = hold(contest, clients, ["ann", "bob"], games=2)
    assert [record.replay.names for record in records] == [["user:ann", "user:bob"], ["user:bob", "user:ann"]]
    for record, match in zip(records, matches, strict=True):
        game = match.to_json()
        assert game["status"] == "ended"
        assert record.replay.scores == [sum(player["point"].values()) for player in game["players"]]
        assert record.faults == []
        last = list(record.replay.states())[-1]
        assert last.to_dict()["wall"] == match.state.to_dict()["wall"]
        assert all(len(log["actions"]) == 2 for turn in game["log"] for log in turn["players"])
    assert any("impossible" in remark.detail for record in records for remark in record.remarks)
    assert matches[0].to_json()["field"]["points"] == matches[1].to_json()["field"]["points"]
    (tournament,) = tournaments.values()
    assert tournament.games == [match.id for match in matches]
    assert isinstance(contest.state.step(), ConfirmResult | DecideTie)
    assert [len(one.moves) for one in replay.load(tmp_path / "replays" / "final.jsonl")] == [4, 4]


@pytest.mark.parametrize("agent", ["greedy", "py:test_venue:Wrong", "py:test_venue:Failing", "py:players:Sleepy"])
def test_an_agent_and_a_client_play_the_same_game_for_the_server_and_the_referee(agent, tmp_path, clients, monkeypatch):
    monkeypatch.syspath_prepend(str(venues.Path(__file__).parent))
    contest = make(tmp_path, agent, "user:ann")
    (record,), (match,), _ = hold(contest, clients, ["ann"])
    last = list(record.replay.states())[-1].to_dict()
    assert (last["wall"], last["pos"]) == (match.state.to_dict()["wall"], match.state.to_dict()["pos"])
    assert record.replay.scores == match.state.scores().tolist()
    assert {fault.player for fault in record.faults} <= {0}


def ask(venue, token=None, path="/v1/matches/free/players", **body):
    return kakomimasu_client.ask(
        f"http://127.0.0.1:{venue.port}", "POST", path, body, None if token is None else f"Bearer {token}"
    )


def test_who_may_join(tmp_path, clients, monkeypatch):
    """A guest and an account without a seat get none; a client that begins again gets its own."""
    monkeypatch.setattr(app, "HOLD_S", 0.0)
    contest = make(tmp_path, "user:ann", "user:bob")
    venues.Venue.make_accounts(tmp_path / "users.json", {"zoe": "Zoe"})

    async def main():
        async with opened(contest) as venue:
            known = tokens(tmp_path)
            assert (await asyncio.to_thread(ask, venue, known["ann"]))["message"] == "no match for you yet"
            played = asyncio.create_task(
                runner.play_match(contest, contest.state.step().match, lambda _: None, None, venue)
            )
            while not venue.matches:
                await asyncio.sleep(0)
            path = f"/v1/matches/{venue.matches[0].id}/players"
            assert (await asyncio.to_thread(ask, venue, guestName="x"))["errorCode"] == 204
            assert (await asyncio.to_thread(ask, venue, known["zoe"]))["message"] == "no match for you yet"
            assert (await asyncio.to_thread(ask, venue, known["zoe"], path))["message"] == "Not allowed user"
            second = await asyncio.to_thread(ask, venue, known["bob"], path)
            first = await asyncio.to_thread(ask, venue, known["ann"])
            assert (first["index"], second["index"]) == (0, 1)
            assert await asyncio.to_thread(ask, venue, known["ann"]) == first
            assert await asyncio.to_thread(ask, venue, known["bob"], path) == second
            for name in ("ann", "bob"):
                clients(venue, known[name])
            await played

    asyncio.run(main())


def test_a_client_that_does_not_come(tmp_path, clients, monkeypatch):
    monkeypatch.setattr(runner, "CONNECT_S", 1.0)
    contest = make(tmp_path, "user:ann", "user:bob")
    with pytest.raises(MatchError, match=r"user:bob: no client on 127\.0\.0\.1:\d+ after 1 s"):
        hold(contest, clients, ["ann"])
    assert contest.state.played == {}


def test_silence_is_told_once(tmp_path, clients, monkeypatch):
    monkeypatch.setattr(kakomimasu_client, "choose", lambda _match, seat: [])
    monkeypatch.setattr(kakomimasu_client, "wait_for_players", lambda venue: run_on(venue))
    contest = make(tmp_path, "user:ann", "greedy")
    (record,), _, _ = hold(contest, clients, ["ann"])
    assert [(fault.player, fault.detail) for fault in record.faults if fault.player == 0] == [
        (0, "no actions in turn 1")
    ]


def run_on(venue):
    """Let a venue's clock jump to what comes next, a tenth of a second after it has looked."""
    import time

    begun = time.monotonic()
    venue._server._clock = lambda: 1_700_000_000.0 + 30 * (time.monotonic() - begun)


def test_tokens_are_kept_and_private(tmp_path):
    path = tmp_path / "users.json"
    path.write_text('[{"name": "ann"}]')
    assert venues.Venue.make_accounts(path, {"ann": "Ann", "bob": "Bob"})
    before = path.read_bytes()
    assert [one["name"] for one in json.loads(before)] == ["ann", "bob"]
    assert not venues.Venue.make_accounts(path, {"ann": "Ann", "bob": "Bob"})
    assert path.read_bytes() == before
    if hasattr(path, "owner"):
        assert path.stat().st_mode & 0o077 == 0
