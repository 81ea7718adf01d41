"""The socket at which processes of the same person join."""

import asyncio
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.services.acp.door import Door, knock, peer_uid
from desktop.services.acp.duplex import Duplex

WAIT_S = 30.0
CONNECT = """
import os, socket, sys
os.chdir(sys.argv[1])
os.setuid(65534)
joined = socket.socket(socket.AF_UNIX)
joined.connect("acp.sock")
joined.settimeout(30)
print(len(joined.recv(1)))
"""
pytestmark = pytest.mark.asyncio


class Entered:
    """Keeps who came in."""

    def __init__(self) -> None:
        self.connections: list[Duplex] = []
        self.one = asyncio.Event()

    def take(self, duplex: Duplex) -> None:
        self.connections.append(duplex)
        self.one.set()


async def test_it_is_the_users_alone_and_takes_the_place_of_what_was_left_there(tmp_path: Path) -> None:
    file, entered = tmp_path / "instance" / "acp.sock", Entered()
    file.parent.mkdir(mode=0o755)
    file.write_text("left by an earlier process")
    door = Door(file, entered.take)
    await door.open()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    joined = await asyncio.to_thread(knock, file)
    assert joined is not None
    assert peer_uid(joined) == os.getuid()
    await asyncio.wait_for(entered.one.wait(), WAIT_S)
    joined.sendall(b"hello\n")
    (duplex,) = entered.connections
    assert await duplex.take() == b"hello"
    duplex.write(b"hello yourself\n")
    assert await asyncio.to_thread(joined.recv, 100) == b"hello yourself\n"
    joined.close()
    duplex.close()
    door.close()
    assert not file.exists()
    assert await asyncio.to_thread(knock, file) is None


async def test_a_long_path_is_no_obstacle(tmp_path: Path) -> None:
    file, entered = tmp_path / ("long " * 30) / "acp.sock", Entered()
    door = Door(file, entered.take)
    await door.open()
    joined = await asyncio.to_thread(knock, file)
    assert joined is not None
    await asyncio.wait_for(entered.one.wait(), WAIT_S)
    joined.close()
    entered.connections[0].close()
    door.close()


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="needs a second user")
async def test_a_process_of_another_user_is_turned_away(tmp_path: Path) -> None:
    """Even where the folder and the socket let it through."""
    file, entered = tmp_path / "acp.sock", Entered()
    door = Door(file, entered.take)
    await door.open()
    file.chmod(0o666)
    tmp_path.chmod(0o755)
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", CONNECT, str(tmp_path)], capture_output=True, text=True, timeout=WAIT_S
    )
    assert (done.stdout, done.stderr) == ("0\n", "")
    assert entered.connections == []
    door.close()


async def test_a_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs a second user")
    folder = tmp_path / "instance"
    folder.mkdir()
    os.chown(folder, 65534, 65534)
    with pytest.raises(PermissionError):
        await Door(folder / "acp.sock", Entered().take).open()


async def test_who_says_nothing_of_the_user_is_nobody() -> None:
    one, other = socket.socketpair()
    with one, other:
        assert peer_uid(one) == os.getuid()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as unconnected:
        assert peer_uid(unconnected) != os.getuid()
