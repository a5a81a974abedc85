"""The organiser of a contest: from `new` to the tables, the second day, and a machine whose disk fills and whose power
goes."""

import csv
import random
import re
import sys
import time

import pytest

from kills import full_disk
from masume.core.growing import split_lines
from sealed import read_lines

linux = pytest.mark.skipif(sys.platform != "linux", reason="kill -9, and disks that can be filled")
CUP = """
game = "chaser"
format = "league"
maps = ["duel"]
"""
ENTRY = '[[entry]]\nname = "{name}"\nplay = "{play}"\n'


@pytest.fixture
def disk():
    with full_disk("2m") as found:
        yield found


def test_a_contest_is_held_shown_and_taken_to_another_machine(person):
    """As the README says; then the second day: it is over, and stays so where its zip is unpacked."""
    new = ("masume", "contest", "new", "cup", "--game", "chaser", "--maps", "duel", "--format", "league")
    agents = ("--agents", "A=greedy", "B=safe", "C=random")
    person.run(*new, *agents)
    refused = person.run(*new, *agents, code=1)[1]
    assert "cup" in refused  # it is there already: nothing is overwritten
    played = person.run("masume", "contest", "run", "cup", "--auto")[0]
    assert "the contest is over" in played
    shown = person.run("masume", "contest", "show", "cup", "--csv", "tables", "--zip", "cup.zip")[0]
    with (person.folder / "tables" / "standings.csv").open(encoding="utf-8-sig", newline="") as file:
        standings = list(csv.DictReader(file))
    assert {row["name"] for row in standings} == {"A", "B", "C"}
    again = person.run("masume", "contest", "run", "cup", "--auto")[0]
    assert "the contest is over" in again
    person.run("masume", "contest", "new", "laptop", "--from", "cup.zip")
    there = person.run("masume", "contest", "show", "laptop")[0]
    assert shown.startswith(there)
    replays = sorted(path.name for path in (person.folder / "laptop").rglob("*.jsonl"))
    assert replays == sorted(path.name for path in (person.folder / "cup").rglob("*.jsonl"))


def make_cup(person, folder, number):
    entries = "".join(ENTRY.format(name=f"team {k}", play="greedy") for k in range(number))
    person.write(f"{folder}/contest.toml", CUP + entries)


@linux
def test_a_contest_goes_on_after_a_full_disk(person, disk):
    cup = disk.folder / "cup"
    make_cup(person, cup, 3)
    running = person.start("masume", "contest", "run", cup, "--auto")
    running.wait_for(r"L1:")
    disk.fill(running.process.pid)
    assert running.wait() == 1
    assert re.search(r"cup/.*: No space left on device|cup/.*: File too large", running.shown)
    assert "Traceback" not in running.shown
    disk.free()
    person.run("masume", "contest", "run", cup, "--auto")
    whole = person.folder / "whole"
    make_cup(person, whole, 3)
    person.run("masume", "contest", "run", whole, "--auto")
    shown = [person.run("masume", "contest", "show", one)[0].split("\n", 1)[1] for one in (cup, whole)]
    assert shown[0] == shown[1]


@linux
@pytest.mark.slow
def test_a_contest_survives_kill_9(person):
    chance = random.Random(15)
    make_cup(person, "cup", 6)
    make_cup(person, "whole", 6)
    journal, before = person.folder / "cup" / "journal.jsonl", []
    for _ in range(15):
        running = person.start("masume", "contest", "run", "cup", "--auto")
        running.wait_for(r"L1:|1\.", timeout=60)
        time.sleep(chance.uniform(0, 0.3))
        running.kill()
        after = split_lines(journal.read_bytes())
        assert after[: len(before)] == before
        before = after
    person.run("masume", "contest", "run", "cup", "--auto")
    person.run("masume", "contest", "run", "whole", "--auto")
    assert split_lines(journal.read_bytes())[: len(before)] == before
    shown = [person.run("masume", "contest", "show", one)[0].split("\n", 1)[1] for one in ("cup", "whole")]
    assert shown[0] == shown[1]
    assert len(read_lines(journal)) == len(read_lines(person.folder / "whole" / "journal.jsonl"))
