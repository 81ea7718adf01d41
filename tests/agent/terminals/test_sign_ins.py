"""Signing an agent in: its own program in a terminal, in its home folder and sandbox, with the hosts of its sign-in."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.config.folders import Folders
from desktop.domain.changes.commands import SIGN_IN_LANE, CloseTerminal
from desktop.domain.guests.commands import CancelGuestSignIn, SignInToGuest
from desktop.domain.guests.updates import GuestSignedIn
from desktop.domain.terminals.updates import TerminalScreen
from desktop.services.guests.home import home_path
from tests.agent.guest_rig import PROGRAM
from tests.agent.rig import Rig
from tests.agent.terminal_rig import Shell
from tests.guest_ground import written_program

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal"),
]
LOGIN = """#!/bin/sh
test -t 0 && test -t 1 && test -t 2 && echo "it is a terminal"
echo "home $HOME"
cat "{secret}" 2>/dev/null || echo "nothing of the person"
test -n "$HTTPS_PROXY" && echo "by the proxy"
printf 'Code: '
read -r code
echo "token of $code" > "$HOME/token"
echo "signed in"
"""


@pytest_asyncio.fixture
async def rig(
    tmp_path: Path, folders: Folders, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Rig]:
    """An engine with two agents: one whose table names a program, one that names its own arguments itself."""
    tools = tmp_path / "tools" / "bin"
    tools.mkdir(parents=True)
    monkeypatch.setenv("PATH", os.pathsep.join((str(tools), os.environ["PATH"])))
    monkeypatch.setenv("SHELL", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "key").write_text("hunter2")
    written_program(tools, "mine-acp", PROGRAM)
    login = tools / "mine-login"
    login.write_text(LOGIN.replace("{secret}", str(tmp_path / "key")))
    login.chmod(0o755)
    method = {"id": "cli", "name": "Sign in", "type": "terminal", "args": ['{"queue": "/x", "prompts": []}']}
    second = {"id": "two", "name": "Other", "type": "terminal", "args": ["--the-second-way"]}
    says = json.dumps({"prompts": [], "init": {"authMethods": [method, second]}})
    none = json.dumps({"prompts": []})
    login_way = {"id": "login", "name": "Log in"}
    waits = json.dumps({"prompts": [], "init": {"authMethods": [login_way]}, "authenticate": "hold"})
    head = "[[guest]]\nprograms = ['mine-acp']\n"
    folders.config.mkdir(parents=True, exist_ok=True)
    (folders.config / "guests.toml").write_text(
        f"{head}id = 'mine'\nlabel = 'Mine'\nlogin = ['mine-login', '--now']\nhosts = ['login.example.org']\n"
        f"{head}id = 'says'\nlabel = 'Says'\nargs = [{json.dumps(says)}]\n"
        f"{head}id = 'waits'\nlabel = 'Waits'\nargs = [{json.dumps(waits)}, 'sent.jsonl']\n"
        f"{head}id = 'none'\nlabel = 'None'\nargs = [{json.dumps(none)}]\n"
    )
    made = await Rig(folders).open(repository)
    yield made
    await made.engine.stop()


@pytest.mark.promise("guests-A15")
async def test_a_person_signs_in_in_a_terminal_of_the_agents_home_and_sandbox(
    rig: Rig, folders: Folders, tmp_path: Path
) -> None:
    shell = await Shell(rig).open(guest_id="mine", columns=200)
    told = await shell.sees("Code:")
    for line in ("it is a terminal", "nothing of the person", "by the proxy"):
        assert line in told
    assert f"home {home_path(folders.data, 'mine')}" in told
    await shell.enter("42")
    await shell.sees("signed in")
    closed = await shell.closed()
    assert (closed.exit_code, closed.problem, closed.lane_id) == (0, "", SIGN_IN_LANE)
    assert (home_path(folders.data, "mine") / "token").read_text() == "token of 42\n"


@pytest.mark.promise("guests-A15")
async def test_the_agent_may_say_itself_how_it_is_signed_in(rig: Rig) -> None:
    shell = await Shell(rig).open(guest_id="says")
    await rig.until(lambda updates: any(isinstance(one, TerminalScreen) for one in updates))
    await rig.engine.handle(CloseTerminal(terminal_id=shell.terminal_id))
    assert (await shell.closed()).asked


@pytest.mark.promise("guests-A15")
async def test_an_agent_that_names_no_sign_in_is_told_of_in_its_terminal(rig: Rig) -> None:
    shell = await Shell(rig).open(guest_id="none")
    problem = (await shell.closed()).problem
    assert problem.startswith("None names no way to sign in in a terminal. Settings › Agents › Test shows")


@pytest.mark.promise("guests-A15")
@pytest.mark.parametrize(("way", "starts"), [("two", True), ("none", False)])
async def test_the_way_that_a_person_chose_is_the_one_that_starts(rig: Rig, way: str, starts: bool) -> None:
    shell = await Shell(rig).open(guest_id="says", method_id=way, columns=200)
    if starts:
        await shell.sees("the-second-way")
    assert (await shell.closed()).problem.startswith("Says names no way") is not starts


@pytest.mark.promise("guests-A15")
async def test_an_agent_is_signed_in_by_one_way_at_a_time(rig: Rig) -> None:
    shell = await Shell(rig).open(guest_id="mine", columns=200)
    await shell.sees("Code:")
    busy = "Mine is being signed in in a terminal already. End that or close it first."
    assert (await by_itself(rig)).text == busy
    second = await Shell(rig).open(guest_id="mine")
    assert (await second.closed()).problem == busy
    await rig.engine.handle(CloseTerminal(terminal_id=shell.terminal_id))
    await shell.closed()
    assert (await by_itself(rig)).text != busy
    third = await Shell(rig).open(guest_id="mine", columns=200)
    await third.sees("Code:")


@pytest.mark.promise("guests-A15")
async def test_while_an_agent_signs_in_by_itself_no_terminal_does(rig: Rig) -> None:
    asking = asyncio.create_task(rig.engine.handle(SignInToGuest(guest_id="waits", method_id="login")))
    await rig.until(lambda _: (home_path(rig.folders.data, "waits").parent / "trial" / "sent.jsonl").exists())
    shell = await Shell(rig).open(guest_id="waits")
    assert (await shell.closed()).problem == "Waits is signing you in already. Cancel that first."
    await rig.engine.handle(CancelGuestSignIn(guest_id="waits"))
    await asking
    again = await Shell(rig).open(guest_id="waits")
    assert (await again.closed()).problem.startswith("Waits names no way to sign in in a terminal.")


async def by_itself(rig: Rig) -> GuestSignedIn:
    """What comes of a sign-in of Mine over the wire."""
    rig.updates[:] = [one for one in rig.updates if not isinstance(one, GuestSignedIn)]
    await rig.engine.handle(SignInToGuest(guest_id="mine", method_id="login"))
    return (await rig.until(lambda updates: [one for one in updates if isinstance(one, GuestSignedIn)]))[-1]
