"""Train a network that copies greedy, then improves by PPO with action masks, in minutes on one core.

    pip install '../..[envs]' -r requirements.txt
    python ppo.py chaser

The games are CHaser or small Kakomimasu. First the network learns from records of greedy's self-play; then it plays
against greedy, which moves within the step of a `VectorEnv`. The results are written next to this file: <game>.pt (the
weights), <game>_copy.pt (the weights before PPO), <game>.json (the curve and the arena) and <game>.svg (the curve as a
chart). Afterwards `py:ppo:chaser` is a player like any other: `PYTHONPATH=. masume match chaser --agents py:ppo:chaser
greedy`, with the sizes of CONFIGS as `--set FIELD=VALUE`.
"""

import argparse
import itertools
import json
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

import masume
from masume.core.rng import Rng
from masume.envs.gymnasium import VectorEnv
from masume.play.arena import Arena, Tournament
from masume.play.selfplay import selfplay
from masume.render.chart import lines

torch.set_num_threads(1)  # in the arena's processes too: the network is too small for two threads

HERE = Path(__file__).parent
CONFIGS = {
    "chaser": {"width": 9, "height": 7, "n_blocks": 6, "n_items": 10, "turn_limit": 30},
    "kakomimasu": {"width": 6, "height": 6, "n_agents": 2, "total_turns": 20},
}
MEASURED = {"chaser": ("greedy", "safe"), "kakomimasu": ("greedy", "random")}
FIELDS = {
    "chaser": ("planes", "scalars", "ready", "last_action", "last_info"),
    "kakomimasu": ("planes", "scalars", "agent_cells"),
}
COPIED = {"chaser": 6000, "kakomimasu": 3000}  # games of greedy against itself
STEPS = {"chaser": 300_000, "kakomimasu": 160_000}  # of the learner, in all envs together
SHAPES = {"chaser": (64, 64), "kakomimasu": (128, 20)}  # envs, and steps per round
WARM = 5  # rounds that train only the value, which copying does not learn
BOARDS = {"train": range(100, 140), "arena": range(2)}  # seeds of Kakomimasu's boards: the arena uses new ones


# -- inputs of the network ----------------------------------------------------------------------


def one_hot(values, size):
    """Return float32[..., size]: 1 at the index of each value, nothing for -1."""
    return (values[..., None] == np.arange(size)).astype(np.float32)


def windows(planes, cells, reach):
    """Return float32[n, planes * (2 * reach + 1)**2]: the window around a cell of each view, 0 outside and for -1."""
    n, _, _, width = planes.shape
    row, col = np.divmod(np.maximum(cells, 0), width)
    padded = np.pad(planes, ((0, 0), (0, 0), (reach, reach), (reach, reach)))
    around = np.lib.stride_tricks.sliding_window_view(padded, (2 * reach + 1, 2 * reach + 1), (2, 3))
    return around[np.arange(n), :, row, col].reshape(n, -1) * (cells >= 0)[:, None]


def chaser_features(seen):
    """Return float32[n, 1, features], and float32[n]: 0.3 for each item taken."""
    planes, n = seen["planes"], len(seen["planes"])
    scalars = seen["scalars"].astype(np.float32)
    parts = (
        windows(planes, planes[:, 4].reshape(n, -1).argmax(axis=1), reach=5),
        one_hot(seen["ready"], 4).reshape(n, -1),
        one_hot(seen["last_info"][:, 1:], 4).reshape(n, -1),
        one_hot(seen["last_action"], 16),
        np.stack(
            [scalars[:, 0], scalars[:, 1] / np.maximum(scalars[:, 2], 1), scalars[:, 3] / 10, scalars[:, 4] / 10],
            axis=1,
        ),
    )
    return np.concatenate(parts, axis=1)[:, None], scalars[:, 3] * 0.3


def kakomimasu_features(seen):
    """Return float32[n, agents, features], and float32[n]: the lead, 1 for 32 points."""
    planes, scalars, cells = seen["planes"], seen["scalars"], seen["agent_cells"].astype(np.int64)
    n, agents = cells.shape
    board = np.concatenate([planes.reshape(n, -1), scalars], axis=1)
    parts = [
        np.concatenate([board, windows(planes, cells[:, k], reach=3), one_hot(np.full(n, k), agents)], axis=1)
        for k in range(agents)
    ]
    return np.stack(parts, axis=1), (scalars[:, 5] - scalars[:, 9]) * 8


