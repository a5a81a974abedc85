"""Clauses and rulings on the course of turns, as battles on both implementations."""

from masume.battleship.knowledge import FUELOUT

from .conftest import list_allowed, list_events, plain, play, result, ship


def test_bs_r34_the_order_of_a_turns_end(implementation):
    """BS-70 BS-R34: torpedoes, waves, stealth, refuelling, fuel: an Oiler can save a ship on a wave."""
    state = implementation.battle("D@A1 O@B1 B@A3", "B@E5", terrain_map="...../^..../...../...../.....")
    state = implementation.edit(state, ship_fp={(0, 0): 12})
    play(state, "M0S1")
    assert ship(state, 0, 0)["fp"] == 30  # 12 - 8, the wave takes 4, the Oiler gives 30
    assert list_events(state, "FUEL_OUT") == []


def test_bs_21_bs_22_bs_72_turns_and_rounds(implementation):
    """BS-21 BS-22 BS-45 BS-69 BS-70 BS-72: one decision per turn; a round ends after one turn of each player."""
    state = implementation.battle("B@A1", "B@E5", "B@A5", preset="multi")
    for turn in range(9):
        assert state.current_player == turn % 3
        assert list(state.slots) == [turn % 3]
        variables = state.to_dict()
        assert (variables["round"], variables["turns"]) == (turn // 3 + 1, turn + 1)
        assert {"kind": "TURN", "round": turn // 3 + 1, "player": turn % 3} in state.events(0)
        play(state, min(list_allowed(state)))


def test_bs_r42_when_all_pass_nothing_more_happens(implementation):
    """BS-78 BS-R42: unless a torpedo is still in flight."""
    state = implementation.battle("O@A1 B@A2", "O@E5 B@E4", terrain_map="...../...../...../...../.....", fuel=True)
    out = {(0, 1): 3, (1, 1): 15, (0, 0): 0, (1, 0): 0}
    state = implementation.edit(state, ship_fp=out, ship_flags={(0, 1): FUELOUT})
    assert list_allowed(state) == {"P", "X"}
    play(state, "P A1N")
    assert result(state) is not None


def test_bs_r43_games_without_fuel_end(implementation):
    """BS-R43: they end at max_rounds, as at a round limit."""
    state = implementation.battle("B@A1", "B@E5", fuel=False, max_rounds=2)
    play(state, "M0E1 M0W1 M0W1 M0E1")
    assert result(state) == ({0, 1}, "max_rounds")


def test_bs_125_bs_184_bs_185_pass_or_resign(implementation):
    """BS-48 BS-125 BS-184 BS-185 BS-R49 BS-R50: passing is legal if no other action is."""
    state = implementation.battle("B@C3", "B@E1")
    state = implementation.edit(state, ship_fp={(0, 0): 5}, ship_flags={(0, 0): FUELOUT})
    assert list_allowed(state) == {"P", "X"}
    play(state, "P")
    assert plain(state, "PASS", 1) == {"player": 0}
    assert state.current_player == 1
    assert not {"P"} & list_allowed(state)
    proud = implementation.battle("B@C3", "B@E1", allow_resign=False)
    proud = implementation.edit(proud, ship_fp={(0, 0): 5})
    assert list_allowed(proud) == {"P"}
