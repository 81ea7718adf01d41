"""ChangesCommands: what the Changes tab shows: the files of a scope, and the diff of one of them."""

import asyncio
from collections.abc import Callable
from datetime import datetime

from desktop.agent.changes.scopes import ChangeScopes
from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Publish
from desktop.agent.lanes.folder import FilesOf
from desktop.domain.changes import commands as c
from desktop.domain.changes.updates import DiffLoaded, LaneChangesLoaded
from desktop.domain.changes.values import FileDiff
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, GitError
from desktop.domain.core.work import ChangedFile
from desktop.services.changes.file_diff import Lines
from desktop.services.changes.lane import file_diff, listed_changes
from desktop.services.lanes.setup_files import unchanged
from desktop.store.core.reviews import ReviewStore


class ChangesCommands:
    """All on the engine thread; Git and files are read on worker threads. Answers name the command they answer, so
    that late ones can be dropped."""

    def __init__(
        self,
        ground: Ground,
        publish: Publish,
        clock: Callable[[], datetime],
        files_of: FilesOf,
        kept: ReviewStore,
        scopes: ChangeScopes,
    ) -> None:
        self._publish = publish
        self._ground = ground
        self._clock = clock
        self._files_of = files_of
        self._scopes = scopes
        self._kept = kept

    def handlers(self) -> dict[type[Command], Handler]:
        """Listing and showing; nothing is changed."""
        return {c.LoadLaneChanges: self._list, c.LoadDiff: self._diff}

    async def _list(self, command: c.LoadLaneChanges) -> None:
        lane = self._ground.lane(command.lane_id)
        answer = LaneChangesLoaded(
            command_id=command.command_id,
            lane_id=lane.id,
            session_id=command.session_id,
            scope=command.scope,
            base="",
            files=(),
            at=self._clock(),
        )
        try:
            files = self._files_of(lane)
            sides = await self._scopes.sides(lane, files, command.scope, command.session_id, listing=True)
            if sides.problem:
                self._publish(answer.model_copy(update={"problem": sides.problem}))
                return
            shown = command.scope.kind
            counted = await self._scopes.counted(lane, files, command.session_id, shown, sides)
            found = await asyncio.to_thread(
                listed_changes, files, sides, counted.sides, ignore_space=command.ignore_space, limit=command.limit
            )
            made = await asyncio.to_thread(unchanged, files.root, lane.setup_files)
        except BanksmanError as error:
            self._publish(answer.model_copy(update={"problem": str(error)}))
            return
        viewed = self._kept.viewed(lane.id)
        seen = (file.path for file in found.listing.files if _is_seen(file, viewed))
        listed = tuple(_marked(file, made) for file in found.listing.files)
        update = {
            "base": sides.words,
            "files": listed,
            "more": found.listing.more,
            "head": found.head,
            "counts": (*found.counts, *counted.known.items()),
            "at": self._clock(),
            "viewed": tuple(seen),
        }
        self._publish(answer.model_copy(update=update))

    async def _diff(self, command: c.LoadDiff) -> None:
        lane = self._ground.lane(command.lane_id)
        lines = Lines(command.context, ignore_space=command.ignore_space, anyway=command.anyway)
        problem = ""
        diff = FileDiff(command.path, command.old_path)
        try:
            files = self._files_of(lane)
            sides = await self._scopes.sides(lane, files, command.scope, command.session_id)
            if sides.problem:
                raise GitError(sides.problem)
            diff = await asyncio.to_thread(file_diff, files, sides, command.path, command.old_path, lines)
        except BanksmanError as error:
            problem = str(error)
        self._publish(
            DiffLoaded(command_id=command.command_id, lane_id=lane.id, scope=command.scope, diff=diff, problem=problem)
        )


def _marked(file: ChangedFile, made: frozenset[str]) -> ChangedFile:
    """With the word that the setup made it."""
    by_setup = file.status == "untracked" and file.path in made
    return file.model_copy(update={"by_setup": True}) if by_setup else file


def _is_seen(file: ChangedFile, viewed: dict[str, str]) -> bool:
    """Somebody looked at the file as it is now."""
    return not file.after_turn and viewed.get(file.path) == file.sha256