FEATURES = {"chaser": chaser_features, "kakomimasu": kakomimasu_features}


class Network(nn.Module):
    """Network from features to logits of all codes and a value in about -1..1, for each slot."""

    def __init__(self, inputs, actions, hidden=128):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.policy, self.value = nn.Linear(hidden, actions), nn.Linear(hidden, 1)
        with torch.no_grad():
            self.policy.weight.mul_(0.01)  # begin with a nearly uniform policy

    def forward(self, features, mask):
        """Return the logits, -1e9 where the mask is 0, and the values."""
        hidden = self.body(features)
        return self.policy(hidden).masked_fill(mask == 0, -1e9), self.value(hidden).squeeze(-1)


# -- a trained network as a player --------------------------------------------------------------


class Player:
    """A trained network as an agent for `masume arena`, `match` and `selfplay`; it draws from its policy."""

    def __init__(self, name, state=None):
        self.name = f"{name}, {'untrained' if state is None else 'trained'}"
        self.features, self.fields, self.state, self.network = FEATURES[name], FIELDS[name], state, None

    def start(self, game, player, seed):
        self.rng = Rng(seed)
        if self.network is None:
            spec = game.observation_spec
            blank = {field: np.zeros((1, *spec[field][0]), spec[field][1]) for field in self.fields}
            torch.manual_seed(0)
            self.network = Network(self.features(blank)[0].shape[-1], game.num_actions)
            if self.state:
                self.network.load_state_dict(self.state)

    def act(self, view):
        seen = view.observation()
        features, _ = self.features({field: seen[field][None] for field in self.fields})
        masks = np.stack([view.legal_mask(slot) for slot in view.slots])
        with torch.no_grad():
            logits, _ = self.network(torch.from_numpy(features[0]), torch.from_numpy(masks))
        shares = torch.softmax(logits, dim=-1).double().cumsum(dim=-1).numpy()
        codes = [int(np.searchsorted(row, self.rng.below(2**32) / 2**32 * row[-1], "right")) for row in shares]
        return codes if view.game.num_slots > 1 else codes[0]

    def close(self):
        pass


def chaser():
    """`py:ppo:chaser`: the player that was trained last."""
    return Player("chaser", torch.load(HERE / "chaser.pt"))


def kakomimasu():
    """`py:ppo:kakomimasu`: the player that was trained last."""
    return Player("kakomimasu", torch.load(HERE / "kakomimasu.pt"))


def copied_chaser():
    """`py:ppo:copied_chaser`: the player before PPO, which only copies greedy."""
    return Player("chaser", torch.load(HERE / "chaser_copy.pt"))


def copied_kakomimasu():
    """`py:ppo:copied_kakomimasu`: the player before PPO, which only copies greedy."""
    return Player("kakomimasu", torch.load(HERE / "kakomimasu_copy.pt"))


def untrained_chaser():
    """`py:ppo:untrained_chaser`: the network before training."""
    return Player("chaser")


def untrained_kakomimasu():
    """`py:ppo:untrained_kakomimasu`: the network before training."""
    return Player("kakomimasu")


# -- learning -----------------------------------------------------------------------------------


def games_of(name, use):
    """Return one game for CHaser, whose maps are drawn for each game; one per board for Kakomimasu."""
    boards = BOARDS[use] if name == "kakomimasu" else [0]
    return [masume.load(name, seed=seed, **CONFIGS[name]) for seed in boards]


