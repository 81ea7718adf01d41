"""`banksman acp` as a real process, driven by an editor of ours that checks each message against the schema."""

import asyncio
import base64
import io
import os
import stat
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from desktop.domain.events import InputResolved, ToolCallFinished, TurnEnded, UserMessage
from desktop.store.database import open_store
from tests.acp_editor import PROGRAM, Editor, Refused, log_of, pick, result_of
from tests.agent.rig import folders_below, git, make_repository
from tests.cli.running import environment, finish
from tests.fakes.fake_model_api import FakeModelApi, http_failure, text_turn, tool_turn
from tests.forking import fork

pytest_plugins = ("tests.acp_plugin",)
PERMISSION = "session/request_permission"
COLOURS = {"id": "colour", "question": "Which?", "options": [{"label": "red"}, {"label": "blue"}]}
SIZE = {"id": "size", "question": "How large?"}


@pytest.mark.asyncio
@pytest.mark.promise("guests-R13")
async def test_a_command_is_declined_at_the_editor_with_all_its_evidence(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="rm -rf build"), text_turn("I leave it."))
    async with Editor(home, shop) as editor:
        editor.asks[PERMISSION] = pick("reject_once")
        await editor.greet()
        chat = await editor.new(shop)
        assert await editor.say(chat, "Clean up") == "end_turn"
        assert editor.text.endswith("I leave it.")
        (asked,) = (one["params"] for one in editor.asked)
    call, words = asked["toolCall"], asked["toolCall"]["content"][0]["content"]["text"]
    assert (call["title"], call["kind"], call["rawInput"]["command"]) == ("rm -rf build", "execute", "rm -rf build")
    assert {one["optionId"]: one["kind"] for one in asked["options"]}["reject_once"] == "reject_once"
    log = log_of(home, chat)
    (resolved,) = (one.event for one in log if isinstance(one.event, InputResolved))
    assert (resolved.person, resolved.answer.outcome) == ("acp:zed", "reject")
    assert f"Digest: {resolved.digest[:12]}" in words
    for told in ("Why: ", "Risk: ", "Runs ", "network"):
        assert told in words
    (finished,) = (one.event for one in log if isinstance(one.event, ToolCallFinished))
    assert finished.outcome == "declined"


@pytest.mark.asyncio
@pytest.mark.promise("guests-R11")
async def test_an_edit_is_made_in_a_lane_of_its_own_which_the_first_message_names(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("write_file", file_path="new.txt", content="one\n"), text_turn("Done."))
    async with Editor(home, shop) as editor:
        await editor.greet()
        chat = await editor.new(shop)
        assert await editor.say(chat, "Add a file") == "end_turn"
        first = editor.of("agent_message_chunk")[0]["content"]["text"]
        lane = Path(first.removeprefix("Working in ").partition(", on the branch")[0])
        (call,) = editor.calls()
    assert (lane / "new.txt").read_text() == "one\n"
    assert not (shop / "new.txt").exists()
    assert git(lane, "branch", "--show-current").strip() == "lane/add-a-file"
    assert call["status"] == "completed"
    assert call["content"] == [{"type": "diff", "path": str(lane / "new.txt"), "oldText": None, "newText": "one\n"}]


@pytest.mark.asyncio
@pytest.mark.promise("guests-R16")
async def test_what_is_no_request_of_the_protocol_is_answered_by_its_error(home: Path, shop: Path) -> None:
    async with Editor(home, shop) as editor:
        with pytest.raises(Refused) as early:
            await editor.new(shop)
        assert early.value.code == -32600
        await editor.greet()
        editor.write(b"[]\nno json\n\n")
        for method, params, code in (
            ("session/fly", {}, -32601),
            ("session/new", {"cwd": str(shop)}, -32602),
            ("session/new", {"cwd": "shop", "mcpServers": []}, -32602),
            ("session/new", {"mcpServers": []}, -32602),
            ("session/prompt", {"sessionId": "ses_0", "prompt": []}, -32002),
            ("session/load", {"sessionId": "ses_0", "cwd": str(shop), "mcpServers": []}, -32002),
            ("session/set_mode", {"sessionId": "ses_0", "modeId": "edit"}, -32002),
        ):
            with pytest.raises(Refused) as refused:
                await editor.ask(method, **params)
            assert (method, refused.value.code) == (method, code)
        plain = shop.parent / "plain"
        plain.mkdir()
        with pytest.raises(Refused, match="is not a git repository"):
            await editor.new(plain)


