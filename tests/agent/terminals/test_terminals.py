"""The person's own shells: in which environment, what a flood and a hostile program can do, and that all of it ends."""

import asyncio
import re
import sys
from pathlib import Path

import psutil
import pytest

from desktop.agent.terminals.commands import TerminalCommands
from desktop.config.folders import Folders
from desktop.domain.changes.commands import (
    CloseTerminal,
    EndLeftover,
    LoadTerminals,
    OpenTerminal,
    QuoteTerminal,
    ResizeTerminal,
    TerminalInput,
)
from desktop.domain.commands import SaveSettings
from desktop.domain.lanes.commands import OpenInEditor
from desktop.domain.terminals.updates import LeftoversFound, TerminalClosed, TerminalQuoted, TerminalScreen
from desktop.services.terminals.terminal import AHEAD
from tests.agent.rig import Rig, write_settings
from tests.agent.terminal_rig import Shell, make_lane

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal"),
]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SHELL", "/bin/bash")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".bashrc").write_text("PS1='shell> '; PROMPT_COMMAND=\n", encoding="utf-8")


def lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def gone(*pids: int) -> None:
    async with asyncio.timeout(20):
        while any(lives(pid) for pid in pids):
            await asyncio.sleep(0.02)


async def test_a_shell_has_the_persons_environment_and_the_lanes_names_but_nothing_of_the_app(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_OWN", "kept")
    monkeypatch.setenv("BANKSMAN_HOME", "/secret/place")
    lane = await make_lane(rig)
    shell = await Shell(rig, lane).open()
    await shell.enter("pwd; echo $MY_OWN,$TERM,$BANKSMAN_LANE,$BANKSMAN_LANE_ID,${BANKSMAN_HOME-none}; tty; stty size")
    text = await shell.sees("\n24 120")
    assert f"\n{lane.worktree_path}\n" in text
    assert f"kept,xterm-256color,fix,{lane.id},none" in text
    assert "/dev/" in text
    await rig.engine.handle(ResizeTerminal(terminal_id=shell.terminal_id, columns=90, rows=30))
    await shell.enter("stty size")
    await shell.sees("\n30 90")

    await shell.enter("printf '\\033]0;%0500d\\007\\033]52;c;cm0gLXJm\\007\\033[21t\\033]10;?\\007' 7; echo; echo over")
    await shell.sees("\nover")
    assert shell.last is not None
    assert len(shell.last.title) == 60

    secret = "ghp_" + "a1B2" * 9
    await rig.engine.handle(QuoteTerminal(terminal_id=shell.terminal_id, text=f"export T={secret}\n" + "x" * 40_000))
    quoted = next(one for one in rig.updates if isinstance(one, TerminalQuoted))
    assert (len(quoted.text), quoted.cut, quoted.removed) == (30_000, True, 1)
    assert secret not in quoted.text


async def test_a_flood_is_held_back_while_no_window_keeps_up_and_its_end_is_shown(rig: Rig) -> None:
    shell = await Shell(rig, await make_lane(rig)).open()
    await shell.sees("shell>")
    shell.acknowledge = False
    before = shell.frames
    await shell.enter("seq 60000; echo the end")
    await asyncio.sleep(0.6)
    ahead = [one for one in rig.updates if isinstance(one, TerminalScreen)]
    assert len(ahead) <= before + AHEAD + 1
    shell.acknowledge = True
    await rig.engine.handle(LoadTerminals())
    await shell.sees("60000\nthe end\nshell>")
    assert len(shell.back) == 10_000
    await shell.enter("sleep 40 ; : ")
    async with asyncio.timeout(20):
        while shell.last is None or not shell.last.busy:
            await shell._take()
    await rig.engine.handle(TerminalInput(terminal_id=shell.terminal_id, text="\x03"))
    async with asyncio.timeout(20):
        while shell.last.busy:
            await shell._take()


async def test_closing_ends_what_runs_and_reopen_brings_its_last_lines_back(rig: Rig) -> None:
    lane = await make_lane(rig)
    shell = await Shell(rig, lane).open()
    stubborn = 'trap "" HUP TERM; echo stubborn=$$; echo up; while :; do sleep 0.1; done'
    await shell.enter(f"echo shell=$$; bash -c '{stubborn}'")
    text = await shell.sees("\nup\n")
    pids = [int(pid) for pid in re.findall(r"^(?:shell|stubborn)=(\d+)", text, re.MULTILINE)]
    assert len(pids) == 2
    await rig.engine.handle(CloseTerminal(terminal_id=shell.terminal_id))
    ended = await shell.closed()
    assert ended.asked
    assert ended.kept >= 2
    await gone(*pids)
    again = await Shell(rig, lane).open(reopen=shell.terminal_id)
    await again.sees("stubborn=")


async def test_the_end_of_a_lane_ends_its_terminals_and_what_they_left(rig: Rig) -> None:
    lane = await make_lane(rig)
    first, second = await Shell(rig, lane).open(), await Shell(rig, lane).open()
    await first.enter("mkfifo pipe; setsid sh -c '>begun; <pipe' & until [ -e begun ]; do sleep 0.02; done; exit 4")
    assert (await first.closed()).exit_code == 4
    found = await rig.until(
        lambda updates: next((u for u in updates if isinstance(u, LeftoversFound) and u.processes), None)
    )
    assert [one.name for one in found.processes] == ["sh"]
    await second.sees("shell>")
    commands = next(one for one in rig.engine.parts.themes.attendants if isinstance(one, TerminalCommands))
    labels = [holder.label for holder in commands.holders(lane.id)]
    assert labels == ["bash", f"sh (pid {found.processes[0].pid})"]
    await rig.engine.handle(EndLeftover(pid=found.processes[0].pid, started=0.0))
    assert lives(found.processes[0].pid)
    await commands.stop_in(lane.id)
    assert (await second.closed()).asked
    await gone(found.processes[0].pid)
    assert not commands.holders(lane.id)


async def test_a_shell_that_is_not_there_says_so(rig: Rig, folders: Folders) -> None:
    settings = write_settings(folders, "http://127.0.0.1:9").model_copy(update={"shell": "/bin/no-such-shell"})
    await rig.engine.handle(SaveSettings(settings=settings))
    shell = await Shell(rig, await make_lane(rig)).open()
    ended = await shell.closed()
    assert ended.problem == "Could not start no-such-shell: there is no program /bin/no-such-shell."
    assert not [one for one in rig.updates if isinstance(one, TerminalScreen)]
    await rig.engine.handle(OpenTerminal(lane_id="ln_gone", terminal_id="trm_x"))
    last = rig.updates[-1]
    assert isinstance(last, TerminalClosed)
    assert last.problem == "This lane does not exist any more."


async def test_the_persons_editor_opens_what_is_in_the_lane_and_nothing_else(rig: Rig, folders: Folders) -> None:
    lane = await make_lane(rig)
    seen = folders.data / "seen"
    program = 'echo "$2 $3 $BANKSMAN_LANE" > "$1.part"; mv "$1.part" "$1"'
    words = ("/bin/sh", "-c", program, "editor", str(seen), "{path}", "+{line}")
    settings = write_settings(folders, "http://127.0.0.1:9").model_copy(update={"editor": words})
    await rig.engine.handle(SaveSettings(settings=settings))
    await rig.engine.handle(OpenInEditor(lane_id=lane.id, path="app.py", line=7))
    async with asyncio.timeout(20):
        while not seen.exists():
            await asyncio.sleep(0.02)
    assert seen.read_text() == f"{lane.worktree_path}/app.py +7 fix\n"
    for path in ("../../secret", "/etc/passwd", "gone.py"):
        await rig.engine.handle(OpenInEditor(lane_id=lane.id, path=path))
    assert [failure.code for failure in rig.failures()] == ["outside", "outside", "missing"]
