"""What a player may not know does not reach its browser: two worlds alike to it give equal bytes on the wire."""

import contextlib
import json
import threading
from itertools import combinations

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

import masume
from masume.agent import View
from masume.chaser.maps import load_shipped
from masume.web import playing
from masume.web.drafts import Draft
from masume.web.films import to_bytes
from masume.web.guides import guide_of
from masume.web.match import Match, Playback
from masume.web.people import PersonSeat
from masume.web.streams import Streams
from visitors import WAIT_S, Browser, page

VIEWER = 0


def record(game, seed, choose, plies):
    """Play `plies` plies of a game; `choose(state, ply)` returns an action. Return the moves and the last state."""
    state, moves = game.new_state(seed), []
    for ply in range(plies):
        if state.is_terminal():
            break
        moves.append(int(choose(state, ply)))
        state.apply(moves[-1])
    return moves, state


@contextlib.contextmanager
def step_by_step(match):
    """Yield a function that waits until the match's stream has sent all there is: how steps fall together is chance."""
    idle, wait = threading.Event(), Streams.wait

    async def notice(self, changed):
        if changed in match.listeners._bells and not changed.is_set():
            idle.set()
        return await wait(self, changed)

    def settle():
        assert idle.wait(WAIT_S)
        idle.clear()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Streams, "wait", notice)
        yield settle


def bytes_of(game, seed, moves):
    """Return everything that reaches the browser of the viewer while these moves are played, one after the other."""
    with page(host="host") as server:
        match = Match(game, seed, ["one", "two"], Playback())
        match.id, match.at = "match", 0.0
        seat = match.seats[VIEWER] = PersonSeat.__new__(PersonSeat)
        seat.name, seat.token, seat.is_taken, seat.question = "one", "token", True, None
        server.call(server.gallery.add, match)
        browser = Browser(server)
        browser.cookies["masume-match"] = "token"
        with browser.stream("/api/events") as events:
            next(events)
        found = []
        with step_by_step(match) as settle, browser.stream("/api/m/match/events") as events:
            for move in moves:
                settle()
                server.call(match.advance, [move], ["one", "two"], [None, None])
            settle()
            server.call(match.fail, "the end of the test")
            found += [(kind, data) for kind, _, data in events]
        lobby = browser.ask("GET", "/api/lobby")[2]
        match.phase = "running"
        whole = browser.ask("GET", "/api/m/match")[2]
        pieces = [browser.ask("GET", f"/api/m/match/film/{n}")[2] for n in range(2)]
        assert browser.ask("GET", "/api/m/match/film/0?view=1")[0] == 403
        assert browser.ask("GET", "/api/m/match/film/0?view=all")[0] == 403
        return found, lobby, whole, pieces


def frames_of(found):
    return [data for kind, data in found if kind == "frame"]


def alike_fields():
    """Return two games and their moves that differ where COOL never looked."""

    def choose(state, ply):  # COOL looks around at home; HOT walks where it can
        legal = state.legal_actions().tolist()
        return legal[(ply * 5) % len(legal)]

    lines = load_shipped()["duel"].to_text().split("\n")
    worlds = {}
    for number, line in enumerate(lines):
        for column, letter in enumerate(line):
            if line.startswith("D:") and letter in "02":
                other = "2" if letter == "0" else "0"
                text = "\n".join([*lines[:number], line[:column] + other + line[column + 1 :], *lines[number + 1 :]])
                try:
                    game = masume.load("chaser", map=text)
                except ValueError:
                    continue
                moves, state = record(game, 0, choose, 12)
                worlds.setdefault(state.information_state(VIEWER), []).append((game, moves))
    alike = max(worlds.values(), key=len)
    assert len(alike) > 1
    assert alike[0][0] != alike[-1][0]
    return alike[0], alike[-1]


def test_two_fields_that_differ_where_cool_never_looked_give_it_equal_bytes():
    (one, its), (other, others) = alike_fields()
    assert bytes_of(one, 0, its) == bytes_of(other, 0, others)


def alike_fleets():
    """Return a game twice, with moves in which the enemy's fleets differ and behave alike."""
    game = masume.load("battleship", mission="annihilation")
    worlds = {}
    for seed in range(40):

        def choose(state, ply, seed=seed):
            legal = state.legal_actions().tolist()
            if state.to_dict()["phase"] == 0:  # the set-up: the viewer's is always the same
                return legal[(seed if state.current_player != VIEWER else 0) * (ply + 3) % len(legal)]
            texts = {state.action_to_text(code)[0]: code for code in legal if state.action_to_text(code)[0] in "MP"}
            return texts.get("P", texts.get("M", legal[0]))

        moves, state = record(game, 5, choose, 26)
        worlds.setdefault(state.information_state(VIEWER), []).append(moves)
    alike = [(one, other) for found in worlds.values() for one, other in combinations(found, 2) if one != other]
    assert alike
    one, other = max(alike, key=lambda pair: abs(len(pair[0]) - len(pair[1])))
    return (game, one), (game, other)


def test_two_fleets_of_the_enemy_that_behave_alike_give_equal_bytes():
    (game, one), (_game, other) = alike_fleets()
    found, others = bytes_of(game, 5, one), bytes_of(game, 5, other)
    assert found == others
    assert len(frames_of(found[0])) > 1


def asked(game, seed, moves):
    """Return what the viewer was asked when it last decided in these moves, as bytes, and its view."""
    state, asking = game.new_state(seed), None
    for move in moves:
        if state.current_player == VIEWER:
            asking = state.clone()
        state.apply(move)
    view = View(asking, VIEWER)
    return to_bytes(Draft(view).to_dict("en")), view


@pytest.mark.parametrize(("worlds", "seed"), [(alike_fields, 0), (alike_fleets, 5)], ids=["chaser", "battleship"])
def test_what_a_move_brings_guides_and_hints_are_equal_in_worlds_that_look_alike(worlds, seed, monkeypatch):
    found = []
    monkeypatch.setattr(playing, "HINT", "mcts:60")
    monkeypatch.setattr(playing.secrets, "randbelow", lambda _end: 7)
    for game, moves in worlds():
        question, view = asked(game, seed, moves)
        found.append((question, to_bytes(guide_of(game, "en")), int(playing._search(view, VIEWER))))
    assert found[0] == found[1]
    groups = json.loads(found[0][0])["legal"]
    assert any("brings" in group for group in groups)


def test_the_bytes_differ_as_soon_as_the_player_sees_a_difference():
    def choose(state, ply):
        legal = state.legal_actions().tolist()
        return legal[(ply * 5) % len(legal)]

    game = masume.load("chaser", map=load_shipped()["duel"])
    moves, _state = record(game, 0, choose, 12)
    shorter = bytes_of(game, 0, moves[:6])
    longer = bytes_of(game, 0, moves)
    assert shorter != longer
    assert json.loads(longer[2])["frame"]["n"] > 0
