"""The texts of the command line and of pages in other languages."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from masume import cli, load, render
from masume.agents.make import make_agent
from masume.commands import NAMES
from masume.core import language
from masume.core.tables import table
from masume.play.driver import play_game

ROOT = Path(__file__).parent.parent
LANGUAGES = [name for name in language.LANGUAGES if name != "en"]


@pytest.fixture
def in_language(monkeypatch):
    """Choose a language for one test."""
    yield lambda name: (monkeypatch.setenv("LANGUAGE", name), language.choose_language())
    monkeypatch.undo()
    language.choose_language()


def run(*arguments, **variables):
    clean = {
        name: value for name, value in os.environ.items() if name not in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
    }
    return subprocess.run(
        [sys.executable, "-m", "masume", *arguments], env=clean | variables, capture_output=True, encoding="utf-8"
    )


def test_every_text_has_a_translation_and_the_catalogues_are_up_to_date():
    pytest.importorskip("babel", reason="babel is not installed")
    script = ROOT / "packaging" / "messages.py"
    checked = subprocess.run([sys.executable, script, "--check"], capture_output=True, encoding="utf-8")
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize(
    ("text", "translation", "problem"),
    [
        ("{number} games", "", "no translation: '{number} games'"),
        ("{number} games", "{count}試合", "other fields"),
        ("%(prog)s: error", "エラー", "other fields"),
        ("{number} games", "{number}試合", ""),
    ],
)
def test_a_translation_must_have_the_fields_of_its_text(text, translation, problem):
    pytest.importorskip("babel", reason="babel is not installed")
    sys.path.insert(0, str(ROOT / "packaging"))
    try:
        from messages import problems
    finally:
        sys.path.pop(0)
    assert [one.startswith(problem) for one in problems(text, translation)] == [True] * bool(problem)


@pytest.mark.parametrize(
    "variables", [{"LANG": "ja_JP.UTF-8"}, {"LC_ALL": "ja_JP.utf8", "LANG": "C"}, {"LANGUAGE": "ja"}]
)
def test_the_environment_chooses_the_language(variables):
    assert run("perft", "--help", **variables).stdout.startswith("使い方: masume perft")


@pytest.mark.parametrize("variables", [{}, {"LANG": "C"}, {"LANG": "xx_XX.UTF-8"}, {"LANG": "en_GB.UTF-8"}])
def test_without_a_catalogue_it_is_english(variables):
    assert run("perft", "--help", **variables).stdout.startswith("usage: masume perft")


def test_lang_goes_before_the_environment():
    assert run("perft", "--help", "--lang", "ja").stdout.startswith("使い方:")
    assert run("--lang=ja", "perft", "--help").stdout.startswith("使い方:")
    assert run("perft", "--help", "--lang", "en", LANG="ja_JP.UTF-8").stdout.startswith("usage:")
    wrong = run("info", "--lang", "xx")
    assert (wrong.returncode, "--lang: invalid choice: 'xx'" in wrong.stderr) == (2, True)


def test_errors_stay_english():
    refused = run("info", "chess", "--lang", "ja")
    assert refused.returncode == 2
    assert "エラー" in refused.stderr
    refused = run("info", "chaser", "--set", "width=99", "--lang", "ja")
    assert refused.stderr == "masume: width: expected 1..64, got 99\n"


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize("command", NAMES)
def test_all_help_is_translated(name, command, in_language, capsys):
    in_language(name)
    with pytest.raises(SystemExit):
        cli.main([command, "--help"])
    shown = capsys.readouterr().out
    assert "usage:" not in shown
    assert "default:" not in shown


def test_verdicts_and_tables(in_language, capsys):
    in_language("ja")
    assert cli.main(["match", "chaser", "--agents", "greedy", "safe", "--set", "turn_limit=3"]) == 0
    shown = capsys.readouterr().out
    assert re.match(r"第1試合: greedy \d+, safe \d+: ", shown)
    assert "名前" in shown


def test_json_has_the_same_keys_in_every_language(in_language, capsys):
    in_language("ja")
    assert cli.main(["play", "nezumi", "--stage", "garden", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) >= {"game", "winners", "scores"}


@pytest.mark.parametrize("name", ["battleship", "chaser", "kakomimasu", "nezumi", "terraforming"])
def test_pages_are_in_the_language(name, in_language):
    game = load(name, **({"max_turns": 25} if name == "terraforming" else {}))
    replay = play_game(game, [make_agent("random", game) for _ in range(game.num_players)], 1).to_replay(1, ["a"] * 4)
    english = render.page([replay], title="x")
    in_language("ja")
    page = render.page([replay], title="x")
    assert '<html lang="en">' in english
    assert '<html lang="ja">' in page
    assert "{{" not in page
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
    shown = data["games"][0]
    for word in [*shown["scores"], *(tile[3] for tile in shown["tiles"]), *(verb[0] for verb in shown["verbs"])]:
        assert re.search(r"[^\x00-\x7f]", word), word
    for frame in shown["frames"]:
        for text in [frame["caption"], *frame.get("log", [])]:
            assert re.search(r"[^\x00-\x7f]", text), text


def test_wide_letters_are_aligned():
    lines = table([("ネコ", 1), ("ab", 22)], ("名前", "x")).split("\n")
    assert {language.width_of(line) for line in lines} == {8}
