"""A person at the terminal: what may be typed in each game, and taking back."""

from __future__ import annotations

import io

import pytest

import masume
from masume.agent import View
from masume.agents.human import Human, Quit
from masume.agents.make import make_agent
from masume.core import language
from masume.core.rng import Rng
from masume.play.driver import begin, play_game

FIELDS = {"kakomimasu": {"width": 8, "height": 8, "n_agents": 2}}


def load(name):
    return masume.load(name, **FIELDS.get(name, {}))


class Person(Human):
    """Somebody who types these lines, and keeps what is printed."""

    def __init__(self, *lines):
        self.output = io.StringIO()
        super().__init__(io.StringIO("".join(f"{line}\n" for line in lines)), self.output)

    def answer(self, state, player=0):
        self.start(state.game.public, player, 0)
        return self.act(View(state, player))

    @property
    def read(self):
        return self.output.getvalue()


def random_states(game, seed, limit=60):
    """Yield the positions of a random game in which somebody decides."""
    state, rng = game.new_state(seed), Rng(seed)
    for _ in range(limit):
        slots = state.slots.tolist()
        if not any(player >= 0 for player in slots):
            return
        yield state
        actions = []
        for slot, player in enumerate(slots):
            legal = state.legal_actions(slot).tolist()
            actions.append(legal[rng.below(len(legal))] if player >= 0 else -1)
        state.apply(actions if game.num_slots > 1 else actions[0])


@pytest.mark.parametrize("name", masume.games())
@pytest.mark.parametrize("change", [str.lower, str.upper])
def test_what_the_terminal_lists_can_be_typed_in_every_position(name, change):
    game = load(name)
    if game.part("prompt") is None:
        pytest.skip("the game has no words of its own")
    for seed in range(3):
        for state in random_states(game, seed):
            deciding = next(player for player in state.slots if player >= 0)
            slots = [slot for slot, player in enumerate(state.slots) if player == deciding]
            for slot in slots:
                prompt = game.part("prompt")
                assert prompt.question(state, slot)
                assert prompt.explain(state, slot)
                for action in state.legal_actions(slot).tolist():
                    told = change(prompt.tell(state, slot, action))
                    meant = prompt.read(state, slot, told.lower()) or told
                    assert state.text_to_action(meant, slot) == action, told


@pytest.mark.parametrize("name", ["kakomimasu", "chaser", "nezumi", "terraforming"])
def test_the_game_notation_is_read_in_small_letters_too(name):
    game = load(name)
    state = game.new_state(1)
    player = next(player for player in state.slots if player >= 0)
    slots = [slot for slot, decider in enumerate(state.slots) if decider == player]
    actions = [state.legal_actions(slot).tolist()[-1 - slot] for slot in slots]
    lines = [state.action_to_text(action, slot).lower() for action, slot in zip(actions, slots, strict=True)]
    answer = Person(*lines, *["-", "finish"] * 5).answer(state, player)
    assert answer == (actions if game.num_slots > 1 else actions[0])


def test_agents_have_the_names_of_the_board_and_go_in_directions():
    state = load("kakomimasu").new_state(1)
    person = Person("3,3", "undo", "2 2", "PUT 5,5")
    placed = person.answer(state)
    assert [state.action_to_text(action, slot) for slot, action in enumerate(placed)] == ["PUT 2,2", "PUT 5,5"]
    assert person.read.count("A0, not placed yet> ") == 2
    assert person.read.count("A1, not placed yet> ") == 2
    state.apply([*placed, 0, 0])
    person = Person("NE", "move 4,5")
    moved = person.answer(state)
    assert [state.action_to_text(action, slot) for slot, action in enumerate(moved)] == ["MOVE 3,1", "MOVE 4,5"]
    assert "A0 on 2,2> A1 on 5,5> " in person.read


def test_a_direction_removes_the_wall_of_an_opponent():
    game = masume.load("kakomimasu", width=8, height=8, n_agents=1)
    state = game.new_state(1)
    for actions in (["PUT 2,2", "PUT 4,2"], ["STAY", "MOVE 3,2"], ["STAY", "MOVE 3,3"]):
        state.apply([state.text_to_action(text, slot) for slot, text in enumerate(actions)])
    assert state.action_to_text(Person("e").answer(state)[0], 0) == "REMOVE 3,2"
    assert state.action_to_text(Person("n").answer(state)[0], 0) == "MOVE 2,1"


@pytest.mark.parametrize("typed", ["n", "N", "up", "↑", "\x1b[A", "walk up", "W U", "wu", "WU"])
def test_arrows_and_words_walk(typed):
    state = load("chaser").new_state(1)
    assert state.action_to_text(Person(typed).answer(state)) == "wu"


@pytest.mark.parametrize(("typed", "meant"), [("look e", "lr"), ("Search ←", "sl"), ("put down", "pd"), ("s", "wd")])
def test_methods_take_a_direction(typed, meant):
    state = load("chaser").new_state(1)
    assert state.action_to_text(Person(typed).answer(state)) == meant


def nezumi_turn():
    """Return a position in which the mice, two of them on the board, may add one."""
    state = masume.load("nezumi", stage="garden").new_state()
    for text in ("3,0+", "4,1+", "-"):
        state.apply(state.text_to_action(text) if text != "4,1+" else state.text_to_action("4,0+"))
    state.apply(state.text_to_action("-"))
    return state


