"""`banksman acp` as a real process, driven by an editor of ours that checks each message against the schema."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.domain.events import Envelope, InputResolved, ToolCallFinished, TurnEnded
from desktop.store.database import open_store
from tests.acp_editor import Editor, Refused, pick, use_service
from tests.agent.rig import folders_below, git, make_repository
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

PERMISSION = "session/request_permission"


@pytest.fixture
def model_api() -> Iterator[FakeModelApi]:
    with FakeModelApi() as api:
        yield api


@pytest.fixture
def home(tmp_path: Path, model_api: FakeModelApi) -> Path:
    use_service(tmp_path / "home", model_api.url)
    return tmp_path / "home"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop")


def log_of(home: Path, chat: str) -> list[Envelope]:
    """The log of a chat, once no process holds it."""
    store = open_store(folders_below(home).store)
    try:
        return list(store.events.path(chat))
    finally:
        store.close()


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
        await editor.greet()
        chat = await editor.new(shop)
        answer = editor.prompt(chat, "Build")
        await editor.until(lambda: bool(editor.asked), "no card came")
        editor.send(method="session/cancel", params={"sessionId": chat})
        assert (await asyncio.wait_for(answer, 30))["result"] == {"stopReason": "cancelled"}
        assert editor.cancelled == [{"requestId": editor.asked[0]["id"]}]


@pytest.mark.asyncio
@pytest.mark.promise("guests-R13")
async def test_an_editor_that_goes_with_a_card_open_stops_the_turn(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("bash", command="make all"))
    async with Editor(home, shop) as editor:
        await editor.greet()
        chat = await editor.new(shop)
        editor.prompt(chat, "Build")
        await editor.until(lambda: bool(editor.asked), "no card came")
    log = log_of(home, chat)
    (resolved,) = (one.event for one in log if isinstance(one.event, InputResolved))
    assert (resolved.answer.outcome, resolved.reason) == ("cancelled", "interrupted")
    (ended,) = (one.event for one in log if isinstance(one.event, TurnEnded))
    assert ended.status == "interrupted"
