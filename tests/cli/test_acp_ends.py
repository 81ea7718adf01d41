"""How turns end at an editor, what it is told beside them, and the messages of one that is much used, in their order.

Of Zed three messages are a recording (`tests/fakes/acp/zed.jsonl`): how it introduces itself, begins a session and
sends a text. No recording of its answers to cards, of what it embeds in a message or of a cancel was found. These are
written here after its source (`crates/agent_servers/src/acp.rs`, `crates/acp_thread/src/mention.rs`), which is no proof
that a Zed which runs sends nothing else."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from desktop.config.settings_file import load_settings, save_settings
from desktop.domain.chats.queue_events import Limits
from desktop.providers.kinds import own_addresses
from tests.acp_editor import Editor, pick, result_of
from tests.agent.rig import folders_below, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn, turn

pytest_plugins = ("tests.acp_plugin",)
PERMISSION = "session/request_permission"
RECORDED = [json.loads(line) for line in (Path(__file__).parents[1] / "fakes/acp/zed.jsonl").read_text().splitlines()]
HELLO, NEW, PROMPT = RECORDED


@pytest.mark.asyncio
@pytest.mark.promise("guests-R12")
async def test_an_answer_that_is_too_long_or_refused_is_told_by_its_reason(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(*[turn("Long", stop_reason="max_tokens")] * 3, turn("No.", stop_reason="refusal"))
    async with Editor(home, shop) as editor:
        await editor.greet()
        chat = await editor.new(shop)
        assert await editor.say(chat, "Write a novel") == "max_tokens"
        assert await editor.say(chat, "Do harm") == "refusal"


@pytest.mark.asyncio
@pytest.mark.promise("guests-R12")
async def test_a_limit_of_steps_is_told_by_its_reason_and_in_words(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    file = folders_below(home).settings_file
    save_settings(file, load_settings(file, own_addresses()).model_copy(update={"limits": Limits(steps=1)}))
    model_api.script(tool_turn("read_file", file_path="app.py"), text_turn("Never said."))
    async with Editor(home, shop) as editor:
        await editor.greet()
        assert await editor.say(await editor.new(shop), "Read on and on") == "max_turn_requests"
        assert "limit" in editor.text
        assert "Never said." not in editor.text


@pytest.mark.asyncio
@pytest.mark.promise("guests-R15")
async def test_usage_and_slash_commands_are_sent(home: Path, shop: Path, model_api: FakeModelApi) -> None:
    (shop / ".banksman" / "commands").mkdir(parents=True)
    (shop / ".banksman" / "commands" / "tidy.md").write_text("---\ndescription: Tidies up\n---\nTidy $ARGUMENTS\n")
    git(shop, "add", "-A")
    git(shop, "commit", "-q", "-m", "command")
    file = folders_below(home).settings_file
    settings = load_settings(file, own_addresses())
    endpoints = tuple(one.model_copy(update={"context_window": 50_000}) for one in settings.endpoints)
    save_settings(file, settings.model_copy(update={"endpoints": endpoints}))
    model_api.script(text_turn("Hello."))
    async with Editor(home, shop) as editor:
        await editor.greet()
        await editor.say(await editor.new(shop), "Say hi")
        unpriced = "of a service without a price nobody knows what it costs"
        await editor.until(lambda: any("cost" not in one for one in editor.of("usage_update")), unpriced)
        usage = editor.of("usage_update")[-1]
        assert usage["size"] == 50_000
        assert usage["used"] > 0
        await editor.until(lambda: bool(editor.of("available_commands_update")), "no commands were told")
        named = [one["name"] for one in editor.of("available_commands_update")[-1]["availableCommands"]]
    assert len(named) == len(set(named))


@pytest.mark.asyncio
@pytest.mark.promise("guests-R9")
async def test_a_session_that_zed_held_is_carried_out(home: Path, shop: Path, model_api: FakeModelApi) -> None:
    """Its messages word for word and with their ids, but for the folder and the session's name."""
    model_api.script(
        tool_turn("read_file", file_path="app.py"), tool_turn("bash", command="make all"), text_turn("All is well.")
    )

    def send(editor: Editor, recorded: dict[str, Any], **params: Any) -> "asyncio.Future[dict[str, Any]]":
        return editor.begin(recorded["method"], {**recorded["params"], **params}, recorded["id"])

    async with Editor(home, shop) as editor:
        editor.asks[PERMISSION] = pick("allow_once")
        said = result_of(await send(editor, HELLO))
        assert (said["protocolVersion"], said["agentInfo"]["name"]) == (1, "banksman")
        assert "terminal" in [one["type"] for one in said["authMethods"]]
        chat = result_of(await send(editor, NEW, cwd=str(shop)))["sessionId"]
        ended = result_of(await send(editor, PROMPT, sessionId=chat))
        assert ended["stopReason"] == "end_turn"
        assert editor.text.endswith("All is well.")
        assert [one["kind"] for one in editor.calls()] == ["read", "execute"]
        assert len([one for one in editor.asked if one["method"] == PERMISSION]) == 1
    assert "board status" in str(model_api.requests[0].body["messages"])


