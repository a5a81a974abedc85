"""The page's description: random requests of it are answered as it says, or refused with words."""

import itertools
import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from described import JUNK, fits, values
from masume.http.front import Front
from visitors import Browser, first_step, page, question

GAMES = ["nezumi", "kakomimasu", "chaser"]
WINDOW = "w" * 8
MANY = {"deadline": None, "suppress_health_check": list(HealthCheck)}


def read_document():
    with page() as server:
        return Browser(server).get("/api/openapi.json")


DOCUMENT = read_document()
SCHEMAS = DOCUMENT["components"]["schemas"]
OPERATIONS = [
    (method.upper(), path, found)
    for path, operations in DOCUMENT["paths"].items()
    for method, found in operations.items()
    if method != "parameters" and not path.endswith("/events")
]


def test_the_description_has_every_address_of_scripts_and_the_path_of_the_page():
    with page(front=Front(base="/board")) as server:
        found = Browser(server).get("/board/api/openapi.json")
        assert found["servers"] == [{"url": "/board/api"}]
        for route in server._page._guard._app.routes:
            if route.path.startswith("/api/") and route.path != "/api/openapi.json":
                (method,) = route.methods - {"HEAD"}
                assert method.lower() in found["paths"][route.path.removeprefix("/api")]


class Visitor:
    """Sends requests to a page on which a match of each game is played."""

    def __init__(self, server):
        self.browser = Browser(server)
        self.matches = [
            self.browser.post("/api/play", {"game": game, "seats": ["me", "guest"], "seed": 3})["id"] for game in GAMES
        ]
        for match in self.matches:
            token = self.browser.get(f"/api/m/{match}")["match"]["invitations"]["1"].rpartition("/")[2]
            self.browser.post(f"/api/m/{match}/sit", {"token": token})
        sheet = self.browser.post("/api/make/nezumi/open", {})
        self.sheet = {key: sheet[key] for key in ("size", "cells", "fields", "kinds")}
        self.jobs = []
        self.known = itertools.cycle([3, 0, 5])

    def fill(self, body, number):
        """Return a body in which what only this page knows is right, where the number says so."""
        if not isinstance(body, dict) or number % 3 == 0:
            return body
        match = self.matches[number % len(self.matches)]
        known = {"game": GAMES[number % 3], "seats": ["me", "random"], "start": "", "variant": "", "text": "",
                 "clock": "none", "sheet": self.sheet, "task": 0, "seed": number}  # fmt: skip
        if "ask" in body:
            self.browser.post(f"/api/m/{match}/take", {"window": WINDOW})  # an earlier request may have taken the seats
            self.browser.post(f"/api/m/{match}/host", {"do": "resume"})  # or paused the match
            ask = question(self.browser, match, WINDOW)
            known |= {"ask": ask["id"], "steps": [first_step(ask)] if ask["undo"] or number % 2 else []}
        return {key: known.get(key, value) for key, value in body.items()}

    def send(self, found, method, path, number, query, body):
        ids = [*self.matches, *self.jobs, *GAMES, "9" * 5000, "none"]
        if number % 3 and "/m/{id}" in path:
            ids = self.matches
        elif "{game}" in path and number % 3:
            ids = GAMES
        path = "/api" + re.sub(r"\{\w+\}", lambda _: ids[number % len(ids)], path, count=1)
        path = re.sub(r"\{\w+\}", str(number), path)
        asked = "&".join(f"{name}={value}" for name, value in query.items())
        sent = json.dumps(self.fill(body, number)) if method == "POST" else None
        status, headers, data = self.browser.ask(method, f"{path}?{asked}", sent and sent.encode())
        assert status < 500 or headers["Retry-After"], (method, path, sent, data)
        answer = json.loads(data)
        if status == 200:
            schema = found["responses"]["200"]["content"]["application/json"]["schema"]
            if path.endswith("/job"):
                self.jobs.append(answer["id"])
                self.browser.post(f"/api/job/{answer['id']}/cancel", {})  # it would take a processor for a minute
        else:
            schema = found["responses"]["default"]["content"]["application/json"]["schema"]
        assert fits(schema, answer, SCHEMAS), (method, path, status, sent, data)
        return status


@st.composite
def requests(draw):
    """Draw an operation and a request: method, path, number of its id, query and body."""
    method, path, found = draw(st.sampled_from(OPERATIONS))
    query = {
        "view": ["all", "0", "1", "x"],
        "as": ["0", "1", "9" * 500],
        "lang": ["ja", "en", "x"],
        "window": [WINDOW],
    }
    asked = draw(st.fixed_dictionaries({}, optional={name: st.sampled_from(texts) for name, texts in query.items()}))
    body = {}
    if "requestBody" in found:
        schema = found["requestBody"]["content"]["application/json"]["schema"]
        body = draw(st.one_of(values(schema, SCHEMAS), values(schema, SCHEMAS), JUNK))
    return found, method, path, draw(st.integers(0, 30)), asked, body


@pytest.fixture(scope="module")
def visitor():
    with page() as server:
        yield Visitor(server)


@given(st.lists(requests(), max_size=10))
@settings(max_examples=20, **MANY)
def test_requests_are_answered_as_described(visitor, sent):
    for request in sent:
        visitor.send(*request)


@pytest.mark.slow
@given(st.lists(requests(), max_size=10))
@settings(max_examples=40, **MANY)
def test_many_requests_are_answered_as_described(visitor, sent):
    for request in sent:
        visitor.send(*request)
