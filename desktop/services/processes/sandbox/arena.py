"""The arena of a probe: what is planted outside a throw-away lane, and afterwards what has happened to it."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from desktop.domain.core.ids import new_id
from desktop.services.files.leftovers import passing_prefix, sweep
from desktop.services.processes.sandbox.landlock import own_program

BEAT_LOOK_S = 0.15
_SYSTEM_FOLDERS = (Path("/usr/local/lib"), Path("/etc"), Path("/var/lib"))
_VICTIM = ("--sandbox-victim", "victim.py")


class Arena:
    """Planted files, servers and a process. Made and used on one thread at a time; `close` takes all away.

    What earlier ones left behind when their process was killed is taken away first.

    `scratch`: where lane and sibling are made. `home`: where a key file is planted, None: in the scratch folder.

    Raises:
        OSError: something could not be planted; nothing is left.
    """

    def __init__(self, scratch: Path | None, home: Path | None) -> None:
        self._planted = contextlib.ExitStack()
        try:
            self._plant(scratch, home)
        except BaseException:
            self.close()
            raise

    def _plant(self, scratch: Path | None, home: Path | None) -> None:
        self.secret = new_id("")
        mark = passing_prefix()
        sweep(place for place in (scratch, home) if place is not None)
        self._root = Path(tempfile.mkdtemp(prefix=mark, dir=scratch if scratch and scratch.is_dir() else None))
        self._root = self._root.resolve()
        self._planted.callback(shutil.rmtree, self._root, ignore_errors=True)
        self.lane, self.temp, self.common = self._root / "lane", self._root / "temp", self._root / "repository.git"
        self._sibling = self._root / "sibling"
        for folder in (self.lane, self.temp, self._sibling, self.common / "hooks", self.common / "objects"):
            folder.mkdir(parents=True)
        self._plant_git()
        outside = home if home is not None and os.access(home, os.W_OK) else self._sibling
        self._home = outside / f".{mark}{self.secret[:12]}"
        self._key = outside / f".{mark}{self.secret[:12]}.key"
        self._outside = self._sibling / "file"
        self._outside.write_text("as it was")
        self._system = (
            next((one for one in _SYSTEM_FOLDERS if one.is_dir()), Path("/usr")) / f"{mark}{self.secret[:12]}"
        )
        self._unix_path = outside / f".{mark}{self.secret[:12]}.socket"
        for file in (self._home, self._key, self._system, self._unix_path):
            self._planted.callback(_unlink, file)
        self._key.write_text(self.secret)
        self._tcp = self._serve(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        self._udp = self._serve(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
        with short_name(self._unix_path) as name:
            self._unix = self._serve(socket.AF_UNIX, socket.SOCK_STREAM, name)
        self._abstract = None
        if sys.platform == "linux":
            self._abstract = self._serve(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{self.secret}")
        self.victim = subprocess.Popen(
            own_program(*_VICTIM),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PROBE": self.secret, "PATH": os.defpath},
        )
        self._planted.callback(_end, self.victim)
        assert self.victim.stdout is not None
        self.victim.stdout.readline()

    @property
    def planted(self) -> dict[str, str]:
        """The values that the escapes are told, by name."""
        return {
            "lane": str(self.lane),
            "common": str(self.common),
            "sibling": str(self._sibling / "new"),
            "outside": str(self._outside),
            "home": str(self._home),
            "key": str(self._key),
            "system": str(self._system),
            "secret": self.secret,
            "tcp": str(self._tcp.getsockname()[1]),
            "udp": str(self._udp.getsockname()[1]),
            "unix": str(self._unix_path),
            "abstract": self.secret,
            "victim": str(self.victim.pid),
        }

    def happened(self) -> dict[str, bool]:
        """For each escape that leaves a trace out here: whether there is one."""
        return {
            "write_sibling": (self._sibling / "new").exists(),
            "write_home": self._home.exists(),
            "write_system": self._system.exists(),
            "rename_over_git": self._git_text().startswith("gitdir: /escaped"),
            "write_common_hooks": (self.common / "hooks" / "post-checkout").exists(),
            "write_common_config": "escaped" in (self.common / "config").read_text(),
            "write_through_link": (self._sibling / "by-link").exists(),
            "hard_link": self._outside.stat().st_nlink > 1 or "escaped" in self._outside.read_text(),
            "tcp": _came(self._tcp),
            "udp": _came(self._udp, datagram=True),
            "unix_socket": _came(self._unix),
            "abstract_socket": self._abstract is not None and _came(self._abstract),
            "signal_host": self.victim.poll() is not None,
        }

    def still_beats(self) -> bool:
        """Whether the process that was left still runs. Blocking (0.15 s)."""
        beat = self.lane / "beat"
        before = beat.stat().st_size if beat.exists() else 0
        time.sleep(BEAT_LOOK_S)
        return (beat.stat().st_size if beat.exists() else 0) != before

    def began_to_beat(self) -> bool:
        """Whether the process that was left ever ran."""
        return (self.lane / "beat").exists()

    def close(self) -> None:
        """Take everything away again."""
        self._planted.close()

    def _plant_git(self) -> None:
        own = self.common / "worktrees" / "lane"
        own.mkdir(parents=True)
        (self.common / "HEAD").write_text("ref: refs/heads/main\n")
        (self.common / "config").write_text("[core]\n\tbare = true\n")
        (own / "gitdir").write_text(f"{self.lane / '.git'}\n")
        (self.lane / ".git").write_text(f"gitdir: {own}\n")

    def _git_text(self) -> str:
        try:
            return (self.lane / ".git").read_text()
        except OSError:
            return "escaped"

    def _serve(self, family: int, kind: int, address: str | tuple[str, int]) -> socket.socket:
        server = self._planted.enter_context(socket.socket(family, kind))
        server.bind(address)
        if kind == socket.SOCK_STREAM:
            server.listen(4)
        server.setblocking(False)
        return server


@contextlib.contextmanager
def short_name(path: Path) -> Iterator[str]:
    """The path of a socket, in a form that fits the 108 bytes a socket's address may have."""
    if sys.platform != "linux" or len(os.fsencode(path)) < 100:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def _unlink(file: Path) -> None:
    with contextlib.suppress(OSError):
        file.unlink()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


def _came(server: socket.socket, *, datagram: bool = False) -> bool:
    """Whether something arrived."""
    try:
        if datagram:
            return bool(server.recv(64))
        connection, _ = server.accept()
        connection.close()
        return True
    except OSError:
        return False
