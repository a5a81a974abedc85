"""The board over a slow network: how long after the address was entered a browser that knows nothing shows it.

    python benches/page_first.py --latency 600 --rate 40

Headless Chromium simulates the network: --latency in ms for each request, --rate in kB/s for all together. It begins
with an empty cache each time. The aim is 3 s, as the median of --times.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import time

from playwright.sync_api import Browser, sync_playwright

import masume
from masume.agents.make import make_agent
from masume.play.driver import play_game
from masume.web.gallery import Gallery
from masume.web.guard import Access
from masume.web.server import PageServer, running

DRAWN = "() => document.querySelector('svg.board-view .board')?.childElementCount > 0"
WAIT_MS = 60_000


def measure(browser: Browser, address: str, latency_ms: int, rate: int) -> tuple[float, int, float]:
    """Return the seconds until the board is there, and how many answers and kB had come by then."""
    context = browser.new_context()
    tab = context.new_page()
    devices = context.new_cdp_session(tab)
    devices.send("Network.enable")
    devices.send("Network.setCacheDisabled", {"cacheDisabled": True})
    devices.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": latency_ms, "downloadThroughput": 1000 * rate, "uploadThroughput": 1000 * rate},
    )
    sizes: list[float] = []
    devices.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    since = time.monotonic()
    tab.goto(address, wait_until="commit")
    tab.wait_for_function(DRAWN, timeout=WAIT_MS, polling="raf")
    seconds = time.monotonic() - since
    context.close()
    return seconds, len(sizes), sum(sizes) / 1000


def main() -> None:
    """Print the times of a match of each game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=int, default=600)
    parser.add_argument("--rate", type=int, default=40)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("games", nargs="*", default=masume.games())
    arguments = parser.parse_args()
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with running(PageServer(Gallery(), Access())) as server, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for name in arguments.games:
            game = masume.load(name)
            one = play_game(game, [make_agent("random", game) for _ in range(game.num_players)], 1)
            server.call(server.gallery.add_replays, [one.to_replay(1, ["a"] * game.num_players)], name)
            found = [
                measure(browser, f"{server.address}m/{name}", arguments.latency, arguments.rate)
                for _ in range(arguments.times)
            ]
            seconds, answers, size = (statistics.median(column) for column in zip(*found, strict=True))
            print(f"{name:12} {seconds:5.2f} s  {answers:3.0f} answers  {size:6.1f} kB", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
