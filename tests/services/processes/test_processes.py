"""Commands: bounds, endings, nothing left behind."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from desktop.domain.core.ids import new_session_id
from desktop.services.processes.around import Around
from desktop.services.processes.environment import child_environment
from desktop.services.processes.output import KEEP_EACH_END, CommandOutput
from desktop.services.processes.running import Completed
from desktop.services.processes.session import Processes
from desktop.services.processes.tree import SESSION_VARIABLE, marked_processes

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def processes(request: pytest.FixtureRequest) -> AsyncIterator[Processes]:
    made = Processes(f"ses_{request.node.name[:60]}_{os.getpid()}", os.environ)
    yield made
    await made.stop_all()
    assert not marked_processes(SESSION_VARIABLE, (made.session_id,))


@pytest.fixture
def run(processes: Processes, tmp_path: Path):
    async def call(command: str, timeout_s: float = 20.0) -> Completed:
        return await processes.run(command, cwd=tmp_path, timeout_s=timeout_s, on_output=lambda tail, size: None)

    return call


def left(processes: Processes) -> int:
    return len(marked_processes(SESSION_VARIABLE, (processes.session_id,)))


async def began(processes: Processes, number: int) -> None:
    """Wait until so many run: for a moment after a program was started its environment cannot be read."""
    async with asyncio.timeout(20):
        while left(processes) < number:
            await asyncio.sleep(0.02)


async def timed_out(run, command: str) -> Completed:
    """How the command ended whose time was over once it had told that it has begun, on a machine of any speed."""
    for timeout_s in (0.6, 4.0, 16.0):
        completed = await run(command, timeout_s)
        assert completed.ending == "timed_out"
        if "begun" in completed.output.head():
            break
    return completed


@pytest.mark.promise("gate-S18")
async def test_bash_gets_exactly_the_approved_bytes(run, tmp_path: Path) -> None:
    for command in ("-i", "+x", "--version"):
        completed = await run(command)
        assert completed.exit_code == 127, command
    completed = await run("printf '%s' \"$BASH_EXECUTION_STRING\" | od -An -c | tail -1;\t : $'\\x41'  \r\n  ")
    assert completed.output.head().strip() != ""
    exact = "printf '%s' \"$BASH_EXECUTION_STRING\" \t  "
    assert (await run(exact)).output.read() == exact.encode()


async def test_exit_codes_and_signals_are_told_apart(run) -> None:
    assert (await run("exit 3")).exit_code == 3
    killed = await run("kill -9 $$")
    assert (killed.exit_code, killed.signal_name, killed.ok) == (None, "SIGKILL", False)


@pytest.mark.promise("gate-S23")
async def test_a_time_out_ends_children_and_those_that_left_the_group(run, processes: Processes) -> None:
    completed = await timed_out(run, "sleep 999 & setsid sleep 999 & echo begun; wait")
    assert completed.processes == 3
    assert completed.survivors == ()
    assert left(processes) == 0


async def test_a_command_that_ignores_the_polite_signal_is_killed(run, processes: Processes) -> None:
    completed = await timed_out(run, "trap '' TERM; sleep 999 & echo begun; while :; do sleep 0.1; done")
    assert completed.duration_s > 2.0
    assert completed.survivors == ()
    assert left(processes) == 0


async def test_cancelling_ends_the_tree_first(run, processes: Processes) -> None:
    call = asyncio.create_task(run("sleep 999 & setsid sleep 999 & wait"))
    await began(processes, 3)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert left(processes) == 0


async def test_a_child_that_keeps_the_pipe_holds_the_call_for_two_seconds_only(run, processes: Processes) -> None:
    completed = await run("sleep 999 & echo done")
    assert completed.exit_code == 0
    assert completed.output.head() == "done\n"
    assert 1.9 < completed.duration_s < 20
    (pid,) = completed.leftovers
    assert psutil.Process(pid).name() == "sleep"
    assert await processes.end_leftovers() == 1
    assert left(processes) == 0
    assert await processes.end_leftovers() == 0


@pytest.mark.promise("tools-T79")
async def test_endless_output_is_stopped_with_bounded_memory(run) -> None:
    before = psutil.Process().memory_info().rss
    completed = await run("yes 'a line that goes on and on'")
    assert completed.ending == "output_limit"
    assert completed.output.total == 64 * 1024 * 1024
    assert psutil.Process().memory_info().rss - before < 40 * 1024 * 1024
    assert len(completed.output.head()) == KEEP_EACH_END


@pytest.mark.promise("gate-K2")
async def test_no_key_and_no_loader_variable_reaches_a_command(tmp_path: Path) -> None:
    source = {
        "HOME": "/h", "PATH": f"/bin:bin::./x:{tmp_path}/lane/bin:/a/../b:/usr/bin", "LC_TIME": "C", "LANG": "C.UTF-8",
        "ANTHROPIC_API_KEY": "sk-1", "GITHUB_TOKEN": "t", "LD_PRELOAD": "/x.so", "LD_LIBRARY_PATH": "/bundle",
        "LD_LIBRARY_PATH_ORIG": "/own", "PYTHONPATH": "/p", "BASH_ENV": "/b", "BASH_FUNC_ls%%": "() { :; }",
        "SSH_AUTH_SOCK": "/s", "DISPLAY": ":0", "USER": "u", "SHELL": "/bin/zsh", "GIT_DIR": "/g",
    }  # fmt: skip
    lane = tmp_path / "lane"
    environment = child_environment(source, temp_folder=tmp_path / "t", lane_root=lane, frozen=False)
    assert environment == {
        "HOME": "/h", "PATH": "/bin:/usr/bin", "LC_TIME": "C", "LANG": "C.UTF-8", "USER": "u", "SHELL": "/bin/zsh",
        "TERM": "dumb", "CI": "1", "NO_COLOR": "1", "TMPDIR": str(tmp_path / "t"),
    }  # fmt: skip
    frozen = child_environment(source, temp_folder=tmp_path, frozen=True)
    assert frozen["LD_LIBRARY_PATH"] == "/own"


@pytest.mark.promise("gate-K2")
async def test_the_command_sees_only_the_built_environment(tmp_path: Path) -> None:
    made = Processes("ses_env", {"PATH": os.environ["PATH"], "HOME": "/h", "ANTHROPIC_API_KEY": "sk-secret"})
    completed = await made.run("env; echo $TMPDIR; ls -ld $TMPDIR", cwd=tmp_path, timeout_s=9, on_output=print)
    text = completed.output.head()
    assert "sk-secret" not in text
    assert "drwx------" in text
    folder = next(line for line in text.splitlines() if line.startswith("TMPDIR=")).removeprefix("TMPDIR=")
    assert Path(folder).is_dir()
    await made.stop_all()
    assert not Path(folder).exists()


async def test_a_background_command_survives_and_stops_with_the_session(tmp_path: Path) -> None:
    changes: list[int] = []
    processes = Processes(new_session_id(), os.environ, around=Around(on_change=lambda: changes.append(1)))
    shell_id = await processes.start_background("echo up; sleep 999", cwd=tmp_path)
    assert shell_id == "sh1"
    (info,) = processes.shells()
    assert (info.running, info.command, info.exit_code) == (True, "echo up; sleep 999", None)
    await began(processes, 1)
    assert await processes.end_leftovers() == 0
    assert left(processes) >= 1
    await processes.stop_all()
    assert left(processes) == 0
    assert not processes.shells()[0].running
    assert len(changes) == 2


async def test_ids_are_never_used_again_and_output_is_given_once(processes: Processes, tmp_path: Path) -> None:
    halves = "printf 'a\\303'; until [ -e go ]; do sleep 0.02; done; printf '\\244b'"
    first = await processes.start_background(halves, cwd=tmp_path)
    assert (await processes.output(first, wait_s=20)).text == "a"
    assert (await processes.output(first)).text == ""
    (tmp_path / "go").touch()
    await processes.wait(first, 20)
    assert (await processes.output(first)).text == "äb"
    assert (await processes.output(first)).text == ""
    assert await processes.start_background("true", cwd=tmp_path) == "sh2"


async def test_a_character_split_over_two_reads_is_intact(tmp_path: Path) -> None:
    output = CommandOutput(tmp_path / "o")
    for byte in "grüße €\n".encode():
        output.add(bytes([byte]))
    assert output.recent == "grüße €\n"
    assert output.head() == "grüße €\n"
    assert (output.chars, output.lines) == (8, 1)


async def test_long_output_keeps_both_ends_in_memory_and_all_in_the_file(tmp_path: Path) -> None:
    output = CommandOutput(tmp_path / "o", limit=1_000_000)
    data = "".join(f"{n} ä\n" for n in range(60_000)).encode()
    for start in range(0, len(data), 7_777):
        output.add(data[start : start + 7_777])
    assert output.cut
    assert output.head().startswith("0 ä\n1 ä\n")
    assert output.tail().endswith("59999 ä\n")
    assert "�" not in output.head() + output.tail()
    assert output.read() == data
    assert output.read(10, 5) == data[10:15]
    output.add(b"x" * 1_000_000)
    assert output.full
    assert output.total == 1_000_000
    output.discard()
    assert not (tmp_path / "o").exists()


POSIX = """\
import asyncio, os, sys
from pathlib import Path
from desktop.services.processes.session import Processes

async def main():
    processes = Processes("ses_posix", os.environ)
    lane, quiet = Path(sys.argv[1]), lambda tail, size: None
    done = await processes.run("printf %s \\u00e9", cwd=lane, timeout_s=20, on_output=quiet)
    os.write(1, done.output.read())
    await processes.stop_all()

asyncio.run(main())
"""


async def test_a_command_is_the_same_in_a_language_that_has_no_such_letter(tmp_path: Path) -> None:
    posix = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONPATH": str(Path.cwd())}
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-c", POSIX, str(tmp_path), env={**os.environ, **posix}, stdout=asyncio.subprocess.PIPE
    )
    printed, _ = await program.communicate()
    assert (program.returncode, printed) == (0, "é".encode())
