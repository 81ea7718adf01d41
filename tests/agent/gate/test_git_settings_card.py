"""A git read in a repository whose settings changed: what the card shows, and what accepting them means."""

import shutil

import pytest

from desktop.domain.commands import SendMessage
from desktop.domain.core.content import DiffBlock
from desktop.domain.core.permissions import Verdict
from desktop.domain.display.shown_text import shown_text
from desktop.domain.events import InputRequested, Notice, ToolCallDecided, ToolCallFinished
from desktop.domain.gate.pending import ApprovalRequest
from tests.agent.gate_rig import ONCE, REJECT, always, answer_with, approval, check_edit, of_session
from tests.agent.rig import Rig, git
from tests.agent.wholeness import whole
from tests.fakes.fake_model_api import Call, FakeModelApi, text_turn, tool_turn, turn

pytestmark = pytest.mark.asyncio
CHANGED = "The repository's Git settings changed since this chat was opened."


async def reading_chat(rig: Rig, model_api: FakeModelApi) -> str:
    """A chat in which one git read ran without asking."""
    model_api.script(tool_turn("bash", command="git status"), text_turn("clean"))
    session_id = await rig.new("Look")
    await rig.ended()
    assert rig.events(InputRequested) == []
    return session_id


async def send(rig: Rig, model_api: FakeModelApi, session_id: str, *commands: str) -> None:
    calls: list[Call | tuple[str, dict[str, object]]] = [("bash", {"command": command}) for command in commands]
    model_api.script(turn("I look.", calls), text_turn("seen"))
    await rig.engine.handle(SendMessage(session_id=session_id, text="Again"))


def diff_of(request: ApprovalRequest) -> str:
    return "\n".join(block.unified for block in request.card.blocks if isinstance(block, DiffBlock))


@pytest.mark.promise("gate-S16")
async def test_the_card_shows_old_and_new_and_accepting_lets_reads_run_again(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await reading_chat(rig, model_api)
    git(rig.lane(session_id), "config", "user.name", "Robin")
    await send(rig, model_api, session_id, "git status", "git log --oneline")
    asked = await rig.asked()
    request = approval(asked)
    assert CHANGED in [command.reason for command in request.commands]
    assert request.reason == CHANGED
    assert "+\tname = Robin" in diff_of(request)
    assert [block.path for block in request.card.blocks if isinstance(block, DiffBlock)] == [".git/config"]
    assert [grant.scope for grant in request.grants] == ["once", "session"]
    await rig.answer(session_id, asked, always("session"))
    await rig.ended(2)
    assert len(rig.events(InputRequested)) == 1
    assert [event.outcome for event in of_session(rig, session_id, ToolCallFinished)] == ["ok"] * 3
    assert rig.events(ToolCallDecided)[-1].verdict is Verdict.ALLOW
    assert rig.events(Notice) == []
    whole(rig, session_id)
    git(rig.lane(session_id), "config", "user.name", "Kim")
    await send(rig, model_api, session_id, "git status")
    again = await rig.asked(2)
    assert "+\tname = Kim" in diff_of(approval(again))
    await rig.answer(session_id, again, REJECT)
    await rig.ended(3)


async def test_once_is_once(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await reading_chat(rig, model_api)
    git(rig.lane(session_id), "config", "user.name", "Robin")
    await send(rig, model_api, session_id, "git status", "git status")
    await rig.answer(session_id, await rig.asked(1), ONCE)
    await rig.answer(session_id, await rig.asked(2), REJECT)
    await rig.ended(2)
    assert [event.outcome for event in of_session(rig, session_id, ToolCallFinished)] == ["ok", "ok", "declined"]


async def test_what_runs_a_program_is_shown_and_can_not_be_accepted_for_the_chat(
    rig: Rig, model_api: FakeModelApi
) -> None:
    session_id = await reading_chat(rig, model_api)
    git(rig.lane(session_id), "config", "core.fsmonitor", "/tmp/x")
    await send(rig, model_api, session_id, "git status")
    asked = await rig.asked()
    assert "+\tfsmonitor = /tmp/x" in diff_of(approval(asked))
    assert [grant.scope for grant in approval(asked).grants] == ["once"]
    await rig.answer(session_id, asked, REJECT)
    await rig.ended(2)


async def test_a_line_that_does_more_than_read_accepts_no_settings(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await reading_chat(rig, model_api)
    git(rig.lane(session_id), "config", "user.name", "Robin")
    await send(rig, model_api, session_id, "git status && touch x")
    asked = await rig.asked()
    assert [grant.scope for grant in approval(asked).grants] == ["once"]
    await rig.answer(session_id, asked, REJECT)
    await rig.ended(2)


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="only bubblewrap keeps hosts apart")
async def test_who_edits_the_command_accepts_no_settings_by_it(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await reading_chat(rig, model_api)
    git(rig.lane(session_id), "config", "user.name", "Robin")
    await send(rig, model_api, session_id, "git status")
    asked = await rig.asked()
    edited = {**approval(asked).arguments, "hosts": "example.org"}
    checked = await check_edit(rig, session_id, asked, **edited)
    assert checked is not None
    assert checked.request is not None
    assert [grant.scope for grant in checked.request.grants] == ["once"]
    await answer_with(rig, session_id, asked, always("session", edited_input=edited), checked.request.digest)
    assert [failure.code for failure in rig.failures()] == ["grant_not_offered"]
    assert rig.engine.sessions.get(session_id).session_grants == frozenset()
    await rig.answer(session_id, asked, REJECT)
    await rig.ended(2)


async def test_settings_that_change_while_the_card_waits_are_asked_about_again(
    rig: Rig, model_api: FakeModelApi
) -> None:
    session_id = await reading_chat(rig, model_api)
    git(rig.lane(session_id), "config", "user.name", "Robin")
    await send(rig, model_api, session_id, "git status")
    asked = await rig.asked()
    git(rig.lane(session_id), "config", "user.name", "Mallory")
    await rig.answer(session_id, asked, ONCE)
    second = await rig.asked(2)
    assert "Mallory" in diff_of(approval(second))
    await rig.answer(session_id, second, always("session"))
    await rig.ended(2)
    assert [event.outcome for event in of_session(rig, session_id, ToolCallFinished)] == ["ok", "ok"]


async def test_secrets_in_settings_are_not_shown_and_what_cannot_be_seen_is(rig: Rig, model_api: FakeModelApi) -> None:
    session_id = await reading_chat(rig, model_api)
    url = "https://robin:ghp_0123456789abcdefghijABCDEFGHIJ012345@example.org/a\u202eb"
    git(rig.lane(session_id), "config", "remote.origin.url", url)
    await send(rig, model_api, session_id, "git status")
    request = approval(await rig.asked())
    assert "ghp_0123456789" not in str(request)
    assert "⟦U+202E⟧" in shown_text(request)
    await rig.answer(session_id, await rig.asked(), REJECT)
    await rig.ended(2)
