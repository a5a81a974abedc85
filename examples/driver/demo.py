"""The driver plays the same games as a batch, with every game of masume."""

import winrate

import masume

GAMES, SEED = 200, 7

for name in masume.games():
    game = masume.load(name)
    wins, plies = winrate.count(game.capsule, games=GAMES, seed=SEED)
    print(f"{name}: {GAMES} random games of {plies / GAMES:.1f} plies, won by player {dict(enumerate(wins))}")
    batch = game.batch(GAMES, seed=SEED, observe=None, masks=False)
    assert batch.playout() == plies
    assert (batch.rewards > 0).sum(axis=0).tolist() == wins
