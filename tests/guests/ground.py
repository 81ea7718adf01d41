"""A chat of the real engine that an agent of others carries out, and what must be so whatever the agent did."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeVar

import psutil
import verify_audit

from desktop.config.folders import Folders
from desktop.config.settings import Endpoint, Settings
from desktop.config.settings_file import save_settings
from desktop.domain.chats.commands import ForkSession
from desktop.domain.commands import Interrupt, SendMessage
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Update
from desktop.domain.egress.events import EgressRecorded
from desktop.domain.events import InputRequested, Notice, ToolCallFinished, TurnEnded
from desktop.domain.gate.pending import Answer
from tests.agent.gate_rig import ONCE
from tests.agent.rig import Rig, events
from tests.fakes.model_dialects import ModelDialects

INSTALLED = os.environ.get("BANKSMAN_TEST_GUESTS", "")
PROGRAMS = Path(INSTALLED) / "node_modules" / ".bin"
GUESTS = ("claude", "codex", "gemini")
MORE_GUESTS = ("opencode", "qwen", "vibe", "fast-agent")
KINDS = {"claude": ("compatible", ""), "codex": ("openai_compatible", "/v1"), "gemini": ("gemini", "")}
KINDS |= dict.fromkeys(MORE_GUESTS, ("openai_compatible", "/v1"))
"""The kind of service that each asks, and where it is."""
KEY, PLANTED = "sk-the-real-key-0123456789", "planted-7f3a91"
LIMIT_S = 120.0
T = TypeVar("T")


def write_service(folders: Folders, guest_id: str, base: str, auth: Literal["api_key", "none"] = "none") -> None:
    """Settings in which an agent asks the service at `base`, as one of the kind that speaks as it does."""
    kind, path = KINDS[guest_id]
    service = Endpoint(id="fake", label="Fake", kind=kind, base_url=base + path, auth=auth, default_model="fake")
    settings = Settings(endpoints=(service,), default_endpoint=service.id, guest_models={guest_id: service.id})
    save_settings(folders.settings_file, settings)


class Ground:
    """One chat. `person`: the home of the person, with a key in it that nobody may read."""

    def __init__(self, guest_id: str, folders: Folders, model: ModelDialects, person: Path) -> None:
        self.guest_id, self.folders, self.model, self.person = guest_id, folders, model, person
        write_service(folders, guest_id, model.base, auth="api_key")
        self.rig = Rig(folders)
        self.session_id = ""
        self.forks, self.was_killed = 0, False
        self._told: list[Update] = []
        self._answered: set[str] = set()
        self._turns = 0
        for name in ("key", ".netrc", ".ssh/id_ed25519", ".claude/settings.json", ".codex/auth.json", ".gemini/x"):
            (person / name).parent.mkdir(parents=True, exist_ok=True)
            (person / name).write_text(PLANTED)
        self._before = _digests(person)

    async def restart(self, repository: Path, cut_off: int = 0) -> None:
        """End the program, and start it anew. `cut_off`: so many turns have no end on record yet."""
        await self.rig.engine.stop()
        self._told += self.rig.updates
        self._turns = cut_off
        self.rig = await Rig(self.folders).open(repository)

    @property
    def lane(self) -> Path:
        """Its lane."""
        return self.rig.lane(self.session_id)

    async def say(self, *lines: str) -> None:
        """Say this in the chat, which begins with it."""
        self._turns += 1
        text = "\n".join(lines)
        if self.session_id:
            await self.rig.engine.handle(SendMessage(session_id=self.session_id, text=text))
        else:
            self.session_id = await self.rig.new(text, mode=PermissionMode.EDIT, driver=self.guest_id)

    async def fork(self, text: str) -> str:
        """A fork of the chat, in a lane of its own, whose first turn this begins; its id once that turn is over."""
        self.forks, self._turns = self.forks + 1, self._turns + 1
        new_id = new_session_id()
        await self.rig.engine.handle(ForkSession(session_id=self.session_id, new_session_id=new_id, text=text))
        ended = await self.ended()
        assert (ended.status, ended.detail) == ("completed", "")
        return new_id

    async def card(self) -> InputRequested:
        """The next card that waits for an answer, or the end of the turn where none comes."""
        found = await self._next()
        assert isinstance(found, InputRequested), found
        return found

    async def ended(self, answer: Answer = ONCE) -> TurnEnded:
        """The end of the turn. Every card on the way has this answer."""
        while isinstance(found := await self._next(), InputRequested):
            await self.rig.answer(self.session_id, found, answer)
        return found

    async def stop(self) -> TurnEnded:
        """Stop the turn; its end."""
        await self.rig.engine.handle(Interrupt(session_id=self.session_id))
        return await self.ended()

    async def until_file(self, path: Path) -> None:
        """Until a command has made this file."""
        await self.rig.until(lambda _: path.exists(), LIMIT_S)

    def of(self, kind: type[T]) -> list[T]:
        """The events of one type, in order, those before a restart too."""
        return [event for event in events([*self._told, *self.rig.updates]) if isinstance(event, kind)]

    def texts(self) -> list[str]:
        """What people are told beside the conversation."""
        return [one.text for one in self.of(Notice)]

    def results(self) -> list[ToolCallFinished]:
        """What came of its calls."""
        return self.of(ToolCallFinished)

    def processes(self, word: str = "") -> list[psutil.Process]:
        """What runs of it whose command line holds this."""
        here = str(self.lane)
        return [one for one in psutil.Process().children(recursive=True) if word in _line(one) and here in _folder(one)]

    def no_key_in_environments(self) -> None:
        """Nothing that runs for it has the key."""
        found = psutil.Process().children(recursive=True)
        assert found
        assert not [one for one in found if KEY.encode() in _environment(one)]

    def nothing_left(self) -> None:
        """Nothing that was done left the lane, and the record holds; after the end of the program."""
        lanes = [*self.folders.lanes.glob("*/*")]
        assert self.lane in lanes
        assert len(lanes) == 1 + self.forks
        assert _digests(self.person) == self._before
        assert self.model.keys <= {KEY}
        assert self.model.strange == []
        port = int(self.model.base.rpartition(":")[2])
        reached = [one for event in self.of(EgressRecorded) for one in event.traffic if one.connections]
        assert {(one.kind, one.host, one.port) for one in reached} == {("guest", "127.0.0.1", port)}
        told = "".join(event.model_dump_json() for event in events([*self._told, *self.rig.updates]))
        assert PLANTED not in told
        assert KEY not in told
        assert verify_audit.main([str(self.folders.store)]) in (0, 3)

    async def _next(self) -> InputRequested | TurnEnded:
        def find(updates: list[Update]) -> InputRequested | TurnEnded | None:
            told = events(updates)
            asked = (one for one in told if isinstance(one, InputRequested) and one.request.blocking)
            for one in asked:
                if one.input_id not in self._answered:
                    self._answered.add(one.input_id)
                    return one
            ends = [one for one in told if isinstance(one, TurnEnded)]
            return ends[-1] if len(ends) >= self._turns else None

        return await self.rig.until(find, LIMIT_S)


def _digests(folder: Path) -> dict[str, str]:
    files: Iterator[Path] = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def _line(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def _folder(process: psutil.Process) -> str:
    try:
        return process.cwd()
    except psutil.Error:
        return ""


def _environment(process: psutil.Process) -> bytes:
    try:
        return Path(f"/proc/{process.pid}/environ").read_bytes()
    except OSError:
        return b""
