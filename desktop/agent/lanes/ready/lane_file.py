"""LaneFileCommands: the repository's lane file, and whether a person trusts exactly what it says (lanes-L18)."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Publish
from desktop.agent.lanes.project_log import ProjectLog
from desktop.config.folders import Folders
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError, LaneError
from desktop.domain.core.listeners import Listeners
from desktop.domain.core.work import Project
from desktop.domain.lanes.commands import LoadLaneFile, TrustLaneFile
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LaneFileLoaded
from desktop.records import dataclass
from desktop.services.lanes.lane_file import INCLUDE_FILE, LANE_FILE, LaneFile, parse_lane_files, read_lane_files
from desktop.store.gate.trust import ContentTrust, content_sha256


@dataclass(frozen=True)
class FoundLaneFile:
    """The lane file of a checkout and `.worktreeinclude` beside it, as they are now. `sha256`: of both, "" where there
    is neither. `file`: what they say, None when they cannot be used (`problem`). `trusted`: a person said so, for
    exactly these bytes."""

    contents: Mapping[str, bytes]
    sha256: str = ""
    trusted: bool = False
    file: LaneFile | None = None
    problem: str = ""

    @property
    def usable(self) -> LaneFile | None:
        """What may be carried out, None for nothing."""
        return self.file if self.trusted else None


NONE_FOUND = FoundLaneFile({}, trusted=True, file=LaneFile())


class LaneFileReader:
    """Reads the lane files of repositories whenever they are asked for. `project`: the repository that is open."""

    def __init__(self, project: Callable[[], Project | None], folders: Folders) -> None:
        self.trust = ContentTrust(folders.data, "lane")
        self._project = project
        self._checkouts: dict[str, Path] = {}

    async def found(self, project: Project) -> FoundLaneFile:
        """The lane file of a repository."""
        self._checkouts[project.id] = Path(project.path)
        return await asyncio.to_thread(self._found, project.id, Path(project.path))

    def env(self, lane: Lane) -> Mapping[str, str]:
        """What the trusted file sets for commands of this lane."""
        project = self._project()
        if project is not None:
            self._checkouts[project.id] = Path(project.path)
        checkout = self._checkouts.get(lane.project_id)
        usable = self._found(lane.project_id, checkout).usable if checkout is not None else None
        return usable.env if usable is not None else {}

    def _found(self, project_id: str, checkout: Path) -> FoundLaneFile:
        try:
            contents = read_lane_files(checkout)
        except LaneError as error:
            return FoundLaneFile({}, problem=str(error))
        sha256 = content_sha256(contents)
        if not sha256:
            return NONE_FOUND
        try:
            file = parse_lane_files(contents)
        except LaneError as error:
            return FoundLaneFile(contents, sha256, problem=str(error))
        return FoundLaneFile(contents, sha256, self.trust.is_trusted(project_id, sha256), file)


class LaneFileCommands:
    """All on the engine thread. `on_found`: called when a person looks
    at them or trusts them."""

    def __init__(self, ground: Ground, publish: Publish, log: ProjectLog, reader: LaneFileReader) -> None:
        self._log = log
        self._ground = ground
        self._publish = publish
        self.reader = reader
        self.on_found = Listeners[Project, FoundLaneFile]()

    def handlers(self) -> dict[type[Command], Handler]:
        """Looking at the file. Trusting it is done by `trust`, with what follows from that."""
        return {LoadLaneFile: self._load}

    async def trust(self, command: TrustLaneFile) -> FoundLaneFile:
        """Keep that a person trusts the file as they saw it.

        Raises:
            CommandError: it is another one by now, or cannot be used.
        """
        project = self._ground.the_project()
        intent = self._log.operation("trust_lane_file", command.lane_id, sha256=command.sha256)
        async with intent:
            found = await self.reader.found(project)
            if not found.sha256 or found.sha256 != command.sha256:
                raise CommandError("lane_file_changed", "The lane file changed meanwhile. Look at it again.")
            if found.file is None:
                raise CommandError("lane_file", f"{found.problem} Correct the file first.")
            self.reader.trust.trust(project.id, found.sha256)
            trusted = await self.reader.found(project)
            self._tell(project, trusted)
            return trusted

    def _tell(self, project: Project, found: FoundLaneFile) -> None:
        self.on_found(project, found)
        file = found.file
        self._publish(
            LaneFileLoaded(
                text=found.contents.get(LANE_FILE, b"").decode("utf-8", "replace"),
                include_text=found.contents.get(INCLUDE_FILE, b"").decode("utf-8", "replace"),
                sha256=found.sha256,
                trusted=found.trusted,
                problem=found.problem,
                network=file is not None and file.setup.network,
                says=file.says() if file is not None else (),
                runs=file is not None and bool(file.run.command),
                sets_up=file is not None and bool(file.setup.command),
            )
        )

    async def _load(self, command: LoadLaneFile) -> None:
        project = self._ground.the_project()
        self._tell(project, await self.reader.found(project))
