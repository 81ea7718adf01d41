"""Sessions: the open sessions of this process, how one is made, opened again, closed, and listed."""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

import desktop
from desktop.agent.core.command_world import CommandWorld
from desktop.agent.core.lane_lock import LaneLock
from desktop.agent.core.lane_register import Lanes, Workplace
from desktop.agent.core.logs_ahead import LONG_LOG, LogsAhead
from desktop.agent.core.session import Publish, Session
from desktop.agent.core.summaries import Summaries
from desktop.collecting import give_back
from desktop.config.folders import Folders
from desktop.domain.commands import NewSession
from desktop.domain.core.errors import BanksmanError, CommandError, UnknownSession
from desktop.domain.core.listeners import Listeners
from desktop.domain.core.work import Project, SessionSummary, WaitingInput
from desktop.domain.events import (
    Event,
    LaneAttached,
    Notice,
    SessionKind,
    SessionStarted,
    TitleChanged,
)
from desktop.domain.history.state_of import title_from
from desktop.domain.lanes.lane import Lane, LaneHolder
from desktop.domain.lanes.names import lane_name
from desktop.domain.updates import SessionsChanged, ShellsChanged
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.config import settings_sha256
from desktop.services.lanes.identity import lane_moved, misplaced_words
from desktop.services.processes.around import Around, Given
from desktop.services.processes.environment import SKILLS_VARIABLE, lane_variables
from desktop.services.processes.session import Processes
from desktop.services.processes.tree import SESSION_VARIABLE, end_marked
from desktop.store.core.session_row import SessionRow
from desktop.store.core.store import Store
from desktop.tools.tool import Surface

logger = logging.getLogger(__name__)

REST_AFTER_S = 60.0
"""A chat that nobody asks for gives back its memory after so long, or twice that."""


