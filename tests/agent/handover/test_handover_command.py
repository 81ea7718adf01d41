"""The handover as a window asks for it: over the repository, or one chat with its sub-agents, and kept in a file."""

import json
from pathlib import Path

import pytest

from desktop.domain.context.events import SideAnswered
from desktop.domain.core.clock import utc_now
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.handover.commands import LoadHandover, LoadRecap, SaveHandover, SummariseHandover
from desktop.domain.handover.updates import HandoverLoaded, HandoverSaved, RecapLoaded
from desktop.domain.updates import CommandFailed
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio
KEY = "sk-ant-api03-" + "Ab3dE5gH7jK9" * 7


async def loaded(rig: Rig, session_id: str = "") -> HandoverLoaded:
    await rig.engine.handle(LoadHandover(session_id=session_id))
    return next(update for update in reversed(rig.updates) if isinstance(update, HandoverLoaded))


def texts(found: HandoverLoaded, title: str) -> list[str]:
    (section,) = (section for section in found.page.sections if section.title == title)
    return [line.text for line in section.lines]


@pytest.mark.promise("memory-HO1")
async def test_a_chat_is_told_of_with_its_sub_agents_and_not_with_others(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(
        tool_turn("task", description="look", prompt="Look around", agent="explorer"),
        tool_turn("list_dir"),
        text_turn("Nothing there."),
        text_turn("The other one looked."),
    )
    first = await rig.new("Have somebody look", PermissionMode.EDIT)
    await rig.ended()
    model_api.script(text_turn("Hello."))
    await rig.new(f"Something else with {KEY}", PermissionMode.EDIT)
    await rig.ended()
    whole, one = await loaded(rig), await loaded(rig, first)
    assert whole.page.difference == one.page.difference == 0
    assert "Have somebody look" in texts(one, "Asked")
    assert not any("Something else" in text for text in texts(one, "Asked"))
    assert one.page.chats == 2
    assert len({line.session_id for section in one.page.sections for line in section.lines}) == 2
    assert any("Something else" in text for text in texts(whole, "Asked"))
    assert KEY not in whole.markdown + whole.page.model_dump_json()


async def test_what_happened_since_is_told_in_a_few_lines(rig: Rig, model_api: FakeModelApi) -> None:
    began = utc_now()
    model_api.script(tool_turn("bash", command="touch made"))
    session_id = await rig.new(f"Make it with {KEY}")
    await rig.asked()
    await rig.engine.handle(LoadRecap(since=began))
    told = next(update for update in reversed(rig.updates) if isinstance(update, RecapLoaded)).recap
    assert told.lines[0].section == "Open"
    assert {one.line.session_id for one in told.lines} == {session_id}
    assert KEY not in told.model_dump_json()
    await rig.engine.handle(LoadRecap(since=utc_now()))
    assert next(update for update in reversed(rig.updates) if isinstance(update, RecapLoaded)).recap.calls == 0


async def test_a_page_is_kept_as_it_was_shown_and_no_file_is_written_over(
    rig: Rig, model_api: FakeModelApi, tmp_path: Path
) -> None:
    model_api.script(text_turn("Hello."))
    await rig.new("Say hello", PermissionMode.EDIT)
    await rig.ended()
    found = await loaded(rig)
    file = tmp_path / "page.md"
    await rig.engine.handle(SaveHandover(page=found.page, path=str(file)))
    assert [update.path for update in rig.updates if isinstance(update, HandoverSaved)] == [str(file)]
    assert file.read_text() == found.markdown
    for path in (str(file), "page.md"):
        await rig.engine.handle(SaveHandover(page=found.page, path=path))
    assert [update.code for update in rig.updates if isinstance(update, CommandFailed)] == ["not_saved", "not_saved"]
    assert file.read_text() == found.markdown


@pytest.mark.promise("memory-HO4")
async def test_a_model_writes_about_a_page_and_changes_no_line_of_it(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Hello."), text_turn(f"Somebody said hello.\nLook at {KEY} first."))
    chat = await rig.new("Say hello", PermissionMode.EDIT)
    await rig.ended()
    found = await loaded(rig)
    await rig.engine.handle(SummariseHandover(session_id=chat, page=found.page))
    told = next(update for update in reversed(rig.updates) if isinstance(update, HandoverLoaded))
    assert told.page.sections == found.page.sections
    assert told.page.summary.startswith("Somebody said hello.\nLook at")
    assert KEY not in told.markdown
    assert "## Summary\n\nWritten by" in told.markdown
    assert told.page.summary_by in told.markdown
    (written,) = rig.events(SideAnswered)
    assert (written.purpose, written.text) == ("handover", told.page.summary)
    asked = model_api.requests[-1]
    assert "Say hello" in json.dumps(asked.body)
    assert not asked.body.get("tools")
    model_api.script(text_turn(""))
    await rig.engine.handle(SummariseHandover(session_id=chat, page=told.page))
    assert [update.code for update in rig.updates if isinstance(update, CommandFailed)] == ["no_summary"]


async def test_the_limit_of_the_chat_holds_for_a_summary_too(rig: Rig, model_api: FakeModelApi) -> None:
    chat = await rig.new("Spend at most 2 dollars", PermissionMode.EDIT)  # for a model without a known price
    found = await loaded(rig)
    await rig.engine.handle(SummariseHandover(session_id=chat, page=found.page))
    assert [update.code for update in rig.updates if isinstance(update, CommandFailed)][-1] == "no_price"
    assert model_api.requests == []
