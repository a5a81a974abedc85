"""Templates of bots: one protocol reader for each language (`bot.*.tmpl`), and what each game adds, as data.

A template has lines `@if KIND` and `@end` around lines for some games only, and these words: @GAME@, @NAME@, @ABOUT@,
@RULES@, @AVOID@, @IMPORTS@, @ONLINE@. A game may add templates in the folder `bots` of its package. These either speak
the game's own protocol over stdin and stdout, or are named `online.*.tmpl` and hold a function that plays on the game's
own server; the rest of that bot speaks JSON lines. The module `bot` of the game's package defines:

ABOUT : lines about what its messages hold, for a comment. OPPONENT : the agent that the bot plays against. OPTIONS :
arguments of `masume match`. ONLINE : what makes such a bot play on a server, with {run} for its command. RULES : groups
of (place, digit, action): the action is good if that digit is at that place of the last `info` of the events; optional.
AVOID : the action that is played only if there is no other; optional.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from ..core.config import choice
from ..core.files import write_atomic
from ..core.language import say
from ..core.language import translate as _
from ..errors import ConfigError
from ..game import Game


class Language(NamedTuple):
    """A language: its file, how a comment line begins, the brackets of a list, how it is built and run."""

    file: str
    comment: str
    brackets: str
    build: str
    run: str


LANGUAGES = {
    "python": Language("bot.py", "", "[]", "", "python3 bot.py"),
    "c": Language("bot.c", "   ", "{}", "cc -O2 -o bot bot.c", "./bot"),
    "cpp": Language("bot.cpp", "// ", "{}", "c++ -O2 -std=c++17 -o bot bot.cpp", "./bot"),
    "java": Language("Bot.java", "// ", "{}", "javac Bot.java", "java Bot"),
    "javascript": Language("bot.js", "// ", "[]", "", "node bot.js"),
    "rust": Language("bot.rs", "// ", "[]", "rustc -O -o bot bot.rs", "./bot"),
}


CLOCK = "move=5000"  # else a bot that does not answer is waited for


class Commands(NamedTuple):
    """The three commands of a bot, and what builds it (empty: nothing)."""

    build: str
    run: str
    watch: str
    test: str


def plan(game: Game, language: str) -> Commands:
    """Return the commands for a bot of a game, as they are typed in its folder."""
    its, part = LANGUAGES[language], game.part("bot")
    given = getattr(part, "OPTIONS", "")
    options = (f" {given}" if given else "") + f" --clock {CLOCK}"
    opponents = " ".join([getattr(part, "OPPONENT", "random")] * (game.num_players - 1))
    agent = f'"{kind_of(game, its)}:{its.run}"'
    return Commands(
        its.build,
        f"masume match {game.name}{options} --agents {agent} {opponents} --games 3 --out games.jsonl",
        "masume view games.jsonl -o games.html",
        f"masume match {game.name}{options} --check {agent}",
    )


def kind_of(game: Game, language: Language) -> str:
    """Return how a bot is named to masume: json (JSON lines), or cmd (the game's own protocol)."""
    return "json" if _own(game, language.file) is None else "cmd"


def write(game: Game, language: str, folder: Path) -> Commands:
    """Write a bot for a game into a new or empty folder, all files or none; return its commands.

    Raises
    ------
    ConfigError
        If the language is unknown, or the folder is not empty.
    OSError
        If the folder cannot be written.
    """
    recipe = LANGUAGES[choice("language", language, LANGUAGES)]
    folder = folder.absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(f"dir: expected a new or an empty folder, got {folder}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    commands = plan(game, language)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as made:
        new = Path(made) / folder.name
        new.mkdir()
        write_atomic(new / recipe.file, _fill(game, recipe, folder.name).encode())
        write_atomic(new / "README.md", _readme(game, recipe, commands).encode())
        if folder.exists():
            folder.rmdir()  # it is empty; otherwise this fails
        shutil.move(new, folder)
    return commands


def _fill(game: Game, language: Language, name: str) -> str:
    """Return the source of a bot."""
    part: Any = game.part("bot")
    rules, avoid = getattr(part, "RULES", None), getattr(part, "AVOID", None)
    own, online = _own(game, language.file), _own(game, f"online{Path(language.file).suffix}")
    kinds = {"rules": rules is not None, "avoid": avoid is not None, "any": avoid is None, "online": online is not None}
    about = getattr(part, "ABOUT", "docs/tutorials/json-lines.md explains the messages.").strip("\n")
    words = {
        "GAME": game.name,
        "NAME": re.sub(r"[^A-Za-z0-9 _.-]", "_", name)[:20],
        "ABOUT": "\n".join(f"{language.comment}{line}".rstrip() for line in about.split("\n")),
        "RULES": _rules(rules or (), language),
        "AVOID": str(avoid),
    }
    lines = [] if online is None else online.read_text("utf-8").splitlines()
    imports = {"import json", "import random", "import sys"} | {line for line in lines if line.startswith("import ")}
    words["IMPORTS"] = "\n".join(sorted(imports))
    words["ONLINE"] = "\n".join(line for line in lines if line not in imports).strip("\n")
    text = (own or resources.files(__package__) / f"{language.file}.tmpl").read_text("utf-8")
    return _sections(text, kinds, words)


def _own(game: Game, name: str) -> Any:
    """Return the template of this name that the game has; None if it has none."""
    part = game.part("bot")
    if part is None:
        return None
    found = resources.files(str(part.__package__)) / "bots" / f"{name}.tmpl"
    return found if found.is_file() else None


def _sections(text: str, kinds: Mapping[str, bool], words: Mapping[str, str]) -> str:
    """Return a template without the lines for other games, and with its words filled in."""
    lines, is_kept = [], True
    for line in text.splitlines():
        if line.startswith("@if "):
            is_kept = kinds[line[4:]]
        elif line == "@end":
            is_kept = True
        elif is_kept:
            lines.append(line)
    return re.sub(r"@([A-Z]+)@", lambda found: words[found[1]], "\n".join(lines)) + "\n"


def _rules(rules: Any, language: Language) -> str:
    """Return the groups of rules as a literal; in C, whose lists have one length, with a row of -1 after each group."""
    if language.file == "bot.c":
        rules = [row for group in rules for row in (*group, (-1, 0, 0))]
    rows = [json.dumps(row) for row in rules]
    if language.file == "bot.rs":
        rows = [f"&{row}" for row in rows]
    left, right = language.brackets[0], language.brackets[1]
    text = "[\n" + "".join(f"    {row},\n" for row in rows) + "]"
    return text.replace("[", left).replace("]", right)


def _readme(game: Game, language: Language, commands: Commands) -> str:
    """Return the README of a bot, in the chosen language."""
    build = f"{_('Build it, after each change:')}\n\n```\n{commands.build}\n```\n\n" if commands.build else ""
    return (
        f"# {say('A bot for {game}', game=game.name)}\n\n"
        f"{say('Change choose in {file}; the rest is the protocol.', file=language.file)}\n\n{build}"
        f"{_('Run it: three games, and who won. What it writes to stderr is shown if it fails.')}\n\n"
        f"```\n{commands.run}\n```\n\n"
        f"{_('Watch them: open games.html in a browser.')}\n\n```\n{commands.watch}\n```\n\n"
        f"{_('Test it: every message of the protocol, and whole games from every seat.')}\n\n"
        f"```\n{commands.test}\n```\n{_online(game, language)}"
    )


def _online(game: Game, language: Language) -> str:
    """Return how the bot plays on a server of the game; "" if it cannot."""
    if _own(game, f"online{Path(language.file).suffix}") is None:
        return ""
    part: Any = game.part("bot")
    command = part.ONLINE.format(run=language.run)
    return f"\n{_('Play on a server of the game, such as that of a contest:')}\n\n```\n{command}\n```\n"
