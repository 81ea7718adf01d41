"""Who listens on a port: with real programs that listen and start others all the time."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from desktop.services.processes import ports
from desktop.services.processes.ports import Listener, listeners
from desktop.services.processes.programs import program_of

LISTENS = """
import socket, subprocess, threading
def start_others():
    while True:
        subprocess.run(["true"])
with socket.socket() as one:
    one.bind(("127.0.0.1", 0))
    one.listen()
    print(one.getsockname()[1], flush=True)
    threads = [threading.Thread(target=start_others, daemon=True) for _ in range(3)]
    any(thread.start() for thread in threads)
    input()
"""
HANDS_ON = """
import os, socket, sys
one = socket.socket()
one.bind(("127.0.0.1", 0))
one.listen()
if os.fork():
    input()
else:
    print(one.getsockname()[1], flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def program(request: pytest.FixtureRequest) -> Iterator[tuple[int, int]]:
    """A running program: its pid, and the port that it listens on."""
    with subprocess.Popen(
        [sys.executable, "-c", request.param], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as started:
        assert started.stdout is not None
        yield started.pid, int(started.stdout.readline())
        started.kill()


@pytest.mark.parametrize("program", [LISTENS, HANDS_ON], indirect=True, ids=["starts others", "hands its port on"])
def test_the_program_that_opened_a_port_is_named_whatever_it_starts(program: tuple[int, int]) -> None:
    pid, port = program
    expected = {port: Listener(port, program_of(pid).label)}
    assert [listeners([port]) for _ in range(30)] == [expected] * 30


@pytest.mark.parametrize("program", [LISTENS], indirect=True, ids=["starts others"])
def test_where_only_ended_processes_are_named_every_process_is_asked(
    program: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    pid, port = program
    monkeypatch.setattr(ports, "_LOOKS", 0)
    assert listeners([port]) == {port: Listener(port, program_of(pid).label)}
