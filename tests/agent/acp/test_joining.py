"""Who may join an engine at its socket."""

import asyncio
import json
import os
import socket
from pathlib import Path

import pytest

from desktop.agent.options import EngineOptions
from desktop.config.folders import Folders
from desktop.config.instance import ACP_SOCKET, instance_folder
from desktop.services.acp.door import knock
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions
from tests.agent.rig import Rig

WAIT_S = 30.0
pytestmark = pytest.mark.asyncio


async def joined(folders: Folders, greeting: bytes) -> bytes:
    """What the engine says to this first line."""

    def talk() -> bytes:
        connection = knock(instance_folder(folders) / ACP_SOCKET)
        assert connection is not None
        with connection:
            connection.settimeout(WAIT_S)
            connection.sendall(greeting)
            if not greeting:
                connection.shutdown(socket.SHUT_WR)
            said = b""
            while not said.endswith(b"\n") and (more := connection.recv(65_536)):
                said += more
            return said

    return await asyncio.to_thread(talk)


async def opened(rig: Rig) -> None:
    """Once the socket is there."""
    place = instance_folder(rig.folders) / ACP_SOCKET
    await rig.until(lambda updates: place.exists())


@pytest.mark.promise("guests-R9")
async def test_nobody_joins_where_no_sandbox_keeps_commands_from_the_socket(folders: Folders, repository: Path) -> None:
    bare = Sandbox(os.environ, SandboxOptions(tiers=()))
    rig = await Rig(folders, EngineOptions(sandbox=bare)).open(repository)
    await opened(rig)
    said = json.loads(await joined(folders, b'{"banksman": "join"}\n'))
    assert said["banksman"] == "refused"
    assert "no sandbox hides this folder" in said["why"]
    await rig.engine.stop()


@pytest.mark.promise("guests-R9")
async def test_nobody_joins_where_a_server_sees_the_socket(rig: Rig, folders: Folders) -> None:
    folders.config.mkdir(parents=True, exist_ok=True)
    words = f'[[server]]\nid = "notes"\ncommand = ["true"]\nread = ["{folders.data}"]\n'
    (folders.config / "mcp.toml").write_text(words)
    await opened(rig)
    said = json.loads(await joined(folders, b'{"banksman": "join"}\n'))
    assert (said["banksman"], "the MCP server notes sees" in said["why"]) == ("refused", True)


@pytest.mark.parametrize("greeting", [b"", b"[]\n", b'{"jsonrpc": "2.0"}\n', b"[" * 5_000 + b"\n", b"\xff\n"])
async def test_what_does_not_ask_to_join_is_left_without_a_word(rig: Rig, greeting: bytes) -> None:
    await opened(rig)
    assert await joined(rig.folders, greeting) == b""


async def test_who_asks_to_join_is_welcome(rig: Rig) -> None:
    await opened(rig)
    said = json.loads(await joined(rig.folders, b'{"banksman": "join"}\n'))
    assert said == {"banksman": "welcome", "why": ""}


async def test_the_socket_goes_with_the_engine(folders: Folders, repository: Path) -> None:
    rig = await Rig(folders).open(repository)
    await opened(rig)
    await rig.engine.stop()
    assert not (instance_folder(folders) / ACP_SOCKET).exists()
