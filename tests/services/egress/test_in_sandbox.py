"""Commands that may reach named hosts, in the real sandbox: what they reach, and that nothing else is there."""

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.domain.core.ids import new_session_id
from desktop.services.egress.egress import Egress
from desktop.services.processes.around import Around, Given, Place, ProcessError, SandboxLost
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions
from desktop.services.processes.session import Processes
from tests.agent.rig import git, make_repository
from tests.services.egress.net import SITE, allowed, local_egress, web_server
from tests.services.processes.tier_sandbox import sandbox_in

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(sys.platform != "linux", reason="only bubblewrap keeps hosts apart"),
]
# Through the proxy as programs do it, past it, and by everything else that reaches a network.
TRIES = """
import socket, sys, urllib.request
def tell(name, act):
    try:
        print(name, act())
    except Exception as error:
        print(name, "stopped", type(error).__name__, getattr(error, "code", ""))
port = int(sys.argv[1])
tell("site", lambda: urllib.request.urlopen(f"http://site.example:{port}/", timeout=5).read().decode())
tell("other", lambda: urllib.request.urlopen(f"http://other.example:{port}/", timeout=5).read())
tell("straight", lambda: socket.create_connection(("127.0.0.1", port), 5))
tell("address", lambda: socket.create_connection(("8.8.8.8", 53), 5))
tell("datagram", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("8.8.8.8", 53)))
tell("name", lambda: socket.getaddrinfo("site.example", 80))
"""
Start = Callable[[Egress | None], Processes]


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    repository = make_repository(tmp_path / "shop", {"app.py": "print('hello')\n"})
    git(repository, "worktree", "add", "-q", str(tmp_path / "lane"), "-b", "lane")
    (tmp_path / "lane" / "tries.py").write_text(TRIES)
    return tmp_path / "lane"


@pytest_asyncio.fixture
async def start(lane: Path) -> AsyncIterator[Start]:
    sandbox = await sandbox_in("bwrap")
    made: list[tuple[Processes, Egress | None]] = []

    def begin(egress: Egress | None) -> Processes:
        way = (lambda hosts: egress.client("command", "", hosts, owner="s")) if egress is not None else None
        around = Around(given=Given(way=way))
        made.append((Processes(new_session_id(), os.environ, lane_root=lane, sandbox=sandbox, around=around), egress))
        return made[-1][0]

    yield begin
    for processes, egress in made:
        await processes.stop_all()
        if egress is not None:
            await egress.close()


async def said(processes: Processes, lane: Path, command: str, place: Place) -> str:
    completed = await processes.run(command, cwd=lane, timeout_s=60, on_output=lambda *_: None, place=place)
    return completed.output.head()


@pytest.mark.promise("guests-E1")
async def test_a_command_reaches_the_hosts_that_were_named_and_nothing_else(start: Start, lane: Path) -> None:
    egress = local_egress()
    async with web_server(b"from outside") as (port, _):
        place = Place(sandboxed=True, hosts=allowed(f"{SITE}:{port}"))
        lines = (await said(start(egress), lane, f"python3 tries.py {port}", place)).splitlines()
    assert lines[0] == "site from outside"
    assert lines[1] == "other stopped HTTPError 403"
    assert [line.split()[:2] for line in lines[2:]] == [
        [name, "stopped"] for name in ("straight", "address", "datagram", "name")
    ]
    reached, refused = sorted(egress.take("s"), key=lambda one: one.refused)
    assert (reached.host, reached.connections, refused.host, refused.refused) == (SITE, 1, "other.example", 1)


@pytest.mark.promise("guests-E1")
async def test_the_next_command_without_hosts_finds_neither_port_nor_socket(start: Start, lane: Path) -> None:
    egress = local_egress()
    processes = start(egress)
    await said(processes, lane, "true", Place(sandboxed=True, hosts=allowed(SITE)))
    look = "env | grep -ci proxy; (exec 3<>/dev/tcp/127.0.0.1/3128) 2>&1 | grep -q refused && echo closed"
    words = (await said(processes, lane, look, Place(sandboxed=True))).split()
    assert words == ["0", "closed"]


async def test_a_background_command_keeps_its_way_until_it_is_stopped(start: Start, lane: Path) -> None:
    egress = local_egress()
    processes = start(egress)
    async with web_server(b"late") as (port, _):
        place = Place(sandboxed=True, hosts=allowed(f"{SITE}:{port}"))
        fetch = f"until [ -e go ]; do sleep 0.05; done; python3 tries.py {port} > told; touch done; sleep 100"
        shell = await processes.start_background(fetch, cwd=lane, place=place)
        assert len(egress._open) == 1
        (lane / "go").touch()
        while not (lane / "done").exists():
            await asyncio.sleep(0.02)
        await processes.kill(shell)
        await processes.wait(shell, 20)
    assert (lane / "told").read_text().startswith("site late\n")
    assert not egress._open


@pytest.mark.promise("guests-E4")
async def test_with_the_proxy_gone_the_command_does_not_run(start: Start, lane: Path) -> None:
    class Gone(Egress):
        def client(self, kind, client, hosts, *, owner=""):  # type: ignore[no-untyped-def, override]
            way = super().client(kind, client, hosts, owner=owner)
            way.close()
            return way

    egress = Gone()
    with pytest.raises(SandboxLost, match="did not run"):
        await said(start(egress), lane, "touch ran", Place(sandboxed=True, hosts=allowed(SITE)))
    assert not (lane / "ran").exists()


async def test_without_a_way_or_bubblewrap_the_command_does_not_run(start: Start, lane: Path) -> None:
    place = Place(sandboxed=True, hosts=allowed(SITE))
    with pytest.raises(ProcessError, match="no way to named hosts"):
        await said(start(None), lane, "touch ran", place)
    for tiers in (("landlock",), ()):
        egress = local_egress()
        around = Around(given=Given(way=lambda hosts, egress=egress: egress.client("command", "", hosts)))
        sandbox = Sandbox(os.environ, SandboxOptions(tiers=tiers))
        processes = Processes(new_session_id(), os.environ, lane_root=lane, sandbox=sandbox, around=around)
        with pytest.raises(SandboxLost):
            await said(processes, lane, "touch ran", place)
        assert not egress._open
        await processes.stop_all()
        await egress.close()
    assert not (lane / "ran").exists()


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not here")
async def test_curl_takes_the_proxy_from_its_variables(start: Start, lane: Path) -> None:
    async with web_server(b"by curl") as (port, _):
        place = Place(sandboxed=True, hosts=allowed(f"{SITE}:{port}"))
        words = await said(start(local_egress()), lane, f"curl -sS http://{SITE}:{port}/; yes | head -1", place)
    assert words == "by curly\n"
