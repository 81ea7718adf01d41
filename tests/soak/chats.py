"""The chats of a soak, the engine they share, and what must hold of their logs."""

import asyncio
import itertools
import random
import re
from array import array
from collections import Counter, defaultdict
from pathlib import Path

from desktop.agent.engine import Engine
from desktop.agent.options import EngineOptions
from desktop.config.folders import Folders
from desktop.domain.chats.commands import ClearContext, RewindSession
from desktop.domain.commands import Interrupt, NewSession, OpenProject, OpenSession, SendMessage, SetMode
from desktop.domain.core.command import Command
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope, InputRequested, ToolCallFinished, ToolCallStarted, TurnEnded, UserMessage
from desktop.domain.gate.pending import input_title
from desktop.domain.history.builder import to_messages
from desktop.domain.updates import CommandFailed
from desktop.store.core.events import EventStore
from desktop.store.database import open_store
from tests.bench.model_service import Call, plan_of
from tests.validity import faults

CHATS = 20
TURN_AT_MOST_S = 180.0
HASH_DIGITS = 16
MAX_WRONG = 400
_NUMBERS = itertools.count()
_DIGITS = re.compile(r"\d+")


class Life:
    """One store and the engines that follow each other on it. `wrong`: each thing that should not be, and how often.
    The counts are of what was asked, but `steps`, which ended, and `told`, the events that the engines told of."""

    def __init__(self, folders: Folders, repository: Path) -> None:
        self.wrong: Counter[str] = Counter()
        self.starts = self.turns = self.stops = self.rewinds = self.clearings = self.steps = self.lost = 0
        self._folders, self._repository = folders, repository
        self._hashes: defaultdict[str, array[int]] = defaultdict(lambda: array("Q"))
        self._idle: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._open = asyncio.Event()
        self._stops: set[asyncio.Task[None]] = set()
        self.engine = Engine(folders, self._take, EngineOptions())

    @property
    def told(self) -> int:
        """How many events the engines told of."""
        return sum(len(hashes) for hashes in self._hashes.values())

    def note(self, wrong: str) -> None:
        """Something should not be; numbers in it do not count."""
        self.wrong[_DIGITS.sub("N", wrong)[:MAX_WRONG]] += 1

    async def start(self) -> None:
        """The engine is there, with the repository open."""
        self.starts += 1
        await self.engine.start()
        await self.engine.handle(OpenProject(path=str(self._repository)))
        self._open.set()

    async def start_anew(self) -> None:
        """Stop the engine in the middle of whatever it does, and let another go on."""
        self._open.clear()
        await self.engine.stop()
        self.engine = Engine(self._folders, self._take, EngineOptions())
        await self.start()
        for idle in self._idle.values():
            idle.set()

    async def ask(self, command: Command) -> None:
        """Send a command once there is an engine, which may cancel it when it stops."""
        await self._open.wait()
        await asyncio.wait([asyncio.create_task(self.engine.handle(command))])

    async def turn(self, command: NewSession | SendMessage) -> None:
        """A turn from its message to its end; a restart ends it too."""
        idle = self._idle[command.session_id]
        await self._open.wait()
        idle.clear()
        self.turns += 1
        await self.ask(command)
        try:
            async with asyncio.timeout(TURN_AT_MOST_S):
                await idle.wait()
        except TimeoutError:
            self.note("a turn did not end")
            await self.ask(Interrupt(session_id=command.session_id))

    def check_logs(self) -> None:
        """What was told is stored as it was told, every log is whole and gives a valid request."""
        store = open_store(self._folders.store)
        for session_id, hashes in self._hashes.items():
            stored = array("Q", (_short(one) for one in store.events.read(session_id)))
            self.lost += sum(one != two for one, two in itertools.zip_longest(hashes, stored))
            for problem in _problems(store.events, session_id):
                self.note(problem)
        store.close()
        if self.lost:
            self.note("events were lost")

    def _take(self, update: Update) -> None:
        if isinstance(update, CommandFailed) and update.code != "stopping":
            self.note(f"not carried out, {update.code}: {update.text}")
        if not isinstance(update, Envelope):
            return
        if update.seq != len(self._hashes[update.session_id]):
            self.note("an event was told out of order")
        self._hashes[update.session_id].append(_short(update))
        event = update.event
        self.steps += isinstance(event, ToolCallFinished)
        if isinstance(event, ToolCallFinished) and event.outcome in ("error", "refused"):
            self.note(f"a call ended as {event.outcome}: {event.content}")
        if isinstance(event, InputRequested) and event.request.blocking:
            self.note(f"a person was asked: {input_title(event.request)}")
            self._stops.add(asyncio.create_task(self.ask(Interrupt(session_id=update.session_id))))
        if isinstance(event, TurnEnded):
            if event.status not in ("completed", "interrupted"):
                self.note(f"a turn ended as {event.status}: {event.detail}")
            self._idle[update.session_id].set()


