"""read_aside(): the conversation of a long chat that was opened, read away from the loop."""

import asyncio
import contextlib

from desktop.agent.core.logs_ahead import LONG_LOG
from desktop.agent.core.session import Session
from desktop.agent.core.uncollected import uncollected
from desktop.domain.events import Envelope
from desktop.domain.history.builder import HistoryBuilder

MANY_EVENTS = 200
"""Reading and rendering so many takes some 5 ms; those of 2,000 steps take over 100."""


async def read_aside(session: Session) -> None:
    """Read what was said in a chat on a worker thread, if that is much and was not done. What is appended meanwhile is
    not lost.

    Raises:
        CorruptLog: as the builder of its history does.
    """
    if session.history.ready or len(session.log) <= MANY_EVENTS:
        return
    log = list(session.log)
    history = HistoryBuilder(session.session_id)
    with uncollected() if len(log) > LONG_LOG else contextlib.nullcontext():
        await asyncio.to_thread(_read, history, log)
    for envelope in session.log[len(log) :]:
        history.add(envelope)
    session.history.take_over(history)


def _read(history: HistoryBuilder, log: list[Envelope]) -> None:
    for envelope in log:
        history.add(envelope)
    history.rendered()
