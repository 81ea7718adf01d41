"""Install agents and editors of others, at pinned versions, and try them: Claude Agent, Codex and Gemini CLI in chats,
acpx and the TypeScript library of the Agent Client Protocol above `banksman acp`.

    python3 packaging/guests.py FOLDER          install them in FOLDER; `BANKSMAN_TEST_GUESTS=FOLDER` names it to tests
    python3 packaging/guests.py --test [ARGS]   install them beside the environment, then run `tests/guests`

About 0.9 GB, so the test command does not do it. With them comes a Node, as one agent needs a newer one than many
machines have. Status 3: they could not be had, as no registry of npm answers here. Standard library only.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from bootstrap import ROOT, VENV, make_environment
from mcp_servers import PROBE_NPM, node_of_our_own

PINS = Path(__file__).resolve().parent / "guests"
FILES = ("package.json", "package-lock.json")
PROGRAMS = ("claude-agent-acp", "codex-acp", "gemini", "acpx")
NOT_THERE = 3
"""The status when no registry of npm answers: whoever wants them goes on without."""
ANSWER_S = 10


def main() -> int:
    """Install, or install and test; the exit status."""
    command, *rest = sys.argv[1:] or [""]
    if not command or (rest and command != "--test"):
        print(__doc__)
        return 2
    if command != "--test":
        return install_guests(Path(command).resolve())
    folder = Path(os.environ.get("BANKSMAN_TEST_GUESTS", "") or VENV / "guests").resolve()
    return install_guests(folder) or run_tests(folder, rest)


def install_guests(folder: Path) -> int:
    """Make `folder` hold the agents as they are pinned. The status of this program."""
    if all((folder / name).is_file() and same(folder / name, PINS / name) for name in FILES):
        return all_there(folder)
    folder.mkdir(parents=True, exist_ok=True)
    npm = npm_words(folder)
    if not npm or not registry_answers(npm):
        print("No registry of npm answers here, so agents and editors of others are neither installed nor tried.")
        return NOT_THERE
    print(f"Installing agents and editors of others in {folder} (0.9 GB) …", flush=True)
    began = time.monotonic()
    for name in FILES:
        (folder / name).unlink(missing_ok=True)
    made = folder / "install"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    for name in FILES:
        shutil.copy(PINS / name, made / name)
    words = [*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    if subprocess.run(words, cwd=made, check=False, env=with_node(npm)).returncode != 0:
        print("npm could not install them, though its registry answers.")
        return 1
    shutil.rmtree(folder / "node_modules", ignore_errors=True)
    (made / "node_modules").rename(folder / "node_modules")
    shutil.rmtree(made)
    for node in folder.glob("node_modules/node-*-*/bin/node"):
        link = folder / "node_modules" / ".bin" / "node"
        link.unlink(missing_ok=True)
        link.symlink_to(os.path.relpath(node, link.parent))
    for name in FILES:
        shutil.copy(PINS / name, folder / name)
    print(f"They were installed in {time.monotonic() - began:.0f} s.", flush=True)
    return all_there(folder)


def all_there(folder: Path) -> int:
    """The status: a failure where one of them is missing, since its tests would try nothing."""
    missing = [name for name in PROGRAMS if not (folder / "node_modules" / ".bin" / name).exists()]
    if missing:
        print(f"{folder} lacks {', '.join(missing)}. Remove it and start again.")
    return 1 if missing else 0


def run_tests(folder: Path, rest: list[str]) -> int:
    """Drive them; the status of the tests."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    environment |= {"BANKSMAN_TEST_GUESTS": str(folder)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    words = [str(make_environment(True)), "-m", "pytest", "tests/guests", *(rest or ["-n", "2"])]
    print(f"— pytest {' '.join(words[3:])}", flush=True)
    return 1 if subprocess.call(words, cwd=ROOT, env=environment) else 0  # pytest has a status 3 of its own


def npm_words(folder: Path) -> list[str]:
    """How npm is started: this machine's, or one from PyPI; [] where neither can be had."""
    npm = shutil.which("npm")
    if npm is not None and shutil.which("node") is not None:
        return [npm]
    try:
        return node_of_our_own(folder, make_environment(True))[1]
    except subprocess.CalledProcessError:
        return []


def registry_answers(npm: list[str]) -> bool:
    """Whether the registry gives something small within a few seconds."""
    words = [*npm, "view", PROBE_NPM, "version", "--fetch-retries=0"]
    try:
        done = subprocess.run(words, check=False, capture_output=True, timeout=ANSWER_S, env=with_node(npm))
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def with_node(npm: list[str]) -> dict[str, str]:
    """The environment in which what npm starts finds the Node beside it."""
    return {**os.environ, "PATH": os.pathsep.join((str(Path(npm[0]).parent), os.environ.get("PATH", "")))}


def same(one: Path, other: Path) -> bool:
    """Whether two files hold the same."""
    return one.read_bytes() == other.read_bytes()


if __name__ == "__main__":
    sys.exit(main())
