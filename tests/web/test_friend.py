"""Two people: the invitation, who is here, and what they play next, which one asks and all must agree to."""

import json
import time
import types

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from masume.core import system
from masume.http.front import Front
from masume.web import people
from visitors import WAIT_S, Browser, Player, end_match, page, question


@pytest.fixture
def server(tmp_path):
    with page(folder=tmp_path) as found:
        yield found


def meet(server, game="nezumi", **fields):
    """Return Aki, who has invited, and Bo, who has sat down."""
    browser = Browser(server)
    seats = fields.pop("seats", ["me", "guest"])
    match = browser.post("/api/play", {"game": game, "seats": seats, "seed": 5, "name": "Aki", **fields})["id"]
    aki = Player(browser, match)
    return aki, aki.sit(next(iter(aki.facts()["invitations"].values())), "Bo")


def end(server, player):
    """Let a match be over; return its facts for this player."""
    end_match(server, player.match)
    return player.facts()


def ask(player, do, status=200):
    """Ask or answer what is played next, as the page of a player would."""
    number = player.facts()["next"]["number"]
    return player.browser.post(f"/api/m/{player.match}/next", {"do": do, "number": number}, status)


def go_on(player, match):
    """Return the player in the next match."""
    assert ask(player, "go") == {"id": match}
    return Player(player.browser, match)


# -- what is played next ---------------------------------------------------------------------------


@pytest.mark.parametrize("who", [0, 1])
def test_a_rematch_has_the_same_seats_and_names_whoever_asks(server, who):
    players = meet(server)
    end(server, players[who])
    asker, other = players[who], players[1 - who]
    assert ask(asker, "rematch") == {"id": ""}
    assert other.facts()["next"]["asked"] == "rematch"
    assert other.facts()["next"]["by"] == who
    found = ask(other, "yes")["id"]
    assert found not in ("", asker.match)
    other, asker = Player(other.browser, found), go_on(asker, found)
    for player, seat in ((asker, who), (other, 1 - who)):
        assert (player.facts()["names"], player.facts()["mine"]) == (["Aki", "Bo"], [seat])
        assert player.facts()["missing"] == []
    mice = other if who == 0 else asker  # who begin
    assert question(mice.browser, found)["player"] == 1


def test_swapped_sides_change_seats_and_names(server):
    aki, bo = meet(server)
    end(server, aki)
    ask(aki, "swap")
    found = ask(bo, "yes")["id"]
    aki, bo = go_on(aki, found), Player(bo.browser, found)
    assert aki.facts()["names"] == ["Bo", "Aki"]
    assert (aki.facts()["mine"], bo.facts()["mine"]) == ([1], [0])
    end(server, bo)  # and a third game, after the second
    ask(bo, "swap")
    found = ask(aki, "yes")["id"]
    assert go_on(bo, found).facts()["names"] == ["Aki", "Bo"]


def test_the_next_board_is_the_next_of_the_list(server):
    aki, bo = meet(server, start="garden")
    end(server, aki)
    assert aki.facts()["next"]["board"] == "pantry"
    ask(aki, "board")
    found = ask(bo, "yes")["id"]
    assert server.gallery.found[found].recipe["start"] == "pantry"
    assert go_on(aki, found).facts()["names"] == ["Aki", "Bo"]


def test_a_refusal_is_seen_by_both_and_another_question_may_follow(server):
    aki, bo = meet(server)
    end(server, aki)
    ask(aki, "rematch")
    assert ask(bo, "no") == {"id": ""}
    for player in (aki, bo):
        assert (player.facts()["next"]["asked"], player.facts()["next"]["refused"]) == ("", [1])
    ask(bo, "swap")
    assert aki.facts()["next"]["refused"] == []
    ask(bo, "no")  # taken back
    assert (aki.facts()["next"]["asked"], aki.facts()["next"]["refused"]) == ("", [])


def test_an_answer_to_an_older_question_is_none_to_the_new_one(server):
    aki, bo = meet(server)
    end(server, aki)
    ask(aki, "rematch")
    number = bo.facts()["next"]["number"]
    ask(aki, "no")
    ask(aki, "swap")
    told = bo.browser.post(f"/api/m/{bo.match}/next", {"do": "yes", "number": number}, 409)
    assert told["text"] == "this question is no longer open"
    assert bo.facts()["next"]["id"] == ""


