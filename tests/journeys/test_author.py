"""The author of a bot: the first agent, bots in six languages, and what a bot's author sees when it fails."""

import csv
import json
import re
import shlex
import subprocess

import pytest

from installs import ROOT
from masume.bots import LANGUAGES

SMALL = {
    "battleship": ("--preset", "submarine", "--set", "max_rounds=10"),
    "chaser": ("--map", "duel"),
    "kakomimasu": ("--set", "width=5", "--set", "height=4", "--set", "n_agents=2", "--set", "total_turns=6"),
    "nezumi": ("--stage", "garden", "--set", "turns=6"),
    "terraforming": ("--set", "radius=2", "--set", "max_turns=2"),
}
DUEL = ("chaser", "--map", "duel")

BOT = """\
import json, os, sys
PLACE = os.path.dirname(os.path.abspath(__file__))
def first():
    '''Return whether this is the first time, of all processes.'''
    try:
        open(os.path.join(PLACE, "mark"), "x").close()
        return True
    except FileExistsError:
        return False
def say(told): print(json.dumps(told), flush=FLUSHES)
FLUSHES, asked = True, 0
@BEGIN@
for line in sys.stdin:
    m = json.loads(line)
    if m["t"] == "hello": say({"t": "hello", "version": 1, "name": "bot", "accept": m["games"]})
    elif m["t"] == "setup": say({"t": "ready", "match": m["match"]})
    elif m["t"] == "ping": say({"t": "pong", "n": m["n"]})
    elif m["t"] == "bye": break
    elif m["t"] == "act":
        asked += 1
        if asked == 3:
            pass
            @THIRD@
        say({"t": "action", "match": m["match"], "seq": m["seq"], "action": m["legal"][-1]})
"""


@pytest.fixture
def author(person):
    """Return the person as an author: `bot(name, begin, third)` writes a bot, and returns what names it to masume."""

    def bot(name="bot.py", begin="", third=""):
        person.write(name, BOT.replace("@BEGIN@", begin).replace("@THIRD@", third.replace("\n", "\n            ")))
        return f"json:{shlex.quote(str(person.commands / 'python'))} {name}"

    person.bot = bot
    return person


def verdicts(person, *words, **more):
    """Run `masume match ... --json`, and return its games."""
    return json.loads(person.run("masume", "match", *words, "--json", **more)[0])["games"]


def at_fault(games):
    """Return the numbers of the games with a fault, from 0."""
    return [number for number, game in enumerate(games) if game["faults"]]


def class_of(readme):
    """Return the agent that a README shows."""
    text = (ROOT / readme).read_text(encoding="utf-8")
    return next(block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "class Quiet" in block)


# -- an agent in Python -------------------------------------------------------------------------------------


def test_the_agent_of_the_readme_plays_every_game(person):
    person.write("quiet.py", class_of("README.md"))
    assert [one.split("#")[0] for one in class_of("README.md").splitlines()] == [
        one.split("#")[0] for one in class_of("README.ja.md").splitlines()
    ]
    for name, fields in SMALL.items():
        (game,) = verdicts(person, name, *fields, "--agents", "py:quiet:Quiet")
        assert (name, game["faults"]) == (name, [])


def test_the_agent_of_the_readme_plays_in_an_arena(person):
    """Its workers import it, too."""
    person.write("quiet.py", class_of("README.md"))
    words = ("arena", "battleship", *SMALL["battleship"], "--agents", "py:quiet:Quiet", "random", "--games", 2)
    told = json.loads(person.run("masume", *words, "--jobs", 2, "--json")[0])
    assert [row["faults"] for row in told["standings"]] == [0, 0]


OPPONENT = """
import masume, numpy as np, quiet
from masume.envs.gymnasium import VectorEnv

small = {
    "battleship": {"preset": "submarine", "max_rounds": 10}, "chaser": {"turn_limit": 10},
    "kakomimasu": {"width": 5, "height": 4, "n_agents": 2, "total_turns": 6},
    "nezumi": {"stage": "garden", "turns": 6}, "terraforming": {"radius": 2, "max_turns": 2},
}
for name, fields in small.items():
    env = VectorEnv(name, 2, opponents=quiet.Quiet, **fields)
    env.reset(seed=1)
    ended = 0
    for _ in range(3000):
        env.batch.sample_actions()
        codes = env.batch.actions[:, : env.action_space.shape[-1]].copy().reshape(env.action_space.shape)
        *_, terminated, _, _ = env.step(codes)
        ended += terminated.sum()
        if ended > 2:
            break
    print(name, ended > 2)
    env.close()
"""


