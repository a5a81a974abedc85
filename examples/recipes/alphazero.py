"""Gumbel AlphaZero on Nezumi's siege, a batch of games: OMP_NUM_THREADS=1 python alphazero.py [moves] [seed]"""

import sys

import numpy as np
import torch
from torch.nn import Linear, ReLU, Sequential

import masume
from masume.search import MCTS

moves, seed, n, game = int([*sys.argv, 4000][1]), int([*sys.argv, 1, 1][2]), 128, masume.load("nezumi", stage="siege")
torch.manual_seed(seed)
torch.set_grad_enabled(False)
batch, forest = game.batch(n, seed=seed), MCTS(game, simulations=16, considered=8).forest(n)
net = Sequential(Linear(408, 128), ReLU(), Linear(128, 128), ReLU(), Linear(128, game.num_actions + 1))
optimizer, played, samples, guests = torch.optim.Adam(net.parameters()), {}, [], np.resize([-3, 0, -3, 1], n)


def ask(planes, scalars):  # logits [k, slots, codes] and values [k, players], whose sum is 0
    out = net(torch.cat([torch.as_tensor(planes).flatten(1), torch.as_tensor(scalars)], dim=1))
    return {"logits": out[:, None, :-1], "values": out[:, -1:].tanh() * torch.tensor([1, -1])}


def measure(count=200):  # the share that the policy alone has against random play, seats in turn
    board, seats = game.batch(count, seed=1000 + seed, autoreset="disabled"), np.arange(count) % 2
    while (going := board.current_player >= 0).any():
        board.sample_actions(mask=going)
        best = np.where(board.masks, ask(**board.observations)["logits"], -np.inf).argmax(axis=2)
        board.actions[:] = np.where((board.current_player == seats)[:, None], best, board.actions)
        board.step(mask=going)
    return (board.rewards[range(count), seats].mean() + 1) / 2


for move in range(moves + 1):
    optimizer.param_groups[0]["lr"] = 1e-3 * (1 - move / (moves + 1))  # less and less, so that the last ones settle
    if move % 500 == 0 or move == moves:
        print(f"{move} moves: {measure():.3f} against random", flush=True)
    for i in range(n):
        forest.set_root(i, batch.state(i), seed=(seed * moves + move) * n + i)
    while (leaves := forest.collect()) is not None:
        forest.answer(**ask(**leaves.observations))
    batch.actions[:], policies = forest.improve(**ask(**batch.observations))
    seen = [array.copy() for array in (*batch.observations.values(), batch.masks[:, 0], policies[:, 0])]
    batch.sample_actions(mask=guests == batch.current_player)  # half of the games have a random player
    batch.step()
    for i in range(n):
        played.setdefault(i, []).append([array[i] for array in seen])
        if batch.terminated[i]:
            samples = samples[-60_000:] + [(*row, batch.rewards[i, 0]) for row in played.pop(i)]
    for _ in range(2 if len(samples) > 512 else 0):
        columns = zip(*(samples[k] for k in torch.randint(len(samples), (512,))), strict=True)
        planes, scalars, masks, policy, result = (torch.from_numpy(np.array(column)) for column in columns)
        with torch.enable_grad():
            out = ask(planes, scalars)
            logs = out["logits"][:, 0].masked_fill(masks == 0, -1e9).log_softmax(dim=1)
            loss = (out["values"][:, 0] - result).square().mean() - (policy * logs).sum(dim=1).mean()
            optimizer.zero_grad()
            loss.backward()
        optimizer.step()