def test_who_asks_cannot_answer_and_who_watches_cannot_ask(server):
    aki, bo = meet(server)
    ask_early = {"do": "rematch", "number": 0}
    assert aki.facts().get("next") is None
    aki.browser.post(f"/api/m/{aki.match}/next", ask_early, 409)  # it is played
    end(server, aki)
    Browser(server).post(f"/api/m/{aki.match}/next", ask_early, 403)
    assert Browser(server).get(f"/api/m/{aki.match}")["match"].get("next") is None
    ask(aki, "rematch")
    ask(aki, "yes", 409)
    ask(bo, "yes")
    told = ask(bo, "swap", 409)
    assert told["text"] == "the next game has begun"


def test_all_of_three_must_agree(server):
    aki, bo = meet(server, "terraforming", seats=["me", "guest", "guest"])
    chie = aki.sit(aki.facts()["invitations"]["2"], "Chie")
    end(server, aki)
    ask(chie, "swap")
    assert ask(aki, "yes") == {"id": ""}
    assert aki.facts()["next"]["agreed"] == [0, 2]
    found = ask(bo, "yes")["id"]
    assert go_on(chie, found).facts()["names"] == ["Bo", "Chie", "Aki"]


def test_two_at_one_browser_agree_at_once(server):
    browser = Browser(server)
    match = browser.post("/api/play", {"game": "nezumi", "seats": ["me", "me"], "seed": 5, "name": "Aki"})["id"]
    player = Player(browser, match)
    end(server, player)
    found = ask(player, "rematch")["id"]
    assert Player(browser, found).facts()["mine"] == [0, 1]


def test_a_match_against_agents_asks_nobody(server):
    browser = Browser(server)
    player = Player(browser, browser.post("/api/play", {"game": "nezumi", "seats": ["me", "random"], "seed": 5})["id"])
    assert end(server, player)["next"] is None
    browser.post(f"/api/m/{player.match}/next", {"do": "rematch", "number": 0}, 409)


def test_both_see_the_question_on_the_stream_after_the_end(server):
    aki, bo = meet(server)
    end(server, aki)
    with bo.browser.stream(f"/api/m/{bo.match}/events?stay=1") as events:
        kinds = []
        for kind, _, data in events:
            kinds.append(kind)
            if kind == "over":
                ask(aki, "rematch")
            if kind == "match" and json.loads(data)["next"]["asked"]:
                break
    assert "end" not in kinds
    assert [kind for kind, _, _ in bo.browser.events(f"/api/m/{bo.match}/events")][-1] == "end"  # as for others


# -- who is here -----------------------------------------------------------------------------------


def wait_here(player, here):
    until = time.monotonic() + WAIT_S
    while player.facts()["here"] != here:
        assert time.monotonic() < until, player.facts()["here"]
        time.sleep(0.02)


def test_both_see_who_is_here(server, monkeypatch):
    monkeypatch.setattr(people, "GONE_S", 0.1)
    aki, bo = meet(server)
    wait_here(aki, [])
    with bo.browser.stream(f"/api/m/{bo.match}/events") as events:
        next(events)
        wait_here(aki, [1])
        with aki.browser.stream(f"/api/m/{aki.match}/events") as others:
            next(others)
            wait_here(bo, [0, 1])
    wait_here(aki, [])


def test_who_reloads_has_not_left(server, monkeypatch):
    monkeypatch.setattr(people, "GONE_S", 2.0)
    aki, bo = meet(server)
    for _ in range(2):
        with bo.browser.stream(f"/api/m/{bo.match}/events") as events:
            next(events)
            wait_here(aki, [1])
        assert aki.facts()["here"] == [1]


# -- the invitation --------------------------------------------------------------------------------


def invitation(player, seat=1, status=200, **headers):
    found, _headers, data = player.browser.ask("GET", f"/api/m/{player.match}/invitation/{seat}", **headers)
    assert found == status, data
    return json.loads(data)


def begin(server):
    browser = Browser(server)
    body = {"game": "nezumi", "seats": ["me", "guest"], "seed": 5, "name": "Aki"}
    return Player(browser, browser.post("/api/play", body)["id"])


def test_a_page_of_this_machine_says_how_others_get_in(server):
    found = invitation(begin(server))
    assert found["links"] == []
    assert found["command"] == "masume serve --host 0.0.0.0"


