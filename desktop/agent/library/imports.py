"""ImportCommands: chats that came from a file: only to be read until a person continues them here (sessions-SR8)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import desktop
from desktop.agent.core.commands import Handler
from desktop.agent.core.lane_register import Lanes
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.chats.commands import (
    ContinueImported,
)
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.work import Project
from desktop.domain.events import Event, LaneAttached, ModeChanged, ModelChanged, SessionResumed
from desktop.domain.gate.events import SessionTainted
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.names import lane_name
from desktop.services.projects import open_project


class ImportCommands:
    """All on the engine thread. `project`: the one that is open."""

    def __init__(
        self, sessions: Sessions, lanes: Lanes, settings: SettingsKeeper, project: Callable[[], Project | None]
    ) -> None:
        self._sessions = sessions
        self._lanes = lanes
        self._settings = settings
        self._open_project = project
        self._going: set[str] = set()

    def handlers(self) -> dict[type[Command], Handler]:
        """The one command."""
        return {ContinueImported: self._continue}

    async def _continue(self, command: ContinueImported) -> None:
        session = self._sessions.get(command.session_id)
        if command.place == "none" and command.mode is not PermissionMode.PLAN:
            raise CommandError("no_lane", "Without a lane to change files in, a chat can only plan.")
        endpoint_id, model = self._settings.model_for(command.endpoint_id, command.model)
        with self._alone(session):
            project = await self._project(session)
            lane = await self._new_lane(project, session) if command.place == "lane" else None
            resumed = SessionResumed(app_version=desktop.__version__, project_id=project.id, project_path=project.path)
            mode = ModeChanged(mode=command.mode, previous=session.state.mode, by="import")
            chosen = ModelChanged(endpoint_id=endpoint_id, model=model)
            foreign = SessionTainted(reason="untrusted", source="the file it was imported from")
            events: list[Event] = [resumed, *([_attached(lane)] if lane is not None else []), chosen, mode, foreign]
            try:
                session.append_many(events)
            except BaseException:
                if lane is not None:
                    await self._lanes.discard(project, lane)
                raise
            self._sessions.attach(session)

    async def _project(self, session: Session) -> Project:
        """Where the import listed it, else the one that is open."""
        if session.state.project_path:
            return await open_project(Path(session.state.project_path))
        project = self._open_project()
        if project is None:
            raise CommandError("no_project", "Open a repository first.")
        return project

    async def _new_lane(self, project: Project, session: Session) -> Lane:
        return await self._lanes.create(project, lane_name(session.state.title) or "imported")

    @contextmanager
    def _alone(self, session: Session) -> Iterator[None]:
        if not session.state.imported or session.session_id in self._going:
            raise CommandError("continued", "This chat goes on here already.")
        self._going.add(session.session_id)
        try:
            yield
        finally:
            self._going.discard(session.session_id)


def _attached(lane: Lane) -> LaneAttached:
    return LaneAttached(
        lane_id=lane.id, branch=lane.branch, worktree_path=lane.worktree_path, base_commit=lane.base_oid
    )
