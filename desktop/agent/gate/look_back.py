"""LookBack: looking back on calls that ran unasked: marked, told to the agent, or taken back (gate-F1 to gate-F4)."""

import asyncio
from pathlib import Path

from desktop.agent.core.commands import Handler
from desktop.agent.core.notes import note
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.domain import commands as c
from desktop.domain.core.command import Command
from desktop.domain.core.content import TouchedFile
from desktop.domain.core.errors import CommandError, PathError
from desktop.domain.events import Event, ToolCallFinished, UserMessage
from desktop.domain.gate.events import RevertedFile, ReviewFlagged, ReviewReverted
from desktop.domain.history.picked import picked
from desktop.policy.paths import PathFacts
from desktop.records import dataclass
from desktop.services.files.lane_files import LaneFiles
from desktop.services.lanes.file_trash import LaneTrash
from desktop.services.processes.stubborn import to_its_end
from desktop.store.core.blobs import BlobStore

CHANGED_SINCE = (
    "Not reverted: {path} was changed after this call. Compare both in Changes and decide by hand which lines to keep."
)
NO_FILES = "This call changed no file that could be put back. What a command did is not recorded file by file."
NOT_KEPT = "Not reverted: what {path} held before was not kept."


@dataclass(frozen=True)
class _Step:
    """One file to put back. `content` None: it is removed. `now`: the hash it must have, None: it must not exist."""

    facts: PathFacts
    content: bytes | None
    now: str | None


@dataclass(frozen=True)
class _InTrash:
    """What was deleted, as it lies in the lane's trash."""

    folder: Path
    entry_id: str


class LookBack:
    """All on the engine thread."""

    def __init__(self, sessions: Sessions, blobs: BlobStore) -> None:
        self._sessions = sessions
        self._blobs = blobs

    def handlers(self) -> dict[type[Command], Handler]:
        """Marking and taking back what ran without a question."""
        return {
            c.MarkReviewed: self.mark,
            c.RevertChange: self.revert,
        }

    async def mark(self, command: c.MarkReviewed) -> None:
        """A person looked at these; what they wrote goes to the agent with the next message.

        Raises:
            CommandError: `nothing_to_review`: none of them is open any more.
        """
        session = self._sessions.get(command.session_id)
        known = tuple(input_id for input_id in command.input_ids if input_id in session.state.reviews)
        if not known and not command.note.strip():
            raise CommandError("nothing_to_review", "This was reviewed already.")
        session.append(ReviewFlagged(input_ids=known, note=command.note.strip()))

    async def revert(self, command: c.RevertChange) -> None:
        """Put back every file that one call changed, or none.

        Raises:
            CommandError: `not_reverted`: a file was changed since, or cannot be put back; the sentence names it.
        """
        session = self._sessions.get(command.session_id)
        async with session.write_lock:
            await self.take_back(session, command.call_id)

    async def take_back(self, session: Session, call_id: str) -> None:
        """As `revert`, for one who holds the lane."""
        files, touched, steps, entry = await self._planned(session, call_id)
        session.check_recorded()
        try:
            if entry:
                await to_its_end(asyncio.to_thread(LaneTrash(entry.folder).restore, entry.entry_id, files))
            for step in steps:
                await to_its_end(asyncio.to_thread(_carry_out, files, step))
        except PathError as error:
            raise CommandError("not_reverted", f"Not reverted: {error}") from error
        for step in steps:
            session.reads.sha256.pop(step.facts.rel, None)
        now = tuple(RevertedFile(path=file.path, sha256=file.before_sha256) for file in touched)
        session.record(ReviewReverted(call_id=call_id, files=now))

    async def check(self, session: Session, call_id: str) -> tuple[str, ...]:
        """The files that `revert` would put back now. Raises CommandError as it does; nothing is changed."""
        _, touched, _, _ = await self._planned(session, call_id)
        return tuple(file.path for file in touched)

    async def _planned(
        self, session: Session, call_id: str
    ) -> tuple[LaneFiles, tuple[TouchedFile, ...], list[_Step], _InTrash | None]:
        files = session.files
        if files is None:
            raise CommandError("not_reverted", "Not reverted: this chat has no lane any more.")
        if call_id in session.state.reverted:
            raise CommandError("not_reverted", "This was reverted already.")
        finished = _finished(session, call_id)
        touched = finished.touched
        try:
            if any(file.kind == "delete" and file.before is None for file in touched):
                return files, touched, [], await asyncio.to_thread(_in_trash, files, finished)
            return files, touched, [step for file in touched for step in await self._steps(files, file)], None
        except PathError as error:
            raise CommandError("not_reverted", f"Not reverted: {error}") from error

    async def _steps(self, files: LaneFiles, file: TouchedFile) -> list[_Step]:
        """What puts one file back, after a look that it is still as the call left it."""
        facts = await asyncio.to_thread(files.resolve, file.path, "write")
        if facts.deny:
            raise CommandError("not_reverted", f"Not reverted: {file.path}: {facts.reason}.")
        after = file.after_sha256
        held = await asyncio.to_thread(_sha256, files, facts)
        if held != after:
            raise CommandError("not_reverted", CHANGED_SINCE.format(path=file.path))
        if file.kind == "move" and file.from_path and after is not None:
            return [*await self._moved_back(files, facts, file, after)]
        if file.before_sha256 is None:
            return [_Step(facts, None, after)]
        content = self._blobs.get(file.before.sha256) if file.before is not None else None
        if content is None:
            raise CommandError("not_reverted", NOT_KEPT.format(path=file.path))
        return [_Step(facts, content, after)]

    async def _moved_back(self, files: LaneFiles, facts: PathFacts, file: TouchedFile, after: str) -> list[_Step]:
        old = await asyncio.to_thread(files.resolve, file.from_path, "write")
        if old.deny or old.exists:
            raise CommandError("not_reverted", CHANGED_SINCE.format(path=file.from_path))
        read = await asyncio.to_thread(files.resolve, file.path, "read")
        content = await asyncio.to_thread(files.read_bytes, read)
        return [_Step(old, content, None), _Step(facts, None, after)]


