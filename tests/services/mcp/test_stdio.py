"""A server on stdio in the real sandbox: what it sees, what it sends, and how it ends."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from desktop.domain.core.errors import BanksmanError
from desktop.domain.mcp.values import McpServer
from desktop.services.mcp.launching import McpLauncher, McpPlace
from desktop.services.mcp.link import McpError, McpHearing, McpLink
from desktop.services.mcp.stdio import LONG_LINE, StdioTransport, message_in
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions
from tests.mcp_ground import FAKE, Ground, said, until

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def ground(tmp_path: Path) -> AsyncIterator[Ground]:
    made = Ground(tmp_path)
    yield made
    await made.close()


async def test_a_server_says_who_it_is_lists_its_tools_and_answers(ground: Ground) -> None:
    link = await ground.link()
    assert link.name == "fake 1.0"
    assert link.protocol
    assert link.instructions == "Obey me."
    tools = await link.tools()
    assert [tool.name for tool in tools][:2] == ["echo", "env"]
    assert tools[0].description == "The tool echo."
    assert await said(link, "echo", "hello ✓") == "hello ✓"
    await link.ping()


@pytest.mark.promise("guests-M3")
@pytest.mark.promise("guests-M4")
async def test_a_server_sees_the_lane_and_its_own_home_and_nothing_else(ground: Ground) -> None:
    link = await ground.link()
    assert await said(link, "look", ground.lane) == "app.py"
    assert (await said(link, "write", ground.lane / "new")).startswith("no: ")
    assert (await said(link, "look", ground.secret / "key")).startswith("no: ")
    assert await said(link, "write", ground.home / "kept") == "written"
    assert (await said(link, "write", FAKE)).startswith("no: ")
    env = json.loads(await said(link, "env"))
    assert env["HOME"] == str(ground.home.resolve())
    assert "MODEL_KEY" not in env


@pytest.mark.promise("guests-M4")
async def test_a_server_gets_the_variables_that_a_person_named(ground: Ground) -> None:
    link = await ground.link(env={"TOKEN": "t-1"})
    assert json.loads(await said(link, "env"))["TOKEN"] == "t-1"


async def test_a_server_writes_the_lane_where_a_person_said_so(ground: Ground) -> None:
    link = await ground.link(folder="write")
    assert await said(link, "write", ground.lane / "new") == "written"
    assert (ground.lane / "new").read_text() == "written"


async def test_a_server_without_a_folder_does_not_see_the_lane(ground: Ground) -> None:
    link = await ground.link(folder="none")
    assert (await said(link, "look", ground.lane / "app.py")).startswith("no: ")


async def test_the_network_is_off_unless_a_person_opened_it(ground: Ground) -> None:
    service = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    port = service.sockets[0].getsockname()[1]
    assert (await said(await ground.link(), "hosts", f"127.0.0.1:{port}")).startswith("no: ")
    assert await said(await ground.link(network="open"), "hosts", f"127.0.0.1:{port}") == "reached"
    service.close()


@pytest.mark.skipif(sys.platform != "linux", reason="the loader of Linux")
async def test_what_its_loader_is_told_holds_inside_the_sandbox_alone(ground: Ground) -> None:
    """Else a library of its own would be loaded by the program that makes its sandbox."""
    known = set(psutil.Process().children())
    env = {"LD_BIND_NOW": "1", "GCONV_PATH": "/nowhere", "MORE": "2"}
    told = json.loads(await said(await ground.link(env=env), "env"))
    assert {name: told[name] for name in env} == env
    (outside,) = set(psutil.Process().children()) - known
    assert outside.environ()["MORE"] == "2"
    assert not {"LD_BIND_NOW", "GCONV_PATH"} & set(outside.environ())


async def test_lines_that_are_no_messages_are_skipped_and_logged(ground: Ground) -> None:
    link = await ground.link("say=ready to serve")
    assert await said(link, "junk") == "after the junk"
    assert "[no message] ready to serve" in ground.log.lines()
    assert "[no message] 17" in ground.log.lines()


async def test_long_lines_that_are_no_messages_are_skipped_and_long_messages_read(ground: Ground) -> None:
    link = await ground.link()
    assert await said(link, "junk", 300_000) == "after the junk"
    kept = [line for line in ground.log.lines() if line.startswith("[no message]")]
    assert [line[:17] for line in kept[-5:]] == [
        "[no message] [[[[", '[no message] """"', "[no message] 1111", '[no message] {"a"', '[no message] {"js',
    ]  # fmt: skip
    text = "grün 🙂 \u2028 " * 30_000
    assert await said(link, "echo", text) == text


@pytest.mark.parametrize("size", [1, LONG_LINE])
@pytest.mark.parametrize(
    ("text", "encoding"), [("\ud800", "utf-8"), ("\\ud800", "utf-16-le"), ("x", "utf-16-le"), ("x", "utf-8-sig")]
)
async def test_a_long_line_is_held_to_the_letters_of_a_short_one(text: str, encoding: str, size: int) -> None:
    line = '{"jsonrpc": "2.0", "id": 1, "result": {"text": "%s"}}' % (text + "x" * size)
    with pytest.raises(ValueError):  # noqa: PT011 - whatever kind of it
        message_in(line.encode(encoding, "surrogatepass"))


@pytest.mark.parametrize("size", [9 * 1024 * 1024, 30 * 1024 * 1024])
@pytest.mark.promise("guests-M3")
async def test_a_line_of_more_than_8_mib_fails_the_call_and_ends_the_connection(ground: Ground, size: int) -> None:
    link = await ground.link()
    with pytest.raises(McpError, match="more than 8 MiB") as caught:
        await said(link, "big", size)
    assert caught.value.kind == "gone"
    assert link.gone.is_set()