@pytest.mark.asyncio
@pytest.mark.promise("guests-R9")
async def test_a_session_as_zed_holds_it_is_carried_out(home: Path, shop: Path, model_api: FakeModelApi) -> None:
    model_api.script(
        tool_turn("read_file", file_path="app.py"),
        tool_turn("edit_file", file_path="app.py", old_string="hello", new_string="goodbye"),
        tool_turn("bash", command="make all"),
        text_turn("It is changed; the build I left."),
    )
    async with Editor(home, shop) as editor:
        said = await editor.ask("initialize", **HELLO["params"])
        assert said["protocolVersion"] == 1
        asked: list[dict[str, Any]] = []

        def read(params: dict[str, Any]) -> dict[str, Any]:
            asked.append(params)
            return {"content": Path(params["path"]).read_text()}

        editor.asks |= {"fs/read_text_file": read, PERMISSION: pick("reject_once")}
        made = await editor.ask("session/new", cwd=str(shop), mcpServers=[])
        chat = str(made["sessionId"])
        assert {one["id"] for one in made["modes"]["availableModes"]} >= {"plan", "edit", "full-auto"}
        await editor.ask("session/set_mode", sessionId=chat, modeId="edit")
        uri = (shop / "app.py").as_uri()
        blocks = [
            {"type": "text", "text": "Change the greeting in "},
            {"type": "resource_link", "uri": uri, "name": "app.py"},
            {"type": "resource", "resource": {"uri": f"{uri}?symbol=main#L1:1", "text": "print('hello')\n"}},
            {"type": "resource_link", "uri": f"{shop.as_uri()}/", "name": "shop"},
            {"type": "resource", "resource": {"uri": "zed:///agent/terminal-selection?lines=1", "text": "make: all\n"}},
            {"type": "resource_link", "uri": "zed:///agent/terminal-selection?lines=1", "name": "Terminal (1 line)"},
            {"type": "text", "text": " and build."},
        ]
        answer = await editor.begin("session/prompt", {"sessionId": chat, "prompt": blocks})
        assert result_of(answer)["stopReason"] == "end_turn"
        _, edit, build = editor.calls()
        assert (edit["kind"], edit["status"]) == ("edit", "completed")
        assert (build["kind"], build["status"]) == ("execute", "failed")
        assert [one["params"]["toolCall"]["title"] for one in editor.asked if one["method"] == PERMISSION] == [
            "make all"
        ]
        assert editor.text.endswith("It is changed; the build I left.")
        editor.send(method="session/cancel", params={"sessionId": chat})
        listed = await editor.ask("session/list", cwd=str(shop))
        assert [one["sessionId"] for one in listed["sessions"]] == [chat]
    sent = str(model_api.requests[0].body["messages"])
    assert "print('hello')" in sent
