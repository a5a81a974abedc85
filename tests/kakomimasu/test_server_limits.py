"""Limits that protect the match server and its clients from other clients; the tests set the clock."""

import json

import pytest

from masume.errors import ConfigError
from masume.http.connections import HEAD_S, KEPT_S, MAX_HEAD, PART, Connection, Connections
from masume.http.limits import Bucket, Buckets, Shares, network, read_networks
from masume.kakomimasu.protocol import game_from_json
from masume.kakomimasu.server import hall as halls
from masume.kakomimasu.server import saved
from masume.kakomimasu.server.app import Clock, Settings
from masume.kakomimasu.server.hall import GUESS_S, GUESSES, LEFT_S, MAX_ENTRIES, Phase, Refusal
from masume.kakomimasu.server.streams import Stream, Streams

from .clients import Client, user

HERE, THERE = "192.0.2.1", "198.51.100.7"


def put(agent, x, y):
    return {"agentId": agent, "type": "PUT", "x": x, "y": y}


# -- accounts ------------------------------------------------------------------------------------


def test_an_account_cannot_have_the_name_or_the_id_of_another_as_either():
    ask = Client(is_open=True, users=[user("ann")])
    match = ask("POST", "/v1/matches", {"boardName": "duel", "playerIdentifiers": ["ann"]})["id"]
    for fields in ({"name": "x", "id": "ann"}, {"name": "id-ann"}, {"name": "x", "id": "id-ann"}, {"name": "ann"}):
        assert ask.error("POST", "/v1/users", fields) == 203
    assert ask("GET", "/v1/users/ann")["id"] == "id-ann"
    assert ask("GET", f"/v1/matches/{match}")["reservedUsers"] == ["id-ann"]


def test_the_name_of_an_account_may_be_its_own_id_and_both_are_free_when_it_has_left():
    ask = Client(is_open=True)
    for _ in range(2):
        made = ask("POST", "/v1/users", {"name": "ann", "id": "ann"})
        ask("DELETE", "/v1/users/me", {}, authorization=f"Bearer {made['bearerToken']}")
    assert ask.error("GET", "/v1/users/ann") == 204


@pytest.mark.parametrize("has_joined", [False, True])
def test_nobody_gets_the_places_of_an_account_that_has_left(has_joined):
    ask = Client(is_open=True)
    made = ask("POST", "/v1/users", {"name": "ann", "id": "1"})
    bearer = f"Bearer {made['bearerToken']}"
    match = ask("POST", "/v1/matches", {"boardName": "duel", "playerIdentifiers": [] if has_joined else ["ann"]})["id"]
    if has_joined:
        ask("POST", f"/v1/matches/{match}/players", {}, authorization=bearer)
    ask("DELETE", "/v1/users/me", {}, authorization=bearer)
    assert ask.error("POST", "/v1/users", {"name": "eve", "id": "1"}) == 203
    ask.hall.forget(ask.hall.matches[match])
    assert ask("POST", "/v1/users", {"name": "eve", "id": "1"})["gameIds"] == []


def test_an_address_makes_some_accounts_at_once_and_then_one_at_a_time(monkeypatch):
    monkeypatch.setattr("masume.kakomimasu.server.api.ACCOUNTS", 3)
    ask = Client(is_open=True)
    for name in "abc":
        ask("POST", "/v1/users", {"name": name})
    with pytest.raises(Refusal, match="too many users at once") as caught:
        ask("POST", "/v1/users", {"name": "d"})
    assert caught.value.wait_s == pytest.approx(1)
    ask.address = THERE
    ask("POST", "/v1/users", {"name": "e"})
    ask.address, ask.now = HERE, ask.now + 1
    ask("POST", "/v1/users", {"name": "d"})


