"""Connections: they close whatever the other end does, and a flood waits outside the process."""

import asyncio
import socket
import struct
import time

import pytest

import masume
from masume.referee.seat import Fault
from masume.referee.tcp import Connection, Port


async def connect(capacity=65_536):
    """Return (connection, the client's socket)."""
    port = Port("127.0.0.1", 0)
    port.listen()
    client = socket.create_connection(("127.0.0.1", port.number))
    connection = await port.accept(capacity)
    return connection, client


def reset(client):
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


def run(use, **options):
    async def main():
        connection, client = await connect(**options)
        try:
            return await use(connection, client)
        finally:
            client.close()
            await connection.close(0)

    return asyncio.run(main())


def test_a_connection_that_was_reset_unheard_is_closed():
    async def use(connection, client):
        reset(client)  # before asyncio can notice it
        await connection.close(20)

    started = time.monotonic()
    run(use)
    assert time.monotonic() - started < 10


def test_what_was_sent_last_arrives_although_the_other_end_has_not_read_yet():
    async def use(connection, client):
        connection.write(b"farewell")
        client.sendall(b"unread")
        closing = asyncio.create_task(connection.close(20))
        heard = await asyncio.to_thread(client.makefile("rb").read)
        client.close()
        await closing
        return heard

    assert run(use) == b"farewell"


def test_after_the_end_nothing_can_be_sent():
    async def use(connection, client):
        reset(client)
        with pytest.raises(Fault) as caught:
            await connection.line(64, time.monotonic() + 20)
        assert caught.value.cause == "closed"
        with pytest.raises(Fault) as caught:
            connection.write(b"x")
        return caught.value.cause

    assert run(use) == "closed"


def test_what_is_not_read_is_a_timeout():
    async def use(connection, client):
        with pytest.raises(Fault) as caught:
            await connection.send(b"x" * 2**24, time.monotonic() + 0.1)
        return caught.value.cause, caught.value.detail

    assert run(use) == ("timeout", "it does not read its input")


def test_a_flood_waits_outside():
    async def use(connection, client):
        data = b"line\n" * 400_000
        writing = asyncio.create_task(asyncio.to_thread(client.sendall, data))
        await asyncio.sleep(0.2)
        waiting = len(connection.inbox.data)
        count = 0
        while count < 400_000:
            assert await connection.line(64, time.monotonic() + 20) == b"line"
            count += 1
        await writing
        return waiting

    assert run(use, capacity=1000) < 2**20


def test_a_queue_keeps_connections_that_come_at_once():
    port = Port("127.0.0.1", 0, queue=40)
    port.listen()
    clients = [socket.create_connection(("127.0.0.1", port.number), timeout=20) for _ in range(40)]

    async def accept():
        found = [await port.accept(is_last=False) for _ in clients]
        for connection, client in zip(found, clients, strict=True):
            client.close()
            await connection.close(0)
        return [connection.peer for connection in found]

    names = [f"127.0.0.1:{client.getsockname()[1]}" for client in clients]
    assert asyncio.run(accept()) == names
    port.close()


@pytest.mark.parametrize("host", ["", "a..b", "é" * 70, "192.0.2.1", "::1%nobody"])
def test_a_host_that_is_none_of_this_machine_is_told(host):
    with pytest.raises(masume.ConfigError, match="host: "):
        Port(host, 0).listen()


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_the_peer_is_told_as_people_write_it(address):
    async def main():
        port = Port(address, 0)
        try:
            port.listen()
        except masume.ConfigError:
            pytest.skip(f"no {address} here")
        client = socket.create_connection((address, port.number))
        connection = await port.accept()
        assert isinstance(connection, Connection)
        own = client.getsockname()[1]
        client.close()
        await connection.close(0)
        return connection.peer, own

    peer, own = asyncio.run(main())
    assert peer == {"127.0.0.1": f"127.0.0.1:{own}", "::1": f"[::1]:{own}"}[address]
