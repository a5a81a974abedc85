"""The board in the browser: how long the scripts take for a frame of a 24x24 board, and how many a second are shown.

    python benches/page_frames.py --slower 4

A Kakomimasu game of 28 agents is played back in headless Chromium at 64 turns a second. The script of a frame is timed
in the page (the median and the least of all frames); frames a second are those of requestAnimationFrame meanwhile. A
processor that is --slower times as slow is simulated by the browser. The aim is 4 ms a frame, 60 frames a second.
"""

from __future__ import annotations

import argparse
import shutil
import statistics

from playwright.sync_api import CDPSession, sync_playwright

import masume
from masume.agents.make import make_agent
from masume.play.driver import play_game
from masume.web.gallery import Gallery
from masume.web.guard import Access
from masume.web.server import PageServer, running

MEASURE = """async () => {
  const folder = document.querySelector('script[type="module"]').src.replace('app.js', '');
  const { Stage } = await import(`${folder}stage.js`);
  const { MatchView } = await import(`${folder}match.js`);
  const [times, parts, view] = [[], [], MatchView.prototype];
  const inner = Stage.prototype.show;
  Stage.prototype.show = function (...given) {
    const since = performance.now();
    inner.apply(this, given);
    parts.push(performance.now() - since);
  };
  const go = view.refresh;
  let frames = 0;
  let isOn = true;
  const count = () => isOn && (frames++, requestAnimationFrame(count));
  const bar = document.querySelector('.controls input');
  const play = document.querySelector('.controls .play');
  document.querySelector('.controls select[aria-label="Speed"]').value = '64';
  bar.value = 0;
  bar.dispatchEvent(new Event('input'));
  requestAnimationFrame(count);
  const since = performance.now();
  const [set, clear] = [window.setTimeout, window.clearTimeout];
  window.setTimeout = (run, ms) => set(() => {
    const begun = performance.now();
    run();
    times.push(performance.now() - begun);
  }, ms);
  play.click();
  while (bar.value !== bar.max) await new Promise((done) => set(done, 20));
  window.setTimeout = set;
  isOn = false;
  return { times, parts, frames, seconds: (performance.now() - since) / 1000 };
}"""


def used(devices: CDPSession) -> dict[str, float]:
    """Return the processor time of the page's thread so far, in seconds: that of all, and parts of it."""
    found = {one["name"]: one["value"] for one in devices.send("Performance.getMetrics")["metrics"]}
    return {name: found[f"{name}Duration"] for name in ("Task", "Script", "RecalcStyle", "Layout")}


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slower", type=int, default=4)
    parser.add_argument("--turns", type=int, default=100)
    arguments = parser.parse_args()
    game = masume.load("kakomimasu", width=24, height=24, n_agents=14, total_turns=arguments.turns, seed=1)
    one = play_game(game, [make_agent("greedy", game) for _ in range(2)], 1).to_replay(1, ["a", "b"])
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with running(PageServer(Gallery(), Access())) as server, sync_playwright() as driver:
        server.call(server.gallery.add_replays, [one], "game")
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        tab.goto(f"{server.address}m/game")
        tab.wait_for_function("() => document.querySelector('.controls input')?.max > 50")
        tab.wait_for_timeout(1000)
        devices = tab.context.new_cdp_session(tab)
        devices.send("Performance.enable", {"timeDomain": "threadTicks"})
        for slower in dict.fromkeys((1, arguments.slower)):
            devices.send("Emulation.setCPUThrottlingRate", {"rate": slower})
            before = used(devices)
            found = tab.evaluate(MEASURE)
            spent = {name: 1000 * (value - before[name]) / len(found["times"]) for name, value in used(devices).items()}
            shown = [statistics.median(found["times"]), min(found["times"]), statistics.median(found["parts"])]
            rate = found["frames"] / found["seconds"]
            print(f"processor {slower} times as slow: script {shown[0]:.2f} ms a frame, least {shown[1]:.2f}", end="; ")
            print(f"of the board {shown[2]:.2f}; {rate:.0f} frames a second shown")
            print("  processor time a frame: " + ", ".join(f"{name} {ms:.2f} ms" for name, ms in spent.items()))
        browser.close()


if __name__ == "__main__":
    main()
