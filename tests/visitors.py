"""A page that runs in a thread, and a browser without a screen: a client that keeps cookies."""

import contextlib
import http.client
import json
import threading
import types

from masume.web.gallery import Gallery
from masume.web.guard import Access
from masume.web.match import Phase
from masume.web.server import PageServer, running

WAIT_S, WAIT_MS = 60, 60_000  # for what must happen
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}  # windows, in pixels


class Browser:
    """A client of a page. `headers` are sent with each request.

    server : has a port and, if that is not all of the address, the path `base` below which the page is.
    """

    def __init__(self, server, **headers):
        self.server, self.headers, self.cookies = server, headers, {}
        self.host, self.base = f"127.0.0.1:{server.port}", getattr(server, "base", "")

    def ask(self, method, path, body=None, **headers):
        """Return (status, headers, bytes) of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=WAIT_S)
        sent = {"Host": self.host, "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if method == "POST":
            sent |= {"Origin": f"http://{self.host}", "Content-Type": "application/json"}
        sent |= self.headers | {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {name: value for name, value in sent.items() if value is not None}
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        with contextlib.closing(connection):
            connection.request(method, self.base + path, data, sent)
            answer = connection.getresponse()
            for cookie in answer.headers.get_all("set-cookie") or []:
                name, _, value = cookie.partition(";")[0].partition("=")
                self.cookies[name] = value
            return answer.status, answer.headers, answer.read()

    def get(self, path, status=200):
        found, _headers, data = self.ask("GET", path)
        assert found == status, data
        return json.loads(data)

    def post(self, path, body, status=200):
        found, _headers, data = self.ask("POST", path, body)
        assert found == status, data
        return json.loads(data)

    @contextlib.contextmanager
    def stream(self, path, **headers):
        """Yield the events of a stream, as (kind, id, data), while it is open."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=WAIT_S)
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        sent = {"Host": self.host, "Cookie": cookies, **self.headers}
        connection.request(
            "GET", self.base + path, headers=sent | {name.replace("_", "-"): value for name, value in headers.items()}
        )
        answer = connection.getresponse()
        assert answer.status == 200
        with contextlib.closing(connection):
            yield _events(answer)

    def events(self, path):
        """Return the events of a stream that ends."""
        with self.stream(path) as events:
            return list(events)


def _events(answer):
    event = {}
    while line := answer.readline():
        text = line.decode().rstrip("\n")
        if text:
            name, _, value = text.partition(":")
            event[name] = value.removeprefix(" ")
        elif event:
            if event["event"] != "beat":
                yield event["event"], event.get("id", ""), event["data"]
            event = {}


@contextlib.contextmanager
def page(playback=None, folder=None, contest=None, front=None, **access):
    """Yield a PageServer on a free port."""
    with running(PageServer(Gallery(playback, folder), Access(**access), front, contest)) as server:
        yield server


# -- what people do --------------------------------------------------------------------------------


def question(browser, match, window=""):
    """Return what the page asks a visitor who has a seat, when it does."""
    with browser.stream(f"/api/m/{match}/events?window={window}") as events:
        return next(json.loads(data)[0] for kind, _, data in events if kind == "ask" and data != "[]")


def first_step(ask):
    """Return the first action that may be played, of a slot without a plan; what ends a turn comes first."""
    planned = {slot for slot, _ in ask["plan"]}
    groups = sorted(ask["legal"], key=lambda group: group["to"] != [-1])
    for group in groups:
        for slot in group["slots"]:
            if slot not in planned:
                code = group["codes"][0] if "codes" in group else group["base"] + group["to"][0]
                return ["do", slot, code]
    raise AssertionError(ask)


def last_step(ask):
    """Return a step of the last kind; in CHaser a search, which loses nothing."""
    group = ask["legal"][-1]
    return ["do", group["slots"][0], group["codes"][0] if "codes" in group else group["base"] + group["to"][0]]


def answer(browser, match, ask, steps_of=first_step):
    """Decide a whole turn, step by step."""
    while True:
        step = steps_of(ask)
        if not ask["undo"]:
            browser.post(f"/api/m/{match}/act", {"ask": ask["id"], "nonce": f"n{ask['id']}", "steps": [step]})
            return
        ask = browser.post(f"/api/m/{match}/draft", {"ask": ask["id"], "steps": [step]})["ask"]
        if ask["done"]:
            browser.post(f"/api/m/{match}/act", {"ask": ask["id"], "nonce": f"n{ask['id']}", "steps": []})
            return


def serve_page(person, *words, port=0, option="--page-port"):
    """Start `masume serve` with these words at a person's terminal; return it, with the port of its page."""
    running = person.start("masume", "serve", *words, option, port)
    running.port = int(running.wait_for(r"http://127\.0\.0\.1:(\d+)/host/").group(1))
    return running


class Player:
    """Somebody in a browser who plays a match on a page, which may be stopped and started meanwhile.

    browser : the browser; match : the id of the match.
    """

    def __init__(self, browser, match):
        self.browser, self.match = browser, match

    @classmethod
    def begin(cls, port, game, name, seats, clock="none"):
        """Begin a match on the page at this port."""
        browser = Browser(types.SimpleNamespace(port=port))
        return cls(
            browser,
            browser.post("/api/play", {"game": game, "seats": seats, "seed": 5, "name": name, "clock": clock})["id"],
        )

    def facts(self):
        return self.browser.get(f"/api/m/{self.match}")["match"]

    def sit(self, link, name=""):
        """Return somebody in another browser who opens a link to a seat of this match and sits down."""
        other = Player(Browser(self.browser.server), self.match)
        assert other.browser.ask("GET", link)[0] == 307
        other.browser.post(f"/api/m/{self.match}/sit", {"token": link.rpartition("/")[2], "name": name})
        return other

    def play(self, turns, steps_of=first_step):
        """Decide so many turns."""
        for _ in range(turns):
            answer(self.browser, self.match, question(self.browser, self.match), steps_of)

    def play_to_the_end(self):
        """Decide until the match is over; return its last facts."""
        with self.browser.stream(f"/api/m/{self.match}/events") as events:
            for kind, _, data in events:
                if kind == "ask":
                    for ask in json.loads(data):
                        answer(self.browser, self.match, ask)
        return self.facts()

    def look(self):
        """Return what is seen while a question is open: its choices, the board and the names."""
        ask = question(self.browser, self.match)
        return ask["player"], ask["legal"], self.browser.get(f"/api/m/{self.match}")["frame"], self.facts()["names"]


def end_match(server, name):
    """Let a match of a page in this process be over, as if its first player had won."""
    match, is_done = server.gallery.found[name], threading.Event()

    def finish():
        for one, task in list(server._page.holding._tasks.items()):
            if one is match:
                task.cancel()
        match.returns = [1.0, *[-1.0] * (match.game.num_players - 1)]
        match.phase = Phase.OVER
        match.note()
        is_done.set()

    server.call(finish)
    assert is_done.wait(WAIT_S)


def wait_caption(tab, start):
    """Wait until it is the player's turn again and the caption begins so."""
    tab.wait_for_function(
        """start => document.querySelector('.caption').textContent.startsWith(start)
           && document.querySelector('.banner').dataset.kind === 'mine'""",
        arg=start,
    )


def wait_text(tab, selector, text):
    tab.wait_for_function(
        "([selector, text]) => document.querySelector(selector)?.textContent.includes(text)", arg=[selector, text]
    )


def tap_target(tab, number=0):
    """Tap the middle of a marked cell."""
    tab.wait_for_selector(".targets .target", state="attached")
    box = tab.locator(".targets .target").nth(number).bounding_box()
    tab.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
