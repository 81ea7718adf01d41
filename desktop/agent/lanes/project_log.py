"""ProjectLog: what people did to lanes outside of any chat, recorded in one session per repository."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import field

from pydantic import JsonValue

import desktop
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.event_base import By
from desktop.domain.core.ids import new_id
from desktop.domain.core.work import Project
from desktop.domain.events import Event, SessionStarted
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted
from desktop.records import dataclass
from desktop.store.core.events import Beside, EventStore

LOG_ID_DIGITS = 32


def project_log_id(project_id: str) -> str:
    """The id of a repository's own log; the same in every process."""
    return f"ses_{hashlib.sha256(f'project log {project_id}'.encode()).hexdigest()[:LOG_ID_DIGITS]}"


@dataclass
class Operation:
    """An operation that was begun. What is put into `result` is recorded with its end; `text` says what came of it."""

    operation_id: str
    result: dict[str, JsonValue] = field(default_factory=dict)
    text: str = ""


class ProjectLog:
    """Engine thread only. `project`: the repository that is open."""

    def __init__(self, events: EventStore, project: Callable[[], Project | None]) -> None:
        self._events = events
        self._project = project

    @asynccontextmanager
    async def operation(
        self, name: str, lane_id: str = "", *, by: By = "person", **arguments: JsonValue
    ) -> AsyncIterator[Operation]:
        """Record the intent, let the block do it, record what came of it: done, failed with its sentence, interrupted.

        Raises:
            StoreError: the intent could not be recorded; the block was not entered.
        """
        running = Operation(new_id("op_"))
        started = LaneOperationStarted(
            operation_id=running.operation_id, operation=name, lane_id=lane_id, by=by, arguments=arguments
        )
        self.append(started)
        finished = LaneOperationFinished(operation_id=running.operation_id, operation=name, lane_id=lane_id)
        try:
            yield running
        except asyncio.CancelledError:
            self.append(finished.model_copy(update={"status": "interrupted", "result": running.result}))
            raise
        except BanksmanError as error:
            update = {"status": "failed", "text": str(error), "result": running.result}
            self.append(finished.model_copy(update=update))
            raise
        self.append(finished.model_copy(update={"text": running.text, "result": running.result}))

    def append(self, *events: Event, beside: Beside | None = None) -> None:
        """Store these events in the log of the open repository, which begins with the first of them; `beside`: as in
        `EventStore`. Without an open repository it alone is done.

        Raises:
            StoreError: they were not stored.
        """
        project = self._project()
        if project is None:
            if beside is not None:
                beside()
            return
        log_id = project_log_id(project.id)
        first: list[Event] = []
        if self._events.head(log_id) is None:
            first = [
                SessionStarted(
                    project_id=project.id,
                    project_path=project.path,
                    kind="project",
                    title=project.name,
                    app_version=desktop.__version__,
                )
            ]
        self._events.append_many(log_id, [*first, *events], beside=beside)

    def history(self, *names: str) -> list[tuple[LaneOperationStarted, LaneOperationFinished | None]]:
        """Operations of these names on the open repository, oldest first; None: its end was never recorded."""
        project = self._project()
        if project is None or self._events.head(project_log_id(project.id)) is None:
            return []
        begun: dict[str, LaneOperationStarted] = {}
        ended: dict[str, LaneOperationFinished] = {}
        for envelope in self._events.read(project_log_id(project.id)):
            event = envelope.event
            if isinstance(event, LaneOperationStarted) and event.operation in names:
                begun[event.operation_id] = event
            elif isinstance(event, LaneOperationFinished) and event.operation_id in begun:
                ended[event.operation_id] = event
        return [(event, ended.get(operation_id)) for operation_id, event in begun.items()]

    def unfinished(self) -> tuple[LaneOperationStarted, ...]:
        """Operations of the open repository whose end was never recorded, oldest first."""
        project = self._project()
        if project is None or self._events.head(project_log_id(project.id)) is None:
            return ()
        open_ones: dict[str, LaneOperationStarted] = {}
        for envelope in self._events.read(project_log_id(project.id)):
            event = envelope.event
            if isinstance(event, LaneOperationStarted):
                open_ones[event.operation_id] = event
            elif isinstance(event, LaneOperationFinished):
                open_ones.pop(event.operation_id, None)
        return tuple(open_ones.values())