class Sessions:
    """All on the engine thread. `shells_changed` is told the lane when a background command or a terminal of it
    began or ended; `lane_env`: see `CommandWorld`."""

    def __init__(
        self,
        store: Store,
        lanes: Lanes,
        folders: Folders,
        publish: Publish,
        clock: Callable[[], datetime],
        world: CommandWorld,
    ) -> None:
        self._store = store
        self._lanes = lanes
        self._folders = folders
        self._publish = publish
        self._clock = clock
        self.sandbox = world.sandbox
        self.lane_env = world.lane_env
        self._witness_for = world.witness_for
        self._egress = world.egress
        self._open: dict[str, Session] = {}
        self._summaries = Summaries()
        self.hidden: set[str] = set()
        self._resting: asyncio.TimerHandle | None = None
        self.ahead = LogsAhead(store.events, store.readings, self._is_far)
        self._sweep: asyncio.Task[dict[str, list[str]]] | None = None
        self._write_locks: dict[str, LaneLock] = {}
        self.shells_changed = Listeners[str]()

    def get(self, session_id: str) -> Session:
        """The session, opened if it was not: read and folded, nothing is appended (sessions-SR1).

        Raises:
            CommandError: there is no such session.
        """
        known = self._open.get(session_id)
        if known is None:
            known = self._read(session_id)
            self._opened(known)
        return known

    def glance(self, session_id: str) -> Session:
        """As `get`, for a look alone: a chat that was not open does not stay so, and nothing may be added to it."""
        return self._open.get(session_id) or self._read(session_id)

    def _read(self, session_id: str) -> Session:
        try:
            path, state = self._store.events.opened(session_id, self.ahead.take(session_id))
        except UnknownSession as error:
            raise CommandError("unknown_session", "This chat is not in the store any more.") from error
        session = Session(session_id, self._store, self._publish, self._clock, path, state)
        self.attach(session)
        return session

    async def read_ahead(self, session_id: str) -> None:
        """Have the log of a long chat read away from the loop, if it is not at hand."""
        await self.ahead.ready(session_id)
        known = self._open.get(session_id)
        if known is not None and (chat := self.ahead.take(session_id)) is not None:
            known.at_hand.wake(chat.path)

    def _is_far(self, session_id: str) -> bool:
        known = self._open.get(session_id)
        if known is not None:
            return known.at_hand.is_resting and known.at_hand.count > LONG_LOG
        head = self._store.events.head(session_id)
        return head is not None and head.seq > LONG_LOG

    def rest(self, after_s: float) -> bool:
        """Have the chats rest whose log nobody asked for so long and whose agent does not work; whether one did."""
        due = [one for one in self._open.values() if time.monotonic() - one.at_hand.asked_at >= after_s]
        awake = [session for session in due if not session.at_hand.is_resting]
        for session in awake:
            session.rest()
        return any(session.at_hand.is_resting for session in awake)

    def _opened(self, session: Session) -> None:
        self._open[session.session_id] = session
        if self._resting is None:
            self._resting = asyncio.get_running_loop().call_later(REST_AFTER_S, self._rest)

    def _rest(self) -> None:
        if self.rest(REST_AFTER_S):
            asyncio.get_running_loop().run_in_executor(None, give_back)
        self._resting = asyncio.get_running_loop().call_later(REST_AFTER_S, self._rest)

    def attach(self, session: Session) -> None:
        """Give an open session the lane that its log names by now."""
        self._attach(session, self._lanes.get(session.state.lane_id), session.state.project_path)
        above = session.state.parent_session_id
        if above and session.parent is None and self.knows(above):
            session.descend_from(self.get(above))

    def knows(self, session_id: str) -> bool:
        """Whether there is such a chat."""
        return session_id in self._open or self._store.events.head(session_id) is not None

    async def create(
        self, command: NewSession, project: Project, kind: SessionKind, chosen: list[Event], surface: Surface = "chat"
    ) -> Session:
        """A new session with its lane: the one it names, a worktree of its own, or the person's checkout when they
        chose that. `chosen`: what is recorded of how it came about. `surface`: what it is for.

        Raises:
            CommandError: the named lane cannot be used.
            LaneError: the lane could not be made; there is no session then.
        """
        if self._store.events.head(command.session_id) is not None:
            raise CommandError("session_exists", "This chat exists already.")
        title = title_from(command.text)
        lane, is_new = await self._lane_for(command, project, title)
        started = SessionStarted(
            project_id=project.id,
            project_path=project.path,
            lane_id=lane.id,
            branch=lane.branch,
            base_commit=lane.base_oid,
            kind=kind,
            surface=surface,
            primary=lane.type == "primary",
            mode=command.mode,
            endpoint_id=command.endpoint_id,
            model=command.model,
            app_version=desktop.__version__,
        )
        attached = LaneAttached(
            lane_id=lane.id, branch=lane.branch, worktree_path=lane.worktree_path, base_commit=lane.base_oid
        )
        events: list[Event] = [started, attached, TitleChanged(title=title, by="auto"), *chosen]
        try:
            return self.begin(command.session_id, events, lane)
        except BanksmanError:
            if is_new:
                await self._lanes.discard(project, lane)
            raise

    def begin(
        self, session_id: str, events: Sequence[Event], lane: Lane, parent: Session | None = None, *, lazy: bool = False
    ) -> Session:
        """A new session with its first events, in a lane; `parent`: of which it is a child; `lazy`: see `append`.

        Raises:
            StoreError: they were not recorded; there is no session.
        """
        session = Session(session_id, self._store, self._publish, self._clock, [])
        if parent is not None:
            session.descend_from(parent)
        first = events[0]
        self._attach(session, lane, first.project_path if isinstance(first, SessionStarted) else "")
        session.append_many(list(events), lazy=lazy)
        self._opened(session)
        return session

    async def _lane_for(self, command: NewSession, project: Project, title: str) -> tuple[Lane, bool]:
        """The lane a new chat works in, and whether it was made for it."""
        if command.lane_id:
            return self._usable(command.lane_id, project), False
        if command.place == "checkout":
            return await self._lanes.primary(project), False
        return await self._lanes.create(project, lane_name(title)), True

    def _usable(self, lane_id: str, project: Project) -> Lane:
        lane = self._lanes.get(lane_id)
        if lane is None or lane.project_id != project.id or lane.state == "deleted":
            raise CommandError("unknown_lane", "This lane does not exist any more.")
        if lane.state != "active":
            raise CommandError("lane_unusable", f"Lane '{lane.name}' is {lane.state}, so no chat can begin in it.")
        if lane_moved(lane):
            raise CommandError("lane_unusable", misplaced_words(lane))
        return lane

    def sweep(self, session_ids: list[str]) -> None:
        """Begin to end what commands of these chats left running in an earlier process (sessions-SR7). Once."""
        self._sweep = asyncio.create_task(end_marked(SESSION_VARIABLE, session_ids), name="sweep")

    async def swept(self) -> dict[str, list[str]]:
        """Once everything is ended that commands of an earlier process left running (sessions-SR7): session id →
        what it was."""
        return await asyncio.shield(self._sweep) if self._sweep is not None else {}

    def summaries(self, project_id: str) -> SessionsChanged:
        """All chats of a project, newest activity first, without reading logs that are not open."""
        rows = self._store.events.rows(project_id)
        lanes = {lane.id: lane for lane in self._lanes.all_of_project(project_id)}
        chats = [self._summary(row, lanes) for row in rows if row.kind in ("interactive", "hosted")]
        chats = [chat for chat in chats if chat.session_id not in self.hidden]
        return SessionsChanged(sessions=tuple(chats))

    def lane_lock(self, lane_id: str) -> LaneLock:
        """Held while something changes the lane; the `write_lock` of every session that works in it."""
        return self._write_locks.setdefault(lane_id, LaneLock())

    def variables(self, lane_id: str, *, reading: bool = False) -> dict[str, str]:
        """What commands and terminals of a lane get beside the rest (lanes-L22). `reading`: for a command that was
        shown to only read, without what the repository sets."""
        lane = self._lanes.get(lane_id)
        if lane is None:
            return {}
        skills = {SKILLS_VARIABLE: str(self._folders.skills)} if self._folders.skills.is_dir() else {}
        return lane_variables(lane, {} if reading else self.lane_env(lane)) | skills

    def in_lane(self, lane_id: str) -> list[Session]:
        """The open sessions that work in a lane."""
        return [one for one in self._open.values() if one.lane is not None and one.lane.id == lane_id]

    def holders(self, lane_id: str) -> list[LaneHolder]:
        """Turns and background commands of chats in this lane."""
        held: list[LaneHolder] = []
        for session in self.in_lane(lane_id):
            if session.running:
                held.append(LaneHolder(kind="turn", label=session.state.title, session_id=session.session_id))
            shells = session.processes.shells() if session.processes is not None else ()
            running = (shell for shell in shells if shell.running)
            held += (LaneHolder(kind="shell", label=one.command, session_id=session.session_id) for one in running)
        return held

    async def stop_in(self, lane_id: str) -> None:
        """Stop the turns and background commands of this lane's chats; each stop is recorded."""
        for session in self.in_lane(lane_id):
            if session.task is not None and session.running:
                session.task.cancel()
                await asyncio.gather(session.task, return_exceptions=True)
            if session.processes is not None:
                await session.processes.stop_all()

    def opened(self) -> list[Session]:
        """Every session that was opened in this process."""
        return list(self._open.values())

    async def drop(self, session_id: str) -> None:
        """The chat is gone: end what it left running, and forget it."""
        self._summaries.forget(session_id)
        session = self._open.pop(session_id, None)
        if session is None:
            return
        session.at_hand.rest()
        if session.processes is not None:
            await session.processes.stop_all()

    def running(self) -> list[Session]:
        """Sessions with a turn under way."""
        return [session for session in self._open.values() if session.running]

    async def close(self) -> None:
        """Stop every turn and every command. Each stop is recorded before this returns."""
        if self._resting is not None:
            self._resting.cancel()
        await self.ahead.close()
        tasks = [session.task for session in self.running() if session.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, self.swept(), return_exceptions=True)
        for session in self.opened():
            if session.processes is not None:
                await session.processes.stop_all()
        await self.sandbox.close()

    def _summary(self, row: SessionRow, lanes: dict[str, Lane]) -> SessionSummary:
        known = self._open.get(row.session_id)
        if known is not None:
            summary = self._summaries.of_open(known)
            below = self._waiting_below(known)
            return summary.model_copy(update={"waiting": (*summary.waiting, *below)}) if below else summary
        return self._summaries.of_row(row, lanes.get(row.lane_id))

    def _waiting_below(self, session: Session) -> tuple[WaitingInput, ...]:
        """What children of a chat wait for, and theirs (memory-SU8)."""
        running = (self._open.get(child.child_id) for child in session.state.children.values() if child.running)
        return tuple(
            one
            for child in running
            if child is not None
            for one in (*self._summaries.of_open(child).waiting, *self._waiting_below(child))
        )

    def _attach(self, session: Session, lane: Lane | None, checkout: str) -> None:
        """Give the session its lane; the person's own checkout beside it may be read."""
        session.know_lane(lane)
        if lane is None or lane_moved(lane):
            return
        root = Path(lane.worktree_path)
        own = (self._folders.config, self._folders.data / "store", self._folders.cache, self._folders.logs)
        references = (Path(checkout),) if checkout and lane.type != "primary" else ()
        files = _of_parent(session, lane) or LaneFiles(root, name=lane.name, references=references, own_folders=own)
        around = Around(
            running_elsewhere=lambda: self._running_shells(session),
            on_change=lambda: self._shells_changed(session),
            witness=self._witness_for(session, lambda: self._open.get(session.session_id) is session),
            given=Given(
                variables=lambda reading: self.variables(lane.id, reading=reading),
                on_leftover_ended=lambda text: session.append(
                    Notice(kind="resource_limit", level="warning", text=text)
                ),
                way=lambda hosts: self._egress.client("command", "", hosts, owner=session.session_id),
            ),
        )
        session.enter(
            Workplace(
                files=files.with_trash(self._folders.data / "trash" / lane.id),
                processes=Processes(
                    session.session_id, os.environ, lane_root=root, sandbox=self.sandbox, around=around
                ),
                write_lock=self.lane_lock(lane.id),
                git_sha256=settings_sha256(root),
                aside=self._folders.data / "aside" / session.session_id,
            )
        )

    def _running_shells(self, session: Session) -> int:
        """Background shells of all other sessions, for the limit of the whole app."""
        others = (other.processes for other in self._open.values() if other is not session)
        return sum(1 for one in others if one is not None for shell in one.shells() if shell.running)

    def _shells_changed(self, session: Session) -> None:
        shells = session.processes.shells() if session.processes is not None else ()
        self._publish(ShellsChanged(session_id=session.session_id, shells=shells))
        if session.lane is not None:
            self.shells_changed(session.lane.id)


def _of_parent(session: Session, lane: Lane) -> LaneFiles | None:
    """The files as the chat above has them, for a child in the same lane; None where it has none that still stand."""
    above = session.parent
    if above is None or above.lane is None or above.files is None or above.files.moved:
        return None
    same = (above.lane.id, above.lane.worktree_path) == (lane.id, lane.worktree_path)
    return above.files if same else None
