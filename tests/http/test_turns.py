"""Turns at work: who asks for much does not keep others waiting, and leaves nothing behind."""

import asyncio

import pytest

from masume.http.limits import FullError, Shares, Turns


def test_only_who_has_more_than_a_fair_share_owes_one():
    shares = Shares(8)
    for address in "aaaaabbb":
        shares.take(address)
    assert [shares.debtor(address) for address in "abcd"] == [None, "a", "a", "a"]
    shares.take("a")
    assert shares.debtor("a") is None  # it has its share: nobody owes it one


def run(scene):
    async def play():
        turns, began, gate = Turns(1, 8, 3.0), [], asyncio.Event()

        async def work(name, address):
            async with turns.turn(address):
                began.append(name)
                await gate.wait()

        def start(name, address):
            return asyncio.create_task(work(name, address))

        await scene(turns, began, start, gate)
        assert turns.shares.total == 0
        assert (turns._waiting, turns._working, turns._last, turns._left) == ({}, {}, {}, 1)

    asyncio.run(play())


def test_the_next_turn_is_of_who_had_none_for_longest():
    async def scene(_turns, began, start, gate):
        tasks = [start(f"a{number}", "a") for number in range(4)]
        await asyncio.sleep(0)
        tasks += [start("b0", "b"), start("b1", "b"), start("host", None)]
        await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(*tasks)
        assert began == ["a0", "b0", "host", "a1", "b1", "a2", "a3"]

    run(scene)


def test_who_waits_most_makes_room_for_who_waits_least():
    async def scene(turns, began, start, gate):
        tasks = [start(f"a{number}", "a") for number in range(6)] + [start("b0", "b"), start("b1", "b")]
        await asyncio.sleep(0)
        assert turns.shares.total == 8
        refused, other = start("a6", "a"), start("c0", "c")
        with pytest.raises(FullError, match="try again in 3 s"):
            await refused
        with pytest.raises(FullError):
            await tasks.pop(5)  # the last one of a
        gate.set()
        await asyncio.gather(other, *tasks)
        assert set(began) == {"a0", "a1", "a2", "a3", "a4", "b0", "b1", "c0"}

    run(scene)


def test_who_leaves_before_or_in_a_turn_is_counted_no_longer():
    async def scene(_turns, began, start, gate):
        tasks = [start(f"a{number}", "a") for number in range(3)]
        await asyncio.sleep(0)
        last = start("b0", "b")
        await asyncio.sleep(0)
        for task in tasks[::-1]:  # two that wait, then the one at work
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        gate.set()
        await last
        assert began == ["a0", "b0"]

    run(scene)
