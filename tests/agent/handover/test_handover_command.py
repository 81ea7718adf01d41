"""The handover as a window asks for it: over the repository, or one chat with its sub-agents, and kept in a file."""

from pathlib import Path

import pytest

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.handover.commands import LoadHandover, SaveHandover
from desktop.domain.handover.updates import HandoverLoaded, HandoverSaved
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
