"""LanesAhead: has the files of a chat's own lane written while a person still writes the first message."""

import asyncio
from pathlib import Path

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError
from desktop.domain.lanes.commands import PrepareLane
from desktop.services.files.leftovers import sweep
from desktop.services.git.base_branches import default_base
from desktop.services.git.run import Git
from desktop.services.lanes.making.spare import SpareFiles

KEPT_S = 3600.0
"""So long files wait for a message that was begun."""


class LanesAhead:
    """All on the engine thread. There is one set of spare files at most. It is given to the next chat's own lane, and
    goes when nothing is written any more, the base or the repository is another one, after an hour, or with the engine.
    """

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._tasks: set[asyncio.Task[object]] = set()
        self._project_id = ""
        self._closed = False
        self._end: asyncio.TimerHandle | None = None

    def handlers(self) -> dict[type[Command], Handler]:
        """The one command."""
        return {PrepareLane: self._prepare}

    def start(self) -> None:
        """Begin to take away what a killed process left."""
        self._begin(asyncio.create_task(asyncio.to_thread(sweep, [self._ground.lanes.root]), name="spare sweep"))

    def project_opened(self) -> None:
        """Files of another repository are not needed any more."""
        project = self._ground.project()
        if project is not None and self._project_id not in ("", project.id):
            self._drop()

    async def close(self) -> None:
        """Nothing is left, and nothing is written any more."""
        self._closed = True
        self._drop()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _prepare(self, command: PrepareLane) -> None:
        project, lanes = self._ground.project(), self._ground.lanes
        if not command.wanted or project is None:
            self._drop()
            return
        try:
            base = await default_base(Git(Path(project.path), calm=True), project.branch)
            await asyncio.to_thread(lanes.root.mkdir, parents=True, exist_ok=True, mode=0o700)
        except (BanksmanError, OSError):  # whoever needs a lane is told what does not work
            return
        if self._closed or project is not self._ground.project():
            return
        if lanes.spare is not None and lanes.spare.serves(base.oid):
            return
        self._drop()
        lanes.spare = SpareFiles(Path(project.path), lanes.root, project, calm=True)
        self._project_id = project.id
        self._end = asyncio.get_running_loop().call_later(KEPT_S, self._drop)

    def _drop(self) -> None:
        spare, self._ground.lanes.spare = self._ground.lanes.spare, None
        if self._end is not None:
            self._end.cancel()
        self._end = None
        if spare is not None:
            self._begin(asyncio.create_task(spare.drop(), name="spare dropped"))

    def _begin(self, task: asyncio.Task[object]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
