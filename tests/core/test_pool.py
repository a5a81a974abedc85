"""Batches on threads: fork, more threads than rows, many callers at once."""

import os
import threading
import time

import numpy as np
import pytest

import masume
from masume.core._batch import Pool
from toy import Counting

CONFIG = {"width": 6, "height": 6, "n_agents": 2, "total_turns": 9}
SIZE = 600  # enough rows for a step to use threads


def play(batch, steps=12):
    """Return what `steps` random steps and a playout leave in the batch."""
    for _ in range(steps):
        batch.sample_actions()
        batch.step()
    plies = batch.playout()
    return plies, batch.states.tobytes(), batch.rewards.tobytes(), batch.observations["planes"].tobytes()


@pytest.fixture(scope="module")
def game():
    return masume.load("kakomimasu", **CONFIG)


@pytest.fixture(scope="module")
def expected(game):
    return play(game.batch(SIZE, seed=5))


def answer_of_a_child(work):
    """Return the bytes that `work()` returns in a forked child, which has ten seconds."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, work())
        finally:
            os._exit(0)
    os.close(write)
    deadline = time.monotonic() + 10
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > deadline:
            os.kill(child, 9)
            os.waitpid(child, 0)
            pytest.fail("the child hangs")
        time.sleep(0.01)
    with os.fdopen(read, "rb") as pipe:
        return pipe.read()


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # forking with threads is tested here
def test_a_forked_child_goes_on_where_the_batch_was(game, expected):
    batch = game.batch(SIZE, seed=5, threads=3)
    assert play(batch) == expected
    batch.reset(seed=5)

    def work():
        return b"same" if play(batch) == expected else b"different"

    assert answer_of_a_child(work) == b"same"
    assert answer_of_a_child(lambda: answer_of_a_child(work)) == b"same"
    assert play(batch) == expected


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_forked_within_a_step_has_pools_of_its_own(game, expected):
    """The parent's other thread holds the pool's locks at the fork; the child frees and uses pools."""
    batch, stop = game.batch(SIZE, seed=1, threads=2), threading.Event()

    def step_on():
        while not stop.is_set():
            batch.sample_actions()
            batch.step()

    stepper = threading.Thread(target=step_on)
    stepper.start()
    try:
        for _ in range(10):
            assert answer_of_a_child(lambda: b"%d" % (play(game.batch(SIZE, seed=5, threads=2)) == expected)) == b"1"
    finally:
        stop.set()
        stepper.join()


@pytest.mark.parametrize("size", [1, 3, 37])
def test_more_threads_than_rows(game, size):
    assert play(game.batch(size, seed=8, threads=64)) == play(game.batch(size, seed=8))


@pytest.mark.parametrize("threads", [1, 2])
def test_every_python_thread_may_have_a_batch(game, expected, threads):
    found = [None] * 4

    def work(k):
        found[k] = play(game.batch(SIZE, seed=5, threads=threads))

    callers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert found == [expected] * 4


class Slow(Counting):
    """Game in which one call of apply may wait."""

    def __init__(self):
        super().__init__()
        self.inside, self.go_on = threading.Event(), threading.Event()

    def apply(self, *arguments):
        self.inside.set()
        assert self.go_on.wait(10)
        return super().apply(*arguments)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_second_python_thread_is_refused_while_one_is_inside(threads):
    provider = Slow()
    batch = masume.load(provider).batch(4, threads=threads, observe=None)
    first = threading.Thread(target=batch.step, args=(np.array([1, 0, 1, 0], np.int32),))
    first.start()
    assert provider.inside.wait(10)
    calls = [batch.step, batch.sample_actions, batch.playout, batch.reset, lambda: batch.step(np.ones(4, np.int32))]
    for call in calls:
        with pytest.raises(RuntimeError, match="another thread"):
            call()
    provider.go_on.set()
    first.join()
    twin = masume.load(Counting()).batch(4, observe=None)
    twin.step(np.array([1, 0, 1, 0], np.int32))
    assert batch.states.tobytes() == twin.states.tobytes()
    batch.step()
    assert (batch.states["ply"] == 2).all()


def test_pools_come_and_go():
    for threads in (0, 1, 2, 17):
        assert [Pool(threads).threads for _ in range(10)] == [max(1, threads)] * 10
