"""Ray plays the same games as threads, even if workers or nodes are lost."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import masume
from masume.play.selfplay import selfplay

SMALL = {"width": 5, "height": 4, "n_agents": 2, "total_turns": 6}
GAMES = 12 * 8
TESTS = Path(__file__).parents[1]


def run(out, *arguments, agents=("random", "py:players:DiesOnce"), life="nowhere"):
    """Run `masume selfplay` with GAMES small games."""
    command = [
        sys.executable, "-m", "masume", "selfplay", "kakomimasu", "--agents", *agents, "--games", str(GAMES),
        "--seed", "3", "--replays", "20", "--out", str(out),
        *(part for name, value in SMALL.items() for part in ("--set", f"{name}={value}")), *arguments,
    ]  # fmt: skip
    environment = os.environ | {"PYTHONPATH": str(TESTS), "LIFE": str(life)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)


def files(folder):
    """Return {path: bytes} of all files of a run that do not depend on time."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.glob("[rgp]*/*")}


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    game = masume.load("kakomimasu", **SMALL)
    with pytest.raises(masume.ConfigError, match=r"^ray is not installed: pip install '\.\[ray\]' in a clone"):
        selfplay([game], ["random"], num_games=5, ray="local")


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """The same games, played by threads."""
    folder = tmp_path_factory.mktemp("cluster") / "local"
    assert run(folder).returncode == 0
    return folder


@pytest.mark.slow
def test_a_killed_worker_costs_its_task_alone(local, tmp_path):
    pytest.importorskip("ray")
    life = tmp_path / "life"
    life.write_text("")
    found = run(tmp_path / "ray", "--ray", "--threads", "2", life=life)
    assert (found.returncode, life.exists()) == (0, False), found.stderr
    assert files(tmp_path / "ray") == files(local)
    assert masume.load_records(tmp_path / "ray").verify() == GAMES


@pytest.mark.slow
def test_an_agent_at_fault_ends_the_run_by_its_name(tmp_path):
    pytest.importorskip("ray")
    found = run(tmp_path, "--ray", "--threads", "2", agents=["random", "py:players:Illegal"])
    assert found.returncode == 1
    assert "masume: illegal: player " in found.stderr
    assert "Traceback" not in found.stderr


FAULTS = """
import masume, ray
from masume.play.selfplay import selfplay

ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
game = masume.load("kakomimasu", width=5, height=4, n_agents=2, total_turns=6)
for seed in range(40):
    try:
        selfplay([game], ["random", "py:players:Illegal"], num_games=400, seed=seed, ray="local")
    except masume.AgentError:
        print(seed)
assert selfplay([game], ["random"], num_games=24, seed=3, ray="local").games["kakomimasu"].games == 24
"""


@pytest.mark.slow
def test_faults_leave_the_callers_own_ray_at_work():
    pytest.importorskip("ray")
    environment = os.environ | {"PYTHONPATH": str(TESTS), "RAY_USAGE_STATS_ENABLED": "0"}
    found = subprocess.run([sys.executable, "-c", FAULTS], env=environment, capture_output=True, text=True, timeout=300)
    assert found.returncode == 0, found.stderr
    assert found.stdout.split() == [str(seed) for seed in range(40)]


@pytest.mark.slow
def test_an_address_without_a_cluster_is_refused(tmp_path):
    pytest.importorskip("ray")
    found = run(tmp_path, "--ray", "127.0.0.1:1")
    assert found.returncode == 1
    assert "masume: ray: 127.0.0.1:1: " in found.stderr


TWO_NODES = """
import json, sys
import masume
from masume.play.selfplay import selfplay
from ray.cluster_utils import Cluster

out, fields, num_games = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
second = cluster.add_node(num_cpus=1)
cluster.wait_for_nodes()
lost = []

def lose_one(games, seconds):
    if games >= 16 and not lost:
        lost.append(games)
        cluster.remove_node(second, allow_graceful=False)

game = masume.load("kakomimasu", **fields)
agents = ["random", "py:players:DiesOnce"]
selfplay([game], agents, num_games=num_games, seed=3, replays=20, out=out, ray=cluster.address, progress=lose_one)
assert lost and lost[0] < num_games, lost
cluster.shutdown()
"""


SECRET = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "5" * 64}


@pytest.mark.slow
@pytest.mark.parametrize("token", [{"RAY_AUTH_MODE": "disabled"}, SECRET], ids=["open", "token"])
def test_a_lost_node_costs_its_tasks_alone(local, tmp_path, token):
    pytest.importorskip("ray")
    environment = os.environ | {"PYTHONPATH": str(TESTS), "LIFE": "nowhere", "RAY_USAGE_STATS_ENABLED": "0"} | token
    command = [sys.executable, "-c", TWO_NODES, tmp_path / "two", json.dumps(SMALL), str(GAMES)]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert found.returncode == 0, found.stderr
    assert files(tmp_path / "two") == files(local)


GUARDED = """
import os, subprocess, sys
from pathlib import Path
from ray.cluster_utils import Cluster

cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_AUTH")}
command = [sys.executable, "-m", "masume", "selfplay", "nezumi", "--games", "8", "--ray", cluster.address]
for given in ({}, {"RAY_AUTH_MODE": "token"}, {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "6" * 64}):
    ran = subprocess.run(command, env=environment | given, capture_output=True, text=True)
    print(ran.returncode, [line for line in ran.stderr.splitlines() if line.startswith("masume: ")], flush=True)
    assert "Traceback" not in ran.stderr, ran.stderr
cluster.shutdown()
"""


@pytest.mark.slow
def test_a_cluster_with_another_token_is_refused_with_what_is_missing(tmp_path):
    pytest.importorskip("ray")
    environment = (
        os.environ | {"PYTHONPATH": str(TESTS), "RAY_USAGE_STATS_ENABLED": "0", "HOME": str(tmp_path)} | SECRET
    )
    found = subprocess.run(
        [sys.executable, "-c", GUARDED], env=environment, capture_output=True, text=True, timeout=300
    )
    assert found.returncode == 0, found.stderr
    lines = found.stdout.splitlines()[-3:]
    assert all(line.startswith("1 ['masume: ray: ") and "this machine needs the same one in" in line for line in lines)
    assert "no token was found here" in lines[1]
