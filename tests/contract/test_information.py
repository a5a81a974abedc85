"""Information states, for all games: one determines what its player sees and may do, and forgets nothing."""

import hashlib

import pytest

import masume
from cases import GAMES
from masume.core.rng import Rng, stream

PLIES = 36  # per game; each text is built again from all earlier plies
FEW = 3  # actions that most games choose among, so that different games reach the same position


def seen(state, player):
    """Return a hash of everything that the player receives: slots, legal actions of its own, the observation."""
    players = state.slots.tolist()
    found = hashlib.blake2b(repr(players).encode())
    for slot, owner in enumerate(players):
        if owner == player:
            found.update(state.legal_actions(slot).tobytes())
    for name, array in sorted(state.observation(player).items()):
        found.update(name.encode() + array.tobytes())
    return found.digest()


def walk(game, seed):
    """Yield (state, actions played now or None) of a random game, before each ply and at the end."""
    state, rng = game.new_state(seed % 5), Rng(stream(seed, 7))
    few = FEW if seed % 4 else 10_000
    for _ in range(PLIES):
        if state.is_terminal():
            break
        legal = [state.legal_actions(slot) for slot in range(len(state.slots))]
        actions = [int(codes[rng.below(min(few, len(codes)))]) for codes in legal]
        yield state, actions
        state.apply(actions if game.num_slots > 1 else actions[0])
    yield state, None


def digest(*parts):
    return hashlib.blake2b(repr(parts).encode()).digest()


def configs():
    for name, cases in GAMES.items():
        hidden = not masume.load(name, **cases.SMALL).is_perfect_information
        for k, fields in enumerate([cases.SMALL, *getattr(cases, "HIDDEN", ())]):
            yield pytest.param(name, fields, 120 if hidden else 40, id=f"{name}-{k}")


@pytest.mark.parametrize(("name", "fields", "count"), list(configs()))
def test_an_information_state_settles_what_is_seen_and_what_was_done(name, fields, count):
    """Equal texts have equal slots, legal actions and observations, and with hidden information equal pasts.

    The past is the sequence of the player's information states and of its actions in each. If nothing is hidden, the
    text is that of the position, which can be reached in several ways.
    """
    game = masume.load(name, **fields)
    found, met = {}, 0
    for seed in range(count):
        pasts, texts = [b""] * game.num_players, [""] * game.num_players
        for state, actions in walk(game, seed):
            players = state.slots.tolist()
            for player in range(game.num_players):
                text = state.information_state(player)
                own = [action for owner, action in zip(players, actions or (), strict=False) if owner == player]
                if text != texts[player] and not game.is_perfect_information:
                    pasts[player] = digest(pasts[player], text)
                told = seen(state, player), pasts[player]
                met += (player, text) in found
                assert found.setdefault((player, text), told) == told, f"seed {seed}, player {player}: {text}"
                texts[player] = text
                if own and not game.is_perfect_information:
                    pasts[player] = digest(pasts[player], own)
    assert met > count