def imitate(name, network, games, seed):
    """Train the network on records of greedy's games; return the share of greedy's codes that it predicts."""
    parts = []
    with tempfile.TemporaryDirectory() as folder:
        keep = ("legal", *FIELDS[name])
        selfplay(games_of(name, "train"), ["greedy"], num_games=games, seed=seed, out=folder, keep=keep, replays=0)
        for batch in masume.load_records(folder).batches(4096, fields=("actions", *keep)):
            views = len(batch["planes"].reshape(-1, *batch["planes"].shape[-3:]))  # of the mover, or of all players
            seen = {field: batch[field].reshape(views, *batch[field].shape[1 + (views > len(batch["actions"])) :])
                    for field in FIELDS[name]}  # fmt: skip
            features, _ = FEATURES[name](seen)
            slots = features.shape[1]
            arrays = (features, batch["legal"].reshape(views, slots, -1), batch["actions"].reshape(views, slots))
            parts.append([torch.from_numpy(array).flatten(0, 1) for array in arrays])
            parts[-1][0] = parts[-1][0].half()  # saves a gigabyte
    seen, mask, code = (torch.cat(tensors) for tensors in zip(*parts, strict=True))
    torch.manual_seed(seed)
    passes, held = 8, len(code) // 20
    optimizer = torch.optim.Adam(network.parameters())
    for done in range(passes):
        for group in optimizer.param_groups:
            group["lr"] = 1e-3 * (1 - done / passes)
        for rows in (held + torch.randperm(len(code) - held)).split(1024):
            logits, _ = network(seen[rows].float(), mask[rows])
            optimizer.zero_grad()
            nn.functional.cross_entropy(logits, code[rows].long()).backward()
            optimizer.step()
    with torch.no_grad():
        logits, _ = network(seen[:held].float(), mask[:held])
    return float((logits.argmax(dim=-1) == code[:held]).float().mean())


class Learner:
    """Proximal policy optimisation; every slot of every env is a row of the batch, with its player's reward."""

    def __init__(self, name, num_envs, steps, seed):
        self.features, self.steps, self.envs = FEATURES[name], steps, num_envs
        games = games_of(name, "train")
        self.env = VectorEnv(
            games,
            num_envs,
            opponents="greedy",
            player=None,
            autoreset_mode="SameStep",
            observe=FIELDS[name],
        )
        torch.manual_seed(seed)
        self._look(*self.env.reset(seed=seed))
        self.slots = self.seen.shape[1]
        self.network = Network(self.seen.shape[2], self.mask.shape[2])
        self.optimizer = torch.optim.Adam(self.network.parameters(), 1e-3, eps=1e-5)
        self.results = []  # of completed games, in order
        self.rates = {"clip": 0.2, "discount": 0.99, "trace": 0.95, "entropy": 0.003, "epochs": 4, "rows": 256}

    def _look(self, observation, info):
        features, score = self.features(observation)
        self.seen, self.score = torch.from_numpy(features), score
        self.mask = torch.from_numpy(info["action_mask"].reshape(self.envs, features.shape[1], -1).copy())

    def collect(self):
        """Play `steps` steps in all envs; return tensors [steps * envs * slots, ...], with returns and advantages."""
        rows = {key: [] for key in ("seen", "mask", "code", "chance", "value", "reward", "over")}
        for _ in range(self.steps):
            with torch.no_grad():
                logits, value = self.network(self.seen, self.mask)
            choice = torch.distributions.Categorical(logits=logits)
            code = choice.sample()
            before = self.score
            actions = code.numpy() if self.slots > 1 else code[:, 0].numpy()
            for key, tensor in zip(rows, (self.seen, self.mask, code, choice.log_prob(code), value), strict=False):
                rows[key].append(tensor)
            observation, reward, over, _, info = self.env.step(actions)
            self._look(observation, info)
            self.results += reward[over].tolist()
            gained = np.where(over, 0, self.score - before)  # points, added to the result at the end
            rows["reward"].append(torch.from_numpy(reward + gained).float()[:, None].expand(-1, self.slots))
            rows["over"].append(torch.from_numpy(over)[:, None].expand(-1, self.slots))
        data = {key: torch.stack(tensors) for key, tensors in rows.items()}
        with torch.no_grad():
            _, following = self.network(self.seen, self.mask)
        data["gain"] = torch.zeros_like(data["value"])
        ahead = torch.zeros_like(following)
        for t in reversed(range(self.steps)):
            alive = ~data["over"][t]
            error = data["reward"][t] + self.rates["discount"] * following * alive - data["value"][t]
            ahead = error + self.rates["discount"] * self.rates["trace"] * ahead * alive
            data["gain"][t], following = ahead, data["value"][t]
        data["target"] = data["gain"] + data["value"]
        return {key: tensor.flatten(0, 2) for key, tensor in data.items()}

    def improve(self):
        """Play and learn for one round: collect steps, then make a few passes over them."""
        data, rates = self.collect(), self.rates
        data["gain"] = (data["gain"] - data["gain"].mean()) / (data["gain"].std() + 1e-8)
        for _ in range(rates["epochs"]):
            for rows in torch.randperm(len(data["code"])).split(rates["rows"]):
                logits, value = self.network(data["seen"][rows], data["mask"][rows])
                choice = torch.distributions.Categorical(logits=logits)
                ratio = (choice.log_prob(data["code"][rows]) - data["chance"][rows]).exp()
                gain = data["gain"][rows]
                clipped = ratio.clamp(1 - rates["clip"], 1 + rates["clip"])
                loss = -torch.min(ratio * gain, clipped * gain).mean()
                loss = loss + 0.5 * (value - data["target"][rows]).square().mean()
                loss = loss - rates["entropy"] * choice.entropy().mean()
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.network.parameters(), 0.5)
                self.optimizer.step()


