"""What the engine tells of all that waits."""

import asyncio
from pathlib import Path

import pytest

from desktop.domain.commands import OpenProject
from desktop.domain.core.clock import utc_now
from desktop.domain.gate.pending import input_title
from desktop.domain.inbox.commands import LoadAnswered, LoadInbox
from desktop.domain.inbox.updates import AnsweredLoaded, InboxLoaded
from tests.agent.children.child_script import Cast
from tests.agent.gate_rig import REJECT
from tests.agent.rig import Rig, make_repository
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


async def loaded(rig: Rig) -> InboxLoaded:
    command = LoadInbox()
    await rig.engine.handle(command)
    return next(one for one in rig.updates if isinstance(one, InboxLoaded) and one.command_id == command.command_id)


@pytest.mark.promise("gate-N2")
async def test_a_sub_agents_card_is_listed_with_the_way_that_leads_to_it(rig: Rig, model_api: FakeModelApi) -> None:
    cast = Cast(
        Parent=[
            tool_turn("task", description="touch", prompt="Child: touch", agent="implementer"),
            text_turn("done"),
        ],
        Child=[tool_turn("bash", command="touch one"), text_turn("did not")],
    )
    model_api.answer_with(cast)
    session_id = await rig.new("Parent: touch")
    asked = await rig.asked()
    told = await loaded(rig)
    (card,), (place,) = told.waiting, told.places
    assert (card.input_id, card.request) == (asked.input_id, asked.request)
    assert card.session_id == place.session_id != session_id
    assert (place.chat_id, place.path) == (session_id, ("Parent: touch", "touch"))
    assert place.project_name == "shop"
    await rig.answer(card.session_id, asked, REJECT)
    assert (await loaded(rig)).waiting == ()
    await rig.ended(2)


async def test_chats_of_a_repository_that_is_not_open_any_more_are_listed(
    rig: Rig, model_api: FakeModelApi, tmp_path: Path
) -> None:
    model_api.script(tool_turn("bash", command="touch one"), text_turn("done"))
    session_id = await rig.new("Touch")
    asked = await rig.asked()
    other = await asyncio.to_thread(make_repository, tmp_path / "till")
    await rig.engine.handle(OpenProject(path=str(other)))
    told = await loaded(rig)
    assert [one.input_id for one in told.waiting] == [asked.input_id]
    assert told.places[0].project_path != str(other)
    await rig.answer(session_id, asked, REJECT)
    await rig.ended()


async def test_what_was_answered_is_told_newest_first_with_its_chat(rig: Rig, model_api: FakeModelApi) -> None:
    begun = utc_now()
    model_api.script(tool_turn("bash", command="touch one"), tool_turn("bash", command="touch two"), text_turn("done"))
    session_id = await rig.new("Touch")
    for number in (1, 2):
        await rig.answer(session_id, await rig.asked(number), REJECT)
    await rig.ended()
    command = LoadAnswered(since=begun)
    await rig.engine.handle(command)
    (told,) = [one for one in rig.updates if isinstance(one, AnsweredLoaded)]
    assert [input_title(one.request) for one in told.answered] == ["touch two", "touch one"]
    assert {one.answer.outcome for one in told.answered} == {"reject"}
    assert [(place.chat_id, place.path) for place in told.places] == [(session_id, ("Touch",))]
