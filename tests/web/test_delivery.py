"""What a browser fetches until the board stands: few bytes, files that it may keep, and nothing that is hidden."""

import gzip
import json
import re
import struct
import zlib

import numpy as np
import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

import masume
from masume.render.pixels import pixels
from visitors import Browser, Player, answer, page, question

MOST = 50_000  # bytes from the address to the board: 1.25 s of 40 kB/s
MOST_RAW = 150_000  # bytes of the page, its styles and scripts, not packed, without its data
DATA = re.compile(r'(<script type="application/json"[^>]*>).*?</script>')
ADDRESS = re.compile(r'(?:href|src)="(/static/[^"]+)"')
FIRST = re.compile(r'<script type="application/json" id="first">(.*)</script>')


@pytest.fixture
def server():
    with page(host="the-host") as found:
        yield found


def read(browser, path):
    """Return the headers and the text of a page, and the number of bytes that came."""
    status, headers, data = browser.ask("GET", path, Accept_Encoding="gzip, br")
    assert status == 200
    text = gzip.decompress(data) if headers["Content-Encoding"] == "gzip" else data
    return headers, text.decode(), len(data)


@pytest.mark.parametrize("path", ["/", "/wall", "/contest", "/play/nezumi", "/learn/nezumi", "/make/nezumi"])
def test_files_of_a_page_are_compressed_and_kept_for_ever(server, path):
    browser = Browser(server)
    _headers, text, _size = read(browser, path)
    addresses = set(ADDRESS.findall(text))
    assert len(addresses) > 4
    for address in addresses:
        headers, packed, size = read(browser, address)
        assert "immutable" in headers["Cache-Control"]
        assert headers["Vary"] == "Accept-Encoding"
        assert headers["Content-Encoding"] == "gzip"
        assert size < len(packed)
        status, headers, plain = browser.ask("GET", address)
        assert (status, headers["Content-Encoding"], plain.decode()) == (200, None, packed)
        # what it imports is in the same folder, so of the same version, and the page names what is needed at once
        for name in re.findall(r'(?:from|import) "([^"]+)"', packed):
            assert address.rpartition("/")[0] + name.removeprefix(".") in addresses
        assert "/static/" not in packed


def test_a_file_of_another_version_is_not_there(server):
    browser = Browser(server)
    address = ADDRESS.findall(read(browser, "/")[1])[0]
    folder, _, name = address.rpartition("/")
    assert browser.ask("GET", f"{folder[:-1]}/{name}")[0] == 404
    assert browser.ask("GET", f"/static/{name}")[0] == 404


@pytest.mark.parametrize("game", masume.games())
def test_few_bytes_come_before_the_board(server, game):
    match = server.gallery.new(masume.load(game), 1, [game] * masume.load(game).num_players)
    match.phase = "over"
    browser = Browser(server)
    headers, text, size = read(browser, f"/m/{match.id}")
    assert headers["Content-Encoding"] == "gzip"
    assert headers["Cache-Control"] == "no-store"
    first = json.loads(FIRST.search(text)[1])
    assert first == browser.get(f"/api/m/{match.id}")
    assert first["frame"]["whole"]
    files = [read(browser, address) for address in set(ADDRESS.findall(text))]
    assert size + sum(size for _headers, _text, size in files) < MOST
    assert len(DATA.sub("", text)) + sum(len(text) for _headers, text, _size in files) < MOST_RAW


@pytest.mark.parametrize("path", ["/", "/?wall"])
def test_few_bytes_come_before_the_lobby_and_the_wall(server, path):
    _headers, text, size = read(Browser(server), path)
    files = [read(Browser(server), address) for address in set(ADDRESS.findall(text))]
    assert path != "/" or size + sum(size for _headers, _text, size in files) < MOST
    assert len(DATA.sub("", text)) + sum(len(text) for _headers, text, _size in files) < MOST_RAW


def test_the_first_frame_is_that_of_the_seat_and_nobody_elses(server):
    for game in ("battleship", "chaser"):
        mine = Player.begin(server.port, game, "Ann", ["me", "guest"])
        link = mine.facts()["invitations"]["1"]
        other, stranger, host = mine.sit(link, "Bob"), Browser(server), Browser(server)
        host.cookies["masume-host"] = "the-host"
        match = server.gallery.found[mine.match]
        while match.state.current_player == 0:  # the whole fleet is placed
            count = len(match.moves)
            answer(mine.browser, mine.match, question(mine.browser, mine.match))
            while len(match.moves) == count:
                pass
        seen = []
        for browser in (mine.browser, other.browser, stranger, host):
            headers, text, _size = read(browser, f"/m/{mine.match}")
            first = json.loads(FIRST.search(text)[1])
            assert first == browser.get(f"/api/m/{mine.match}")
            seen.append(first.get("frame"))
            # an attacker who chooses a name learns by the number of bytes what else is in an answer
            assert headers["Content-Encoding"] == ("gzip" if browser is stranger else None)
        assert seen[2] is None
        assert seen[0] != seen[1]
        secrets = [seat.token for seat in match.seats.values()]
        assert not any(secret in read(stranger, f"/m/{mine.match}")[1] for secret in secrets)


def test_a_page_of_no_match_has_no_first_frame(server):
    for path in ("/", "/wall"):
        assert FIRST.search(read(Browser(server), path)[1])[1] == "null"


@pytest.mark.parametrize("game", masume.games())
def test_a_finished_game_has_a_picture(server, game):
    loaded = masume.load(game)
    match = server.gallery.new(loaded, 1, [game] * loaded.num_players)
    browser = Browser(server)
    assert browser.ask("GET", f"/m/{match.id}/picture.png")[0] == 409  # it may still hide something
    match.phase = "over"
    status, headers, data = browser.ask("GET", f"/m/{match.id}/picture.png")
    assert (status, headers["Content-Type"]) == (200, "image/png")
    expected = pixels(match.state)
    width, height = struct.unpack(">II", data[16:24])
    assert (height, width, 3) == expected.shape
    size, kind = struct.unpack(">I4s", data[33:41])
    assert kind == b"IDAT"
    rows = np.frombuffer(zlib.decompress(data[41 : 41 + size]), np.uint8).reshape(height, -1)
    assert not rows[:, 0].any()
    assert (rows[:, 1:].reshape(expected.shape) == expected).all()