class Chat:
    """One chat that lives until the end."""

    def __init__(self, life: Life, chance: random.Random) -> None:
        self._life, self._chance = life, chance
        self._id = new_session_id()

    async def begin(self) -> None:
        """Its first turn."""
        await self._life.turn(NewSession(session_id=self._id, text=self._task(), mode=PermissionMode.FULL_AUTO))

    async def live(self, end: float) -> None:
        """Does one thing after another until that moment of the loop's clock."""
        kinds = (self._work, self._stopped, self._go_back, self._clear)
        while asyncio.get_running_loop().time() < end:
            (act,) = self._chance.choices(kinds, (12, 4, 2, 1))
            await act()

    async def _work(self) -> None:
        await self._life.ask(SetMode(session_id=self._id, mode=PermissionMode.FULL_AUTO))  # it ends with the program
        await self._life.turn(SendMessage(session_id=self._id, text=self._task()))

    async def _stopped(self) -> None:
        turn = asyncio.create_task(self._work())
        await asyncio.sleep(self._chance.uniform(0.0, 2.0))
        self._life.stops += 1
        await self._life.ask(Interrupt(session_id=self._id))
        await turn

    async def _go_back(self) -> None:
        """One to three turns back, with the files."""
        await self._life.ask(OpenSession(session_id=self._id))
        log = self._life.engine.sessions.get(self._id).log
        parents = {one.event_id: one.parent_id for one in log}
        said = [one for one in log if isinstance(one.event, UserMessage) and one.event.origin == "person"]
        if len(said) > 1:
            turn_began = said[max(1, len(said) - self._chance.randint(1, 3))].parent_id
            target = parents[turn_began] if turn_began is not None else None
            self._life.rewinds += 1
            await self._life.ask(RewindSession(session_id=self._id, to_event_id=target or "", restore_files=True))

    async def _clear(self) -> None:
        self._life.clearings += 1
        await self._life.ask(ClearContext(session_id=self._id))

    def _task(self) -> str:
        calls = [self._calls(next(_NUMBERS)) for _ in range(self._chance.randint(1, 4))]
        return plan_of(list(itertools.chain(*calls)), words=self._chance.randint(1, 200))

    def _calls(self, number: int) -> list[Call]:
        name = f"made/w{number}.txt"
        kinds: list[list[Call]] = [
            [("bash", {"command": f"touch t{number}"}), ("bash", {"command": f"echo {number} >> all; wc -l all"})],
            [("bash", {"command": f"mkdir -p d{number}/e && echo {number} > d{number}/e/f && rm -f t{number - 40}"})],
            [
                ("write_file", {"file_path": name, "content": f"one {number}\n"}),
                ("edit_file", {"file_path": name, "old_string": "one", "new_string": "two"}),
            ],
            [("read_file", {"file_path": "app.py"}), ("grep", {"pattern": f"hello{number}"})],
            [("bash", {"command": f"sleep 0.3; echo {number}"})],
        ]
        return self._chance.choice(kinds)


def _short(envelope: Envelope) -> int:
    return int(envelope.hash[:HASH_DIGITS], 16)


def _problems(events: EventStore, session_id: str) -> list[str]:
    """What is not as it must be in the log of a chat."""
    log = events.path(session_id)
    started = Counter(e.event.call_id for e in log if isinstance(e.event, ToolCallStarted))
    finished = Counter(e.event.call_id for e in log if isinstance(e.event, ToolCallFinished))
    holds = {
        "the hash chain of a log is broken": not events.verify(session_id),
        "a call began or ended twice": max([*started.values(), *finished.values()], default=1) == 1,
        "a call that began has no result": started.keys() <= finished.keys(),
        "the request of a chat is not valid": not faults(to_messages(log, session_id=session_id)),
    }
    return [problem for problem, held in holds.items() if not held]


# FIX
