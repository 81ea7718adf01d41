"""A lane, a home, and a scripted program that is started for them as a guest in the real sandbox."""

import os
import sys
from pathlib import Path

from pydantic import JsonValue

from desktop.domain.guests.registry import GuestRow
from desktop.services.egress.egress import Egress
from desktop.services.guests.home import guest_home
from desktop.services.guests.launch import GuestLauncher, GuestPlace, GuestProcess
from desktop.services.guests.locate import find_guest, search_path
from desktop.services.peers.ring import LogRing
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions
from tests.agent.found_sandbox import found_sandbox
from tests.peer_ground import Ear

PEER = Path(__file__).parent / "fakes" / "acp_peer.py"
LIMIT_S = 25.0
ROW = GuestRow(id="peer", label="Peer", programs=("peer-acp",), args=("--acp",), own_sandbox_off=("--bare",))


def written_program(folder: Path, name: str, script: Path = PEER) -> Path:
    """A program of this name that runs a script with this Python."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text(f"#!{sys.executable}\n{script.read_text()}")
    program.chmod(0o755)
    return program


class GuestGround:
    """Call `close` in the end."""

    def __init__(self, folder: Path) -> None:
        self.lane, self.data, self.person = folder / "lane", folder / "data", folder / "person"
        for one in (self.lane, self.data, self.person):
            one.mkdir()
        (self.lane / "app.py").write_text("print('hello')\n")
        (self.person / "key").write_text("hunter2")
        written_program(folder / "tools" / "bin", "peer-acp")
        path = os.pathsep.join((str(folder / "tools" / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]))
        self.env = {**os.environ, "MODEL_KEY": "sk-model", "HOME": str(self.person), "PATH": path}
        options = SandboxOptions(hidden=(self.data, folder / "tools"), scratch=folder, found=found_sandbox())
        self.sandbox, self.egress = Sandbox(self.env, options), Egress()
        self.launcher = GuestLauncher(self.sandbox, self.env, self.egress)
        self.log, self.ear = LogRing(), Ear()
        self.running: list[GuestProcess] = []

    def place(self, row: GuestRow = ROW, **changes: object) -> GuestPlace:
        """Where a guest works here."""
        found = find_guest(row, search_path(self.env["PATH"], self.env), (self.lane,))
        assert found is not None
        home = guest_home(self.data, row.id)
        return GuestPlace(row, found, self.lane, home, owner="ses_1", **changes)

    async def start(self, place: GuestPlace | None = None) -> GuestProcess:
        """A guest, running."""
        process = await self.launcher.start(place or self.place(), self.ear, self.log)
        self.running.append(process)
        return process

    async def close(self) -> None:
        """End what was started."""
        for process in self.running:
            await process.close()
        await self.egress.close()
        await self.sandbox.close()


async def said(process: GuestProcess, method: str, **params: JsonValue) -> JsonValue:
    """What a guest answers."""
    return await process.wire.request(method, params, limit_s=LIMIT_S)
