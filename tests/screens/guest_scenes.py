"""Scenes of agents of others: chosen, asked about, looked back on, stopped, signed in, missing, in the settings."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListWidget

from desktop.config.folders import Folders
from desktop.config.guests import GuestSettings
from desktop.domain.commands import SaveSettings
from desktop.domain.core.permissions import PermissionMode
from desktop.ui.settings.agents.page import AgentsPage
from desktop.ui.widgets.pick_list import PickList
from tests.agent.guest_rig import command, done
from tests.installed_guest import InstalledGuest
from tests.screens.stage import Stage

_MODELS = {
    "id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "opus",
    "options": [
        {"value": "opus", "name": "Opus", "description": "for hard tasks"},
        {"value": "haiku", "name": "Haiku", "description": "fast"},
    ],
}  # fmt: skip
_LOGIN = "Open https://claude.ai/oauth/authorize?code=true in your browser.\\n\\nPaste the code here: "
_MODES = {"currentModeId": "default", "availableModes": [{"id": "default", "name": "Default"}]}
_SAYS = {
    "init": {
        "agentInfo": {"name": "claude-agent-acp", "version": "0.101.0"},
        "agentCapabilities": {"loadSession": True, "promptCapabilities": {"image": True}},
    },
    "new": {"configOptions": [_MODELS], "modes": _MODES},
}


def _installed(folders: Folders, home: Path, *, install: bool = True, **more: object) -> InstalledGuest:
    """Claude Agent as a script, on the PATH of this process unless it is not installed."""
    tools = home / "tools" / "bin"
    tools.mkdir(parents=True, exist_ok=True)
    if str(tools) not in os.environ["PATH"]:
        os.environ["PATH"] = os.pathsep.join((str(tools), os.environ["PATH"]))
    os.environ["SHELL"] = ""  # whose PATH would be another one
    guest = InstalledGuest(folders, tools, "claude", "Claude Agent")
    guest.words = 'asking_mode = "default"\nhosts = ["api.anthropic.com", "claude.ai"]\nhome = [".claude"]\n'
    guest.describe(**{**_SAYS, **more})
    if install:
        guest.install()
    return guest


async def _chat(stage: Stage, text: str, title: str, **more: object) -> str:
    return await stage.chat(text, title=title, driver="claude", without_sandbox=True, **more)


async def _agents_known(stage: Stage) -> None:
    await stage.until(lambda: bool(stage.window.engine.guests), "the agents")


async def agent_chosen(stage: Stage) -> AsyncIterator[str]:
    """The list of models of a new chat with the agents that are installed, and one chosen"""
    _installed(stage.folders, stage.home)
    await stage.click("composer_model")
    await _agents_known(stage)
    shown = await stage.find("model_list")
    assert isinstance(shown, PickList)
    await stage.rest()
    yield "41-agent-choice"


async def agent_at_work(stage: Stage) -> AsyncIterator[str]:
    """A chat of an agent: its card, what keeps it, its models, and what it ran without asking"""
    guest = _installed(stage.folders, stage.home)
    unasked = {"sessionUpdate": "tool_call", "status": "completed", **command("python3 -m pip install requests", "t2")}
    guest.plays(
        {"say": "I look at the tests first, then I run them."},
        {"update": unasked},
        {"ask": command("python3 -m pytest -q"), "then": [done(text="41 passed in 2.10s")]},
        {"say": "All 41 tests pass."},
    )
    chat = await _chat(stage, "Run the tests and say what they cover.", "Run the tests", mode=PermissionMode.EDIT)
    await stage.asked(chat)
    await stage.card()
    yield "41-agent-card"
    await stage.answer(chat)
    await stage.ended(chat)
    await stage.rest(0.3)
    yield "41-agent-ran-unasked"


async def agent_unreported(stage: Stage) -> AsyncIterator[str]:
    """Files that an agent changed without a word, as a row with their difference, to be looked back on"""
    guest = _installed(stage.folders, stage.home)
    retry = "RETRIES = 5\nPAUSE_S = 0.5\n"
    guest.plays(
        {"say": "I look at how requests are retried."},
        {"touch": "retry.py", "text": retry},
        {"touch": "NOTES.txt", "text": "retries: 5\n"},
        {"say": " A failed request is tried again three times."},
    )
    chat = await _chat(stage, "How often are requests retried?", "Retries", mode=PermissionMode.EDIT)
    await stage.ended(chat)
    await stage.rest(0.3)
    yield "41-agent-unreported"
    view = stage.window.page.transcript
    row = next(row for row in view.model.rows if row.kind == "calls")
    view.set_expanded(row.key, True)
    await stage.rest()
    yield "41-agent-unreported-open"
    await stage.click("header_review")
    await stage.rest(0.6)
    yield "41-agent-unreported-review"


async def agent_family(stage: Stage) -> AsyncIterator[str]:
    """The calls of an agent's own sub-agents, below the call that began each"""
    guest = _installed(stage.folders, stage.home)
    below = lambda of: {"_meta": {"claudeCode": {"parentToolUseId": of}}}  # noqa: E731
    begin = {"sessionUpdate": "tool_call", "status": "in_progress", "kind": "think"}
    read = {"sessionUpdate": "tool_call", "status": "completed", "kind": "read", "title": "Read app.py"}
    found = {**read, "toolCallId": "t3", "locations": [{"path": "app.py"}], **below("t2")}
    guest.plays(
        {"say": "Two of mine look at this."},
        {"update": {**begin, "toolCallId": "t1", "title": "Task: find out why the tests fail"}},
        {"update": {**begin, "toolCallId": "t2", "title": "Task: read the code", **below("t1")}},
        {"update": found},
        {"ask": {**command("python3 -m pytest -q", "t4"), **below("t1")}, "then": [done("t4", "2 failed, 39 passed")]},
        done("t2"), done("t1"), {"say": "Two tests want another order."},
    )  # fmt: skip
    chat = await _chat(stage, "Why do the tests fail?", "Failing tests", mode=PermissionMode.EDIT)
    await stage.asked(chat)
    await stage.card()
    yield "41-agent-family-card"
    await stage.answer(chat)
    await stage.ended(chat)
    row = next(row for row in stage.window.page.transcript.model.rows if row.kind == "calls")
    stage.window.page.transcript.set_expanded(row.key, True)
    await stage.rest(0.3)
    yield "41-agent-family"


