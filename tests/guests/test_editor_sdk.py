"""Whole tasks at `banksman acp` with the TypeScript library of the protocol as the editor."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from desktop.domain.events import InputResolved, ToolCallFinished, TurnEnded
from tests.acp_editor import Editor, Refused, log_of, pick
from tests.agent.rig import git
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.guests.ground import INSTALLED, PROGRAMS

pytest_plugins = ("tests.acp_plugin",)
pytestmark = [pytest.mark.asyncio, pytest.mark.guests, pytest.mark.timeout(200)]
PERMISSION = "session/request_permission"
LIBRARY = Path(__file__).with_name("sdk_editor.mjs")
QUESTION = {"id": "colour", "question": "Which?", "options": [{"label": "red"}, {"label": "blue"}]}


class SdkEditor(Editor):
    """The library between this test and the agent. Faults that it finds in the agent's messages are `faults`."""

    def start(self, words: list[str], folder: Path, environ: dict[str, str], stdin: int) -> "subprocess.Popen[bytes]":
        """Node with the library, which starts the agent."""
        command = [PROGRAMS / "node", LIBRARY, Path(INSTALLED) / "node_modules", sys.executable, "-m", "desktop"]
        return subprocess.Popen([*command, *words], cwd=folder, env=environ, stdin=stdin, stdout=subprocess.PIPE)

    def _take(self, message: dict[str, Any]) -> None:
        if message.get("method") == "fault":
            self.faults.append(message["params"])
        else:
            super()._take(message)


def by_title(**options: str) -> Any:
    """A person who answers each permission by its title."""
    return lambda params: pick(options[params["toolCall"]["title"].partition(" ")[0]])(params)


@pytest.mark.promise("guests-R9")
async def test_a_whole_task_is_carried_out(home: Path, shop: Path, model_api: FakeModelApi) -> None:
    """A plan, an edit, a command allowed and one declined, a question in a form; then it is loaded and goes on."""
    todos = [{"content": "Write", "status": "in_progress"}]
    done = [{"content": "Write", "status": "completed"}]
    model_api.script(
        tool_turn("todo_write", todos=todos),
        tool_turn("exit_plan_mode", plan="1. Write a file"),
        tool_turn("write_file", file_path="new.txt", content="one\n"),
        tool_turn("read_file", file_path="app.py"),
        tool_turn("edit_file", file_path="app.py", old_string="hello", new_string="bye"),
        tool_turn("bash", command="touch made"),
        tool_turn("bash", command="rm -rf build"),
        tool_turn("ask_user", questions=[QUESTION]),
        tool_turn("todo_write", todos=done),
        text_turn("All is done."),
    )
    async with SdkEditor(home, shop) as editor:
        editor.asks[PERMISSION] = by_title(Plan="allow_once", touch="allow_once", rm="reject_once")
        editor.asks["elicitation/create"] = lambda params: {"action": "accept", "content": {"colour": "blue"}}
        editor.asks["fs/read_text_file"] = lambda params: {"content": Path(params["path"]).read_text()}
        said = await editor.greet(fs={"readTextFile": True}, elicitation={"form": {}}, auth={"terminal": True})
        assert (said["protocolVersion"], said["agentCapabilities"]["loadSession"]) == (1, True)
        assert await editor.ask("authenticate", methodId="key") == {}
        chat = await editor.new(shop)
        await editor.ask("session/set_mode", sessionId=chat, modeId="plan")
        assert await editor.say(chat, "Work on it") == "end_turn"
        titles = [one["params"]["toolCall"]["title"] for one in editor.asked if one["method"] == PERMISSION]
        assert titles == ["Plan to review", "touch made", "rm -rf build"]
        lane = Path(editor.text.removeprefix("Working in ").partition(", on the branch")[0])
        assert (lane / "new.txt").read_text() == "one\n"
        assert (lane / "app.py").read_text() == "print('bye')\n"
        changed = git(lane, "status", "--porcelain").splitlines()
        assert sorted(one[3:] for one in changed) == ["app.py", "made", "new.txt"]
        assert [one["entries"][0]["status"] for one in editor.of("plan")] == ["in_progress", "completed"]
        assert [one["currentModeId"] for one in editor.of("current_mode_update")] == ["plan", "edit"]
        calls = [(one["title"], one["status"]) for one in editor.calls() if one["kind"] == "execute"]
        assert calls == [("touch made", "completed"), ("rm -rf build", "failed")]
        assert editor.text.endswith("All is done.")
        text = editor.text
    log = [one.event for one in log_of(home, chat)]
    answers = [(one.person, one.answer.outcome) for one in log if isinstance(one, InputResolved)]
    assert ("acp:zed", "reject") in answers
    assert {person for person, _ in answers} == {"acp:zed"}
    model_api.script(text_turn("Welcome back."))
    async with SdkEditor(home, shop) as editor:
        await editor.greet()
        (listed,) = (await editor.ask("session/list", cwd=str(shop)))["sessions"]
        assert listed["sessionId"] == chat
        await editor.ask("session/load", sessionId=chat, cwd=listed["cwd"], mcpServers=[])
        await editor.until(lambda: editor.text == text, "it is not told as it was")
        assert await editor.say(chat, "Go on") == "end_turn"
        assert editor.text.endswith("Welcome back.")


@pytest.mark.promise("guests-R12")
async def test_a_turn_is_cancelled_while_its_card_waits(home: Path, shop: Path, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="make all"))
    async with SdkEditor(home, shop) as editor:
        chat, answer = await editor.asked_about(shop, "Build")
        await editor.cancel(chat, answer)
        model_api.script(text_turn("Here again."))
        assert await editor.say(chat, "Go on") == "end_turn"
        assert editor.text.endswith("Here again.")


@pytest.mark.promise("guests-R13")
async def test_an_editor_that_goes_with_a_card_open_stops_the_turn(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="make all"))
    async with SdkEditor(home, shop) as editor:
        chat, _ = await editor.asked_about(shop, "Build")
    log = [one.event for one in log_of(home, chat)]
    assert [one.answer.outcome for one in log if isinstance(one, InputResolved)] == ["cancelled"]
    assert [one.status for one in log if isinstance(one, TurnEnded)] == ["interrupted"]


@pytest.mark.promise("guests-R14")
async def test_what_an_editor_cannot_show_whole_is_not_put_to_it(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="make 'a\u202ell'"), text_turn("I see."))
    async with SdkEditor(home, shop) as editor:
        await editor.greet()
        chat = await editor.new(shop)
        assert await editor.say(chat, "Build") == "end_turn"
        assert editor.asked == []
        assert "cannot be seen" in editor.text
    results = [one.event for one in log_of(home, chat) if isinstance(one.event, ToolCallFinished)]
    assert [one.outcome for one in results] == ["declined"]


@pytest.mark.promise("guests-R16")
async def test_errors_are_read_by_their_numbers(home: Path, shop: Path) -> None:
    async with SdkEditor(home, shop) as editor:
        await editor.greet()
        for method, params, code in (
            ("session/fly", {}, -32601),
            ("session/new", {"cwd": "shop", "mcpServers": []}, -32602),
            ("session/load", {"sessionId": "ses_0", "cwd": str(shop), "mcpServers": []}, -32002),
        ):
            with pytest.raises(Refused) as refused:
                await editor.ask(method, **params)
            assert (method, refused.value.code) == (method, code)