def train(name, games, steps, seed):
    """Return the network's weights and its curve: steps, CPU seconds, and mean result since the last point."""
    num_envs, length = SHAPES[name]
    learner, curve, done = Learner(name, num_envs, length, seed), [], 0
    network = learner.network
    same = imitate(name, network, games, seed)
    torch.save(network.state_dict(), HERE / f"{name}_copy.pt")
    print(f"{games:,} games copied  {time.process_time():6.1f} s of CPU  {same:.1%} of greedy's codes", flush=True)
    while done < steps:
        is_warm = done >= WARM * learner.steps * learner.envs
        for parameter in (*network.body.parameters(), *network.policy.parameters()):
            parameter.requires_grad_(is_warm)
        for group in learner.optimizer.param_groups:
            group["lr"] = 3e-4 * (1 - done / steps) if is_warm else 1e-3
        learner.improve()
        done += learner.steps * learner.envs
        if len(learner.results) >= 1000 or done >= steps:
            mean, spent = float(np.mean(learner.results)), time.process_time()
            curve.append({"steps": done, "cpu_s": round(spent, 1), "games": len(learner.results), "result": mean})
            print(f"{done:9,} steps  {spent:6.1f} s of CPU  mean result {mean:+.3f}", flush=True)
            learner.results.clear()
    return network.state_dict(), curve


# -- results ------------------------------------------------------------------------------------


def measure(name, games):
    """Return the scores, with 95 % intervals, of the untrained, copied and trained network.

    A score is (wins + draws / 2) / games.
    """
    rows = []
    for mine, theirs in itertools.product((f"untrained_{name}", f"copied_{name}", name), MEASURED[name]):
        played = []
        for game in games_of(name, "arena"):
            share = games // len(games_of(name, "arena"))
            arena = Arena(Tournament(game, (f"py:ppo:{mine}", theirs), share, seed=1))
            arena.run()
            played += arena.games
        scores = [one.score(0) for one in played]
        mean, low, high = masume.play.ratings.score_interval(scores)
        rows.append({"agent": mine, "against": theirs, "games": len(scores), "score": mean, "low": low, "high": high})
        print(f"{mine} against {theirs}: {mean:.1%} of {len(scores)} games ({low:.1%} to {high:.1%})", flush=True)
    return rows


def draw(name, curve):
    """Return the curve as an SVG: the learner's mean result over its steps."""
    return lines(
        f"{name}: mean result against greedy while it learns",
        {name: [(row["steps"], row["result"]) for row in curve]},
        {y: f"{y:+.1f}" for y in (-1, -0.5, 0, 0.5, 1)},
        ("0", f"{curve[-1]['steps']:,} steps, {curve[-1]['cpu_s'] / 60:.1f} minutes of CPU"),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("game", choices=CONFIGS)
    parser.add_argument("--steps", type=int, help=f"of the learner, in all envs together (default: {STEPS})")
    parser.add_argument("--copy", type=int, help=f"games of greedy to copy (default: {COPIED})")
    parser.add_argument("--games", type=int, default=200, help="of each arena (default: 200)")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    name, copy, steps = arguments.game, arguments.copy, arguments.steps
    weights, curve = train(name, copy or COPIED[name], steps or STEPS[name], arguments.seed)
    torch.save(weights, HERE / f"{arguments.game}.pt")
    found = {"curve": curve, "arena": measure(arguments.game, arguments.games)}
    (HERE / f"{arguments.game}.json").write_text(json.dumps(found, indent=1) + "\n")
    (HERE / f"{arguments.game}.svg").write_text(draw(arguments.game, curve))


if __name__ == "__main__":
    main()