def test_the_address_of_the_browser_comes_first_then_those_of_the_machine(monkeypatch):
    monkeypatch.setattr(system, "list_addresses", lambda: ["127.0.0.1", "192.0.2.7", "198.51.100.7", "169.254.1.1"])
    with page(front=Front("0.0.0.0")) as server:
        aki, port = begin(server), server.port
        link = aki.facts()["invitations"]["1"]
        found = [one["link"] for one in invitation(aki)["links"]]
        assert [f"http://{name}:{port}{link}" for name in ("192.0.2.7", "198.51.100.7")] == found[-2:]
        assert not [one for one in found if "127.0.0.1" in one or "169.254" in one]
        found = invitation(aki, Host=f"198.51.100.7:{port}")["links"]
        assert found[0]["link"] == f"http://198.51.100.7:{port}{link}"
        assert len({one["link"] for one in found}) == len(found)
        assert invitation(aki)["command"] == ""


def test_a_name_and_a_path_stand_in_the_link():
    with page(front=Front(base="/board", names=["contest.example.org", "http://other:8080"])) as server:
        browser = Browser(types.SimpleNamespace(port=server.port, base="/board"))
        match = browser.post("/api/play", {"game": "nezumi", "seats": ["me", "guest"]})["id"]
        link = browser.get(f"/api/m/{match}")["match"]["invitations"]["1"]
        found = [one["link"] for one in browser.get(f"/api/m/{match}/invitation/1")["links"]]
        assert found == [f"https://contest.example.org/board{link}", f"http://other:8080/board{link}"]


def test_behind_a_proxy_the_address_of_the_browser_is_the_only_one():
    with page(front=Front(proxies=["127.0.0.1"])) as server:
        aki = begin(server)
        assert invitation(aki) == {"links": [], "command": ""}


def test_only_who_plays_gets_the_invitation_and_only_of_a_free_seat(server):
    aki = begin(server)
    stranger = Player(Browser(server), aki.match)
    assert invitation(stranger, status=403)["text"] == "this seat is not yours"
    for seat in (0, 7, "x"):
        assert invitation(aki, seat, 404)["text"] == "this seat is not free"
    aki.sit(aki.facts()["invitations"]["1"])
    invitation(aki, 1, 404)


def test_who_invites_may_say_a_name_later(server):
    aki = begin(server)
    aki.browser.post(f"/api/m/{aki.match}/name", {"name": " Akira "})
    assert aki.facts()["names"][0] == "Akira"
    bo = aki.sit(aki.facts()["invitations"]["1"], "Bo")
    question(bo.browser, bo.match)
    assert bo.facts()["names"] == ["Akira", "Bo"]
    told = aki.browser.post(f"/api/m/{aki.match}/name", {"name": "Aki"}, 409)
    assert told["text"] == "the names stand once the match has begun"
    Browser(server).post(f"/api/m/{aki.match}/name", {"name": "x"}, 403)


def test_a_name_holds_after_a_restart(tmp_path):
    with page(folder=tmp_path) as server:
        aki = begin(server)
        aki.browser.post(f"/api/m/{aki.match}/name", {"name": "Akira"})
        link = aki.facts()["invitations"]["1"]
    with page(folder=tmp_path) as server:
        again = Player(Browser(server), aki.match)
        again.browser.cookies = aki.browser.cookies
        assert again.facts()["names"][0] == "Akira"
        bo = again.sit(link, "Bo")
        question(bo.browser, bo.match)
        assert bo.facts()["names"] == ["Akira", "Bo"]


def test_only_a_seat_that_no_window_plays_is_taken_back(server):
    """After a restart the window that had a seat takes it back; one that lost it meanwhile does not."""
    aki, _bo = meet(server)

    def away(window):
        return aki.browser.get(f"/api/m/{aki.match}?window={window}")["match"]["away"]

    take = f"/api/m/{aki.match}/take"
    aki.browser.post(take, {"window": "a" * 8, "back": True})
    assert (away("a" * 8), away("b" * 8)) == ([], [0])
    aki.browser.post(take, {"window": "b" * 8, "back": True})
    assert (away("a" * 8), away("b" * 8)) == ([], [0])
    aki.browser.post(take, {"window": "b" * 8})
    assert (away("a" * 8), away("b" * 8)) == ([0], [])