@pytest.mark.asyncio
@pytest.mark.promise("guests-R12")
async def test_a_cancelled_turn_ends_as_cancelled_and_its_card_too(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="make all"))
    async with Editor(home, shop) as editor:
        chat, answer = await editor.asked_about(shop, "Build")
        await editor.cancel(chat, answer)


@pytest.mark.asyncio
@pytest.mark.promise("guests-R13")
async def test_an_editor_that_goes_with_a_card_open_stops_the_turn(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="make all"))
    async with Editor(home, shop) as editor:
        chat, _ = await editor.asked_about(shop, "Build")
    log = log_of(home, chat)
    (resolved,) = (one.event for one in log if isinstance(one.event, InputResolved))
    assert (resolved.answer.outcome, resolved.reason) == ("cancelled", "restart")
    (ended,) = (one.event for one in log if isinstance(one.event, TurnEnded))
    assert ended.status == "interrupted"


@pytest.mark.asyncio
@pytest.mark.promise("guests-R12")
async def test_a_second_message_waits_in_the_queue_and_the_eleventh_that_waits_is_refused(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="make all"), text_turn("Heard."))
    async with Editor(home, shop) as editor:
        go = asyncio.Event()

        async def after_the_others(params: dict[str, Any]) -> dict[str, Any]:
            await go.wait()
            return pick("reject_once")(params)

        editor.asks[PERMISSION] = after_the_others
        await editor.greet()
        chat = await editor.new(shop)
        first = editor.prompt(chat, "Build")
        await editor.until(lambda: bool(editor.asked), "no card came")
        others = [editor.prompt(chat, f"And {number}") for number in range(11)]
        (refused, *_), _ = await asyncio.wait(others, timeout=30, return_when=asyncio.FIRST_COMPLETED)
        assert "queue is full" in refused.result()["error"]["message"]
        go.set()
        answers = await asyncio.wait_for(asyncio.gather(first, *others), 30)
    assert [one["result"]["stopReason"] for one in answers if "result" in one] == ["end_turn"] * 11


@pytest.mark.asyncio
@pytest.mark.promise("guests-R15")
async def test_a_question_is_a_form_where_the_editor_has_forms(home: Path, shop: Path, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("ask_user", questions=[COLOURS, SIZE]), text_turn("Thank you."))
    async with Editor(home, shop) as editor:
        editor.asks["elicitation/create"] = lambda params: {
            "action": "accept",
            "content": dict(zip(params["requestedSchema"]["properties"], ["blue", "", "wide"], strict=False)),
        }
        await editor.greet(elicitation={"form": {}})
        chat = await editor.new(shop)
        assert await editor.say(chat, "Ask me") == "end_turn"
        (asked,) = (one["params"] for one in editor.asked)
    form = asked["requestedSchema"]["properties"]
    assert [one["const"] for one in form["colour"]["oneOf"]] == ["red", "blue"]
    assert form["size"] == {"type": "string", "title": "How large?"}
    (result,) = model_api.requests[-1].messages[-1]["content"]
    assert "blue" in str(result)
    assert "wide" in str(result)


