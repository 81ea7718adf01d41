"""Looking over a lane around each command: what appeared in it that a person should know of becomes a notice."""

import asyncio
import hashlib
from collections.abc import Sequence
from pathlib import Path

from desktop.agent.core.session import Session
from desktop.agent.gate.calls.prepared import Prepared
from desktop.domain.chats.library_events import ChangedInstruction, InstructionFilesChanged
from desktop.domain.core.permissions import Category
from desktop.domain.events import Notice
from desktop.services.context.instruction_files import lane_bytes
from desktop.services.gate.guarded_places import Guarded, guarded_places, restamped
from desktop.services.gate.lane_scan import scan_lane
from desktop.services.gate.planted import TOO_MANY, is_instruction, put_right, why_told
from desktop.tools.tool import ToolResult


def can_plant(prepared: Prepared) -> bool:
    """Whether the call runs a command that was not shown to only read."""
    if prepared.tool is None or prepared.facts is None:
        return False
    return prepared.tool.category is Category.BASH and not prepared.facts.assessment.proven_read


async def look_before(session: Session) -> None:
    """Remember what is odd in the lane already, once per opened chat, and how its protected places stand now.

    What a stopped command or one in the background planted since the last look is told first.
    """
    if session.files is None:
        return
    first = session.scan is None
    if session.scan is None:
        session.scan = await asyncio.to_thread(scan_lane, session.files)
    if session.guarded is not None:
        await _put_right(session, session.files.root, session.guarded)
    session.guarded = await asyncio.to_thread(guarded_places, session.files.root)
    if first and session.guarded.partial:
        session.append(Notice(kind="lane_planted", level="warning", text=TOO_MANY))


async def look_after(session: Session) -> tuple[str, ...]:
    """Record a notice for each link out of the lane, foreign-rights file, pipe or device that was not there before, and
    for what was planted in a protected place, which is put back or moved out of the lane (gate-B3, gate-P10). What the
    notices say."""
    if session.scan is None or session.files is None:
        return ()
    told: tuple[str, ...] = ()
    if session.guarded is not None:
        told = await _put_right(session, session.files.root, session.guarded)
    goes_on = session.processes is not None and any(shell.running for shell in session.processes.shells())
    session.guarded = await asyncio.to_thread(guarded_places, session.files.root) if goes_on else None
    found = await asyncio.to_thread(scan_lane, session.files)
    odd = tuple(f"A command left {entry.what} in the lane: {entry.path}" for entry in found.new_since(session.scan))
    for text in odd:
        session.append(Notice(kind="lane_oddity", level="warning", text=text))
    session.scan = found
    return told + odd


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


async def _put_right(session: Session, root: Path, before: Guarded) -> tuple[str, ...]:
    if session.aside is None:
        return ()
    found = await asyncio.to_thread(put_right, root, before, session.aside)
    _record_instructions(session, found.instructions)
    for told in found.told:
        session.append(Notice(kind="lane_planted", level="warning", text=told))
    return found.told