def test_the_agent_of_the_readme_is_an_opponent(person):
    person.write("quiet.py", class_of("README.md"))
    person.write("train.py", OPPONENT)
    told, _ = person.run("python", "train.py")
    assert told.split() == [word for name in SMALL for word in (name, "True")]


# -- `masume new bot` ---------------------------------------------------------------------------------------


QUICK = {("python", "chaser")}


@pytest.mark.parametrize(
    ("language", "name"),
    [pytest.param(language, name, marks=[] if (language, name) in QUICK else [pytest.mark.slow])
     for language in LANGUAGES for name in SMALL],
)  # fmt: skip
def test_the_readme_of_a_new_bot_holds_to_the_last_line(person, language, name):
    person.run("masume", "new", "bot", name, "--language", language, f"{name} bot")
    here = {"cwd": person.folder / f"{name} bot"}
    text = (here["cwd"] / "README.md").read_text(encoding="utf-8")
    for command in re.findall(r"```\n(.*?)\n```", text, re.DOTALL):
        if "127.0.0.1" in command:  # plays on a server, which another journey has
            continue
        if name != "chaser" and (name, "--check" in command) != ("terraforming", True):  # shorter
            command = command.replace("--clock", " ".join((*SMALL[name][-2:], "--clock")), 1)
        told, _ = person.run("sh", "-c", command, **here)
        assert "at fault" not in told or re.findall(r"^\S.*\s(\d+)$", told, re.MULTILINE)[0] == "0", told
    assert (here["cwd"] / "games.html").exists()


# -- bots that fail -----------------------------------------------------------------------------------------


def test_a_crash_belongs_to_its_game(author):
    """In a match; the next game is played by a new process."""
    command = author.bot(third="if first(): print('what a game', file=sys.stderr, flush=True); os.abort()")
    games = verdicts(author, *DUEL, "--agents", command, "greedy", "--games", 6)
    assert at_fault(games) == [0]
    assert [game["plies"] > 4 for game in games[1:]] == [True] * 5
    assert games[0]["faults"][0]["log"] == "what a game"
    assert [game["logs"].count("") for game in games] == [1] + [2] * 5


def test_a_crash_in_an_arena_belongs_to_its_game(author):
    command = author.bot(third="if first(): os.abort()")
    words = ("arena", *DUEL, "--agents", command, "greedy", "--games", 6, "--jobs", 2, "--json")
    told = json.loads(author.run("masume", *words)[0])
    assert [row["faults"] for row in told["standings"] if row["name"] == command] == [1]
    assert [row["games"] for row in told["standings"]] == [6, 6]


def test_a_crash_in_self_play_is_a_game_played_again(author):
    """Its records are those of a bot that never crashed."""
    command = author.bot(third="if first(): os.abort()")
    words = ("selfplay", *DUEL, "--agents", command, "random", "--games", 4, "--json")
    once, told = author.run("masume", *words)
    again, _ = author.run("masume", *words)
    first, second = (json.loads(one)["games"][0] for one in (once, again))
    for key in ("games", "plies", "won"):
        assert first[key] == second[key]
    assert "played again" in told


def test_a_bot_that_hangs_once_loses_that_game_only(author):
    command = author.bot(third="if first(): import time; time.sleep(1000)")
    games = verdicts(author, *DUEL, "--agents", command, "greedy", "--games", 3, "--clock", "move=400")
    assert at_fault(games) == [0]
    (fault,) = games[0]["faults"]
    assert (fault["cause"], "0.4 s" in fault["detail"], "flush" in fault["detail"]) == ("timeout", True, True)


def test_a_bot_that_does_not_flush_is_told_so(author):
    command = author.bot(third="FLUSHES = False")
    ((fault,),) = [
        game["faults"] for game in verdicts(author, *DUEL, "--agents", command, "greedy", "--clock", "move=400")
    ]
    assert fault["detail"] == "no line within 0.4 s; if it writes one, its output may need a flush"


def test_a_byte_order_mark_is_no_fault(author):
    command = author.bot(begin=r"sys.stdout.buffer.write(b'\xef\xbb\xbf')")
    assert at_fault(verdicts(author, *DUEL, "--agents", command, "greedy", "--games", 2)) == []


@pytest.mark.parametrize("when", ["before its move", "after its move"])
def test_memory_is_named_in_the_game_in_which_it_was_taken(author, when):
    """Also if the program is asked when it has ended already."""
    takes = "if first(): block = b'1' * 600_000_000; import time; time.sleep(3)"
    if when == "after its move":
        takes = f'say({{"t": "action", "match": m["match"], "seq": m["seq"], "action": m["legal"][-1]}})\n{takes}'
    command = author.bot(third=takes)
    games = verdicts(author, *DUEL, "--agents", command, "greedy", "--games", 3, "--memory", 300)
    assert at_fault(games) == [0]
    assert "of memory, more than 300" in games[0]["faults"][0]["detail"]


