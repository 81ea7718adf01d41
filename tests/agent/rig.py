"""A real engine in the test's own loop, against a fake model service, on a real repository."""

import asyncio
import atexit
import contextlib
import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from desktop.agent.engine import Engine
from desktop.agent.options import EngineOptions
from desktop.config.folders import Folders
from desktop.config.settings import Endpoint, Settings
from desktop.config.settings_file import save_settings
from desktop.domain.commands import AnswerInput, NewSession, OpenProject
from desktop.domain.core.clock import utc_now
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope, InputRequested, TurnEnded
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.updates import CommandFailed
from tests.agent.found_sandbox import found_sandbox, remember_sandbox

T = TypeVar("T")
LOOK_S = 0.1
GIT_ENVIRONMENT = {
    **os.environ,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}


def git(folder: Path, *arguments: str) -> str:
    """Run git and give what it printed."""
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=GIT_ENVIRONMENT, check=True, capture_output=True, text=True
    )
    return done.stdout


def make_repository(folder: Path, files: dict[str, str] | None = None) -> Path:
    """A repository on branch main with one commit, and without git's samples of hooks."""
    if files:
        return _made(folder, files)
    shutil.copytree(_usual_repository(), folder, symlinks=True)
    git(folder, "update-index", "-q", "--refresh")
    return folder


@functools.cache
def _usual_repository() -> Path:
    """Made once in each process; to copy it costs a third of making another."""
    place = Path(tempfile.mkdtemp(prefix="banksman-repository-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return _made(place / "made", {"app.py": "print('hello')\n", "notes.md": "# Notes\n"})


def _made(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    for sample in (folder / ".git" / "hooks").glob("*.sample"):
        sample.unlink()
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def folders_below(home: Path) -> Folders:
    """The product's folders below one."""
    return Folders(home / "config", home / "data", home / "cache", home / "logs")


def write_settings(folders: Folders, url: str, kind: str = "compatible", **changes: Any) -> Settings:
    """Settings whose one endpoint is the service at `url`."""
    endpoint = Endpoint(id="fake", label="Fake", kind=kind, base_url=url, auth="none", default_model="fake-model")
    settings = Settings(endpoints=(endpoint,), default_endpoint="fake", **changes)
    save_settings(folders.settings_file, settings)
    return settings


class Rig:
    """`updates`: everything the engine said, in order."""

    def __init__(
        self, folders: Folders, options: EngineOptions | None = None, clock: Callable[[], datetime] = utc_now
    ) -> None:
        self.folders = folders
        self.updates: list[Update] = []
        self._changed = asyncio.Event()
        options = replace(options or EngineOptions(), found=found_sandbox())
        self.engine = Engine(folders, self._take, options, clock=clock)

    async def open(self, repository: Path) -> "Rig":
        """Start the engine and open a repository."""
        await self.engine.start()
        await self.engine.handle(OpenProject(path=str(repository)))
        return self

    async def new(self, text: str, mode: PermissionMode = PermissionMode.EDIT, **more: Any) -> str:
        """Start a chat; its id."""
        session_id = new_session_id()
        await self.engine.handle(NewSession(session_id=session_id, text=text, mode=mode, **more))
        return session_id

    async def until(self, find: Callable[[list[Update]], T | None], timeout_s: float = 75.0) -> T:
        """What `find` gives once it gives something; it may look at files and servers, of which no update tells."""
        loop = asyncio.get_running_loop()
        end = loop.time() + timeout_s
        while not (found := find(self.updates)):
            if (left := end - loop.time()) <= 0:
                raise TimeoutError
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(left, LOOK_S)):
                    await self._changed.wait()
        return found

    async def asked(self, number: int = 1) -> InputRequested:
        """The n-th blocking request."""

        def find(updates: list[Update]) -> InputRequested | None:
            asked = [e for e in events(updates) if isinstance(e, InputRequested) and e.request.blocking]
            return asked[number - 1] if len(asked) >= number else None

        return await self.until(find)

    async def answer(self, session_id: str, requested: InputRequested, answer: Answer) -> None:
        """Answer a request as a person would."""
        digest = requested.request.digest if isinstance(requested.request, ApprovalRequest) else ""
        command = AnswerInput(session_id=session_id, input_id=requested.input_id, answer=answer, digest=digest)
        await self.engine.handle(command)

    async def ended(self, number: int = 1) -> TurnEnded:
        """The n-th end of a turn."""

        def find(updates: list[Update]) -> TurnEnded | None:
            ends = [e for e in events(updates) if isinstance(e, TurnEnded)]
            return ends[number - 1] if len(ends) >= number else None

        return await self.until(find)

    def events(self, kind: type[T]) -> list[T]:
        """All events of one type, in order."""
        return [event for event in events(self.updates) if isinstance(event, kind)]

    def failures(self) -> list[CommandFailed]:
        """Commands that were not carried out."""
        return [update for update in self.updates if isinstance(update, CommandFailed)]

    def lane(self, session_id: str) -> Path:
        """The folder a chat works in."""
        lane = self.engine.sessions.get(session_id).lane
        assert lane is not None
        return Path(lane.worktree_path)

    def _take(self, update: Update) -> None:
        remember_sandbox(update)
        self.updates.append(update)
        self._changed.set()


def events(updates: list[Update]) -> list[Any]:
    """The events among updates."""
    return [update.event for update in updates if isinstance(update, Envelope)]
