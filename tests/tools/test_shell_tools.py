"""bash, bash_output and kill_shell with real processes."""

import asyncio
import os
from dataclasses import replace

import pytest

from desktop.domain.core.content import CodeBlock
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import Category
from desktop.services.processes.sandbox.limits import ProcessLimits
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions
from desktop.services.processes.session import Processes
from desktop.tools.offers import BackgroundShells, Shell, WorkingLane
from desktop.tools.tool import ToolError

pytestmark = pytest.mark.asyncio


@pytest.mark.promise("tools-T76")
async def test_output_of_both_streams_comes_in_order_with_the_exit_code(bench) -> None:
    result = await bench.call("bash", command="echo one; echo two >&2; echo three")
    lines = result.text.splitlines()
    assert lines[:3] == ["one", "two", "three"]
    assert lines[3].startswith("[exit code 0 · 0.")
    assert result.summary.startswith("exit 0 · ")
    assert result.blocks == (CodeBlock(language="console", text="one\ntwo\nthree\n"),)
    assert not result.is_error


async def test_a_failing_command_is_an_error_result_and_no_exception(bench) -> None:
    result = await bench.call("bash", command="exit 3")
    assert result.text.startswith("(no output)\n[exit code 3 · ")
    assert result.is_error
    assert result.data["exit_code"] == 3


async def test_a_signal_is_named(bench) -> None:
    result = await bench.call("bash", command="kill -9 $$")
    assert "[stopped by SIGKILL · " in result.text
    assert result.is_error


@pytest.mark.promise("tools-T77")
async def test_a_time_out_keeps_what_was_printed(bench) -> None:
    result = await bench.call("bash", command="echo before; sleep 60", timeout_ms=1000)
    assert result.text == "before\n[timed out after 1 s; the command and its children were stopped]"
    assert result.is_error


async def test_a_command_that_took_too_much_says_which_limit_in_its_text_and_its_row(bench) -> None:
    options = SandboxOptions(tiers=(), limits=ProcessLimits(memory=1 << 30, processes=20))
    few = Processes(new_session_id(), os.environ, lane_root=bench.root, sandbox=Sandbox(os.environ, options))
    bench.context = replace(bench.context, processes=few)
    result = await bench.call("bash", command="echo before; for i in $(seq 60); do sleep 20 & done; wait")
    assert result.text.startswith(
        "before\n[stopped: used more than 20 processes; the command and its children were ended"
    )
    assert result.summary.startswith("stopped: used more than 20 processes · ")
    assert result.is_error
    await bench.call("bash", command="for i in $(seq 60); do sleep 20 & done; wait", run_in_background=True)
    told = await bench.call("bash_output", shell_id="sh1", wait_ms=10_000)
    assert "[stopped: used more than 20 processes; " in told.text
    assert told.is_error


async def test_a_too_long_time_limit_is_clamped_with_a_note(bench) -> None:
    result = await bench.call("bash", command="true", timeout_ms=10_000_000)
    assert "[timeout_ms was set to 600000" in result.text


@pytest.mark.promise("tools-T31")
async def test_long_output_is_cut_in_the_middle_and_kept_whole(bench, store) -> None:
    result = await bench.call("bash", command="for i in $(seq 1 40000); do echo line number $i of many; done")
    assert len(result.text) <= 30_000
    assert result.text.startswith("line number 1 of many\n")
    assert "line number 40000 of many\n[exit code 0" in result.text
    assert f"whole text: blob:{result.full.sha256[:12]} …]" in result.text
    whole = store.blobs.get(result.full.sha256)
    assert whole.count(b"\n") == 40_000
    bench.knows(result.full.sha256)
    page = await bench.call("read_file", file_path=f"blob:{result.full.sha256[:12]}", offset=20_000, limit=1)
    assert "20000\tline number 20000 of many" in page.text


async def test_output_that_fits_in_memory_but_not_in_the_text_is_cut_too(bench, store) -> None:
    result = await bench.call("bash", command="seq 1 10000")
    assert len(result.text) <= 30_000
    assert store.blobs.get(result.full.sha256).startswith(b"1\n2\n")


async def test_escapes_and_redraws_are_gone_from_the_text_and_kept_for_people(bench) -> None:
    result = await bench.call("bash", command=r"printf '\033[31mred\033[0m\n10%%\r100%%\n'")
    assert result.text.startswith("red\n100%\n[exit code 0")
    assert "\x1b[31m" in result.blocks[0].text


