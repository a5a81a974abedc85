"""Random requests of the description: whatever is sent, it is answered as described, or refused."""

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from described import JUNK, fits, values
from masume.kakomimasu.server.hall import Refusal

from .clients import JSON, Client, user


def new_client():
    return Client(is_open=True, users=[user("ann")])


DOCUMENT = new_client()("GET", "/v1/openapi.json")
SCHEMAS = DOCUMENT["components"]["schemas"]
OPERATIONS = [
    (method.upper(), path, found)
    for path, operations in DOCUMENT["paths"].items()
    for method, found in operations.items()
    if method != "parameters" and path != "/matches/stream"
]


@st.composite
def requests(draw):
    """Draw an operation, and the request: method, path, number of its id, query, headers and body."""
    method, path, found = draw(st.sampled_from(OPERATIONS))
    path = re.sub(r"\{\w+\}", "{}", path)
    names = [one["name"] for one in found.get("parameters", ())]
    query = draw(st.fixed_dictionaries({}, optional={name: st.text(max_size=9) for name in names}))
    body = b""
    if "requestBody" in found:
        schema = found["requestBody"]["content"]["application/json"]["schema"]
        body = json.dumps(draw(st.one_of(values(schema, SCHEMAS), values(schema, SCHEMAS), JUNK))).encode()
    sent = draw(st.sampled_from(["Bearer token-ann", "", "000000", "Bearer x"]))
    return found, method, "/v1" + path, draw(st.integers(0, 9)), query, {**JSON, "authorization": sent}, body


def check(sent):
    client = new_client()
    for found, method, path, number, query, headers, body in sent:
        client.now += 1
        ids = [*client.hall.tournaments, *client.hall.matches, "ann", "9" * 5000]
        try:
            status, _, data = client.answer(method, path.format(ids[number % len(ids)]), body, headers, query)
        except Refusal as refusal:
            assert refusal.status < 500 or refusal.code == 0  # noqa: PT017 - 500 with 0 is the original's
            continue
        assert status == 200
        schema = found["responses"]["200"]["content"]["application/json"]["schema"]
        assert fits(schema, json.loads(data), SCHEMAS), (method, path, body, data)


MANY = {"deadline": None, "suppress_health_check": list(HealthCheck)}


@given(st.lists(requests(), max_size=12))
@settings(max_examples=20, **MANY)
def test_requests_are_answered_as_described(sent):
    check(sent)


@pytest.mark.slow
@given(st.lists(requests(), max_size=40))
@settings(max_examples=600, **MANY)
def test_many_requests_are_answered_as_described(sent):
    check(sent)
