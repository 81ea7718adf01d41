"""Looking over a lane around each command: what appeared in it that a person should know of becomes a notice."""

import asyncio
from pathlib import Path

from desktop.agent.prepared import Prepared
from desktop.agent.session import Session
from desktop.domain.events import Notice
from desktop.domain.permissions import Category
from desktop.services.lane_scan import scan_lane
from desktop.services.planted import Guarded, guarded_places, put_right


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
    if session.scan is None:
        session.scan = await asyncio.to_thread(scan_lane, session.files)
    if session.guarded is not None:
        await _put_right(session, session.files.root, session.guarded)
    session.guarded = await asyncio.to_thread(guarded_places, session.files.root)


async def look_after(session: Session) -> None:
    """Record a notice for each link out of the lane, foreign-rights file, pipe or device that was not there before, and
    for what was planted in a protected place, which is put back or moved out of the lane (gate-B3, P10)."""
    if session.scan is None or session.files is None:
        return
    if session.guarded is not None:
        await _put_right(session, session.files.root, session.guarded)
    goes_on = session.processes is not None and any(shell.running for shell in session.processes.shells())
    session.guarded = await asyncio.to_thread(guarded_places, session.files.root) if goes_on else None
    found = await asyncio.to_thread(scan_lane, session.files)
    for entry in found.new_since(session.scan):
        text = f"A command left {entry.what} in the lane: {entry.path}"
        session.append(Notice(kind="lane_oddity", level="warning", text=text))
    session.scan = found


async def _put_right(session: Session, root: Path, before: Guarded) -> None:
    if session.aside is None:
        return
    for told in await asyncio.to_thread(put_right, root, before, session.aside):
        session.append(Notice(kind="lane_planted", level="warning", text=told))
