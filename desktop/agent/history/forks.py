"""ForkCommands: a new chat that continues from an entry of another one, in a lane of its own (sessions-SF2 to
sessions-SF4)."""

from collections.abc import Sequence
from pathlib import Path

import desktop
from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Telling
from desktop.agent.core.lane_register import Lanes
from desktop.agent.core.session import Session
from desktop.agent.history.path_checkpoints import FilesAt, files_at
from desktop.agent.lanes.keeper import LaneKeeper
from desktop.agent.turns.chat_work import ChatWork
from desktop.domain.boundaries.events import BoundaryProposed
from desktop.domain.boundaries.values import ChatBoundary
from desktop.domain.chats.commands import ContinueWith, ForkSession
from desktop.domain.chats.queue_events import LimitsChanged
from desktop.domain.chats.updates import SessionForkedOff
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError, UnknownEventId
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.work import Project
from desktop.domain.events import (
    Envelope,
    Event,
    LaneAttached,
    ModeChanged,
    ModelChanged,
    Notice,
    SessionForked,
    SessionResumed,
)
from desktop.domain.gate.events import RuleSaved, SessionTainted
from desktop.domain.guests.values import OWN_DRIVER
from desktop.domain.history.path_state import path_to
from desktop.domain.history.state import SessionState
from desktop.domain.history.state_of import fold
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.names import lane_name
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.run import head_commit
from desktop.services.projects import open_project
from desktop.store.core.events import EventStore

TITLE_MAX_CHARS = 80
NO_CHECKPOINT = "There is no checkpoint of the files as of that point. Fork with the files of HEAD instead."


class ForkCommands:
    """All on the engine thread."""

    def __init__(self, chats: ChatWork, events: EventStore, lanes: Lanes, keeper: LaneKeeper, telling: Telling) -> None:
        self._sessions = chats.sessions
        self._turns = chats.turns
        self._starter = chats.starter
        self._settings = chats.settings
        self._events = events
        self._lanes = lanes
        self._keeper = keeper
        self._telling = telling

    def handlers(self) -> dict[type[Command], Handler]:
        """Forking, with the same agent or with another."""
        return {ForkSession: self._fork, ContinueWith: self._continue_with}

    async def _continue_with(self, command: ContinueWith) -> None:
        """Refused before anything is made, where the other agent cannot work here. A chat that changed nothing yet has
        no checkpoint, and its files are those of HEAD."""
        source = self._sessions.get(command.session_id)
        mode, kept = source.state.mode, files_at(source.log, source.log[-1].event_id)
        loosest = mode if mode is PermissionMode.PLAN else self._settings.current.default_mode
        endpoint_id, model = await self._starter.chosen(command.driver, loosest, command.endpoint_id, command.model)
        if command.driver == OWN_DRIVER:
            await self._settings.require_key(endpoint_id)
        await self._fork(
            ForkSession(
                command_id=command.command_id,
                session_id=command.session_id,
                new_session_id=command.new_session_id,
                lane_from=command.lane_from if kept is not None or command.lane_from == "none" else "head",
                text=command.text,
            ),
            ModelChanged(endpoint_id=endpoint_id, model=model),
        )

    async def _fork(self, command: ForkSession, *more: Event) -> None:
        source = self._sessions.get(command.session_id)
        at_event_id = command.at_event_id or source.log[-1].event_id
        if self._events.head(command.new_session_id) is not None:
            raise CommandError("session_exists", "This chat exists already.")
        try:
            path = path_to(source.log, at_event_id)
        except UnknownEventId as error:
            raise CommandError("unknown_event", "There is no such entry in this chat to fork from.") from error
        marks = _foreign(source, path)
        state = SessionState()
        for envelope in path if not marks else []:
            state = fold(state, envelope)
        lane: Lane | None = None
        found: FilesAt | None = None
        left: tuple[str, ...] = ()
        if command.lane_from == "checkpoint":
            found = files_at(source.log, at_event_id)
            lane, left = await self._lane_with_files(source, found)
        elif command.lane_from == "head":
            lane = await self._lane_from_head(source)
        forked = SessionForked(
            source_session_id=source.session_id,
            source_event_id=at_event_id,
            lane_id=lane.id if lane is not None else "",
            lane_from=command.lane_from,
            checkpoint_id=found.checkpoint_id if found is not None else "",
            mode=self._mode(source, lane),
            title=f"{source.state.title[: TITLE_MAX_CHARS - 7]} (fork)",
        )
        begin = [forked, *marks, *_copied(source, state), *_told(source, lane, left)]
        if marks:
            begin.append(ModeChanged(mode=forked.mode, previous=PermissionMode.EDIT, by="fork"))
        begin += more
        try:
            self._events.append_many(command.new_session_id, begin)
        except BanksmanError:
            if lane is not None:
                await self._lanes.discard(await self._project(source), lane)
            raise
        fork = self._sessions.get(command.new_session_id)
        self._telling.listed()
        self._telling.publish(
            SessionForkedOff(
                command_id=command.command_id, session_id=fork.session_id, source_session_id=source.session_id
            )
        )
        if command.text.strip():
            await self._turns.send(fork, command.text)

    def _mode(self, source: Session, lane: Lane | None) -> PermissionMode:
        """Never full auto; a plan stays a plan, and without a lane there is nothing else (sessions-SF4)."""
        if lane is None or source.state.mode is PermissionMode.PLAN:
            return PermissionMode.PLAN
        return self._settings.current.default_mode

    # Lanes

    async def _lane_with_files(self, source: Session, found: FilesAt | None) -> tuple[Lane, tuple[str, ...]]:
        """A new lane at the commit where the source's began, with the files of a checkpoint as changes that are not
        committed; and what it could not get."""
        if found is None:
            raise CommandError("no_checkpoint", NO_CHECKPOINT)
        of_source = _lane_of(source)
        ref = await self._keeper.work(source, lambda kept: kept.find(found.checkpoint_id, found.commit))
        commit = of_source.base_oid or head_commit(Path(of_source.worktree_path))
        project = await self._project(source)
        lane = await self._new_lane(project, source, (of_source.base_ref or of_source.branch or "HEAD", commit))
        try:
            files = LaneFiles(Path(lane.worktree_path), name=lane.name)
            left = await self._keeper.work(source, lambda kept: kept.write_into(ref, files))
        except (BanksmanError, OSError) as error:
            await self._lanes.discard(project, lane)
            raise CommandError("no_lane", f"The new lane could not get its files: {error}") from error
        return lane, tuple(dict.fromkeys((*left, *(path for path, _ in ref.large))))

    async def _lane_from_head(self, source: Session) -> Lane:
        of_source = _lane_of(source)
        commit = head_commit(Path(of_source.worktree_path))
        if not commit:
            raise CommandError("no_lane", "The lane of this chat has no commit to start from.")
        project = await self._project(source)
        return await self._new_lane(project, source, (of_source.branch or "HEAD", commit))

    async def _new_lane(self, project: Project, source: Session, start: tuple[str, str]) -> Lane:
        return await self._lanes.create(project, lane_name(f"{source.state.title} fork") or "fork", start)

    async def _project(self, source: Session) -> Project:
        return await open_project(Path(source.state.project_path))