def test_accounts_without_a_place_make_room_for_new_ones(monkeypatch):
    monkeypatch.setattr(halls, "MAX_USERS", 4)
    ask = Client(is_open=True, users=[user("of the file")])
    made = ask("POST", "/v1/users", {"name": "plays"})
    ask("POST", "/v1/matches/free/players", {}, authorization=f"Bearer {made['bearerToken']}")
    for number in range(20):  # an address may have three quarters of four
        ask("POST", "/v1/users", {"name": f"flood {number}"})
    ask.address = THERE
    ask("POST", "/v1/users", {"name": "honest"})
    names = [one.name for one in ask.hall.accounts]
    assert names == ["of the file", "plays", "flood 18", "flood 19", "honest"]


# -- codes of seats ------------------------------------------------------------------------------


def guesses(ask, match, pic, count):
    """Return the answers to wrong codes."""
    wrong = (f"{number:06d}" for number in range(10**6))
    found = []
    while len(found) < count:
        code = next(wrong)
        if code != pic:
            with pytest.raises(Refusal) as caught:
                ask.act(match, code)
            found.append((caught.value.code, caught.value.wait_s is not None))
    return found


def duel(ask):
    ask.address = HERE
    match, pic, other = ask.duel()
    while other.startswith("0000"):  # not among the guesses
        match, pic, other = ask.duel()
    return match, pic


def test_a_seats_code_cannot_be_guessed():
    ask = Client()
    match, pic = duel(ask)
    ask.address = THERE
    assert guesses(ask, match, pic, GUESSES) == [(207, False)] * GUESSES
    with pytest.raises(Refusal) as caught:
        ask.act(match, pic)  # the correct code, refused too, so that guessing reveals nothing
    assert (caught.value.code, caught.value.wait_s) == (207, pytest.approx(GUESS_S))
    ask.address = "203.0.113.9"  # another address without players
    assert guesses(ask, match, pic, 1) == [(207, True)]
    ask.now += GUESS_S
    assert guesses(ask, match, pic, 2) == [(207, False), (207, True)]


def test_who_guesses_elsewhere_keeps_no_player_out():
    ask = Client()
    match, pic = duel(ask)
    ask.address = THERE
    guesses(ask, match, pic, GUESSES + 1)
    ask.address = HERE
    assert ask.act(match, pic)["turn"] == 0


def test_who_guesses_behind_the_same_router_keeps_nobody_out_whose_connection_is_known():
    ask = Client()
    match, pic = duel(ask)
    ask.known = known = set()
    ask.act(match, pic)
    ask.known = None
    guesses(ask, match, pic, GUESSES + 1)
    ask.known = known
    for _ in range(2):
        assert ask.act(match, pic)["turn"] == 0
    assert guesses(ask, match, pic, 1) == [(207, True)]


def test_a_connection_that_has_joined_is_known():
    ask = Client()
    ask.known = set()
    seat = ask.join("ann")
    assert ask.known == {(seat["gameId"], 0)}


def test_what_is_no_code_is_no_guess():
    ask = Client()
    match, pic = duel(ask)
    for code in ("", "Bearer undefined", "12345", "1234567", "١٢٣٤٥٦", "\udc80") * GUESSES:
        with pytest.raises(Refusal) as caught:
            ask.act(match, code)
        assert (caught.value.code, caught.value.wait_s) == (207, None)
    assert ask.act(match, pic)["turn"] == 0


# -- matches and lists ---------------------------------------------------------------------------


def test_matches_that_are_over_make_room(monkeypatch):
    monkeypatch.setattr(halls, "MAX_OVER", 2)
    ask = Client(users=[user("ann")])
    ids = []
    for _ in range(4):
        made = ask("POST", "/v1/matches/ai/players", {"aiName": "none"}, authorization="Bearer token-ann")
        ids.append(made["gameId"])
        ask.now += 60
        ask("GET", "/version")
    assert list(ask.hall.matches) == ids[2:]
    assert ask("GET", "/v1/users/ann")["gameIds"] == ids[2:]
    assert ask.error("GET", f"/v1/matches/{ids[0]}") == 100
    assert ask.told[-1].is_gone