async def agent_another(stage: Stage) -> AsyncIterator[str]:
    """The question before another program of an agent than the one that worked before"""
    guest = _installed(stage.folders, stage.home)
    settings = stage.window.engine.settings
    asks = settings.model_copy(update={"guests": {"claude": GuestSettings(asks_when_changed=True)}})
    stage.send(SaveSettings(settings=asks))
    guest.plays({"say": "A failed request is tried again three times."})
    chat = await _chat(stage, "Explain the retry policy.", "Retry policy")
    await stage.ended(chat)
    with guest.program.open("a", encoding="utf-8") as file:
        file.write("# another one\n")
    await stage.say(chat, "And the pause?")
    await stage.asked(chat)
    await stage.rest(0.3)
    yield "41-agent-another-program"


async def agent_given(stage: Stage) -> AsyncIterator[str]:
    """What a person is asked before an agent has their own configuration"""
    _installed(stage.folders, stage.home)
    stage.window.show_settings("agents")
    await _agents_known(stage)
    page = await stage.find("settings_agents")
    assert isinstance(page, AgentsPage)
    page.ensureWidgetVisible(await stage.find("settings_agents_folders_mine"))
    await stage.click("settings_agents_folders_mine")
    await stage.find("settings_agents_give_dialog")
    await stage.rest()
    yield "39-settings-agents-give"


async def agent_kept(stage: Stage) -> AsyncIterator[str]:
    """What keeps the agent of a chat, behind its chip in the header"""
    guest = _installed(stage.folders, stage.home)
    guest.plays({"say": "The retries stand in app.py; a failed request is tried again three times."})
    chat = await _chat(stage, "Where are requests retried?", "Retries")
    await stage.ended(chat)
    await stage.click("header_agent")
    yield "41-agent-kept"


async def agent_stopped(stage: Stage) -> AsyncIterator[str]:
    """An agent that ended by itself, and one that did what is not allowed"""
    guest = _installed(stage.folders, stage.home)
    guest.plays({"say": "I begin."}, {"exit": 3})
    chat = await _chat(stage, "Rename the module.", "Rename the module")
    await stage.ended(chat)
    await stage.rest(0.3)
    yield "41-agent-ended"
    forbidden = {"sessionUpdate": "tool_call", "status": "in_progress", **command("rm -rf ~", "t3")}
    guest.plays({"say": "I tidy up first."}, {"update": forbidden}, {"hold": True})
    chat = await _chat(stage, "Tidy up.", "Tidy up")
    await stage.ended(chat)
    await stage.rest(0.3)
    yield "41-agent-forbidden"


async def agent_signed_out(stage: Stage) -> AsyncIterator[str]:
    """An agent that wants its person to sign in, and the terminal in which they do"""
    guest = _installed(stage.folders, stage.home, signed_out=True)
    login = guest.program.with_name("claude-login")
    login.write_text(f"#!/bin/sh\nprintf '{_LOGIN}'\nread -r code\n", encoding="utf-8")
    login.chmod(0o755)
    with (stage.folders.config / "guests.toml").open("a", encoding="utf-8") as file:
        file.write('login = ["claude-login"]\n')
    chat = await _chat(stage, "Explain the retry policy.", "Retry policy")
    await stage.ended(chat)
    await stage.rest(0.3)
    yield "41-agent-sign-in"
    stage.window.page.transcript.row_action.emit("", "sign_in")
    drawer = stage.window.contents.terminals.drawer
    await stage.until(lambda: drawer.current is not None and drawer.current.started, "the terminal")
    await stage.rest(0.6)
    yield "41-agent-sign-in-terminal"


