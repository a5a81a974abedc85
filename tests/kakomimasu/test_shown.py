"""The page beside the match server: the same matches, turn by turn."""

import json

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")

from masume.http.front import Front
from masume.kakomimasu.server.shown import Shown
from masume.web.facts import tell

from .clients import Client


def entry(agent, kind, x, y):
    return {"agentId": agent, "type": kind, "x": x, "y": y}


def test_the_page_shows_the_positions_of_the_server(tmp_path):
    client, shown = Client(), Shown("kakomimasu", tmp_path, Front())
    match_id, ann, bob = client.duel()
    match = client.hall.matches[match_id]
    turns = [
        ([entry(0, "PUT", 0, 0), entry(1, "PUT", 1, 0)], [entry(0, "PUT", 3, 3), entry(1, "PUT", 9, 9)]),
        ([entry(0, "MOVE", 0, 1), entry(0, "MOVE", 0, 1)], [entry(0, "MOVE", 2, 3), entry(7, "MOVE", 0, 0)]),
    ]
    shown.note(match)
    for ann_does, bob_does in turns:
        while match.phase.name != "OPERATION":
            client.now = match.moment + 0.01
            client.hall.advance(client.now)
            shown.note(match)
        client.act(match_id, ann, *ann_does)
        client.act(match_id, bob, *bob_does)
        client.now = match.moment + 0.01
        client.hall.advance(client.now)
        shown.note(match)
        (one,) = shown._gallery.found.values()
        assert one.names == ["ann", "bob"]
        assert one.state.to_dict() == match.state.to_dict()
    while match.phase.name != "OVER":
        client.now = match.moment + 0.01
        client.hall.advance(client.now)
        shown.note(match)
    assert one.is_over
    assert one.returns == match.state.returns().tolist()
    assert json.dumps(tell(one, "en"))
