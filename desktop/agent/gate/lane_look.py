"""Looking over a lane around each command: what appeared in it that a person should know of becomes a notice."""

import asyncio
import hashlib
from collections.abc import Sequence

from desktop.agent.core.session import Session
from desktop.agent.gate.calls.prepared import Prepared
from desktop.agent.lanes.keeper import LaneKeeper
from desktop.domain.chats.library_events import ChangedInstruction, InstructionFilesChanged
from desktop.domain.core.permissions import Category
from desktop.domain.events import Notice
from desktop.services.context.instruction_files import lane_bytes
from desktop.services.files.lane_files import LaneFiles
from desktop.services.gate.guarded_places import restamped
from desktop.services.gate.lane_sight import LaneSight, Sighted
from desktop.services.gate.planted import TOO_MANY, is_instruction, why_told
from desktop.tools.tool import ToolResult


def can_plant(prepared: Prepared) -> bool:
    """Whether the call runs a command that was not shown to only read."""
    if prepared.tool is None or prepared.facts is None:
        return False
    if not prepared.tool.touches_lane:
        return False
    return prepared.tool.category is Category.BASH and not prepared.facts.assessment.proven_read


class LaneLooks:
    """The looks around the commands of all sessions. A look that was made since the moment from which one serves (the
    checkpoint's before a command, its witness's after it) is not made again."""

    def __init__(self, keeper: LaneKeeper | None) -> None:
        self._keeper = keeper

    async def before(self, session: Session, call_id: str) -> None:
        """Remember what is odd in the lane already, once per opened chat, and how its protected places stand now.

        What a stopped command or one in the background planted since the last look is told first.
        """
        if session.files is None:
            return
        found, _ = await self._look(session, session.files, call_id)
        if session.scan is None:
            session.scan = found.scan
            if found.guarded.partial:
                session.append(Notice(kind="lane_planted", level="warning", text=TOO_MANY))
        session.guarded = found.guarded

    async def after(self, session: Session, call_id: str = "") -> tuple[str, ...]:
        """Record a notice for each link out of the lane, foreign-rights file, pipe or device that was not there before,
        and for what was planted in a protected place, which is put back or moved out of the lane (gate-B3, gate-P10).
        What the notices say."""
        if session.scan is None or session.files is None:
            return ()
        found, told = await self._look(session, session.files, call_id)
        goes_on = session.processes is not None and any(shell.running for shell in session.processes.shells())
        session.guarded = found.guarded if goes_on else None
        new = found.scan.new_since(session.scan)
        odd = tuple(f"A command left {entry.what} in the lane: {entry.path}" for entry in new)
        for text in odd:
            session.append(Notice(kind="lane_oddity", level="warning", text=text))
        session.scan = found.scan
        return told + odd

    async def _look(self, session: Session, files: LaneFiles, call_id: str) -> tuple[Sighted, tuple[str, ...]]:
        """How the lane stands, and what was told of what is undone."""
        since, before, aside = session.look_serves(call_id), session.guarded, session.aside

        def look(sight: LaneSight) -> Sighted:
            return sight.now(since, before, aside)

        if self._keeper is None:
            found = await asyncio.to_thread(look, LaneSight(files))
        else:
            found = await self._keeper.sight(session, files, look)
        _record_instructions(session, found.planted.instructions)
        for told in found.planted.told:
            session.append(Notice(kind="lane_planted", level="warning", text=told))
        return found, found.planted.told


def take_in(session: Session, call_id: str, result: ToolResult) -> None:
    """What a tool wrote, by a judgement of its own, is no command's doing (one may go on in the background); what of it
    are instructions to later chats is recorded."""
    touched = sorted({touched.path for touched in result.touched})
    _record_instructions(session, [path for path in touched if is_instruction(path)], call_id)
    if session.guarded is not None and session.files is not None and result.touched:
        session.guarded = restamped(session.guarded, session.files.root, touched)


def _record_instructions(session: Session, paths: Sequence[str], call_id: str = "") -> None:
    """Their contents as the agent left them, so that a chat that reads them can say whose they are."""
    contents = ((path, lane_bytes(session.files, path)) for path in paths if session.files is not None)
    files = tuple(
        ChangedInstruction(path=path, sha256=hashlib.sha256(content).hexdigest())
        for path, content in contents
        if content is not None
    )
    if files:
        session.append(InstructionFilesChanged(files=files, call_id=call_id))


def what_to_tell(result: ToolResult) -> tuple[str, ...]:
    """What a person should know of the files that a call changed by itself: one sentence for each."""
    paths = sorted({touched.path for touched in result.touched})
    return tuple(f"{path} was changed: {why_told(path)}." for path in paths if why_told(path))