async def agent_missing(stage: Stage) -> AsyncIterator[str]:
    """A chat whose agent is not installed any more, and who can go on with it"""
    guest = _installed(stage.folders, stage.home)
    guest.plays({"say": "A failed request is tried again three times, with a pause that doubles."})
    chat = await _chat(stage, "Explain the retry policy.", "Retry policy")
    await stage.ended(chat)
    guest.program.unlink()
    stage.window.page.show_new()
    await stage.click("composer_model")
    engine = stage.window.engine
    await stage.until(lambda: bool(engine.guests) and bool(engine.guest_missing("claude")), "the agents")
    QTest.keyClick(await stage.find("model_search"), Qt.Key.Key_Escape)
    stage.window.open_chat(chat)
    await stage.find("agent_strip_choose")
    yield "41-agent-missing"


async def agent_successor(stage: Stage) -> AsyncIterator[str]:
    """Who can go on with a chat, from its menu"""
    guest = _installed(stage.folders, stage.home)
    guest.plays({"say": "A failed request is tried again three times."})
    chat = await _chat(stage, "Explain the retry policy.", "Retry policy")
    await stage.ended(chat)
    header = stage.window.page.header
    header._on_successor()
    await _agents_known(stage)
    await stage.rest(0.3)
    yield "41-agent-continue-with"


async def settings_agents(stage: Stage) -> AsyncIterator[str]:
    """Agents in the settings: one that is here, with a test, and one that is not"""
    _installed(stage.folders, stage.home)
    stage.window.show_settings("agents")
    await _agents_known(stage)
    await stage.click("settings_agents_test")
    tested = await stage.find("settings_agents_tested")
    await stage.until(lambda: tested.property("role") == "success", "the test")
    page = await stage.find("settings_agents")
    assert isinstance(page, AgentsPage)
    await stage.rest()
    yield "39-settings-agents"
    page.verticalScrollBar().setValue(page.verticalScrollBar().maximum())
    await stage.rest()
    yield "39-settings-agents-set"
    shown = await stage.find("settings_agents_list")
    assert isinstance(shown, QListWidget)
    shown.setCurrentRow(1)
    page.verticalScrollBar().setValue(page.verticalScrollBar().maximum())
    await stage.rest()
    yield "39-settings-agents-missing"


_WAYS = [
    {"id": "claude-ai-login", "name": "Claude Subscription", "description": "Use Claude subscription",
     "type": "terminal", "args": ["--cli", "auth", "login"]},
    {"id": "oauth", "name": "Log in with your account", "description": "It opens a page of its vendor."},
    {"id": "key", "name": "Use ANTHROPIC_API_KEY", "type": "env_var", "vars": [{"name": "ANTHROPIC_API_KEY"}]},
]  # fmt: skip


async def agent_ways(stage: Stage) -> AsyncIterator[str]:
    """The ways to sign in that an agent told of in a test, one under way, and one that failed"""
    init = {**_SAYS["init"], "authMethods": _WAYS}
    guest = _installed(stage.folders, stage.home, init=init, authenticate="hold")
    stage.window.show_settings("agents")
    await _agents_known(stage)
    await stage.click("settings_agents_test")
    tested = await stage.find("settings_agents_tested")
    await stage.until(lambda: tested.property("role") == "success", "the test")
    page = await stage.find("settings_agents")
    assert isinstance(page, AgentsPage)
    state = await stage.find("settings_agents_way_0")
    page.ensureWidgetVisible(state)
    await stage.rest()
    yield "39-settings-agents-ways"
    await stage.click("settings_agents_way_1")
    page.ensureWidgetVisible(await stage.find("settings_agents_way_cancel"))
    await stage.rest()
    yield "39-settings-agents-way-waits"
    await stage.click("settings_agents_way_cancel")
    told = await stage.find("settings_agents_way_state")
    await stage.until(lambda: told.property("role") == "danger", "the end")
    failed = {"error": {"code": -32603, "message": "This client is no longer supported for your account."}}
    (stage.folders.config / "guests.toml").write_text("", encoding="utf-8")
    guest.describe(**{**_SAYS, "init": init, "authenticate": failed})
    await stage.click("settings_agents_way_1")
    await stage.until(lambda: "no longer supported" in told.text(), "the failure")
    page.ensureWidgetVisible(told)
    await stage.rest()
    yield "39-settings-agents-way-failed"


async def welcome_agent(stage: Stage) -> AsyncIterator[str]:
    """The first page without a key, with an agent that is installed, and once it was chosen"""
    _installed(stage.folders, stage.home)
    await stage.stop()
    stage.updates.clear()
    await stage.start()
    await stage.find("welcome_agent_claude")
    yield "01-welcome-agent"
    await stage.click("welcome_agent_claude")
    await stage.until(lambda: stage.window.engine.settings.default_agent == "claude", "the choice")
    await stage.rest()
    yield "01-welcome-agent-chosen"
