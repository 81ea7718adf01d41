"""What the loop adds to a shell command that a person is asked about: `python -m tests.bench.bench_loop [CALLS]`.

A real engine with its store and gate, a model service that answers at once, a person who says yes at once. Measured
from the stored answer of the model to the stored result of its call (gate, card, consent, second judgement, durable
events, the process), against the same command as a bare asyncio subprocess.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

from desktop.agent.engine import Engine
from desktop.agent.options import EngineOptions
from desktop.domain.commands import AnswerInput, NewSession, OpenProject
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.update import Update
from desktop.domain.events import AssistantMessage, Envelope, InputRequested, ToolCallFinished, TurnEnded
from desktop.domain.gate.pending import Answer, ApprovalRequest
from tests.agent.rig import folders_below, make_repository, write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

CALLS = 60
WARM_UP = 5


class Measured:
    """Says yes to every request, and when each call's answer and result were stored."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()
        self.answered: list[float] = []
        self.finished: list[float] = []
        self.engine: Engine | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def take(self, update: Update) -> None:
        """One update of the engine."""
        if not isinstance(update, Envelope):
            return
        event = update.event
        if isinstance(event, AssistantMessage) and event.stop_reason == "tool_use":
            self.answered.append(time.perf_counter())
        elif isinstance(event, ToolCallFinished):
            self.finished.append(time.perf_counter())
        elif isinstance(event, TurnEnded):
            self.ended.set()
        elif isinstance(event, InputRequested) and isinstance(event.request, ApprovalRequest):
            self._tasks.add(asyncio.create_task(self._say_yes(update.session_id, event.input_id, event.request.digest)))

    async def _say_yes(self, session_id: str, input_id: str, digest: str) -> None:
        yes = AnswerInput(session_id=session_id, input_id=input_id, answer=Answer(outcome="allow_once"), digest=digest)
        if self.engine is not None:
            await self.engine.handle(yes)


async def main() -> None:
    """Measure and print."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else CALLS
    with tempfile.TemporaryDirectory() as folder, FakeModelApi() as api:
        folders = folders_below(Path(folder) / "home")
        write_settings(folders, api.url)
        api.script(*(tool_turn("bash", command=command(number)) for number in range(calls)), text_turn("Done."))
        measured = Measured()
        measured.engine = Engine(folders, measured.take, EngineOptions())
        await measured.engine.start()
        await measured.engine.handle(OpenProject(path=str(make_repository(Path(folder) / "shop"))))
        cpu = time.process_time()
        await measured.engine.handle(NewSession(session_id=new_session_id(), text="Measure it"))
        await measured.ended.wait()
        cpu = time.process_time() - cpu
        await measured.engine.stop()
        bare = [await bare_call(number, Path(folder)) for number in range(calls)]
    pairs = zip(measured.answered, measured.finished, strict=True)
    through = [(after - before) * 1000 for before, after in pairs][WARM_UP:]
    show("call through the loop", through)
    show("bare asyncio subprocess", bare[WARM_UP:])
    added = statistics.median(through) - statistics.median(bare)
    print(f"added: {added:.1f} ms a call, ratio {statistics.median(through) / statistics.median(bare):.1f}")
    print(f"processor time of the whole turn, model service included: {cpu * 1000 / calls:.1f} ms a call")


def command(number: int) -> str:
    """A command that is no plain read, so that it is asked about."""
    return f"echo {number} > number.txt"


async def bare_call(number: int, folder: Path) -> float:
    """Milliseconds of the command alone."""
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        "bash", "--noprofile", "--norc", "-c", command(number),
        cwd=folder, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    await process.communicate()
    return (time.perf_counter() - began) * 1000


def show(name: str, times: list[float]) -> None:
    """One line of figures."""
    p95 = statistics.quantiles(times, n=20)[18]
    print(f"{name}: median {statistics.median(times):.1f} ms, p95 {p95:.1f} ms, min {min(times):.1f} ms")


if __name__ == "__main__":
    asyncio.run(main())