@pytest.mark.asyncio
@pytest.mark.promise("guests-R15")
async def test_a_question_with_choices_is_a_permission_where_it_has_none(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(
        tool_turn("ask_user", questions=[COLOURS]), tool_turn("ask_user", questions=[SIZE]), text_turn("Thank you.")
    )
    async with Editor(home, shop) as editor:
        editor.asks[PERMISSION] = pick("choice:1")
        await editor.greet()
        chat = await editor.new(shop)
        assert await editor.say(chat, "Ask me") == "end_turn"
        (asked,) = (one["params"] for one in editor.asked)
    assert [one["name"] for one in asked["options"]] == ["red", "blue", "Do not answer"]
    results = [one for one in model_api.requests[-1].messages if one["role"] == "user"][-2:]
    assert "blue" in str(results[0])
    assert "nobody answered" in str(results[1])


@pytest.mark.asyncio
@pytest.mark.promise("guests-R15")
async def test_a_plan_is_approved_at_the_editor_and_changes_the_mode(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    todos = [{"content": "Look", "status": "completed"}, {"content": "Write", "status": "pending"}]
    model_api.script(
        tool_turn("todo_write", todos=todos), tool_turn("exit_plan_mode", plan="1. Write a file"),
        text_turn("On it."), text_turn("One is open."),
    )  # fmt: skip
    async with Editor(home, shop) as editor:
        editor.asks[PERMISSION] = pick("allow_once")
        await editor.greet()
        chat = await editor.new(shop)
        await editor.ask("session/set_mode", sessionId=chat, modeId="plan")
        assert await editor.say(chat, "Plan it") == "end_turn"
        (asked,) = (one["params"] for one in editor.asked)
        assert [one["currentModeId"] for one in editor.of("current_mode_update")] == ["plan", "edit"]
        (plan,) = editor.of("plan")
    assert asked["toolCall"]["kind"] == "switch_mode"
    assert asked["toolCall"]["content"][0]["content"]["text"] == "1. Write a file"
    assert [(one["content"], one["status"]) for one in plan["entries"]] == [("Look", "completed"), ("Write", "pending")]


@pytest.mark.asyncio
@pytest.mark.promise("guests-R14")
async def test_what_an_editor_cannot_show_whole_is_declined_without_being_put_to_it(
    home: Path, shop: Path, model_api: FakeModelApi, tmp_path: Path
) -> None:
    model_api.script(
        tool_turn("bash", command="make 'a\u202ell'"),
        tool_turn("write_file", file_path=".envrc", content="export A=1\n" * 12_000),
        tool_turn("bash", command=f"git push --force {tmp_path}/hub.git HEAD:main", outside_sandbox=True),
        text_turn("I see."),
    )
    async with Editor(home, shop) as editor:
        await editor.greet()
        chat = await editor.new(shop)
        assert await editor.say(chat, "Build") == "end_turn"
        assert editor.asked == []
        for why in ("cannot be seen", "longer than 100,000 characters", "cannot be undone"):
            assert why in editor.text
    outcomes = [one.event.outcome for one in log_of(home, chat) if isinstance(one.event, ToolCallFinished)]
    assert outcomes == ["declined"] * 3


@pytest.mark.asyncio
@pytest.mark.promise("guests-R14")
@pytest.mark.parametrize(("typed", "pushed"), [("main", True), ("Main", False), ("", False)])
async def test_what_cannot_be_undone_needs_its_word_in_a_form(
    home: Path, shop: Path, model_api: FakeModelApi, tmp_path: Path, typed: str, pushed: bool
) -> None:
    git(tmp_path, "init", "-q", "--bare", "hub.git")
    command = f"git push --force {tmp_path}/hub.git HEAD:main"
    model_api.script(tool_turn("bash", command=command, outside_sandbox=True), text_turn("I see."))
    async with Editor(home, shop) as editor:
        editor.asks["elicitation/create"] = lambda params: {"action": "accept", "content": {"word": typed}}
        await editor.greet(elicitation={"form": {}})
        chat = await editor.new(shop)
        assert await editor.say(chat, "Push") == "end_turn"
        (asked,) = (one["params"] for one in editor.asked)
    assert command in asked["message"]
    assert asked["requestedSchema"]["properties"]["word"]["title"] == "Type main to do it"
    assert (git(tmp_path / "hub.git", "for-each-ref") != "") is pushed


@pytest.mark.asyncio
@pytest.mark.promise("guests-R13")
@pytest.mark.parametrize("option", ["allow_always", "no such option"])
async def test_an_answer_that_was_not_offered_is_a_decline(
    home: Path, shop: Path, model_api: FakeModelApi, option: str
) -> None:
    model_api.script(tool_turn("write_file", file_path=".envrc", content="export A=1\n"), text_turn("I see."))
    async with Editor(home, shop) as editor:
        editor.asks[PERMISSION] = pick(option)
        await editor.greet()
        chat = await editor.new(shop)
        assert await editor.say(chat, "Build") == "end_turn"
        assert editor.asked, editor.updates
        (asked,) = (one["params"] for one in editor.asked)
        assert "allow_always" not in {one["optionId"] for one in asked["options"]}
    (finished,) = (one.event for one in log_of(home, chat) if isinstance(one.event, ToolCallFinished))
    assert finished.outcome == "declined"


@pytest.mark.asyncio
@pytest.mark.promise("guests-R13")
async def test_a_grant_for_the_chat_is_offered_by_what_it_covers_and_asks_no_more(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="touch one"), tool_turn("bash", command="touch one"), text_turn("Done."))
    async with Editor(home, shop) as editor:
        editor.asks[PERMISSION] = pick("allow_always")
        await editor.greet()
        chat = await editor.new(shop)
        assert await editor.say(chat, "Build") == "end_turn"
        (asked,) = (one["params"] for one in editor.asked)
        (always,) = (one for one in asked["options"] if one["kind"] == "allow_always")
        assert always["name"].startswith("Allow in this chat: ")
        assert "touch" in always["name"]
        assert [one["status"] for one in editor.calls()] == ["completed", "completed"]


@pytest.mark.asyncio
async def test_an_older_chat_is_listed_loaded_and_goes_on(home: Path, shop: Path, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("write_file", file_path="new.txt", content="one\n"), text_turn("Done."))
    async with Editor(home, shop) as editor:
        await editor.greet()
        chat = await editor.new(shop)
        await editor.say(chat, "Add a file")
        told = editor.text.partition("\n\n")[2]
        (call,) = editor.calls()
    model_api.script(text_turn("Welcome back."))
    async with Editor(home, shop) as editor:
        await editor.greet()
        (listed,) = (await editor.ask("session/list", cwd=str(shop)))["sessions"]
        assert (listed["sessionId"], listed["title"]) == (chat, "Add a file")
        loaded = await editor.ask("session/load", sessionId=chat, cwd=listed["cwd"], mcpServers=[])
        assert loaded["modes"]["currentModeId"] == "edit"
        assert [one["content"]["text"] for one in editor.of("user_message_chunk")] == ["Add a file"]
        assert told in editor.text
        (again,) = editor.calls()
        assert (again["title"], again["status"], again["content"]) == (call["title"], "completed", call["content"])
        assert await editor.say(chat, "Go on") == "end_turn"
        assert editor.text.endswith("Welcome back.")
        assert len(editor.of("user_message_chunk")) == 1


@pytest.mark.asyncio
@pytest.mark.promise("guests-R11")
async def test_the_folder_says_where_a_chat_works_and_named_servers_do_not_start(
    home: Path, shop: Path, model_api: FakeModelApi, tmp_path: Path
) -> None:
    model_api.script(text_turn("One."), text_turn("Two."), text_turn("Three."))
    started = tmp_path / "started"
    server = {"name": "notes", "command": "/usr/bin/touch", "args": [str(started)], "env": []}
    async with Editor(home, shop) as editor:
        await editor.greet()
        chat = await editor.new(shop, [server])
        await editor.say(chat, "Look")
        lane = Path(editor.text.removeprefix("Working in ").partition(", on the branch")[0])
        assert "MCP servers (notes). None starts before you accept it in Settings" in editor.text
        editor.updates.clear()
        await editor.say(await editor.new(lane), "Look again")
        assert editor.text.startswith(f"Working in {lane}, on the branch lane/look.")
    assert not started.exists()
    async with Editor(home, shop, "--in-checkout") as editor:
        await editor.greet()
        await editor.say(await editor.new(shop), "Look here")
        assert editor.text.startswith(f"Working in {shop}, on the branch main.")


@pytest.mark.asyncio
async def test_pictures_and_files_of_a_message_reach_the_model(home: Path, shop: Path, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("I see."))
    bytes_ = io.BytesIO()
    Image.new("RGB", (4, 4), "red").save(bytes_, "PNG")
    picture = base64.b64encode(bytes_.getvalue()).decode()
    blocks = [
        {"type": "text", "text": "What is this?"},
        {"type": "image", "data": picture, "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "file:///shop/notes.md", "text": "# Notes"}},
        {"type": "resource_link", "name": "app.py", "uri": "file:///shop/app.py"},
    ]
    async with Editor(home, shop) as editor:
        await editor.greet()
        chat = await editor.new(shop)
        answer = await asyncio.wait_for(editor.begin("session/prompt", {"sessionId": chat, "prompt": blocks}), 60)
        assert result_of(answer) == {"stopReason": "end_turn"}
        for bad in ({"type": "audio", "data": "", "mimeType": "audio/wav"}, {"type": "image", "data": "%"}, 7):
            with pytest.raises(Refused) as refused:
                await editor.ask("session/prompt", sessionId=chat, prompt=[bad])
            assert refused.value.code == -32602
    sent = str(model_api.requests[-1].messages)
    for words in ("What is this?", "/shop/notes.md", "# Notes", "[app.py](/shop/app.py)", "'type': 'image'"):
        assert words in sent


@pytest.mark.asyncio
@pytest.mark.promise("guests-R9")
async def test_a_second_editor_joins_the_engine_of_the_first_which_ends_with_the_last(
    home: Path, shop: Path, model_api: FakeModelApi, tmp_path: Path
) -> None:
    model_api.script(text_turn("One."), text_turn("Two."), text_turn("Three."))
    other = make_repository(tmp_path / "other")
    socket = home / "data" / "instance" / "acp.sock"
    async with Editor(home, shop) as first:
        await first.greet()
        chat = await first.new(shop)
        async with Editor(home, shop) as second:
            await second.greet()
            await first.say(chat, "Hello")
            with pytest.raises(Refused, match="one at a time"):
                await second.new(other)
            await second.ask("session/load", sessionId=chat, cwd=str(shop), mcpServers=[])
            assert second.text == first.text
            await second.say(chat, "Hello again")
            await first.until(lambda: first.text.endswith("Two."), "the first was not told")
            assert [one["content"]["text"] for one in first.of("user_message_chunk")] == ["Hello again"]
            assert stat.S_IMODE(socket.stat().st_mode) == 0o600
            first.leave()
            await second.say(chat, "And once more")
            assert second.text.endswith("Three.")
    assert not socket.exists()


@pytest.mark.asyncio
@pytest.mark.promise("guests-R12")
async def test_cancelling_ends_what_runs_and_what_waits(home: Path, shop: Path, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="make all"))
    async with Editor(home, shop) as editor:
        await editor.greet()
        chat = await editor.new(shop)
        first = editor.prompt(chat, "Build")
        await editor.until(lambda: bool(editor.asked), "no card came")
        second = editor.prompt(chat, "And test")
        await editor.ask("session/list")  # the second is in the queue by then: requests are begun in their order
        editor.send(method="session/cancel", params={"sessionId": chat})
        answers = await asyncio.wait_for(asyncio.gather(first, second), 30)
        assert [one["result"]["stopReason"] for one in answers] == ["cancelled", "cancelled"]
    assert not [one for one in log_of(home, chat) if isinstance(one.event, UserMessage) and "test" in str(one.event)]


@pytest.mark.asyncio
@pytest.mark.promise("guests-R12")
async def test_a_turn_that_fails_is_an_error_and_the_chat_goes_on(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="make all"), http_failure(400, message="not today"))
    async with Editor(home, shop) as editor:
        await editor.greet()
        chat = await editor.new(shop)
        first = editor.prompt(chat, "Build")
        await editor.until(lambda: bool(editor.asked), "no card came")
        editor.send(id=editor.asked[0]["id"], result={"outcome": {"outcome": "cancelled"}})
        with pytest.raises(Refused, match="refused the request"):
            result_of(await asyncio.wait_for(first, 30))
        model_api.script(text_turn("Now it works."))
        assert await editor.say(chat, "Again") == "end_turn"
        assert editor.text.endswith("Now it works.")


