"""The page away from home: below a path, under a name, behind a proxy."""

import re
from urllib.parse import urljoin

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from masume.http.front import Front
from visitors import Browser, answer, last_step, page, question

NAME = "contest.example.org"


@pytest.fixture(params=["", "/board", "/a/b"])
def base(request):
    return request.param


@pytest.fixture
def server(base):
    with page(front=Front(base=base, names=(NAME,), proxies=("127.0.0.1",))) as found:
        yield found


def through_proxy(server, scheme="https"):
    return Browser(server, Host=NAME, Origin=f"{scheme}://{NAME}", **{"X-Forwarded-Proto": scheme})


def test_everything_that_a_page_loads_is_below_its_path(server, base):
    browser = through_proxy(server)
    page = browser.ask("GET", f"{base}/")[2].decode()
    links = re.findall(r'(?:href|src)="(/[^"#]*)', page)
    assert len(links) > 8
    assert f'"base":"{base}"' in page
    for link in links:
        assert link.startswith(f"{base}/")
        assert browser.ask("GET", link)[0] == 200
    scripts = [link for link in links if link.endswith(".js")]
    seen = set()
    while scripts:
        script = scripts.pop()
        if script in seen:
            continue
        seen.add(script)
        status, _, text = browser.ask("GET", script)
        assert status == 200
        scripts += [urljoin(script, found) for found in re.findall(r'(?:from |import\()"([^"]+)"', text.decode())]
    assert len(seen) > 12


def test_a_proxy_may_leave_the_path_out_of_requests(server, base):
    browser = through_proxy(server)
    assert browser.ask("GET", "/")[2] == browser.ask("GET", f"{base}/")[2]
    assert browser.get("/api/lobby") == browser.get(f"{base}/api/lobby")
    if base:
        status, headers, _ = browser.ask("GET", base)
        assert (status, headers["Location"]) == (308, f"{base}/")


def test_links_are_those_of_the_name_and_lead_below_the_path(server, base):
    assert server.address == f"https://{NAME}{base}/"
    for link, target in ((server.host_link, "/"), (server.hall_link, "/wall")):
        assert link.startswith(server.address)
        for scheme, is_secure in (("https", True), ("http", False)):
            browser = through_proxy(server, scheme)
            status, headers, _ = browser.ask("GET", link.removeprefix(f"https://{NAME}"))
            assert (status, headers["Location"]) == (307, f"{base}{target}")
            cookie = [part.strip().lower() for part in headers["Set-Cookie"].split(";")[1:]]
            assert f"path={base}/" in cookie
            assert ("secure" in cookie) is is_secure
            assert {"httponly", "samesite=lax"} <= set(cookie)


def test_a_match_is_played_below_the_path(server, base):
    browser, guest = through_proxy(server), through_proxy(server)
    match = browser.post(f"{base}/api/play", {"game": "chaser", "seats": ["me", "guest"]})["id"]
    link = browser.get(f"{base}/api/m/{match}")["match"]["invitations"]["1"]
    status, headers, _ = guest.ask("GET", base + link)
    assert (status, headers["Location"].partition("#")[0]) == (307, f"{base}/m/{match}?seat=1")
    guest.post(f"{base}/api/m/{match}/sit", {"token": link.rpartition("/")[2]})
    answer(browser, match, question(browser, match), last_step)
    assert question(guest, match)["player"] == 1


def test_only_a_proxy_says_that_a_page_is_secure():
    with page(front=Front(names=(NAME,))) as server:
        _, headers, _ = through_proxy(server).ask("GET", server.host_link.removeprefix(f"https://{NAME}"))
        assert "secure" not in headers["Set-Cookie"].lower()


def test_the_cookies_of_a_page_above_hide_none_of_a_page_below_it():
    with page(front=Front(base="/board"), host="mine") as server:
        browser = Browser(server)
        for first in ("masume-lang=ja; masume-host=mine", "masume-host=mine; masume-lang=ja"):  # a longer path is first
            _, _, data = browser.ask("GET", "/board/", Cookie=f"{first}; masume-host=other; masume-lang=en")
            assert b'"isHost":true' in data
            assert b'lang="ja"' in data
