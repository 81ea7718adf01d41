"""CommitCommands: a person commits what they ticked."""

import asyncio
from pathlib import Path

from pydantic import JsonValue

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground, Telling
from desktop.agent.core.lane_lock import LANE_BUSY
from desktop.agent.lanes.base import LaneActs
from desktop.agent.lanes.folder import FilesOf
from desktop.domain.changes import commands as c
from desktop.domain.changes.updates import ChangesCommitted, CommitHeld, CommitStateLoaded
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError, GitError
from desktop.domain.lanes.lane import Lane
from desktop.services.changes.commit_state import commit_state
from desktop.services.changes.person_commit import Committed, NeedsTick, PersonCommit, commit_picked
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.reads import own_repository
from desktop.services.git.run import Git
from desktop.services.lanes.identity import require_own_folder
from desktop.services.processes.stubborn import to_its_end

MAX_MESSAGE_CHARS = 20_000


class CommitCommands:
    """All on the engine thread; Git runs on worker threads, one change of a repository at a time."""

    def __init__(self, ground: Ground, telling: Telling, acts: LaneActs, files_of: FilesOf) -> None:
        self._acts = acts
        self._ground = ground
        self._telling = telling
        self._files_of = files_of

    def handlers(self) -> dict[type[Command], Handler]:
        """Committing, and what has to be known before."""
        return {c.LoadCommitState: self._load, c.CommitChanges: self._commit}

    async def _load(self, command: c.LoadCommitState) -> None:
        lane = self._ground.lane(command.lane_id)
        files = self._files_of(lane)
        repository = await own_repository(files, lane.name)
        found = await asyncio.to_thread(commit_state, Git(files.root), repository)
        plan = found.plan
        answer = CommitStateLoaded(
            command_id=command.command_id,
            lane_id=lane.id,
            branch=found.branch,
            head=found.head,
            author=found.author,
            no_author=found.no_author,
            message=found.message,
            amend_problem=found.amend_problem,
            blocked=found.blocked,
            push_problem=found.push_problem,
        )
        if plan is not None:
            known = {"remote": plan.remote, "address": plan.address, "ahead": plan.ahead, "rewritten": plan.rewritten}
            answer = answer.model_copy(update=known)
        self._telling.publish(answer)

    async def _commit(self, command: c.CommitChanges) -> None:
        """Raises CommandError `no_message`, `not_committed`, `lane_busy`: nothing was committed."""
        lane = self._ground.lane(command.lane_id)
        message = _checked(command.message)
        order = PersonCommit(message, command.picked, command.head, command.amend, frozenset(command.allowed))
        async with self._acts.use.repository(lane.project_id):
            lock = self._acts.use.lane(lane.id)
            if lock.locked():
                raise CommandError("lane_busy", LANE_BUSY)
            async with lock:
                files = await self._own_files(lane)
                try:
                    made = await self._made(lane, files, order)
                except NeedsTick as held:
                    self._telling.publish(
                        CommitHeld(command_id=command.command_id, lane_id=lane.id, secret=held.secret, large=held.large)
                    )
                    return
                except GitError as error:
                    raise CommandError("not_committed", str(error)) from error
        self._telling.publish(
            ChangesCommitted(
                command_id=command.command_id,
                lane_id=lane.id,
                oid=made.oid,
                subject=message.splitlines()[0],
                files=len(made.paths),
                notes=made.notes,
            )
        )
        self._telling.listed()

    async def _made(self, lane: Lane, files: LaneFiles, order: PersonCommit) -> Committed:
        repository = await own_repository(files, lane.name)
        paths: list[JsonValue] = [one.path for one in order.picked]
        intent = self._acts.log.operation("commit", lane.id, paths=paths, amend=order.amend, head=order.head)
        async with intent as operation:
            made: Committed = await to_its_end(asyncio.to_thread(commit_picked, files, repository, order))
            operation.text = f"Committed {len(made.paths)} files as {made.oid[:7]} on {made.branch}."
            operation.result = {"oid": made.oid, "branch": made.branch, "paths": list(made.paths)}
        return made

    async def _own_files(self, lane: Lane) -> LaneFiles:
        """The lane's files, after a look that they are its own (lanes-G8)."""
        files = self._files_of(lane)
        await require_own_folder(lane, Path(self._ground.the_project().path))
        return files


def _checked(message: str) -> str:
    """Raises CommandError `no_message`, `bad_message`."""
    text = message.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not text:
        raise CommandError("no_message", "Write a message for the commit.")
    if len(text) > MAX_MESSAGE_CHARS or any(char < " " and char not in "\t\n" for char in text):
        raise CommandError("bad_message", "The message holds control characters, or is too long.")
    return text