@pytest.mark.asyncio
@pytest.mark.promise("guests-R12")
async def test_what_waits_is_given_back_where_somebody_else_stops_the_turn(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="make all"))
    async with Editor(home, shop) as mine:
        await mine.greet()
        async with Editor(home, shop) as other:
            await other.greet()
            chat = await mine.new(shop)
            first = mine.prompt(chat, "Build")
            await mine.until(lambda: bool(mine.asked), "no card came")
            second = mine.prompt(chat, "And test")
            await mine.ask("session/list")
            await other.ask("session/load", sessionId=chat, cwd=str(shop), mcpServers=[])
            await other.until(lambda: bool(other.asked), "the card did not come to the second editor")
            other.send(method="session/cancel", params={"sessionId": chat})
            assert result_of(await asyncio.wait_for(first, 30)) == {"stopReason": "cancelled"}
            with pytest.raises(Refused, match="was taken back"):
                result_of(await asyncio.wait_for(second, 30))


@pytest.mark.asyncio
@pytest.mark.promise("guests-R16")
async def test_an_editor_that_fails_to_ask_has_declined(home: Path, shop: Path, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("bash", command="touch one"), text_turn("I see."))
    async with Editor(home, shop) as editor:
        editor.asks[PERMISSION] = lambda params: None
        await editor.greet()
        chat = await editor.new(shop)
        assert await editor.say(chat, "Build") == "end_turn"
    (finished,) = (one.event for one in log_of(home, chat) if isinstance(one.event, ToolCallFinished))
    assert finished.outcome == "declined"
    assert "The editor could not ask this." in str(finished.content)


