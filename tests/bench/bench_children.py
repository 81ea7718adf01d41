"""Sub-agents in a real engine: `python -m tests.bench.bench_children`.

Fifty are begun one after the other in the background by an engine whose model service answers at once: the time from
the wish to the start of the turn on record, which is all that stands in front of the first request. Then memory: fifty
children that are open, each with 64 events and results of 2.4 KB, and what is left of them when they are let go.
"""

import asyncio
import gc
import statistics
import tempfile
import time
import tracemalloc
from pathlib import Path

from desktop.agent.core.session import Session
from desktop.domain.children.events import ChildEnded
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.events import AssistantMessage, Event, ToolCallDecided, ToolCallFinished, ToolCallStarted
from desktop.tools.offers import WantedChild
from tests.agent.children.child_script import Cast
from tests.agent.rig import Rig, folders_below, make_repository, write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn

CHILDREN = 50
RESULT = "x" * 2_400


def held_mib() -> float:
    """What Python holds, after what nobody needs is gone."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0] / 1024**2


def wanted(number: int) -> WantedChild:
    """The n-th child."""
    return WantedChild(description=f"part {number}", prompt=f"Child {number}", agent="explorer", background=True)


def work(number: int) -> list[Event]:
    """One call with a result, of four events."""
    call_id = f"call_{number}"
    use = {"type": "tool_use", "id": call_id, "name": "read_file", "input": {"file_path": "app.py"}}
    decided = ToolCallDecided(
        call_id=call_id, name_called="read_file", verdict=Verdict.ALLOW, rule="mode", mode=PermissionMode.PLAN
    )
    started = ToolCallStarted(call_id=call_id, tool="read_file")
    return [
        AssistantMessage(parts=(use,)),
        decided,
        started,
        ToolCallFinished(call_id=call_id, outcome="ok", content=RESULT),
    ]


async def begun(rig: Rig, session: Session) -> list[tuple[float, float]]:
    """Milliseconds from the wish to the start of the turn, for each child: by the clock, and of the engine's thread."""
    runs, times = rig.engine.parts.chats.children.runs, []
    for number in range(CHILDREN):
        before, used = time.perf_counter(), time.thread_time()
        run = await runs.begin(session, f"call_{number}", wanted(number))
        while run.child is None or run.child.state.turn is None:
            await asyncio.sleep(0)
        times.append(((time.perf_counter() - before) * 1000, (time.thread_time() - used) * 1000))
        assert run.task is not None
        await run.task
    return times


async def measure(folder: Path, api: FakeModelApi) -> None:
    """Measure and print."""
    folders = folders_below(folder / "home")
    write_settings(folders, api.url)
    answers = [text_turn("seen") for _ in range(CHILDREN)]
    api.answer_with(Cast(Parent=[text_turn("ready")], Child=answers))
    rig = await Rig(folders).open(make_repository(folder / "shop"))
    session_id = await rig.new("Parent: begin")
    await rig.ended()
    session = rig.engine.sessions.get(session_id)
    times = await begun(rig, session)
    clock, thread = (sorted(one) for one in zip(*times[1:], strict=True))
    print(f"begin a child: median {statistics.median(clock):.1f} ms, least {clock[0]:.1f} ms by the clock")
    print(f"of the engine's thread: median {statistics.median(thread):.1f} ms, most {thread[-1]:.1f} ms")
    rig.updates.clear()
    tracemalloc.start()
    sessions = rig.engine.sessions
    ids = [event.child_id for event in (one.event for one in session.log) if isinstance(event, ChildEnded)]
    nothing = held_mib()
    children = [sessions.get(child_id) for child_id in ids]
    for child in children:
        for number in range(16):
            child.append_many(work(number), lazy=True)
        child.history.messages()
    rig.updates.clear()
    print(f"{CHILDREN} open children: {held_mib() - nothing:.1f} MiB")
    for child in children:
        child.rest()
    rig.updates.clear()
    print(f"{CHILDREN} idle children: {held_mib() - nothing:.1f} MiB")
    del child, children
    for child_id in ids:
        await sessions.drop(child_id)
    print(f"{CHILDREN} ended children: {held_mib() - nothing:.1f} MiB")
    await rig.engine.stop()


def main() -> None:
    """With a model service and a repository of their own."""
    with tempfile.TemporaryDirectory() as folder, FakeModelApi() as api:
        asyncio.run(measure(Path(folder), api))


if __name__ == "__main__":
    main()
