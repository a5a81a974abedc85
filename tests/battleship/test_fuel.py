"""Clauses and rulings on fuel, as battles on both implementations."""

from masume.battleship.config import Config
from masume.battleship.knowledge import FUELOUT, SURF

from .conftest import at, list_allowed, list_events, plain, play, result, ship

OPEN = Config()


def test_bs_111_bs_112_without_fuel_points(implementation):
    """BS-111 BS-112 BS-121 BS-144: actions need enough FP; a ship that can neither attack nor move is fuel-out."""
    state = implementation.battle("D@C3 B@A1", "B@E1")
    state = implementation.edit(state, ship_fp={(0, 0): 8})
    assert {text[0] for text in list_allowed(state) if text[1:2] == "0"} == {"M", "L"}
    play(state, "M0E1")
    assert plain(state, "FUEL_OUT", 1) == {"player": 0, "slot": 0, "cls": "D"}
    assert ship(state, 0, 0)["flags"] == FUELOUT
    play(state, "A0S")
    assert {text[0] for text in list_allowed(state) if text[1:2] == "0"} == {"L"}
    free = implementation.battle("D@C3", "B@E1", fuel=False)
    assert ship(free, 0, 0)["fp"] == 0
    play(free, "M0E2")
    assert ship(free, 0, 0)["fp"] == 0
    assert list_events(free, "FUEL_OUT") == []


def test_bs_128_to_135_refuelling(implementation):
    """BS-71 BS-128 BS-129 BS-130 BS-131 BS-132 BS-134 BS-135 BS-R32: neighbours get up to 30 FP of the Oiler's FP."""
    fleets = ("B@B1 O@B2 O@C3 S@A1 D@E5", "B@E1 O@E3")
    state = implementation.battle(*fleets)
    state = implementation.edit(
        state, ship_fp={(0, 0): 40, (0, 3): 40, (0, 4): 40, (0, 2): 20}, ship_flags={(0, 3): SURF}, round=3
    )
    play(state, "A4N")
    assert [(e["slot"], e["target"], e["n"]) for e in list_events(state, "REFUEL", 0)] == [(1, 0, 30), (1, 3, 30)]
    assert list_events(state, "REFUEL", 1) == []
    assert [ship(state, 0, slot)["fp"] for slot in range(5)] == [70, 90, 20, 70, 28]
    dry = implementation.battle(*fleets, refuel=False)
    dry = implementation.edit(dry, ship_fp={(0, 0): 40})
    play(dry, "A4N")
    assert ship(dry, 0, 0)["fp"] == 40


def test_bs_133_what_is_left_over_goes_to_the_lower_slot(implementation):
    """BS-133 BS-R33: an odd point goes to the lower slot of ships with equal lack, else to the greater lack."""
    fleets = ("B@B1 O@B2 D@A2 B@C2", "B@E5")
    state = implementation.battle(*fleets)
    state = implementation.edit(state, ship_fp={(0, 0): 40, (0, 2): 40, (0, 3): 40, (0, 1): 11})
    play(state, "A0E")
    assert [(e["target"], e["n"]) for e in list_events(state, "REFUEL", 0)] == [(0, 5), (2, 3), (3, 3)]
    state = implementation.edit(implementation.battle(*fleets), ship_fp={(0, 2): 40, (0, 3): 40, (0, 1): 11})
    state = implementation.edit(state, ship_pos={(0, 0): at(OPEN, "E1")})
    play(state, "A0S")
    assert [(e["target"], e["n"]) for e in list_events(state, "REFUEL", 0)] == [(2, 6), (3, 5)]


def test_bs_74_bs_75_an_oiler_that_cannot_attack_counts_as_sunk(implementation):
    """BS-74 BS-75 BS-126 BS-R39: the Oiler can still act while the game goes on."""
    state = implementation.battle("B@A1 O@C3", "B@E5 O@E4")
    state = implementation.edit(state, ship_fp={(0, 1): 49})
    assert "M1N1" in list_allowed(state)
    assert "A1N" not in list_allowed(state)
    assert list(state.scores()) == [30 + 30, 60 + 50]
    state = implementation.edit(state, ship_hp={(0, 0): 1}, cur=1, ptr=1)
    state = implementation.edit(state, ship_pos={(1, 0): at(OPEN, "B2")})
    play(state, "A0NW")
    assert result(state) == ({1}, "victory")
    assert plain(state, "DEFEATED", 0) == {"player": 0, "cause": "annihilated"}


def test_bs_127_bs_r41_all_combat_ships_without_fuel(implementation):
    """BS-78 BS-127 BS-R41: the game ends although an Oiler could still act."""
    state = implementation.battle("B@A1 O@C3", "B@E5 O@E4")
    state = implementation.edit(state, ship_fp={(0, 0): 10, (1, 0): 3, (0, 1): 150})
    play(state, "A0S")
    assert result(state) == ({0, 1}, "fuel")
    assert list(state.scores()) == [110, 110]


def test_bs_r61_a_refuelling_restarts_the_passes_of_its_owner_alone(implementation):
    """BS-R61: the other players have seen a pass and go on counting."""
    state = implementation.edit(implementation.battle("O@A1 B@B1", "B@E5"), ship_fp={(0, 0): 9, (0, 1): 5})
    play(state, "P")
    assert state.to_dict()["pass_run"] == 0
    assert ship(state, 0, 1)["fp"] == 14
    assert [float(state.observation(player)["scalars"][4]) for player in range(2)] == [0, 1]
    play(state, "A0N")
    assert [float(state.observation(player)["scalars"][4]) for player in range(2)] == [0, 0]