@pytest.mark.asyncio
@pytest.mark.promise("guests-R9")
async def test_the_engine_of_an_editor_that_goes_lives_on_for_the_one_that_joined(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(text_turn("One."))
    async with Editor(home, shop) as host:
        await host.greet()
        async with Editor(home, shop) as guest:
            await guest.greet()
            chat = await guest.new(shop)
            host.leave()
            await host.until(lambda: host.over, "the host goes on writing")
            assert host.process.poll() is None
            assert await guest.say(chat, "Hello") == "end_turn"


@pytest.mark.asyncio
@pytest.mark.promise("guests-R13")
async def test_the_card_of_a_sub_agent_is_put_to_the_editor_under_its_chat(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(
        tool_turn("task", description="Make it", prompt="Make the file one", subagent_type="general"),
        tool_turn("bash", command="touch one"),
        text_turn("It is made."),
        text_turn("All is done."),
    )
    async with Editor(home, shop) as editor:
        editor.asks[PERMISSION] = pick("allow_once")
        await editor.greet()
        chat = await editor.new(shop)
        assert await editor.say(chat, "Have it made") == "end_turn"
        asked = [one["params"] for one in editor.asked]
        lane = Path(editor.text.removeprefix("Working in ").partition(", on the branch")[0])
    assert {one["sessionId"] for one in asked} == {chat}
    assert "touch one" in [one["toolCall"]["title"] for one in asked]
    assert (lane / "one").exists()


@pytest.mark.asyncio
@pytest.mark.promise("guests-R16")
async def test_a_message_over_16_mib_ends_the_connection_with_a_line_in_the_log(home: Path, shop: Path) -> None:
    async with Editor(home, shop) as editor:
        await editor.greet()
        with suppress(BrokenPipeError):
            await asyncio.to_thread(editor.write, b'{"jsonrpc":"2.0","method":"' + b"x" * (17 << 20))
        await editor.until(lambda: editor.over, "the connection goes on")
    log = "".join(one.read_text() for one in folders_below(home).logs.glob("acp*"))
    assert "An editor was left: It sent a message of more than 16 MiB." in log


@pytest.mark.promise("guests-R9")
def test_nothing_but_the_protocol_comes_on_standard_output(tmp_path: Path) -> None:
    code = """
import os
from desktop.cli.acp import own_output
writing = own_output()
print("of a library")
os.write(1, b"of its C part\\n")
os.write(writing, b"the protocol\\n")
os.system("echo of a child")
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(tmp_path), timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "the protocol\n")
    assert "of its C part" in done.stderr
    assert "of a child" in done.stderr


def test_chats_that_a_run_holds_are_named_with_its_process(home: Path, shop: Path) -> None:
    store = open_store(folders_below(home).store)
    try:
        done = finish(fork(PROGRAM, ["acp"], shop, environment(home)))
    finally:
        store.close()
    assert (done.status, done.stdout) == (2, "")
    assert f"The chats are in use (process {os.getpid()})" in done.stderr


def test_the_help_has_the_lines_for_editors(home: Path, shop: Path) -> None:
    done = finish(fork(PROGRAM, ["acp", "--help"], shop, environment(home)))
    assert done.status == 0
    for editor in ("Zed", "JetBrains", "Neovim", "Toad", "--in-checkout"):
        assert editor in done.stdout


@pytest.mark.asyncio
@pytest.mark.promise("guests-R10")
async def test_a_file_is_read_as_the_editor_has_it_and_changed_as_it_is_saved(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(
        tool_turn("read_file", file_path="app.py"),
        tool_turn("read_file", file_path="notes.md"),
        tool_turn("edit_file", file_path="app.py", old_string="hello", new_string="bye"),
        text_turn("Done."),
    )

    def has(params: dict[str, Any]) -> dict[str, Any]:
        path = Path(params["path"])
        return {"content": "print('unsaved')\n" if path.name == "app.py" else path.read_text()}

    async with Editor(home, shop) as editor:
        editor.asks["fs/read_text_file"] = has
        await editor.greet(fs={"readTextFile": True})
        chat = await editor.new(shop)
        assert await editor.say(chat, "Look") == "end_turn"
        assert [one["method"] for one in editor.asked] == ["fs/read_text_file"] * 2
        lane = Path(editor.text.removeprefix("Working in ").partition(", on the branch")[0])
    first, second = (str(one.messages[-1]["content"]) for one in model_api.requests[1:3])
    assert "app.py (as the editor has it, not saved)" in first
    assert "print('unsaved')" in first.replace("\\", "")
    assert "not saved" not in second
    assert (lane / "app.py").read_text() == "print('bye')\n"
    summaries = [one.event.summary for one in log_of(home, chat) if isinstance(one.event, ToolCallFinished)]
    assert summaries[0].endswith(", not saved in the editor")


@pytest.mark.asyncio
@pytest.mark.promise("guests-R10")
async def test_an_editor_that_does_not_answer_keeps_no_read_waiting(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("read_file", file_path="app.py"), text_turn("Done."))
    async with Editor(home, shop) as editor:
        await editor.greet(fs={"readTextFile": True})
        chat = await editor.new(shop)
        assert await editor.say(chat, "Look") == "end_turn"
    assert "print('hello')" in str(model_api.requests[1].messages[-1]["content"]).replace("\\", "")


@pytest.mark.asyncio
@pytest.mark.promise("guests-R10")
async def test_only_what_an_editor_can_do_is_offered_to_it(home: Path, shop: Path) -> None:
    async with Editor(home, shop) as editor:
        plain = await editor.greet()
        assert [one["id"] for one in plain["authMethods"]] == ["key"]
        able = await editor.greet(auth={"terminal": True})
        assert [(one["id"], one["type"]) for one in able["authMethods"]] == [
            ("settings", "terminal"),
            ("key", "env_var"),
        ]
        assert able["agentCapabilities"]["promptCapabilities"] == {
            "image": True,
            "audio": False,
            "embeddedContext": True,
        }
        assert await editor.ask("authenticate", methodId="key") == {}
        await editor.ask(
            "session/set_config_option", sessionId=await editor.new(shop), configId="model", value="fake/x"
        )
        with pytest.raises(Refused) as refused:
            await editor.ask("initialize")
        assert refused.value.code == -32602


@pytest.mark.asyncio
async def test_a_missing_key_is_told_as_what_needs_signing_in(tmp_path: Path, shop: Path) -> None:
    async with Editor(tmp_path / "home", shop) as editor:
        await editor.greet()
        chat = await editor.new(shop)
        with pytest.raises(Refused, match="There is no key for Anthropic") as refused:
            await editor.say(chat, "Hello")
        assert refused.value.code == -32000
        with pytest.raises(Refused) as again:
            await editor.ask("authenticate", methodId="key")
        assert again.value.code == -32000