def test_an_exception_of_javascript_is_shown(author):
    """Node writes the error above a stack of more lines than are shown."""
    bot = author.run("masume", "new", "bot", "chaser", "--language", "javascript", "bot")
    path = author.folder / "bot" / "bot.js"
    text = path.read_text(encoding="utf-8")
    start = text.index("function choose")
    deep = "function deep(n) { if (n === 0) null.nothing; else deep(n - 1); }\n"
    path.write_text(text[:start] + deep + re.sub(r"(function choose.*?\{)", r"\1 deep(20);", text[start:], count=1))
    told, _ = author.run("masume", "match", *DUEL, "--agents", "json:node bot/bot.js", "greedy")
    assert "TypeError: Cannot read properties of null" in told, bot
    assert "at deep" in told


def test_rubbish_of_a_c_program_is_shown_where_it_is(author):
    """Text that is no message is shown around its fault, and a line that is none is said to be for stderr."""
    author.run("masume", "new", "bot", "chaser", "--language", "c", "bot")
    path = author.folder / "bot" / "bot.c"
    source = path.read_text(encoding="utf-8")
    assert source.count('"action\\":') == 1 or '\\"action\\":' in source
    for wrong, shown in (('\\"action\\":,', '"action":,'), (None, "goes to stderr")):
        text = source.replace('\\"action\\":', wrong) if wrong else source.replace("int main(", PRINTS + "int main(", 1)
        path.write_text(text, encoding="utf-8")
        subprocess.run("cc -O2 -o bot bot.c", shell=True, cwd=path.parent, check=True)
        told, _ = author.run("masume", "match", *DUEL, "--agents", "json:bot/bot", "greedy")
        assert shown in told


PRINTS = """
__attribute__((constructor)) static void print(void) { puts("I am alive"); }
"""


# -- bots that do not start ---------------------------------------------------------------------------------


def test_a_program_that_cannot_be_started_plays_nothing(author):
    """A match says so, and why."""
    words = ("match", *DUEL, "--agents", "json:./nowhere", "greedy", "--games", 3)
    told, _ = author.run("masume", *words, code=1)
    assert told.count("not played") == 3
    assert "not found" in told


@pytest.mark.slow
def test_an_arena_leaves_out_games_that_were_not_played(author):
    """The same for any number of workers."""
    words = ("masume", "arena", *DUEL, "--agents", "json:./nowhere", "greedy", "random", "--games", 2)
    told, _ = author.run(*words, "--jobs", 2, "--out", "cup", "--json")
    rows = {row["name"]: row for row in json.loads(told)["standings"]}
    assert [rows[name]["games"] for name in ("json:./nowhere", "greedy", "random")] == [0, 2, 2]
    assert [rows[name]["not_played"] for name in ("json:./nowhere", "greedy", "random")] == [4, 2, 2]
    assert author.run(*words, "--jobs", 1, "--json")[0] == told
    shown, _ = author.run(*words, "--out", "cup")  # it goes on, and has nothing to play
    assert "not found" in shown
    assert "not played" in shown


def test_a_contest_counts_games_that_were_not_played_as_walkovers(author):
    """The program is said to be missing where it is named; the contest goes on to its end."""
    author.write("teams.csv", f"name,play\nHere,greedy\nNowhere,json:./nowhere\nBot,{author.bot()}\n")
    _, told = author.run("masume", "contest", "new", "cup", "--game", "chaser", "--format", "league", "--maps", "duel",
                         "--entries", "teams.csv")  # fmt: skip
    assert "Nowhere" in told
    assert "not found" in told
    author.run("masume", "contest", "run", "cup", "--auto")
    table = json.loads(author.run("masume", "contest", "show", "cup", "--json")[0])
    rows = {row["name"]: row for row in table["stages"][0]["rows"]}
    assert (rows["Nowhere"]["won"], rows["Nowhere"]["lost"]) == (0, 2)
    # of a match without a game there is no replay to be shown
    author.run("masume", "contest", "show", "cup", "--csv", "tables")
    with (author.folder / "tables" / "games.csv").open(encoding="utf-8-sig", newline="") as file:
        games = list(csv.DictReader(file))
    assert {game["match"] for game in games if not game["replay"]} == {
        game["match"] for game in games if game["name"] == "Nowhere"
    }
    named = {game["replay"] for game in games} - {""}
    assert named == {f"replays/{path.name}" for path in (author.folder / "cup" / "replays").iterdir()}
    shown, left_out = author.run("masume", "view", "cup", "--log")
    assert left_out == ""
    assert "Nowhere" not in shown