def test_a_turn_can_be_taken_back_until_the_other_side_decides():
    state = nezumi_turn()
    person = Person("undo", "-", "3,0 e", "undo", "undo", "-", "4,0 e", "3,0 E")
    person.start(state.game, 1, 0)
    told = []
    while state.current_player == 1:
        told.append(state.action_to_text(person.act(View(state, 1))))
        state.apply(told[-1])
    assert told == ["-", "4,0E", "3,0E"]
    assert person.read.count("There is nothing to take back") == 1


def test_what_told_something_new_cannot_be_taken_back():
    state = load("chaser").new_state(1)
    person = Person("look n", "undo", "n")
    person.start(state.game.public, 0, 0)
    state.apply(person.act(View(state, 0)))
    state.apply(int(state.legal_actions()[0]))
    assert state.action_to_text(person.act(View(state, 0))) == "wu"
    assert "There is nothing to take back" in person.read


def test_a_fleet_can_be_set_up_again():
    state = load("battleship").new_state(1)
    person = Person("b", "undo", "d", "s", "b", "c3", "UNDO", "b2", "c3", "a1")
    person.start(state.game.public, 0, 0)
    told = []
    while state.current_player == 0:
        told.append(state.action_to_text(person.act(View(state, 0))))
        state.apply(told[-1])
    assert told == ["KD", "KS", "KB", "SB2", "SC3", "SA1"]


def test_orders_name_ships_as_the_board_does():
    state = load("battleship").new_state(1)
    while state.phase == 0:
        state.apply(int(state.legal_actions()[0]))
    player = state.current_player
    for text in [state.action_to_text(action) for action in state.legal_actions().tolist()]:
        if text[0] == "M":
            break
    typed = f"Move {int(text[1]) + 1} {text[2]} {text[3]}"
    assert state.action_to_text(Person(typed).answer(state, player)) == text


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("0,5 e", "move 0 5 r 5"), ("0 5 E 3", "move 0 5 r 3"), ("nw 2", "move 0 5 ul 2"), ("done", "finish"),
     ("MOVE 0 5 R 2", "move 0 5 r 2")],
)  # fmt: skip
def test_robots_go_in_directions(typed, meant):
    state = load("terraforming").new_state(0)
    player = state.current_player
    assert state.action_to_text(Person(typed, "finish").answer(state, player)) == meant


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("fly", "fly: not understood; ? shows what you can type."),
        ("3,0", "3,0: not understood"),
        ("5,5 n", "5,5 n is not allowed now; moves lists what is."),
        ("n", "expected the cell of a mouse too, such as 3,0 n, got 'n'"),
    ],
)
def test_what_cannot_be_done_is_told_and_asked_again(typed, told):
    person = Person("-", typed, "moves", "3,0 e", "4,0 e")
    person.answer(nezumi_turn(), 1)
    assert told in person.read.replace("\n  ", " ")
    assert "> allowed now: 3,0 n   3,0 e   3,0 s   4,0 n   4,0 e   4,0 s" in person.read


def test_help_explains_letters_and_lists_what_can_be_typed():
    person = Person("?", "board", "-", "3,0 e", "4,0 e")
    person.answer(nezumi_turn(), 1)
    assert "You are mice: player 1 of nezumi. Type ? to see what you can do." in person.read
    assert "M a mouse that has not moved this turn" in person.read
    assert "undo   takes back your last decision" in person.read
    assert "allowed now: 2,0   3,1   -" in person.read
    assert person.read.count("score") >= 3


def test_a_game_without_words_of_its_own_is_asked_by_its_notation(monkeypatch):
    game = load("chaser")
    part = type(game).part
    monkeypatch.setattr(type(game), "part", lambda game, name: part(game, name) if name == "notation" else None)
    person = Person("?", "LU")
    assert person.answer(game.new_state(1)) == 4
    assert "your move> " in person.read
    assert "allowed now: wu   wr" in person.read


def test_what_the_others_did_is_told():
    game = masume.load("nezumi", stage="garden")
    person = Person("3,0", "done", "-", "3,0 n", "quit")
    played = begin(game, 1)
    person.follow(played.actions)
    with pytest.raises(Quit):
        play_game(game, [make_agent("greedy", game), person], 1, None, played)
    assert "> cat: " in person.read
    assert [len(row) for row in played.actions] == [1] * len(played.actions)
    assert played.state.turn == 2


def test_a_game_that_has_begun_is_gone_on_with():
    game = load("kakomimasu")
    agents = [make_agent(name, game) for name in ("greedy", "random")]
    whole = play_game(game, agents, 3)
    half = begin(game, 3, whole.actions[:30])
    again = play_game(game, agents, 3, None, half)
    assert again.actions[:30] == whole.actions[:30]
    assert again.state.is_terminal()
    assert again.to_replay(3, ["a", "b"]).moves == again.actions


def test_help_is_japanese_where_the_language_is(monkeypatch):
    monkeypatch.setenv("LANGUAGE", "ja")
    language.choose_language()
    try:
        for name in masume.games():
            state = load(name).new_state(1)
            player = next(player for player in state.slots if player >= 0)
            person = Person("?", "quit")
            with pytest.raises(Quit):
                person.answer(state, int(player))
            assert "今できること" in person.read
            assert "allowed" not in person.read
            assert "undo   ほかの" in person.read
    finally:
        monkeypatch.undo()
        language.choose_language()