async def test_the_command_runs_in_its_folder_with_closed_input(bench) -> None:
    bench.write("sub/x", "")
    result = await bench.call("bash", command="cat; basename $PWD", cwd="sub")
    assert result.text.startswith("sub\n[exit")
    with pytest.raises(ToolError, match="not a directory"):
        await bench.call("bash", command="ls", cwd="sub/x")


async def test_progress_is_shown_while_it_runs(bench) -> None:
    await bench.call("bash", command="echo started; sleep 0.6; echo more")
    assert bench.shown[0] == ("started\n", 8)


async def test_plain_reads_are_proven_only_inside_and_not_for_secrets(bench, registry) -> None:
    bench.write("a.txt", "")
    bench.write(".env", "")
    tool = registry.resolve("bash")

    def assess(command: str, **more):
        return tool.assess(tool.args(command=command, **more), bench.context).assessment

    assert assess("cat a.txt").proven_read
    assert assess("cat a.txt").category is Category.READ
    for command in ("cat .env", "cat ../other", "cat /etc/passwd", "rm a.txt", "cat a.txt; rm a.txt"):
        judged = assess(command)
        assert not judged.proven_read, command
        assert judged.category is Category.BASH
        assert judged.reason
    assert not assess("cat a.txt", run_in_background=True).proven_read


async def test_the_card_shows_the_whole_command_under_its_first_line(registry) -> None:
    tool = registry.resolve("bash")
    command = "make test\nrm -rf build"
    card = tool.card(tool.args(command=command, description="harmless"))
    assert card.title == "make test …"
    assert card.blocks[0] == CodeBlock(language="bash", text=command)
    assert "harmless" not in str(card)


async def test_a_background_command_outlives_the_call_and_is_read_bit_by_bit(bench) -> None:
    started = await bench.call("bash", command="echo up; sleep 30", run_in_background=True)
    assert started.text == "Runs in the background as sh1."
    assert started.data["shell_id"] == "sh1"
    first = await bench.call("bash_output", shell_id="sh1")
    assert first.text.startswith("up\n[running · ")
    assert (await bench.call("bash_output")).text.startswith("(nothing new)\n[running")
    assert "up" in (await bench.call("bash_output", tail_lines=5, filter="u.")).text
    stopped = await bench.call("kill_shell", shell_id="sh1")
    assert stopped.text == "sh1 was stopped; 1 process was ended."
    assert "had already ended" in (await bench.call("kill_shell", shell_id="sh1")).text


async def test_a_background_command_that_ends_at_once_gives_its_result(bench) -> None:
    result = await bench.call("bash", command="echo quick; exit 2", run_in_background=True)
    assert result.text.startswith("quick\n[exit code 2")
    assert result.is_error


async def test_unknown_shells_are_answered_with_the_known_ones(bench) -> None:
    with pytest.raises(ToolError, match="none was started"):
        await bench.call("bash_output")
    await bench.call("bash", command="sleep 30", run_in_background=True)
    with pytest.raises(ToolError, match=r'no background command "sh7"\. Known: sh1\.'):
        await bench.call("kill_shell", shell_id="sh7")


async def test_the_ninth_background_command_is_refused(bench) -> None:
    await asyncio.gather(*(bench.call("bash", command="sleep 30", run_in_background=True) for _ in range(8)))
    with pytest.raises(ToolError, match="8 background commands run in this chat already"):
        await bench.call("bash", command="sleep 30", run_in_background=True)


async def test_a_running_call_does_not_hold_up_kill_shell(bench) -> None:
    await bench.call("bash", command="sleep 60", run_in_background=True)
    long_call = asyncio.create_task(bench.call("bash", command="sleep 60"))
    await asyncio.sleep(0.1)
    async with asyncio.timeout(20):
        await bench.call("kill_shell", shell_id="sh1")
    assert not long_call.done()
    long_call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await long_call


async def test_the_tools_for_background_commands_need_one(registry) -> None:
    for name in ("bash_output", "kill_shell"):
        assert registry.resolve(name).needs == (BackgroundShells,)
    assert registry.resolve("bash").needs == (Shell, WorkingLane)


@pytest.mark.promise("tools-T31")
async def test_a_result_is_delivered_when_the_blob_store_cannot_take_it(bench, store) -> None:
    store.close()
    result = await bench.call("bash", command="seq 1 20000")
    assert "; whole text could not be kept …]" in result.text
    assert result.full is None
    assert "[exit code 0" in result.text
