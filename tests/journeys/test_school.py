"""The host in a school: the page behind nginx, for pupils who know nginx's address alone."""

import re
import signal
import types
from pathlib import Path
from urllib.parse import urljoin

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from visitors import Browser, Player, last_step, question

DOCS = Path(__file__).parents[2] / "docs/serving.md"
ADVISED = re.search(r"location /board/ \{\n *proxy_pass [^\n]*\n(.*?)\n *\}", DOCS.read_text("utf-8"), re.DOTALL)[1]


@pytest.mark.slow
@pytest.mark.parametrize("base", ["", "/board"])
@pytest.mark.parametrize("lines", ["", ADVISED], ids=["bare", "advised"])
def test_the_page_is_seen_and_played_behind_nginx_also_after_a_restart(person, nginx, free_port, base, lines):
    words = ["masume", "serve", "--out", "games", "--name", f"http://127.0.0.1:{free_port}", "--proxy", "127.0.0.1"]
    if base:
        words += ["--base", base]
    served = person.start(*words, "--port", 0)
    link = served.wait_for(rf"host: (http://127\.0\.0\.1:{free_port}{base}/host/\S+)")[1]
    port = served.wait_for(r"it listens on 127\.0\.0\.1:(\d+)")[1]
    nginx(port, free_port, f"{base}/", lines)
    front = types.SimpleNamespace(port=free_port, base=base)
    pupil, other = Browser(front), Browser(front)

    page = pupil.ask("GET", "/")[2].decode()
    links = re.findall(r'(?:src|href)="(/[^"#]*)', page)
    assert any(link.endswith(".js") for link in links)
    for one in links:
        assert one.startswith(f"{base}/")
        assert pupil.ask("GET", one.removeprefix(base))[0] == 200
    for script in (link for link in links if link.endswith(".js")):
        for name in re.findall(r'from "([^"]+)"', pupil.ask("GET", script.removeprefix(base))[2].decode()):
            assert pupil.ask("GET", urljoin(script, name).removeprefix(base))[0] == 200

    # the link that was printed, a match with a friend, and moves that each sees at once though the stream goes on
    host = Browser(front)
    status, headers, _ = host.ask("GET", link.partition(f":{free_port}{base}")[2])
    assert status == 307
    assert urljoin(link, headers["Location"]).endswith(f":{free_port}{base}/")
    assert "Secure" not in headers["Set-Cookie"]
    assert host.get("/api/lobby")["all"]
    match = pupil.post("/api/play", {"game": "chaser", "seats": ["me", "guest"], "seed": 5})["id"]
    mine = Player(pupil, match)
    friend = mine.sit(mine.facts()["invitations"]["1"])
    with other.stream(f"/api/m/{match}/events") as events:
        assert "running" in next(data for kind, _, data in events if kind == "match" and "running" in data)
        for one in (mine, friend):
            one.play(1, last_step)

    served.stop(signal.SIGKILL)
    assert pupil.ask("GET", "/")[0] == 502  # nginx is there, the page is not
    person.start(*words, "--port", port).wait_for("page: ")
    assert question(pupil, match)["player"] == 0
    for one in (mine, friend):
        one.play(1, last_step)