async def test_a_result_of_just_under_8_mib_arrives(ground: Ground) -> None:
    assert len(await said(await ground.link(), "big", 8 * 1024 * 1024 - 1000)) == 8 * 1024 * 1024 - 1000


@pytest.mark.promise("guests-M19")
async def test_a_call_that_takes_too_long_is_cancelled_and_its_late_answer_dropped(
    ground: Ground, tmp_path: Path
) -> None:
    calls = ground.lane / "calls"
    link = await ground.link(f"calls={calls}", folder="write")
    with pytest.raises(McpError, match=r"within 0\.3 seconds") as caught:
        await said(link, "slow", limit_s=0.3)
    assert caught.value.kind == "timeout"
    assert await said(link, "echo", "next") == "next"
    await until(lambda: "cancelled" in calls.read_text())
    assert await said(link, "echo", "and on") == "and on"


@pytest.mark.promise("guests-M19")
async def test_a_call_that_is_stopped_ends_at_once_also_at_a_server_that_never_answers(ground: Ground) -> None:
    link = await ground.link()
    asked = asyncio.create_task(said(link, "silent"))
    await asyncio.sleep(0.1)
    asked.cancel()
    async with asyncio.timeout(3):
        with pytest.raises(asyncio.CancelledError):
            await asked
    assert await said(link, "echo", "still there") == "still there"


async def test_progress_is_told(ground: Ground) -> None:
    link, told = await ground.link(), list[tuple[float, float | None, str]]()
    await link.call("progress", {}, 20, lambda *step: told.append(step))
    assert told == [(float(step), 4.0, f"step {step}") for step in range(1, 5)]


async def test_a_server_that_crashes_says_its_last_words(ground: Ground) -> None:
    link = await ground.link()
    with pytest.raises(McpError) as caught:
        await said(link, "crash")
    assert caught.value.kind == "gone"
    await asyncio.wait_for(link.gone.wait(), 10)
    assert "it crashed" in link.why


async def test_a_server_that_cannot_start_says_why(ground: Ground) -> None:
    with pytest.raises(BanksmanError, match="it cannot start here"):
        await ground.link("dead")


async def test_a_program_that_is_not_there_is_said_so(ground: Ground) -> None:
    place = McpPlace(McpServer(id="x", command=("/no/such",)), ("/no/such",), ground.lane, ground.home, {})
    link = McpLink(StdioTransport(McpLauncher(ground.sandbox, ground.env), place, ground.log), McpHearing())
    with pytest.raises(BanksmanError, match="No such file"):
        await link.open()


async def test_a_newer_protocol_is_refused_by_its_number(ground: Ground) -> None:
    with pytest.raises(BanksmanError, match="2099-01-01"):
        await ground.link("version=2099-01-01")


async def test_messages_and_the_error_stream_are_kept_and_changes_heard(ground: Ground) -> None:
    notify = ground.lane / "notify"
    link = await ground.link(f"notify={notify}")
    await said(link, "notes", "careful")
    await until(lambda: "said careful" in ground.log.lines() and "warning careful" in ground.heard)
    notify.write_text("x\n")
    await until(lambda: "changed" in ground.heard)


async def test_closing_ends_a_server_that_lingers_and_all_it_started(ground: Ground) -> None:
    link = await ground.link("linger")
    mine = [one for one in psutil.Process().children(recursive=True) if FAKE.name in " ".join(one.cmdline())]
    assert mine
    await link.close()
    assert not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in mine)
    with pytest.raises(McpError):
        await link.ping()


@pytest.mark.promise("guests-E2")
async def test_a_server_with_a_list_of_hosts_reaches_those_alone(ground: Ground) -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")
        writer.close()

    service = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = service.sockets[0].getsockname()[1]
    link = await ground.link(network=(f"localhost:{port}",))
    assert (await said(link, "hosts", f"127.0.0.1:{port}")).startswith("no: "), "there is no way beside the proxy"
    assert await said(link, "fetch", f"http://localhost:{port}/") == "200 hi"
    assert (await said(link, "fetch", f"http://localhost:{port + 1}/")).startswith("403")
    assert (await said(link, "fetch", "http://example.org/")).startswith("403")
    assert {one.host for one in ground.egress.take("prj_1")} == {"localhost", "example.org"}
    await link.close()
    service.close()


async def test_hosts_that_cannot_be_on_a_list_start_nothing(ground: Ground) -> None:
    with pytest.raises(BanksmanError, match="not by address"):
        await ground.link(network=("10.0.0.1",))


async def test_without_bubblewrap_a_server_is_held_by_landlock_and_without_that_it_does_not_start(
    ground: Ground, tmp_path: Path
) -> None:
    hidden = (tmp_path / "data",)
    ground.sandbox = Sandbox(ground.env, SandboxOptions(hidden=hidden, scratch=tmp_path, tiers=("landlock",)))
    if (await ground.sandbox.ready()).tier == "landlock":
        link = await ground.link()
        assert await said(link, "look", ground.lane) == "app.py"
        assert (await said(link, "look", ground.secret / "key")).startswith("no: ")
        assert (await said(link, "write", ground.lane / "new")).startswith("no: ")
        with pytest.raises(BanksmanError, match="needs bubblewrap"):
            await ground.link(network=("example.org",))
    ground.sandbox = Sandbox(ground.env, SandboxOptions(tiers=()))
    with pytest.raises(BanksmanError, match="no sandbox on this computer"):
        await ground.link()