def _lane_of(source: Session) -> Lane:
    if source.lane is None or source.files is None or source.files.moved:
        raise CommandError("no_lane", "This chat has no lane any more. Fork it without one.")
    return source.lane


def _foreign(source: Session, path: Sequence[Envelope]) -> list[Event]:
    """For a fork from what came in from a file: that it did, so that nothing the file says of modes, rules, limits or
    folders counts, and where the fork goes on."""
    mark = next((e for e in reversed(source.log) if e.kind == "imported"), None)
    if mark is None:
        return []
    ids = [envelope.event_id for envelope in path]
    own = path[ids.index(mark.event_id) :] if mark.event_id in ids else []
    if any(envelope.kind == "model_changed" for envelope in own):
        return []
    state = source.state
    here = SessionResumed(app_version=desktop.__version__, project_id=state.project_id, project_path=state.project_path)
    model = ModelChanged(endpoint_id=state.endpoint_id, model=state.model, thinking=state.thinking)
    return [mark.event, here, model]


def _copied(source: Session, on_path: SessionState) -> list[Event]:
    """What of the source counts in the fork although it was not set on the path to it: limits, rules that forbid or ask
    and what was forbidden in words; of the chats above a sub-agent, which the fork has no more, also what they read."""
    events: list[Event] = []
    if source.state.limits is not None and source.state.limits != on_path.limits:
        events.append(LimitsChanged(limits=source.state.limits))
    known, heard = {kept.rule for kept in on_path.rules}, {one.boundary_id for one in on_path.boundaries}
    for state in (source.state, *(one.state for one in source.above)):
        rules = (kept.rule for kept in state.rules if kept.rule.decision != "allow")
        events += [RuleSaved(rule=rule) for rule in rules if rule not in known]
        events += [_heard(one) for one in state.boundaries if one.holds and one.boundary_id not in heard]
    for above in source.above:
        reason = next((one for one in above.state.taint_reasons if one != "untrusted"), "untrusted")
        events += [SessionTainted(reason=reason, source=read) for read in above.state.tainted]
    return events


def _heard(one: ChatBoundary) -> Event:
    return BoundaryProposed(
        boundary_id=one.boundary_id, quote=one.quote, action=one.action, title=one.title, rules=one.rules
    )


def _told(source: Session, lane: Lane | None, left: tuple[str, ...]) -> list[Event]:
    events: list[Event] = []
    if lane is not None:
        events.append(
            LaneAttached(
                lane_id=lane.id, branch=lane.branch, worktree_path=lane.worktree_path, base_commit=lane.base_oid
            )
        )
    events.append(Notice(kind="forked", text=f"Forked from {source.state.title}", detail=source.session_id))
    if left:
        names = ", ".join(left[:50])
        events.append(Notice(kind="fork_files", level="warning", text=f"Not included in the new lane: {names}"))
    return events
