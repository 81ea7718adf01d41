#!/usr/bin/env python3
"""Build the frozen program and try it: the same tools as the source tree, and the demo from start to end.

python packaging/selftest.py [--keep]      needs the development environment; builds in build/frozen
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "frozen"
PROGRAM = BUILD / "dist" / "banksman" / ("banksman.exe" if os.name == "nt" else "banksman")
BUILD_LIMIT_S, RUN_LIMIT_S = 900, 180
QUIET = {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": ""}


def main() -> int:
    """0 when the frozen program is whole."""
    began = time.monotonic()
    build()
    print(f"built in {time.monotonic() - began:.0f} s, {size_mb(PROGRAM.parent):.0f} MB")
    source = tool_lines([sys.executable, "-m", "desktop", "--selftest"], {"PYTHONPATH": str(ROOT)})
    frozen = tool_lines([str(PROGRAM), "--selftest"], QUIET)
    if source != frozen:
        print("The frozen program has other tools than the source tree:", *sorted(set(source) ^ set(frozen)), sep="\n")
        return 1
    print(f"{len(frozen)} tools, equal to the source tree's")
    for arguments in (["--version"], ["demo", "--auto"]):
        done = run([str(PROGRAM), *arguments], QUIET)
        print(done.stdout.strip())
        if done.returncode != 0:
            print(done.stderr.strip())
            return done.returncode
    if os.name != "nt" and not bridges([str(PROGRAM), "mcp-bridge"]):
        print("The frozen program joins no agent with its tools.")
        return 1
    forbidden = [path.name for path in PROGRAM.parent.rglob("libreadline*")]
    if forbidden:
        print("These may not be shipped:", *forbidden)
        return 1
    print("the frozen program works")
    return 0


def build() -> None:
    """One folder with the program; an older one is replaced."""
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN"]
    command += ["--distpath", str(BUILD / "dist"), "--workpath", str(BUILD / "work")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    spec = str(ROOT / "packaging" / "banksman.spec")
    subprocess.run([*command, spec], cwd=ROOT, env=environment, check=True, timeout=BUILD_LIMIT_S)


def tool_lines(command: list[str], environment: dict[str, str]) -> list[str]:
    """The tool lines of a self-test that passed; ends the program when it did not."""
    done = run(command, environment)
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    if done.returncode != 0 or failed:
        print(f"{' '.join(command)} gave status {done.returncode}:", *failed, done.stderr.strip(), sep="\n")
        raise SystemExit(1)
    return [line for line in done.stdout.splitlines() if line.startswith("tool ")]


def bridges(command: list[str]) -> bool:
    """Whether this command joins its streams with the socket that it is told of."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        place = str(Path(folder) / "mcp.sock")
        server.bind(place)
        server.listen()
        server.settimeout(RUN_LIMIT_S)
        pipe = subprocess.PIPE
        began = time.monotonic()
        with subprocess.Popen(command, env={"BANKSMAN_BRIDGE": place}, stdin=pipe, stdout=pipe) as program:
            engine, _ = server.accept()
            print(f"mcp-bridge started in {(time.monotonic() - began) * 1000:.0f} ms")
            with engine:
                engine.sendall(b"from the engine\n")
                program.stdin.write(b"from the agent\n")
                program.stdin.close()
                heard = b"".join(iter(lambda: engine.recv(4096), b""))
            return (heard, program.stdout.read(), program.wait()) == (b"from the agent\n", b"from the engine\n", 0)


def run(command: list[str], environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    """Run to the end, with what it printed."""
    merged = {**os.environ, **QUIET, **environment}
    return subprocess.run(
        command, cwd=ROOT, env=merged, capture_output=True, text=True, timeout=RUN_LIMIT_S, check=False
    )


def size_mb(folder: Path) -> float:
    """The size of a folder in MB."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


if __name__ == "__main__":
    sys.exit(main())
