"""HandoverCommands: makes the page for who takes over, and writes it to a file."""

import asyncio
from collections.abc import Callable
from datetime import datetime

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.agent.library.commands import redaction
from desktop.collecting import uncollected
from desktop.config.folders import typed_path
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.core.work import Project
from desktop.domain.gate.redaction import Redactor
from desktop.domain.handover.commands import LoadHandover, LoadRecap, SaveHandover
from desktop.domain.handover.fold import handover
from desktop.domain.handover.recap import Recap, recap
from desktop.domain.handover.updates import HandoverLoaded, HandoverSaved, RecapLoaded
from desktop.domain.handover.values import Handover
from desktop.store.core.readings import Readings
from desktop.store.library.handover_page import handover_page, shown_page

Redacting = Callable[[], Redactor]


class HandoverCommands:
    """On the engine thread; logs are read and folded on a worker thread. `redactor`: what is taken out of the page."""

    def __init__(
        self,
        publish: Publish,
        readings: Readings,
        project: Callable[[], Project | None],
        clock: Callable[[], datetime],
        redactor: Redacting,
    ) -> None:
        self._publish, self._readings, self._project = publish, readings, project
        self._clock, self._redactor = clock, redactor

    def handlers(self) -> dict[type[Command], Handler]:
        """Making the page, and keeping it."""
        return {LoadHandover: self._load, LoadRecap: self._recap, SaveHandover: self._save}

    async def _load(self, command: LoadHandover) -> None:
        """Raises StoreError: the logs cannot be read."""
        project, until, redact = self._project(), self._clock(), redaction(self._redactor())
        if project is None:
            raise CommandError("no_project", "Open a repository first.")

        def made() -> tuple[Handover, str]:
            readings, since = self._readings, command.since
            one = command.session_id
            with uncollected():
                logs = readings.family_logs(one) if one else readings.logs(project.id, since)
                page = shown_page(handover(logs, since, until), redact)
                return page, handover_page(page, "markdown")

        page, markdown = await asyncio.to_thread(made)
        self._publish(
            HandoverLoaded(command_id=command.command_id, page=page, markdown=markdown, session_id=command.session_id)
        )

    async def _recap(self, command: LoadRecap) -> None:
        """Raises StoreError: the logs cannot be read."""
        project, until, redact = self._project(), self._clock(), redaction(self._redactor())
        if project is None:
            raise CommandError("no_project", "Open a repository first.")

        def made() -> Recap:
            with uncollected():
                logs = self._readings.logs(project.id, command.since)
                return recap(shown_page(handover(logs, command.since, until), redact), command.since)

        told = await asyncio.to_thread(made)
        self._publish(RecapLoaded(command_id=command.command_id, recap=told))

    async def _save(self, command: SaveHandover) -> None:
        """Raises CommandError `not_saved`: the file exists, its folder is missing, or it cannot be written."""
        path = typed_path(command.path)
        if not path.is_absolute():
            raise CommandError("not_saved", "Choose a file with its folder.")
        text = handover_page(command.page, command.form)

        def write() -> None:
            with path.open("x", encoding="utf-8") as file:
                file.write(text)

        try:
            await asyncio.to_thread(write)
        except OSError as error:
            raise CommandError("not_saved", f"The handover was not saved: {error.strerror or error}.") from error
        self._publish(HandoverSaved(command_id=command.command_id, path=str(path)))
