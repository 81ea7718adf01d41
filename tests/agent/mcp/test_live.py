"""One server while it is used: calls one after the other, changes of its tools, crashes, hangs and rest."""

import asyncio
import json
import time
from typing import Any

import psutil
import pytest

from desktop.agent.mcp.live import MISSED, Pace, ToolChanged
from desktop.domain.core.errors import BanksmanError
from desktop.services.mcp.link import McpError
from tests.agent.mcp.lives import Lives, call
from tests.mcp_ground import FAKE, until

pytestmark = pytest.mark.asyncio


@pytest.mark.promise("guests-M6")
async def test_a_server_starts_at_its_first_use_and_once(lives: Lives) -> None:
    live = lives.live()
    assert (live.state, live.tried) == ("off", False)
    assert await asyncio.gather(call(live, "echo", 1), call(live, "echo", 2)) == ["1", "2"]
    assert lives.starts == 1
    assert lives.states == ["starting", "ready"]
    assert live.name == "fake 1.0"
    assert live.ready_ms > 0


@pytest.mark.parametrize(("parallel", "together"), [(False, 1), (True, 2)])
@pytest.mark.promise("guests-M22")
async def test_calls_of_one_server_follow_one_another_unless_it_takes_several(
    lives: Lives, parallel: bool, together: int
) -> None:
    calls = lives.home / "calls"
    live = lives.live(f"calls={calls}", parallel=parallel)
    await live.link()
    first, second = (asyncio.create_task(call(live, "slow", 5)) for _ in range(2))
    await until(lambda: calls.exists() and calls.read_text().count("slow") >= 1)
    if together == 2:
        await until(lambda: calls.read_text().count("slow") == 2)
        assert not first.done()
    await first
    await second
    assert calls.read_text().count("slow") == 2


@pytest.mark.promise("guests-M2")
async def test_one_server_that_hangs_holds_up_no_other(lives: Lives) -> None:
    hung, other = lives.live(time_limit_s=1), lives.live()
    waiting = asyncio.create_task(call(hung, "silent"))
    assert await call(other, "echo", "on") == "on"
    with pytest.raises(McpError, match="within 1 seconds"):
        await waiting
    assert await call(hung, "echo", "still") == "still"


@pytest.mark.promise("guests-M11")
async def test_a_tool_that_changed_is_not_called(lives: Lives) -> None:
    tools, calls, notify = (lives.lane / name for name in ("tools", "calls", "notify"))
    schema: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    tool = {"name": "echo", "description": "Say it.", "inputSchema": schema}
    tools.write_text(json.dumps([tool]))
    live = lives.live(
        f"tools={tools}", f"calls={calls}", f"notify={notify}", pace=Pace(gather=0.1), folder="write", share="lane"
    )
    await live.link()
    assert live.tools is not None
    accepted = live.tools[0].sha256

    turned = {
        **tool,
        "inputSchema": {"properties": {"b": {"type": "string"}, "a": {"type": "string"}}, "type": "object"},
    }
    tools.write_text(json.dumps([turned]))
    notify.write_text("x\n")
    seen = live.tools
    await until(lambda: live.tools is not seen)
    assert live.tools[0].sha256 == accepted, "the order of keys is no change"

    tools.write_text(json.dumps([{**tool, "description": "Say it twice."}]))
    seen = live.tools
    notify.write_text("x\nx\n")
    await until(lambda: live.tools is not seen)
    with pytest.raises(ToolChanged):
        await live.call("echo", accepted, {"text": "x"})

    tools.write_text(json.dumps([tool, {**tool}]))
    seen = live.tools
    notify.write_text("x\nx\nx\n")
    await until(lambda: live.tools is not seen)
    with pytest.raises(ToolChanged):
        await live.call("echo", accepted, {"text": "x"})
    assert not calls.exists(), "nothing was sent"


@pytest.mark.promise("guests-M11")
async def test_a_server_that_tells_of_no_changes_is_asked_for_its_list_while_it_is_used(lives: Lives) -> None:
    tools = lives.lane / "tools"
    tool = {"name": "echo", "description": "Say it.", "inputSchema": {"type": "object"}}
    tools.write_text(json.dumps([tool]))
    live = lives.live(f"tools={tools}", "untold", pace=Pace(gather=0.05, ping_every=0.1))
    await live.link()
    assert live.tools is not None
    accepted, told = live.tools[0].sha256, len(lives.states)
    await live.call("echo", accepted, {})
    assert len(lives.states) == told, "nobody is told of a list that is the same"
    tools.write_text(json.dumps([{**tool, "description": "Say it to the author."}]))
    await until(lambda: live.tools is not None and live.tools[0].sha256 != accepted)
    with pytest.raises(ToolChanged):
        await live.call("echo", accepted, {})


