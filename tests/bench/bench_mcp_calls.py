"""What calls to MCP servers cost: `python -m tests.bench.bench_mcp_calls`.

A call through the gate over the same call on the raw connection; 500 tools compared with what was accepted of them and
searched; an answer of 8 MiB as it is read and cut. Times in ms: the median and the worst of the runs, and of the
processor alone, which counts on a machine that does other things too.
"""

import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from desktop.agent.mcp.results import call_result
from desktop.domain.core.ids import new_id
from desktop.domain.mcp.commands import SetMcpToolPolicy, TestMcpServer
from desktop.domain.mcp.values import McpPin, McpPinnedTool, McpTool
from desktop.policy.mcp.pins import standings
from desktop.policy.mcp.schemas import told
from desktop.policy.mcp.search import Searched, ToolIndex
from desktop.services.mcp.results import read_answer
from desktop.store.database import open_store
from tests.agent.mcp_rig import accept, configure, fake_server, stands
from tests.agent.rig import Rig, folders_below, make_repository, write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn

RUNS, TOOLS = 200, 500
SCHEMA = {
    "type": "object",
    "properties": {f"field_{n}": {"type": "string", "description": "What it is for, in some words."} for n in range(6)},
    "required": ["field_0"],
}


def told_of(name: str, took: list[float]) -> None:
    """One line of figures."""
    print(f"{name}: {statistics.median(took):.2f} ms, at most {max(took):.2f}")


def timed(name: str, work: Callable[[], object], runs: int = 40) -> None:
    """Run it and say how long it took."""
    took, worked = [], []
    for _ in range(runs):
        begun, at = time.perf_counter(), time.thread_time()
        work()
        took.append((time.perf_counter() - begun) * 1000)
        worked.append((time.thread_time() - at) * 1000)
    told_of(name, took)
    told_of(f"{name}, of the processor", worked)


async def awaited(name: str, work: Callable[[], Awaitable[object]], runs: int = RUNS) -> None:
    """The same for what is waited for."""
    took, worked = [], []
    for _ in range(runs):
        begun, at = time.perf_counter(), time.thread_time()
        await work()
        took.append((time.perf_counter() - begun) * 1000)
        worked.append((time.thread_time() - at) * 1000)
    told_of(name, took)
    told_of(f"{name}, of the processor", worked)


async def calls(home: Path, others: int) -> None:
    """Calls of a chat and on the raw connection, with so many other tools accepted."""
    folders = folders_below(home)
    tools = [{"name": f"tool_{n}", "description": f"Does {n}.", "inputSchema": SCHEMA} for n in range(others)]
    echo = {"name": "echo", "description": "Echoes.", "inputSchema": {"type": "object", "properties": {"text": {}}}}
    kept = folders.data / "mcp" / "homes" / "fake"
    kept.mkdir(parents=True)
    (kept / "tools").write_text(json.dumps([echo, *tools]), encoding="utf-8")
    with FakeModelApi() as api:
        write_settings(folders, api.url)
        configure(folders, fake_server(f"tools={kept / 'tools'}"))
        rig = await Rig(folders).open(make_repository(home / "shop"))
        await rig.engine.handle(TestMcpServer(server_id="fake"))
        await stands(rig, "waiting")
        row = await accept(rig)
        sha256 = next(one.sha256 for one in row.tools if one.tool.name == "echo")
        policy = SetMcpToolPolicy(server_id="fake", tool="echo", sha256=sha256, policy="allow", always=True)
        await rig.engine.handle(policy)
        api.script(text_turn("Hi."))
        session_id = await rig.new("hello")
        await rig.ended()
        themes = rig.engine.parts
        session, caller = themes.sessions.get(session_id), themes.chats.gate.caller
        await caller._judge.ready()
        tool = next(one for one in caller._judge.offered(session) if one.name == "mcp__fake__echo")
        live = tool.run.__self__.chat.live

        async def judged() -> None:
            prepared = await caller.prepare(session, new_id("c_"), "mcp__fake__echo", {"text": "hello"})
            outcome = await caller.carry_out(session, prepared)
            assert outcome.outcome == "ok", outcome

        await awaited(f"raw call, {others + 1} tools", lambda: live.call("echo", sha256, {"text": "hello"}))
        await awaited(f"call through the gate, {others + 1} tools", judged)
        await rig.engine.stop()


def many_tools() -> None:
    """500 tools compared and searched."""
    tools = tuple(
        McpTool(name=f"tool_{n}", description=f"Changes thing {n} of the project.", input_schema=SCHEMA)
        for n in range(TOOLS)
    )
    pinned = tuple(McpPinnedTool(tool=tool, sha256=tool.sha256) for tool in tools)
    pin = McpPin(server="s", sha256="0" * 64, tools=pinned)
    timed(f"{TOOLS} pins compared", lambda: standings("s", tools, pin, ("bash",)))
    timed(f"{TOOLS} tools as models are told", lambda: [told(one.description, one.input_schema) for one in tools])
    index = ToolIndex(Searched(one.name, one.description, tuple(SCHEMA["properties"])) for one in tools)
    timed(f"search over {TOOLS} tools", lambda: index.find("change thing 17 of the project field"))


def large_answer(home: Path) -> None:
    """8 MiB of text, and of a picture."""
    store = open_store(home / "store")
    blobs = store.blobs
    text: dict[str, Any] = {"content": [{"type": "text", "text": "line of text\n" * (8 * 1024 * 1024 // 13)}]}
    timed("8 MiB of text cut", lambda: call_result("s", read_answer(text), None, blobs), runs=10)
    audio: dict[str, Any] = {
        "content": [{"type": "audio", "data": "AAAA" * (2 * 1024 * 1024), "mimeType": "audio/wav"}]
    }
    timed("8 MiB of a sound kept", lambda: call_result("s", read_answer(audio), None, blobs), runs=10)
    store.close()


async def main() -> None:
    """All figures."""
    many_tools()
    with tempfile.TemporaryDirectory() as place:
        large_answer(Path(place))
        await calls(Path(place) / "few", 0)
        await calls(Path(place) / "many", TOOLS - 1)


if __name__ == "__main__":
    asyncio.run(main())
