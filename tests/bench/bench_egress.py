"""The proxy: what a connection through it costs, and how many bytes a second.  python -m tests.bench.bench_egress

The engine's loop serves the proxy in one process; server and client stand in others, as in the program.
"""

import asyncio
import os
import socket
import statistics
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from desktop.services.egress.egress import Way
from tests.services.egress.net import SITE, allowed, local_egress

CONNECTIONS = 300
BYTES = 1024**3
PIECE = b"x" * (256 * 1024)


def main() -> None:
    """Print both figures."""
    asyncio.run(_measured())


async def _measured() -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    server = os.fork()
    if server == 0:
        _serve(listening)
    listening.close()
    egress = local_egress()
    with egress.client("command", "", allowed(f"{SITE}:{port}")) as way:
        place = way.socket
        straight = await _in_child(lambda: _connections(lambda: socket.create_connection(("127.0.0.1", port))))
        through = await _in_child(lambda: _connections(lambda: _tunnel(place, port)))
        rate = await _in_child(lambda: _rate(lambda: _tunnel(place, port)))
        past = await _in_child(lambda: _rate(lambda: socket.create_connection(("127.0.0.1", port))))
        _told(way)
    os.kill(server, 9)
    os.waitpid(server, 0)
    print(f"a connection with one byte there and back: {straight:.2f} ms past the proxy, {through:.2f} ms through it")
    print(f"  over it: {through - straight:.2f} ms (at most 1)")
    print(f"bytes: {rate:,.0f} MB/s through the proxy (at least 200), {past:,.0f} MB/s past it")
    await egress.close()


def _told(way: Way) -> None:
    assert not way.kept_out


async def _in_child(work: Callable[[], float]) -> float:
    """What the work gives, done in another process while this one serves."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, f"{work()}".encode())
        os._exit(0)
    os.close(writing)
    text = await asyncio.to_thread(os.read, reading, 64)
    os.close(reading)
    os.waitpid(child, 0)
    return float(text)


def _tunnel(place: Path, port: int) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(place))
    connection.sendall(f"CONNECT {SITE}:{port} HTTP/1.1\r\n\r\n".encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += connection.recv(1)
    assert head.startswith(b"HTTP/1.1 200"), head
    return connection


def _connections(connect: Callable[[], socket.socket]) -> float:
    """The median of one connection in milliseconds."""
    times = []
    for _ in range(CONNECTIONS):
        began = time.perf_counter()
        with connect() as connection:
            connection.sendall(b"1")
            connection.recv(1)
        times.append(1_000 * (time.perf_counter() - began))
    return statistics.median(times)


def _rate(connect: Callable[[], socket.socket]) -> float:
    """Megabytes a second that come down one connection."""
    with connect() as connection:
        connection.sendall(b"+")
        began, got, room = time.perf_counter(), 0, bytearray(1 << 20)
        while more := connection.recv_into(room):
            got += more
        assert got == BYTES
        return got / 1e6 / (time.perf_counter() - began)


def _serve(listening: socket.socket) -> None:
    """A byte for `1`, a gigabyte for `+`."""

    def one(connection: socket.socket) -> None:
        with connection:
            asked = connection.recv(1)
            if asked == b"1":
                connection.sendall(b"1")
            for _ in range(BYTES // len(PIECE) if asked == b"+" else 0):
                connection.sendall(PIECE)

    while True:
        threading.Thread(target=one, args=(listening.accept()[0],), daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())
