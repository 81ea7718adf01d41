"""What the request of turn 1,000 costs beside that of turn 30: `python -m tests.bench.bench_request [TURNS]`.

A real session with its store; each turn is a prompt, an answer with a call, its result of 2,000 characters and an
answer: 1,000 turns are 2,000 steps. Measured from the appended prompt to the bytes of the body, in processor time of
the thread, as the median over the turns around turn 30 and of the last ones; apart from it the first request after the
chat was opened anew, as the longest piece of work on the loop.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Coroutine, Generator
from pathlib import Path
from typing import Any

from desktop.agent.core.session import Session
from desktop.agent.engine import Engine
from desktop.agent.options import EngineOptions
from desktop.agent.providers.request import RequestBuilder
from desktop.config.settings import DEMO_ENDPOINT
from desktop.domain.commands import NewSession, OpenProject
from desktop.domain.core.ids import new_session_id
from desktop.domain.events import AssistantMessage, ToolCallFinished, ToolCallStarted, UserMessage
from desktop.providers.wire import request_body
from desktop.tools.offers import Person, WorkingLane
from desktop.tools.pull_calls import ChatPulls
from desktop.tools.registry import builtin_tools
from desktop.tools.tool import MakeLane, Rebase, Report
from tests.agent.rig import folders_below, make_repository, write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn

TURNS = 1_000
EARLY = 30
WINDOW = 21
OFFERED = (WorkingLane, MakeLane, Rebase, Report, ChatPulls, Person)
RESULT = "a line of output of some length\n" * 62


def add_turn(session: Session, number: int) -> None:
    """What one turn leaves in the log, but for its prompt."""
    call = {"type": "tool_use", "id": f"call_{number}", "name": "bash", "input": {"command": f"run {number}"}}
    text: dict[str, Any] = {"type": "text", "text": "I will look at it. " * 10}
    session.append_many(
        [
            AssistantMessage(parts=(text, call)),
            ToolCallStarted(call_id=f"call_{number}", tool="bash", input=call["input"]),
            ToolCallFinished(call_id=f"call_{number}", outcome="ok", content=RESULT),
            AssistantMessage(parts=({"type": "text", "text": "Done as you said. " * 20},)),
        ]
    )


async def measure(session: Session, engine: Engine, turns: int) -> list[float]:
    """Seconds per turn for the request."""
    builder = RequestBuilder(engine._store.blobs, interactive=True)
    made: list[float] = []
    for number in range(turns):
        session.append(UserMessage(parts=({"type": "text", "text": "Please go on. " * 10},)))
        began = time.thread_time()
        await _body(builder, session)
        made.append(time.thread_time() - began)
        add_turn(session, number)
    return made


async def _body(builder: RequestBuilder, session: Session) -> bytes:
    await builder.begin(session)
    tools = builtin_tools().offered(session.state.mode, OFFERED)
    return request_body((await builder.build(session, tools, DEMO_ENDPOINT)).model_copy(update={"cache": True}))


async def opened_anew(session: Session, engine: Engine) -> float:
    """The longest that the loop itself worked in one go while a chat that was opened anew made its first request; its
    rows are read before, by the command that asks."""
    session.rest()
    session.append(UserMessage(parts=({"type": "text", "text": "Please go on."},)))
    assert session.log
    pieces = Pieces(_body(RequestBuilder(engine._store.blobs, interactive=True), session))
    await pieces
    return pieces.longest


class Pieces:
    """Runs a coroutine and knows its longest piece between two waits, in processor time of the thread."""

    def __init__(self, work: Coroutine[Any, Any, object]) -> None:
        self._work = work
        self.longest = 0.0

    def __await__(self) -> Generator[Any, Any, None]:
        waiting = self._work.__await__()
        while True:
            began = time.thread_time()
            try:
                awaited = next(waiting)
            except StopIteration:
                return
            finally:
                self.longest = max(self.longest, time.thread_time() - began)
            yield awaited


async def main() -> None:
    """Measure and print."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else TURNS
    with tempfile.TemporaryDirectory() as folder, FakeModelApi() as api:
        folders = folders_below(Path(folder) / "home")
        write_settings(folders, api.url)
        api.script(text_turn("Done."))
        engine = Engine(folders, lambda update: None, EngineOptions())
        await engine.start()
        await engine.handle(OpenProject(path=str(make_repository(Path(folder) / "shop"))))
        session_id = new_session_id()
        await engine.handle(NewSession(session_id=session_id, text="Measure it"))
        session = engine.sessions.get(session_id)
        if session.task is not None:
            await session.task
        made = await measure(session, engine, turns)
        stall = await opened_anew(session, engine)
        await engine.stop()
    half = WINDOW // 2
    early, late = statistics.median(made[EARLY - half - 1 : EARLY + half]), statistics.median(made[-WINDOW:])
    ratio = late / early
    print(f"request: turn {EARLY} {early * 1000:.2f} ms, turn {turns} {late * 1000:.2f} ms, ratio {ratio:.2f}")
    print(f"opened anew: longest piece of work on the loop {stall * 1000:.1f} ms")


if __name__ == "__main__":
    asyncio.run(main())
