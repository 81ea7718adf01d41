"""read_aside(): the conversation of a long chat that was opened, read away from the loop."""

import asyncio
import contextlib

from desktop.agent.core.logs_ahead import LONG_LOG
from desktop.agent.core.named_ids import MANY_EVENTS
from desktop.agent.core.session import Session
from desktop.collecting import uncollected
from desktop.domain.history.builder import HistoryBuilder


async def read_aside(session: Session) -> None:
    """Read what was said in a chat on a worker thread, if that is much and was not done. What is appended meanwhile is
    not lost.

    Raises:
        CorruptLog: as the builder of its history does.
    """
    await session.look_aside()
    if session.history.ready or len(session.log) <= MANY_EVENTS:
        return
    log = list(session.log)
    history = HistoryBuilder(session.session_id, log)
    with uncollected() if len(log) > LONG_LOG else contextlib.nullcontext():
        await asyncio.to_thread(history.rendered)
    for envelope in session.log[len(log) :]:
        history.add(envelope)
    session.history.take_over(history)
