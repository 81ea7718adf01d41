"""What a server costs beside its own work: `python -m tests.bench.bench_mcp`.

The scripted server runs in the real sandbox. A call is measured over the connection, with its limit and the lock of
its server, without judge and record. Of the long results one just fits and one is refused.
"""

import asyncio
import json
import resource
import statistics
import tempfile
import time
from pathlib import Path

from desktop.agent.mcp.live import LiveServer
from desktop.domain.mcp.values import McpPin, McpPinnedTool, McpTool
from desktop.policy.mcp.pins import standings
from desktop.services.mcp.link import McpError, McpTransport
from desktop.services.peers.ring import LogRing
from tests.mcp_ground import Ground

CALLS = 300
TOOLS = 500
LONG = 8 * 1024 * 1024


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        asyncio.run(_servers(Path(name)))
    _pins()


async def _servers(folder: Path) -> None:
    ground = Ground(folder)
    try:
        began = time.perf_counter()
        link = await ground.link()
        print(f"first start, SDK imported and sandbox tried: {_ms(began):.0f} ms")
        server = ground.server()

        async def connect(log: LogRing) -> McpTransport:
            return ground.transport(server)

        live = LiveServer(server, connect, lambda _: None, ground.log)
        began = time.perf_counter()
        await live.link()
        print(f"another start until its tools are listed: {_ms(began):.0f} ms")
        sha256 = {tool.name: tool.sha256 for tool in live.tools or ()}["echo"]
        raw, whole = list[float](), list[float]()
        for _ in range(CALLS):
            began = time.perf_counter()
            await link.session.call_tool("echo", {"text": "hello"})
            raw.append(_ms(began))
            began = time.perf_counter()
            await live.call("echo", sha256, {"text": "hello"})
            whole.append(_ms(began))
        print(f"a call through the SDK alone: {statistics.median(raw):.2f} ms, as chats make it: {_median(whole)} ms")
        for size, word in ((LONG - 1000, "that just fits"), (30 * 1024 * 1024, "of 30 MiB, refused")):
            link = await ground.link()
            before, began = _peak(), time.perf_counter()
            try:
                await link.call("big", {"text": str(size)}, 60)
            except McpError as error:
                word = f"{word} ({error})"
            print(f"a result {word}: {_ms(began):.0f} ms, {_peak() - before:.0f} MB more at the peak")
        began = time.perf_counter()
        await live.close()
        print(f"its end: {_ms(began):.0f} ms")
    finally:
        await ground.close()


def _pins() -> None:
    schema = {
        "type": "object",
        "properties": {f"field{n}": {"type": "string", "description": "x" * 40} for n in range(8)},
    }
    tools = [McpTool(name=f"tool{n}", description="It does. " * 20, input_schema=schema) for n in range(TOOLS)]
    pin = McpPin(server="many", sha256="", tools=tuple(McpPinnedTool(tool=one, sha256=one.sha256) for one in tools))
    tools = [McpTool.model_validate(one.model_dump()) for one in tools]
    began, at = time.perf_counter(), time.thread_time()
    found = standings("many", tools, pin, ())
    took, worked = _ms(began), (time.thread_time() - at) * 1000
    assert all(one.state == "on" for one in found)
    size = len(json.dumps([one.model_dump(mode="json") for one in tools])) // 1024
    print(f"{TOOLS} tools ({size} KiB) compared with their pins: {took:.0f} ms, {worked:.0f} of the processor")


def _ms(began: float) -> float:
    return (time.perf_counter() - began) * 1000


def _median(times: list[float]) -> str:
    return f"{statistics.median(times):.2f} (p95 {sorted(times)[int(len(times) * 0.95)]:.2f})"


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
