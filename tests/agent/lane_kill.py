"""Lanes that live through the deaths of their engine: what is done to them, and that no byte of them is ever lost."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from desktop.domain.core.ids import new_lane_id
from desktop.services.history.restore import is_temporary
from tests.agent.rig import folders_below, git, make_repository, write_settings

ROOT = Path(__file__).resolve().parents[2]
SETTLED_WITHIN_S = 50.0
_WRAPPER = """#!/bin/sh
if [ -s "{count}" ]; then
  read n mode < "{count}"
  n=$((n-1))
  if [ "$n" -le 0 ]; then
    : > "{count}"
    if [ "$mode" = after ]; then {git} "$@"; fi
    kill -9 $PPID
    exit 1
  fi
  echo "$n $mode" > "{count}"
fi
exec {git} "$@"
"""


class Nursery:
    """Begins engines that can be killed; what they need is loaded once. Their git counts its calls."""

    def __init__(self, folder: Path) -> None:
        self.count = folder / "count"
        binaries = folder / "bin"
        binaries.mkdir(parents=True)
        wrapper = binaries / "git"
        wrapper.write_text(_WRAPPER.format(count=self.count, git=shutil.which("git")))
        wrapper.chmod(0o755)
        environment = {**os.environ, "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}"}
        program = [sys.executable, "-m", "tests.agent.lane_kill_child"]
        self._parent = subprocess.Popen(program, cwd=ROOT, stdin=subprocess.PIPE, env=environment)

    def begin(self, told: Path, out: Path, home: Path, repository: Path) -> None:
        """One that is told in one pipe and answers in the other."""
        assert self._parent.stdin is not None
        self._parent.stdin.write(f"{json.dumps([str(told), str(out), str(home), str(repository)])}\n".encode())
        self._parent.stdin.flush()

    def close(self) -> None:
        """No more."""
        self._parent.communicate()


class LaneLife:
    """A repository with lanes, and everything that was written in them. `deaths`: how often the engine was killed.

    `held`: by lane, what its files hold that is not committed, by path; `committed`: everything ever committed in it.
    """

    def __init__(self, folder: Path, nursery: Nursery) -> None:
        self._nursery = nursery
        self._folder = folder
        self.home = folder / "home"
        self.repository = make_repository(folder / "shop", {"app.py": "print('hello')\n", ".gitignore": "*.log\n"})
        write_settings(folders_below(self.home), "http://127.0.0.1:9/")
        self.held: dict[str, dict[str, bytes]] = {}
        self.committed: dict[str, set[bytes]] = {}
        self.deaths = self.written = 0
        self.state: dict[str, Any] = {}
        self._pid, self._lives = 0, 0
        self._told: IO[str] | None = None
        self._out: IO[bytes] | None = None
        self._person = self._checkout()

    # engine

    def tell(
        self, do: str, *, kill_at: int = 0, mode: str = "before", kill_after_s: float = 0.0, **fields: Any
    ) -> bool:
        """Have it done; whether the engine lived through it. `kill_at`: it dies at that call of git; `kill_after_s`: so
        many seconds after it was told."""
        self._up()
        if kill_at:
            self._nursery.count.write_text(f"{kill_at} {mode}\n")
        answered = self._ask({"do": do, **fields}, kill_after_s) is not None
        self._nursery.count.write_text("")
        if not answered:
            self._buried()
        self.settle()
        return answered

    def settle(self) -> None:
        """An engine is there, and has gone on with whatever the one before it had begun."""
        self._up()
        end = time.monotonic() + SETTLED_WITHIN_S
        while True:
            state = self._ask({"do": "state"})
            assert state is not None, "the engine died by itself"
            self.state = state
            if self._is_settled():
                return
            assert time.monotonic() < end, f"not settled: {self.state}, {self._aside()}"
            time.sleep(0.05)

    def kill(self) -> None:
        """Kill it while it does nothing."""
        self._up()
        os.kill(self._pid, signal.SIGKILL)
        self._buried()

    def close(self) -> None:
        """End it for good."""
        if self._pid:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            self._buried()

    def _up(self) -> None:
        if self._pid:
            return
        self._nursery.count.write_text("")
        self._lives += 1
        told, out = (self._folder / f"{name}{self._lives}" for name in ("told", "out"))
        os.mkfifo(told)
        os.mkfifo(out)
        self._nursery.begin(told, out, self.home, self.repository)
        self._out = out.open("rb")
        self._pid = int(self._out.readline())
        assert json.loads(self._out.readline()) == "up"
        self._told = told.open("w", encoding="utf-8")

    def _ask(self, told: dict[str, Any], kill_after_s: float = 0.0) -> dict[str, Any] | None:
        assert self._told is not None
        assert self._out is not None
        self._told.write(f"{json.dumps(told)}\n")
        self._told.flush()
        if kill_after_s:
            time.sleep(kill_after_s)
            os.kill(self._pid, signal.SIGKILL)
        line = self._out.readline()
        answer: dict[str, Any] | None = json.loads(line) if line.endswith(b"\n") else None
        if kill_after_s:
            return None
        return answer

    def _buried(self) -> None:
        """Only when it is gone altogether is the store free."""
        self.deaths += 1
        end = time.monotonic() + SETTLED_WITHIN_S
        with suppress(ProcessLookupError):
            while time.monotonic() < end:
                os.kill(self._pid, 0)
                time.sleep(0.002)
        self._pid = 0
        for pipe in (self._told, self._out):
            with suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()
        self._told = self._out = None

    def _aside(self) -> list[str]:
        return [str(path) for path in (self.home / "data" / "lanes").glob("*/.removing-*")]

    def _is_settled(self) -> bool:
        lanes = self.state["lanes"]
        if self._aside() or any(lane["state"] == "deleting" for lane in lanes):
            return False
        freed = [lane for lane in lanes if lane["state"] == "archived" and lane["freed"]]
        cut_off = [lane for lane in lanes if lane["state"] == "creating" and lane["id"] not in self.state["offers"]]
        return not cut_off and not any(Path(lane["worktree_path"]).exists() for lane in freed)

    # a person

    def lanes(self, *states: str) -> list[dict[str, Any]]:
        """The lanes in these states, as they were told last."""
        return [lane for lane in self.state.get("lanes", []) if lane["state"] in states and lane["type"] != "primary"]

    def create(self, parent_id: str = "", **kill: Any) -> None:
        """A new lane."""
        lane_id = new_lane_id()
        self.held[lane_id], self.committed[lane_id] = {}, set()
        self.tell("create", lane_id=lane_id, name=f"lane {lane_id[-4:]}", parent_id=parent_id, **kill)

    def write(self, lane: dict[str, Any], path: str, *, stage: bool = False) -> None:
        """New content that is nowhere else."""
        self.written += 1
        content = b"content %d of %s\r\n\0\xff" % (self.written, path.encode())
        target = Path(lane["worktree_path"], path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        if stage and Path(lane["worktree_path"], ".git").exists():
            git(Path(lane["worktree_path"]), "add", "-A")
        self.held[lane["id"]][path] = content

    def commit(self, lane: dict[str, Any]) -> None:
        """Everything that was written, where git still works."""
        if self.held[lane["id"]] and Path(lane["worktree_path"], ".git").exists():
            git(Path(lane["worktree_path"]), "add", "-A")
            git(Path(lane["worktree_path"]), "commit", "-q", "--allow-empty", "-m", "work")
            self.committed[lane["id"]] |= set(self.held[lane["id"]].values())
            self.held[lane["id"]] = {}

    # what must hold

    def check(self) -> None:
        """Every byte that was written in a lane is in its folder, in a branch, or in a snapshot that is listed; and the
        person's own checkout is as it was."""
        wanted = {content for files in self.held.values() for content in files.values()}
        wanted |= {content for contents in self.committed.values() for content in contents}
        there = self._in_folders() | self._in_refs()
        lost = sorted(content for content in wanted if _blob(content) not in there)
        assert not lost, f"lost: {lost[:3]} of {len(lost)}; {self.state}"
        assert self._checkout() == self._person

    def _in_folders(self) -> set[str]:
        found = set()
        for listed in git(self.repository, "worktree", "list", "--porcelain").splitlines():
            folder = Path(listed.removeprefix("worktree "))
            if listed.startswith("worktree ") and folder != self.repository:
                for path in folder.rglob("*"):
                    if path.is_file() and path.name != ".git" and not is_temporary(path.name):
                        found.add(_blob(path.read_bytes()))
        return found

    def _in_refs(self) -> set[str]:
        """What branches and logs hold, and the snapshots of deleted and archived lanes that the window was told of."""
        refs = [ref for _, _, ref in self.state["trash"]]
        refs += [lane["trash_ref"] for lane in self.state["lanes"] if lane["trash_ref"]]
        listed = git(self.repository, "rev-list", "--objects", "--no-object-names", "--branches", "--reflog", *refs)
        return set(listed.split())

    def _checkout(self) -> tuple[bytes, str, str]:
        index = (self.repository / ".git" / "index").read_bytes()
        return index, git(self.repository, "rev-parse", "HEAD", "main"), git(self.repository, "symbolic-ref", "HEAD")


def _blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