async def test_a_server_is_waited_for_as_long_as_is_promised() -> None:
    usual = Pace()
    assert (usual.idle, usual.ping_every, usual.pauses, usual.gather) == (900, 60, (1, 5, 25), 2)
    assert MISSED == 2


async def test_a_burst_of_changes_is_read_once(lives: Lives) -> None:
    notify = lives.lane / "notify"
    live = lives.live(f"notify={notify}", pace=Pace(gather=0.5))
    await live.link()
    before = len(lives.states)
    notify.write_text("x\n" * 5)
    await until(lambda: len(lives.states) > before)
    await asyncio.sleep(0.3)
    assert len(lives.states) == before + 1


@pytest.mark.promise("guests-M6")
async def test_a_server_that_crashes_is_started_again_and_then_stays_down(lives: Lives) -> None:
    live = lives.live(pace=Pace(pauses=(0.05, 0.05)))
    for start in (1, 2):
        with pytest.raises(McpError, match="it crashed"):
            await call(live, "crash")
        await until(lambda start=start: lives.starts == start + 1 and live.state == "ready")
    with pytest.raises(McpError, match="it crashed"):
        await call(live, "crash")
    await until(lambda: live.is_down)
    assert "it crashed" in live.why
    with pytest.raises(McpError, match="It can be started in Settings, MCP"):
        await live.link()
    assert lives.starts == 3
    await live.restart()
    assert await call(live, "echo", "again") == "again"


async def test_a_call_that_went_well_gives_a_server_its_tries_anew(lives: Lives) -> None:
    live = lives.live(pace=Pace(pauses=(0.05,)))
    for start in (1, 2, 3):
        with pytest.raises(McpError):
            await call(live, "crash")
        await until(lambda start=start: lives.starts == start + 1 and live.state == "ready")
        assert await call(live, "echo", "well") == "well"


async def test_a_server_that_closes_its_output_and_lives_on_is_started_again(lives: Lives) -> None:
    live = lives.live(pace=Pace(ping_limit=0.2, pauses=(0.05,)), time_limit_s=1)
    with pytest.raises(McpError):
        await call(live, "mute")
    await until(lambda: lives.starts == 2 and live.state == "ready")
    assert await call(live, "echo", "again") == "again"


async def test_a_server_that_answers_no_ping_is_started_again(lives: Lives) -> None:
    live = lives.live(pace=Pace(ping_every=0.2, ping_limit=0.2, pauses=(0.05,)))
    waiting = asyncio.create_task(call(live, "mute"))
    await until(lambda: lives.starts == 2)
    with pytest.raises(McpError):
        await waiting


@pytest.mark.promise("guests-M6")
async def test_a_server_that_nobody_uses_is_ended_and_comes_back_when_it_is_used(lives: Lives) -> None:
    live = lives.live(pace=Pace(idle=0.1, ping_every=0.05))
    assert await call(live, "echo", "one") == "one"
    await until(lambda: live.state == "off")
    assert live.tools is not None, "what it lists is still known"
    assert await call(live, "echo", "two") == "two"
    assert lives.starts == 2


async def test_a_server_that_cannot_start_says_why_and_is_tried_at_the_next_use(lives: Lives) -> None:
    live = lives.live("dead")
    for _ in range(2):
        with pytest.raises(BanksmanError, match="it cannot start here"):
            await live.link()
    assert live.state == "failed"
    assert "it cannot start here" in live.why
    assert lives.starts == 2


async def test_progress_comes_at_most_four_times_a_second_and_its_end_always(lives: Lives) -> None:
    live, told = lives.live(), list[float]()
    await live.link()
    (known,) = [one for one in live.tools or () if one.name == "progress"]
    began = time.monotonic()
    await live.call("progress", known.sha256, {}, lambda done, total, text: told.append(done))
    assert told[-1] == 4.0
    assert len(told) <= 2 + (time.monotonic() - began) / 0.25


async def test_closing_ends_a_start_that_is_under_way(lives: Lives) -> None:
    live = lives.live()
    starting = asyncio.create_task(live.link())
    await until(lambda: live.state == "starting")
    await live.close()
    with pytest.raises((asyncio.CancelledError, BanksmanError)):
        await starting
    with pytest.raises(McpError):
        await live.link()


async def test_closing_while_it_is_started_again_leaves_nothing(lives: Lives) -> None:
    live = lives.live(pace=Pace(pauses=(0.01, 0.01, 0.01)))
    crashing = asyncio.create_task(call(live, "crash"))
    await until(lambda: "failed" in lives.states)
    await live.close()
    with pytest.raises((McpError, asyncio.CancelledError)):
        await crashing
    started = lives.starts
    await asyncio.sleep(0.1)
    assert lives.starts == started
    mine = [one for one in psutil.Process().children(recursive=True) if FAKE.name in " ".join(one.cmdline())]
    assert not mine
