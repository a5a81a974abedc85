"""Names of teams."""

import masume
from masume.agents.make import is_program
from masume.agents.names import distinct, split_name
from masume.core import system
from masume.play.arena import Arena, Tournament
from masume.referee.seats import make_seat


def test_a_name_comes_before_an_equals_sign_and_has_no_colon():
    assert split_name("Kobe=cmd:LEVEL=3 ./bot") == ("Kobe", "cmd:LEVEL=3 ./bot")
    assert split_name("神戸 A=greedy") == ("神戸 A", "greedy")
    for spec in ("cmd:LEVEL=3 ./bot", "greedy", "mcts:9", "=greedy", "A="):
        assert split_name(spec) == (None, spec)
    assert is_program("Kobe=cmd:./bot")
    assert not is_program("Kobe=greedy")


def test_equal_names_are_told_apart():
    assert distinct(["a", "b", "a", "a"]) == ["a", "b", "a (2)", "a (3)"]
    assert distinct(["a", "a (2)", "a"]) == ["a", "a (2)", "a (3)"]
    assert distinct([]) == []


def test_a_seat_keeps_the_name_of_its_team():
    game = masume.load("chaser", preset="contest")
    assert make_seat("Kobe=greedy", game).name == "Kobe"


def test_one_game_of_each_line_up_with_balanced_first_seats(tmp_path):
    game = masume.load("chaser", preset="contest", turn_limit=4)
    agents = tuple(f"team {k % 3}=greedy" if k < 3 else f"team {k % 3}=safe" for k in range(5))
    plan = Tournament(game, agents, 1)
    assert plan.labels == ["team 0", "team 1", "team 2", "team 0 (2)", "team 1 (2)"]
    arena = Arena(plan, tmp_path)
    assert arena.total == 10

    class Here:
        def begin(self, _game, _seed, names, _is_live=False):
            self.names = names

        def finish(self, one):
            assert one.names == self.names

        def announce(self, names):
            pass

    with system.private_memory():
        arena.run(show=Here())
    assert len(arena.games) == 10
    assert [count for _name, count, games in arena.first_seats()] == [2] * 5
    assert Arena(plan, tmp_path).games == arena.games
    assert {row.name for row in arena.standings(rated=False)} == set(plan.labels)