def test_a_full_server_forgets_what_is_over_then_what_nobody_asks_about(monkeypatch):
    monkeypatch.setattr(halls, "MAX_MATCHES", 4)

    def make():
        return ask("POST", "/v1/matches", {"boardName": "duel"})["id"]

    ask = Client()
    over = ask.join("ann", "ai", aiName="none")["gameId"]
    ask.now += 60
    first, second = make(), make()
    third = make()  # an address may have three quarters of four
    assert list(ask.hall.matches) == [first, second, third]
    assert over not in ask.hall.matches
    with pytest.raises(Refusal, match="too many matches"):
        make()
    ask.address = THERE
    fourth = make()
    ask.now += LEFT_S
    ask("GET", f"/v1/matches/{first}")
    ask.address = HERE
    fifth = make()
    assert list(ask.hall.matches) == [first, third, fourth, fifth]
    ask.now += 10**6
    ask("GET", "/version")  # dropped matches take no step


def test_a_running_match_that_is_forgotten_takes_no_step():
    ask = Client()
    match, *_ = ask.duel()
    ask.hall.forget(ask.hall.matches[match])
    ask.now += 1000
    ask("GET", "/version")
    assert ask.ended == []
    assert ask.join("ann")["gameId"] != match


def test_a_match_has_an_end_that_fits_an_answer():
    ask = Client()
    body = {"boardName": "duel", "nPlayer": 4, "nAgent": 16}
    assert ask.error("POST", "/v1/matches", {**body, "totalTurn": MAX_ENTRIES // 64 + 1}) == 6
    assert ask("POST", "/v1/matches", {**body, "totalTurn": MAX_ENTRIES // 64})["status"] == "free"


def test_lists_have_pages(monkeypatch):
    ask = Client(users=[user(f"a{number}") for number in range(120)])
    ids = [ask("POST", "/v1/matches", {"boardName": "duel"})["id"] for _ in range(103)]

    def shown(path="/v1/matches", **query):
        return [one["id"] for one in ask("GET", path, query=query)]

    assert shown() == shown(limit="1000", sort="startedAtUnixTime") == ids[:100]
    assert shown(offset="100") == ids[100:]
    assert shown(offset="1", limit="2") == ids[1:3]
    assert shown(limit="0") == shown(offset="103") == []
    assert shown("/v1/users", q="a", offset="99", limit="2") == ["id-a99", "id-a100"]
    assert len(shown("/v1/users", q="a")) == 100
    for query in ({"limit": "x"}, {"limit": ""}, {"offset": "-1"}, {"offset": "9" * 10}, {"limit": "٣"}):
        assert ask.error("GET", "/v1/matches", query=query) == 106
    monkeypatch.setattr("masume.kakomimasu.server.requests.MAX_BYTES", 1000)
    assert shown() == ids[: 1000 // len(ask.hall.matches[ids[0]].line)]


def test_a_request_sees_its_match_at_its_time_before_the_others_have_taken_their_steps():
    ask = Client()
    first, *_ = ask.duel()
    second, *_ = ask.duel()
    one, two = ask.hall.matches.values()
    ask.hall.advance_match(two, ask.now + 100)
    assert (one.phase, two.phase) == (Phase.READY, Phase.OVER)
    assert not ask.hall.advance(ask.now + 100, 1)
    assert ask.hall.advance(ask.now + 100)
    assert [match.id for match in ask.ended] == [second, first]


# -- connections ---------------------------------------------------------------------------------


class Transport:
    """Fake transport of a connection that records its closing."""

    port = 1000

    def __init__(self, address, peer=None):
        Transport.port += 1
        self.peer, self.is_closed = (address, Transport.port) if peer is None else peer, False

    def get_extra_info(self, _):
        return self.peer

    def is_closing(self):
        return self.is_closed

    def pause_reading(self):
        pass

    resume_reading = pause_reading

    def abort(self):
        self.is_closed = True


class Inner:
    """Fake of uvicorn's protocol."""

    def __init__(self):
        self.got = []

    def connection_made(self, _):
        self.got.append("made")

    def connection_lost(self, _):
        self.got.append("lost")

    def data_received(self, data):
        self.got.append(data)


class Wire:
    """Connections with a clock set by the test."""

    def __init__(self, limit=8):
        self.now = 0.0
        self.all = Connections(limit, lambda: self.now)
        for line in self.all.lines.values():
            line._is_resting = True  # there is no loop

    def send(self, connection, data):
        """Let a connection receive data, and all have their turns."""
        for first in range(0, len(data), PART):
            self.receive(connection, data[first : first + PART])
            self.take_turns()

    def receive(self, connection, part):
        connection.get_buffer(-1)[: len(part)] = part
        connection.buffer_updated(len(part))

    def take_turns(self, count=1000):
        for line in self.all.lines.values():
            for _ in range(min(count, len(line._waiting))):
                line._waiting.popleft().take_turn()

    def connect(self, address=HERE, peer=None):
        found = Connection(self.all, Inner())
        found.connection_made(Transport(address, peer))
        return found

    def pass_time(self, seconds):
        """Advance the clock and close the connections that are late."""
        self.now += seconds
        self.all.sweep()

    def is_open(self, connection):
        if connection.transport.is_closed:
            connection.connection_lost(None)
            self.take_turns()
        return not connection.transport.is_closed


def test_who_has_had_an_answer_waits_for_no_stranger():
    wire = Wire()
    player, strangers = wire.connect(), [wire.connect(THERE) for _ in range(3)]
    request = b"GET / HTTP/1.1\r\n\r\n"
    wire.send(player, request)
    player.begin()
    player.end()
    for one in strangers:
        wire.receive(one, request)
    wire.receive(player, request)
    assert [len(one._inner.got) for one in (player, *strangers)] == [3, 1, 1, 1]  # "made", and its requests
    wire.take_turns(count=1)
    assert [len(one._inner.got) for one in (player, *strangers)] == [3, 2, 1, 1]


def test_who_waits_in_line_is_not_late():
    wire = Wire()
    one = wire.connect()
    wire.receive(one, b"GET / HTTP/1.1\r\n")
    wire.pass_time(2 * HEAD_S)
    assert wire.is_open(one)
    wire.take_turns()
    wire.pass_time(HEAD_S)
    assert not wire.is_open(one)


def test_a_request_that_was_sent_before_the_last_answer_waits_in_line():
    wire = Wire()
    one, request = wire.connect(), b"GET / HTTP/1.1\r\n\r\n"
    wire.send(one, 2 * request)
    one.begin()
    one.end()
    assert one._inner.got == ["made", request]
    wire.take_turns()
    assert one._inner.got == ["made", request, request]


def test_a_head_has_a_time_however_slowly_it_comes():
    wire = Wire()
    silent, slow, whole = wire.connect(), wire.connect(), wire.connect()
    wire.send(whole, b"GET / HTTP/1.1\r\n\r\n")
    whole.begin()
    for _ in range(int(HEAD_S) - 1):
        wire.pass_time(1)
        wire.send(slow, b"x")
        assert wire.is_open(silent)
    wire.pass_time(1)
    assert [wire.is_open(one) for one in (silent, slow, whole)] == [False, False, True]
    assert len(wire.all) == 1
    assert slow._inner.got[-1] == "lost"


def test_a_server_that_is_late_gives_everybody_the_time_that_it_took():
    wire = Wire()
    one = wire.connect()
    wire.now += 3 * HEAD_S
    wire.all.sweep(wire.now - 3 * HEAD_S)
    assert wire.is_open(one)
    wire.pass_time(HEAD_S)
    assert not wire.is_open(one)


def test_the_next_request_has_a_time_too():
    wire = Wire()
    idle, slow = wire.connect(), wire.connect()
    for one in (idle, slow):
        wire.send(one, b"x")
        one.begin()
        one.end()
    wire.pass_time(KEPT_S - HEAD_S)
    wire.send(slow, b"x")
    wire.pass_time(HEAD_S - 1)
    wire.send(slow, b"x")
    assert wire.is_open(idle)
    wire.pass_time(1)
    assert [wire.is_open(one) for one in (idle, slow)] == [False, False]


def test_a_client_that_does_not_take_what_it_is_sent_is_cut_off():
    wire = Wire()
    one = wire.connect()
    one.begin()
    one.limit(5)
    wire.pass_time(4)
    assert wire.is_open(one)
    wire.pass_time(1)
    assert not wire.is_open(one)


def test_a_head_without_end_is_cut_off():
    wire = Wire()
    one = wire.connect()
    wire.send(one, b"x" * MAX_HEAD)
    wire.send(one, b"x")
    assert wire.is_open(one)
    wire.send(one, b"x")
    assert not wire.is_open(one)
    two = wire.connect()
    wire.send(two, b"x" * 100)
    two.begin()
    for _ in range(100):
        wire.send(two, b"x" * MAX_HEAD)  # body data, which the application counts
    assert wire.is_open(two)


def test_a_new_connection_takes_the_place_of_the_one_that_has_waited_longest():
    wire = Wire(limit=8)  # an address may have six
    first, *others = [wire.connect() for _ in range(6)]
    first.begin()
    wire.now += 2
    seventh = wire.connect()
    assert [wire.is_open(one) for one in (first, *others)] == [True, False, True, True, True, True]
    elsewhere = [wire.connect(THERE) for _ in range(3)]  # the server is full
    assert [wire.is_open(one) for one in (first, *others)] == [True, False, False, True, True, True]
    assert all(map(wire.is_open, [seventh, *elsewhere]))
    assert len(wire.all) == 8


def test_an_honest_connection_that_is_kept_gives_way_after_slow_heads_and_before_quick_ones():
    wire = Wire(limit=4)
    kept, slow, quick = wire.connect(), wire.connect(), wire.connect()
    for one in (kept, quick):
        one.begin()
        one.end()
    wire.now += 2
    wire.send(quick, b"x")
    found = [wire.connect(THERE) for _ in range(2)]
    assert [wire.is_open(one) for one in (kept, slow, quick)] == [True, False, True]
    wire.connect("203.0.113.9")
    assert [wire.is_open(one) for one in (kept, quick, *found)] == [False, True, True, True]
    wire.connect("203.0.113.9")
    assert [wire.is_open(one) for one in (quick, *found)] == [False, True, True]


def test_connections_that_are_answered_give_way_to_nobody():
    wire = Wire(limit=2)
    one, two = wire.connect(), wire.connect(THERE)
    for each in (one, two):
        each.begin()
    late = wire.connect("203.0.113.9")
    assert [wire.is_open(each) for each in (one, two, late)] == [True, True, False]
    assert late._inner.got == []
    wire.send(late, b"x")
    two.end()
    assert wire.is_open(wire.connect("203.0.113.9"))


def test_a_connection_from_where_one_was_that_is_gone_is_let_in():
    wire = Wire()
    old = wire.connect()
    old.begin()
    new = wire.connect(peer=old.peer)
    assert new._inner.got == ["made"]
    assert wire.all.find(old.peer) is new
    assert [wire.is_open(one) for one in (old, new)] == [False, True]
    assert (len(wire.all), wire.all.shares.total) == (1, 1)
    assert wire.all.find(new.peer) is new


def test_what_ends_a_stream_is_told_that_the_connection_is_gone():
    wire, told = Wire(), []
    one = wire.connect()
    one.begin()
    one.on_lost = lambda: told.append("lost")
    one.connection_lost(None)
    wire.take_turns()
    assert told == ["lost"]
    assert wire.all.find(one.peer) is None


def test_a_stream_that_is_far_behind_ends(monkeypatch):
    monkeypatch.setattr("masume.kakomimasu.server.streams.MAX_BYTES", 1000)
    ask = Client()
    ask.duel()
    (match,) = ask.hall.matches.values()
    streams = Streams()
    one = streams.open({}, None, {match.id: match}, HERE)
    assert isinstance(one, Stream)
    for _ in range(1000 // len(match.line) + 1):
        streams.tell(match)
    assert len(streams) == 0
    assert streams.shares.total == 0
    assert streams._of_match == {}


def test_streams_share_the_lines_of_matches():
    ask = Client()
    ask.duel()
    (match,) = ask.hall.matches.values()
    streams = Streams()
    found = [streams.open({}, None, {match.id: match})._first for _ in range(2)]
    assert found[0][2] is found[1][2] is match.line


def test_a_stream_that_watches_a_match_that_is_forgotten_hears_of_it():
    ask = Client()
    ask.duel()
    (match,) = ask.hall.matches.values()
    streams = Streams()
    stream = streams.open({"allowNewGame": "true"}, None, {match.id: match})
    match.is_gone = True
    for _ in range(2):
        streams.tell(match)
    assert [json.loads(message)["type"] for message in stream._waiting] == ["remove"]


# -- counting ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"), ("2001:db8:1:2::7", "2001:db8:1:2::"),
        ("::ffff:192.0.2.1", "192.0.2.1"), ("fe80::1%eth0", "fe80::"), ("::1", "::"), ("a:b", "a:b"), ("", ""),
    ],
)  # fmt: skip
def test_what_counts_as_one_address(address, counted):
    assert network(address) == counted


def test_shares():
    shares = Shares(4)
    for _ in range(3):
        assert shares.has_room(HERE)
        shares.take(HERE)
    assert not shares.has_room(HERE)
    assert shares.largest(HERE) == HERE
    shares.take(THERE)
    assert not shares.has_room("203.0.113.9")
    assert shares.largest(THERE) == HERE
    shares.give_back(HERE)
    assert shares.has_room(HERE)


def test_buckets_refill_up_to_their_size_and_never_for_time_that_runs_back(monkeypatch):
    bucket = Bucket(2, 10, 0)
    assert [bucket.take(0) for _ in range(3)] == [True, True, False]
    assert bucket.wait_s(4) == pytest.approx(6)
    assert not bucket.take(0)
    assert [bucket.take(100) for _ in range(3)] == [True, True, False]
    monkeypatch.setattr("masume.http.limits.MAX_BUCKETS", 1)
    buckets = Buckets(1, 10)
    assert buckets.find(HERE, 0).take(0)
    assert buckets.find(HERE, 0) is buckets.find(HERE, 0)
    buckets.find(THERE, 0)
    assert len(buckets._buckets) == 1


def test_a_clock_that_somebody_sets_ends_no_match():
    wall, passed = 1_700_000_000.0, 50.0
    clock = Clock(lambda: wall, lambda: passed)
    assert clock() == wall
    passed += 3
    wall += 86_400
    assert clock() == 1_700_000_003.0


# -- saved state ---------------------------------------------------------------------------------


def test_what_runs_goes_on_at_the_next_start(tmp_path):
    before = Client(is_open=True, users=[user("of the file")])
    made = before("POST", "/v1/users", {"name": "anna", "screenName": "Anna"})
    bearer = f"Bearer {made['bearerToken']}"
    running, pic, _ = before.duel()
    computer = before("POST", "/v1/matches/ai/players", {"aiName": "a3", "boardName": "duel"}, authorization=bearer)
    free = before("POST", "/v1/matches", {"boardName": "trio", "name": "mine", "playerIdentifiers": ["anna"]})["id"]
    before.act(running, pic, put(0, 1, 1))
    start = before("GET", f"/v1/matches/{running}")["startedAtUnixTime"]
    before.now = start + 5.5
    before.act(running, pic, put(1, 2, 2))
    shown = [before("GET", f"/v1/matches/{one}") for one in (running, computer["gameId"], free)]
    assert saved.save(tmp_path, before.hall, before.now) == 3

    after = Client(is_open=True, users=[user("of the file")])
    after.now = before.now + 99.5
    assert saved.restore(tmp_path, after.hall, after.now) == 3
    assert saved.restore(tmp_path, after.hall, after.now) == 0
    for one, other in zip(shown, (running, computer["gameId"], free), strict=True):
        late = 100 if one["startedAtUnixTime"] else None
        one["startedAtUnixTime"] = late and one["startedAtUnixTime"] + late
        assert after("GET", f"/v1/matches/{other}") == one
    assert after("GET", "/v1/users/me", authorization=bearer) == {
        **made, "gameIds": [computer["gameId"]],
    }  # fmt: skip
    assert after.error("POST", f"/v1/matches/{free}/players", {"guestName": "x"}) == 0
    after.now = start + 100 + 8
    found = after("GET", f"/v1/matches/{running}")
    assert found["status"] == "ended"
    assert [one["x"] for turn in found["log"] for one in turn["players"][0]["actions"]] == [1, 2]
    game_from_json(found)
    game_from_json(after("GET", f"/v1/matches/{computer['gameId']}"))


def test_matches_that_are_over_are_saved_as_replays_alone(tmp_path):
    ask = Client()
    ask.duel()
    ask.now += 100
    ask("GET", "/version")
    assert saved.save(tmp_path, ask.hall, ask.now) == 0


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"version": 2}', '{"version": 1, "savedAt": "x"}', "null"])
def test_a_state_that_is_none_is_an_error_and_stays(tmp_path, text):
    (tmp_path / saved.NAME).write_text(text)
    with pytest.raises(ConfigError, match=saved.NAME):
        saved.restore(tmp_path, Client().hall, 0)
    assert (tmp_path / saved.NAME).read_text() == text


def test_a_state_with_a_broken_match_is_an_error(tmp_path):
    ask = Client()
    ask.duel()
    saved.save(tmp_path, ask.hall, ask.now)
    whole = json.loads((tmp_path / saved.NAME).read_text())
    for key in list(whole["matches"][0]):
        for value in (None, [1], "x", {}):
            if (key, value) in (("name", None), ("owner", None), ("name", "x"), ("owner", "x")):
                continue
            broken = {**whole, "matches": [{**whole["matches"][0], key: value}]}
            (tmp_path / saved.NAME).write_text(json.dumps(broken))
            fresh = Client()
            try:
                saved.restore(tmp_path, fresh.hall, ask.now)
            except ConfigError:
                assert (tmp_path / saved.NAME).exists()


# -- the organiser's own -------------------------------------------------------------------------


def test_an_organiser_names_the_addresses_that_may_connect():
    allow = read_networks(["192.0.2.0/24", "2001:db8::/32", "198.51.100.7"])
    connections = Connections(8, lambda: 0.0, allow)
    for host, is_open in (
        ("192.0.2.77", True), ("198.51.100.7", True), ("198.51.100.8", False), ("2001:db8::1%eth0", True),
        ("2001:db9::1", False), ("::ffff:192.0.2.1", True), ("", False), ("here", False),
    ):  # fmt: skip
        assert connections.is_open_to(host) == is_open
        assert Connections(8, lambda: 0.0).is_open_to(host)
    for text in ("", "here", "192.0.2.0/33"):
        with pytest.raises(ConfigError, match="allow: expected an address or a network"):
            read_networks([text])


def test_an_organiser_sets_the_number_of_requests_a_second():
    for rate in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ConfigError, match=r"rate: expected a number > 0"):
            Settings(rate=rate)
    assert Settings(rate=0.5).rate == 0.5
