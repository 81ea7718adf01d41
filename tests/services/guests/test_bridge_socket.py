"""The socket of a chat's bridge, and the program that a guest starts to reach it."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from desktop.services.acp.wire import WireReader, WireWriter
from desktop.services.guests.bridge_socket import MOST_TALKS, BridgeSocket
from desktop.services.guests.mcp_bridge import VARIABLE

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(sys.platform == "win32", reason="there are no such sockets for Python"),
]


async def echo(reader: WireReader, writer: WireWriter) -> None:
    while (line := await reader.take()) is not None:
        writer.write(line.upper() + b"\n")


async def started(told: Any, **env: str) -> asyncio.subprocess.Process:
    """The program, as a guest would start it: with nothing of the environment but what it was told."""
    given = {one["name"]: one["value"] for one in told["env"]}
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        told["command"], *told["args"], env={**given, **env}, stdin=pipe, stdout=pipe, stderr=pipe, cwd="/"
    )


@pytest.mark.promise("guests-A54")
async def test_the_program_joins_its_streams_with_the_socket() -> None:
    bridge = BridgeSocket(echo)
    await bridge.open()
    try:
        first, second = await started(bridge.told), await started(bridge.told)
        big = b"x" * 3_000_000
        for number, one in enumerate((first, second)):
            assert one.stdin is not None
            assert one.stdout is not None
            one.stdin.write(b"hello %d\n" % number)
            assert await one.stdout.readline() == b"HELLO %d\n" % number
        out, _ = await first.communicate(big + b"\n")
        assert out == big.upper() + b"\n"
        assert first.returncode == 0
    finally:
        await bridge.close()
    assert await second.wait() == 0  # the chat is over, so the program is


@pytest.mark.promise("guests-A54")
async def test_a_chat_has_a_socket_of_its_own_in_a_folder_of_its_own() -> None:
    one, other = BridgeSocket(echo), BridgeSocket(echo)
    await one.open()
    await other.open()
    places = [Path(bridge.told["env"][0]["value"]) for bridge in (one, other)]
    assert places[0].parent != places[1].parent
    assert [place.parent.stat().st_mode & 0o777 for place in places] == [0o700, 0o700]
    assert all(bridge.shown[0] == place.parent for bridge, place in zip((one, other), places, strict=True))
    await one.close()
    await one.close()
    assert not places[0].parent.exists()
    gone = await started({**other.told, "env": [{"name": VARIABLE, "value": str(places[0])}]})
    _, errors = await gone.communicate()
    assert (gone.returncode, errors) == (
        1,
        b"banksman mcp-bridge: the chat is not there any more: No such file or directory\n",
    )
    assert one.shown == ()
    await other.close()


async def test_only_so_many_talk_at_once() -> None:
    bridge = BridgeSocket(echo)
    await bridge.open()
    place = bridge.told["env"][0]["value"]
    ends = [await asyncio.open_unix_connection(place) for _ in range(MOST_TALKS)]
    for reader, writer in ends:
        writer.write(b"a\n")
        assert await reader.readline() == b"A\n"
    too_many, writer = await asyncio.open_unix_connection(place)
    assert await too_many.read() == b""
    writer.close()
    await bridge.close()
    for reader, writer in ends:
        assert await reader.read() == b""
        writer.close()


async def test_a_socket_that_cannot_be_made_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = tmp_path / ("long" * 30)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    bridge = BridgeSocket(echo)
    with pytest.raises(OSError, match="too long"):
        await bridge.open()
    assert not bridge.is_open
    assert list(long.iterdir()) == []


async def test_the_program_says_what_it_is_when_a_person_starts_it() -> None:
    env = {name: value for name, value in os.environ.items() if name != VARIABLE}
    pipe = asyncio.subprocess.PIPE
    words = (sys.executable, "-m", "desktop", "mcp-bridge")
    program = await asyncio.create_subprocess_exec(*words, env=env, stdin=pipe, stdout=pipe, stderr=pipe)
    out, errors = await program.communicate()
    assert (program.returncode, out) == (1, b"")
    assert b"it is started by an agent in a chat of Banksman" in errors
