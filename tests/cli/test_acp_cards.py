"""What an editor of `banksman acp` is shown of a card, and what its person cannot do there."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from desktop.domain.events import InputResolved, ToolCallDecided, ToolCallFinished
from tests.acp_editor import Editor, Refused, log_of, pick
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytest_plugins = ("tests.acp_plugin",)
pytestmark = pytest.mark.asyncio
PERMISSION = "session/request_permission"


def evidence(params: dict[str, Any]) -> str:
    """The text of a card."""
    (shown,) = params["toolCall"]["content"]
    return str(shown["content"]["text"])


@pytest.mark.promise("guests-R13")
async def test_a_card_of_a_new_file_shows_all_of_it_with_every_character(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("write_file", file_path=".envrc", content="export A=1\tB\n"), text_turn("I see."))
    async with Editor(home, shop) as editor:
        editor.asks[PERMISSION] = pick("reject_once")
        await editor.greet()
        chat = await editor.new(shop)
        assert await editor.say(chat, "Write it") == "end_turn"
        (asked,) = (one["params"] for one in editor.asked)
    words = evidence(asked)
    assert asked["toolCall"]["rawInput"] == {"file_path": ".envrc", "content": "export A=1\tB\n"}
    assert words.splitlines()[:2] == ["Write .envrc", "export A=1→ B"]
    log = [one.event for one in log_of(home, chat)]
    (decided,) = (one for one in log if isinstance(one, ToolCallDecided))
    (resolved,) = (one for one in log if isinstance(one, InputResolved))
    assert decided.reason in words
    for told in ("Asks: Agent", "Why: ", "Risk: ", f"Digest: {resolved.digest[:12]}"):
        assert told in words


@pytest.mark.promise("guests-R13")
async def test_what_changed_behind_a_card_is_not_done_by_its_answer(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("write_file", file_path=".envrc", content="export A=1\n"), text_turn("I see."))
    async with Editor(home, shop) as editor:

        def change_and_allow(params: dict[str, Any]) -> dict[str, Any]:
            lane = Path(editor.text.removeprefix("Working in ").partition(", on the branch")[0])
            (lane / ".envrc").write_text("mine\n")
            answer: dict[str, Any] = pick("allow_once")(params)
            return answer

        editor.asks[PERMISSION] = change_and_allow
        await editor.greet()
        chat = await editor.new(shop)
        assert await editor.say(chat, "Write it") == "end_turn"
        lane = Path(editor.text.removeprefix("Working in ").partition(", on the branch")[0])
        assert (lane / ".envrc").read_text() == "mine\n"
    outcomes = [one.event.outcome for one in log_of(home, chat) if isinstance(one.event, ToolCallFinished)]
    assert outcomes == ["error"]


@pytest.mark.promise("guests-R15")
async def test_a_question_with_too_many_choices_for_options_is_not_put_to_an_editor_without_forms(
    home: Path, shop: Path, model_api: FakeModelApi
) -> None:
    labels = [{"label": f"colour {number}"} for number in range(9)]
    question = {"id": "colour", "question": "Which?", "options": labels}
    fewer = question | {"options": labels[:8]}
    model_api.script(
        tool_turn("ask_user", questions=[question]), tool_turn("ask_user", questions=[fewer]), text_turn("I see.")
    )
    async with Editor(home, shop) as editor:
        editor.asks[PERMISSION] = pick("choice:7")
        await editor.greet()
        assert await editor.say(await editor.new(shop), "Ask me") == "end_turn"
        (asked,) = (one["params"] for one in editor.asked)
        assert "The editor has no form for it." in editor.text
    assert len(asked["options"]) == 9
    first, second = (str(one.messages[-1]["content"]) for one in model_api.requests[1:3])
    assert "nobody answered" in first
    assert "colour 7" in second


@pytest.mark.promise("guests-R15")
async def test_full_auto_is_an_error_where_no_sandbox_stops_everything(
    home: Path, shop: Path, model_api: FakeModelApi, tmp_path: Path
) -> None:
    model_api.script(text_turn("Hello."), text_turn("Hello again."))
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("git", "sh"):
        (programs / name).symlink_to(shutil.which(name) or "")
    async with Editor(home, shop, PATH=str(programs)) as editor:
        await editor.greet()
        chat = await editor.new(shop)
        for _ in ("before it began", "after"):
            with pytest.raises(Refused, match="sandbox"):
                await editor.ask("session/set_mode", sessionId=chat, modeId="full-auto")
            assert await editor.say(chat, "Hello") == "end_turn"
        with pytest.raises(Refused) as refused:
            await editor.ask("session/set_mode", sessionId=chat, modeId="fly")
        assert refused.value.code == -32602
        assert editor.of("current_mode_update") == []


@pytest.mark.promise("guests-R15")
async def test_a_new_title_is_told(home: Path, shop: Path, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("set_chat_summary", summary="Greets the world"), text_turn("Hello."))
    async with Editor(home, shop) as editor:
        await editor.greet()
        assert await editor.say(await editor.new(shop), "Say hello") == "end_turn"
        titles = [one["title"] for one in editor.of("session_info_update")]
    assert titles == ["Say hello", "Greets the world"]
