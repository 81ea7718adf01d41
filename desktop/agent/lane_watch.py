"""Looking over a lane around each command: what appeared in it that a person should know of becomes a notice."""

import asyncio

from desktop.agent.prepared import Prepared
from desktop.agent.session import Session
from desktop.domain.events import Notice
from desktop.domain.permissions import Category
from desktop.services.lane_scan import scan_lane


def can_plant(prepared: Prepared) -> bool:
    """Whether the call runs a command that was not shown to only read."""
    if prepared.tool is None or prepared.facts is None:
        return False
    return prepared.tool.category is Category.BASH and not prepared.facts.assessment.proven_read


async def look_before(session: Session) -> None:
    """Remember what is odd in the lane already, once per opened chat."""
    if session.scan is None and session.files is not None:
        session.scan = await asyncio.to_thread(scan_lane, session.files)


async def look_after(session: Session) -> None:
    """Record a notice for each link out of the lane, foreign-rights file, pipe or device that was not there before."""
    if session.scan is None or session.files is None:
        return
    found = await asyncio.to_thread(scan_lane, session.files)
    for entry in found.new_since(session.scan):
        text = f"A command left {entry.what} in the lane: {entry.path}"
        session.append(Notice(kind="lane_oddity", level="warning", text=text))
    session.scan = found
