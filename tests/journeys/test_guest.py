"""The guest: an agent of theirs plays on another's server, which has the habits of known ones, to the end and again."""

import re
import sys

import pytest

import battleship_habits
from battleship_habits import CourseServer
from chaser_habits import HABITS, ChaserServer
from masume.chaser.maps import load_shipped

END = r"Kobe: (won|lost|over; the server did not say who won) \(player (COOL|HOT), turns \d+, items \d+\)"


def field(name, turns):
    """Return the text of a shipped map with another turn limit."""
    lines = load_shipped()[name].to_text().splitlines()
    return "\n".join([line for line in lines if not line.startswith("T:")] + [f"T:{turns}"])


@pytest.mark.parametrize("side", ["cool", "hot"])
def test_a_match_on_the_contests_own_server(person, side):
    """The field is 15 wide and 17 high, which nobody says; the limit is noticed a method late; two games in a row."""
    for seed, name in enumerate(("orchard", "rooms")):
        server = ChaserServer(HABITS["late limit"], field(name, 40), ("cool", "hot").index(side), seed)
        shown, said = person.run(
            "masume", "join", "chaser", "127.0.0.1", server.port, "--side", side, "--agent", "greedy",
            "--name", "Kobe", "--log", f"game {seed}.log",
        )  # fmt: skip
        server.join()
        assert server.faults == [], said
        assert f"turns {server.turns}, " in shown
        assert re.search(END, shown), shown
        assert "< @" in (person.folder / f"game {seed}.log").read_text(encoding="utf-8")


def test_a_first_bot_on_a_server_that_says_no_more(person):
    """What the tutorial's bot is: made by `masume new bot`, then sent away."""
    person.run("masume", "new", "bot", "chaser", "bot")
    for habit in ("late limit", "closes", "Ready and #"):
        server = ChaserServer(HABITS[habit], field("orchard", 12), 0)
        _, said = person.run(sys.executable, "bot.py", server.port, "127.0.0.1", "Kobe", cwd=person.folder / "bot")
        server.join()
        assert (said, server.faults) == ("", [])


def test_what_the_person_gave_is_said(person):
    """A port that tells no side; a name that servers read in two ways; then the same without a word."""
    for given, said in (([], True), (["--side", "cool", "--encoding", "shift_jis"], False)):
        server = ChaserServer(HABITS["rules"], field("duel", 5), 0)
        words = ["masume", "join", "chaser", "127.0.0.1", server.port, "--agent", "greedy", "--name", "こうべ", *given]
        _, told = person.run(*words)
        server.join()
        assert (f"port {server.port} tells no side: playing COOL; --side hot for HOT" in told) == said
        assert ("name こうべ: sent in UTF-8" in told) == said
        assert server.name.rstrip() == "こうべ".encode("utf-8" if said else "cp932")


def test_a_course_server_that_closes_or_whose_other_program_leaves(person):
    """The last word of a game may be missing; the second game is played like the first."""
    for habit, end in (("closes", "won|lost"), ("leaves", "over; the server did not say who won")):
        server = CourseServer(battleship_habits.HABITS[habit], 0)
        words = ["masume", "join", "battleship", "127.0.0.1", server.port, "--agent", "hunter", "--name", "Kobe"]
        shown, said = person.run(*words)
        server.join()
        assert server.faults == []
        assert re.search(rf"Kobe: ({end}) \(player 0, turns {server.turns}\)", shown), shown
        assert "the server has closed the connection: the game is over" in said
