#!/usr/bin/env python3
"""Try the look for newer versions in the built program: against a server on this computer, with a key of its own.

    .venv/bin/python packaging/verify_updates.py dist/banksman-0.1.0-linux-amd64.tar.zst

The archive is unpacked, told of the server as a build is (`--releases-address`), and started without a screen. Needs
the package cryptography, zstd, and the libraries of the Debian package.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from installer.releases import Releases, put_releases
from sign_releases import public_text, signed

LIMIT_S = 120
ETAG = '"the-first"'
NEWER = "99.0.0"
SENT = {"Host", "Accept", "Accept-Encoding", "User-Agent", "Connection", "If-None-Match"}
"""Names of headers that a look may send."""


class Failed(Exception):
    """What did not hold, in one sentence."""


class Server(ThreadingHTTPServer):
    """The list of versions on 127.0.0.1; `asked` holds the headers of each request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.content, self.asked = b"", list[dict[str, str]]()


class Answer(BaseHTTPRequestHandler):
    """Gives the list, or says that it is the same."""

    def do_GET(self) -> None:
        """The list."""
        assert isinstance(self.server, Server)
        self.server.asked.append(dict(self.headers.items()))
        known = self.headers.get("If-None-Match") == ETAG
        content = b"" if known else self.server.content
        self.send_response(304 if known else 200)
        self.send_header("ETag", ETAG)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Nothing."""


def main(argv: list[str]) -> int:
    """0 when the program looks where and when it may, and believes what is signed alone."""
    with tempfile.TemporaryDirectory(prefix="updates-") as folder, Server() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            tried(unpacked(Path(argv[0]), Path(folder)), Path(folder), server)
        except Failed as failure:
            print(f"verify_updates: {failure}", file=sys.stderr)
            return 1
        finally:
            server.shutdown()
    print("the look for newer versions holds")
    return 0


def unpacked(archive: Path, folder: Path) -> Path:
    """The program's folder."""
    subprocess.run(["tar", "--zstd", "-C", str(folder), "-xf", str(archive)], check=True)
    return next(folder.glob("*/usr/lib/banksman"))


def tried(program: Path, folder: Path, server: Server) -> None:
    """Every promise of the look, one after the other. Raises Failed."""
    key = Ed25519PrivateKey.generate()
    address = f"http://127.0.0.1:{server.server_port}/list.json"
    put_releases(Releases(address, "https://example.org/banksman", public_text(key)), program)
    told = {"format": 1, "name": "banksman", "version": NEWER, "time": int(time.time()), "notes": "", "files": {}}
    told |= {"next_key": "", "files": {"banksman.deb": {"bytes": 1, "sha256": "a" * 64}}}
    server.content = signed(json.dumps(told), key).encode()

    home = folder / "off"
    with running(program, home):
        wait("the program counts its start", lambda: seen(home).get("starts") == 1)
    expect("Off, it asks nobody", not server.asked)

    home = on(folder / "on")
    expect("`doctor` names the address", f"looked for once a day at {address}" in said(program, home))
    with running(program, home):
        wait("it learns of the newer version", lambda: (seen(home).get("newest") or {}).get("version") == NEWER)
    with running(program, home):
        wait("the program counts its start", lambda: seen(home).get("starts") == 2)
    expect("It asks once a day", len(server.asked) == 1)
    later = seen(home) | {"looked_at": "2026-01-01T00:00:00Z"}
    state(home).write_text(json.dumps(later))
    with running(program, home):
        wait("a day later it asks again", lambda: len(server.asked) == 2)
        wait("that is kept", lambda: seen(home)["looked_at"] > later["looked_at"])
    expect("It says what it knows already", server.asked[1].get("If-None-Match") == ETAG)
    more = {name for headers in server.asked for name in headers} - SENT
    expect(f"It sends nothing that names anybody, and not {sorted(more)}", not more)
    expect("Both requests are the same but for that", same(server.asked))

    home = on(folder / "forged")
    forged = json.loads(server.content)
    forged["signature"] = base64.b64encode(bytes(64)).decode()
    server.content = json.dumps(forged).encode()
    with running(program, home):
        wait("a forged list comes to nothing", lambda: "ReleaseError" in logs(home))
    expect("A forged list is not believed", seen(home).get("newest") is None)

    asked = len(server.asked)
    home = on(folder / "no")
    without = {"BANKSMAN_NO_UPDATE_CHECK": "1"}
    expect(
        "The variable forbids it", "not looked for, as BANKSMAN_NO_UPDATE_CHECK says" in said(program, home, without)
    )
    with running(program, home, without):
        wait("the store is open", (home / "data" / "store" / "banksman.db").exists)
    expect("With the variable it asks nobody", len(server.asked) == asked and not state(home).exists())


def same(asked: list[dict[str, str]]) -> bool:
    """Whether requests differ in the ETag alone."""
    first, *others = ({key: value for key, value in one.items() if key != "If-None-Match"} for one in asked)
    return all(one == first for one in others)


def on(home: Path) -> Path:
    """A home in which a person switched it on."""
    settings = home / "config" / "settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("look_for_releases = true\n", "utf-8")
    return home


def state(home: Path) -> Path:
    """Where the program keeps what it learnt."""
    return home / "data" / "releases.json"


def seen(home: Path) -> dict[str, Any]:
    """What the program keeps, {} for nothing yet."""
    try:
        read: dict[str, Any] = json.loads(state(home).read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return read


def logs(home: Path) -> str:
    """All that it logged."""
    return "".join(file.read_text("utf-8", "replace") for file in home.joinpath("logs").glob("*.log*"))


def surroundings(home: Path, more: dict[str, str]) -> dict[str, str]:
    """The environment of the program: no screen, and nothing of the caller's but the PATH."""
    fixed = {"BANKSMAN_HOME": str(home), "QT_QPA_PLATFORM": "offscreen", "HOME": str(home.parent)}
    return {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **fixed, **more}


def said(program: Path, home: Path, more: dict[str, str] | None = None) -> str:
    """What `banksman doctor` prints."""
    environment = surroundings(home, more or {})
    words = [str(program / "banksman"), "doctor"]
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False).stdout


@contextmanager
def running(program: Path, home: Path, more: dict[str, str] | None = None) -> Iterator[None]:
    """The window, which is asked to close afterwards. Raises Failed: it does not end, or badly."""
    home.mkdir(parents=True, exist_ok=True)
    words = [str(program / "banksman")]
    with subprocess.Popen(words, env=surroundings(home, more or {}), stdout=subprocess.DEVNULL) as started:
        try:
            yield
        finally:
            started.terminate()
            try:
                started.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                started.kill()
    if started.returncode != 0:
        raise Failed(f"The program ended with {started.returncode}.")


def wait(what: str, holds: Callable[[], bool]) -> None:
    """Until a fact is there. Raises Failed: it never came."""
    last = time.monotonic() + LIMIT_S
    while not holds():
        if time.monotonic() > last:
            raise Failed(f"Waited in vain: {what}.")
        time.sleep(0.05)
    print(what)


def expect(what: str, holds: bool) -> None:
    """Raises Failed: it is not so."""
    if not holds:
        raise Failed(f"This is not so: {what}.")
    print(what)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