def told(session: Session) -> list[Event]:
    """What goes to the agent before a person's next message: their notes, and what they took back since the last."""
    taken_back: list[str] = []
    for _, event in picked(reversed(session.log), UserMessage, ReviewReverted):
        if isinstance(event, UserMessage) and (event.origin == "person" or event.note_kind == "review"):
            break
        if isinstance(event, ReviewReverted):
            taken_back = [*(file.path for file in event.files), *taken_back]
    lines = []
    if taken_back:
        names = ", ".join(dict.fromkeys(taken_back))
        lines.append(f"The user took back your change to {names}. Read before you change it again.")
    if session.state.review_note:
        lines.append(f"The user looked back on your calls and says: {session.state.review_note}")
    return [note("review", "\n".join(lines))] if lines else []


def _finished(session: Session, call_id: str) -> ToolCallFinished:
    """The result of a call that changed files. Raises CommandError where there is none."""
    results = picked(reversed(session.log), ToolCallFinished)
    found = next((event for _, event in results if event.call_id == call_id), None)
    if found is None or not found.touched:
        raise CommandError("not_reverted", NO_FILES)
    return found


def _in_trash(files: LaneFiles, finished: ToolCallFinished) -> _InTrash:
    """What was deleted, where it can come back from the lane's trash. Raises CommandError where it cannot."""
    entry_id, path = finished.data.get("trash_entry"), finished.touched[0].path
    if files.trash is None or not isinstance(entry_id, str):
        raise CommandError("not_reverted", NOT_KEPT.format(path=path))
    entry = next((one for one in LaneTrash(files.trash).entries() if one.id == entry_id), None)
    if entry is None:
        raise CommandError("not_reverted", NOT_KEPT.format(path=path))
    if files.resolve(entry.path, "write").exists:
        raise CommandError("not_reverted", f"Not reverted: {entry.path} exists again. Move it away first.")
    return _InTrash(files.trash, entry_id)


def _sha256(files: LaneFiles, facts: PathFacts) -> str | None:
    if not facts.exists:
        return None
    return files.sha256(facts) if facts.kind == "file" else "not a file"


def _carry_out(files: LaneFiles, step: _Step) -> None:
    if step.content is not None:
        files.replace(step.facts, step.content, expect_sha256=step.now)
    elif step.now is not None:
        files.delete(step.facts, expect_sha256=step.now)
