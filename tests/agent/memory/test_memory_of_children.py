"""What sub-agents write to the memory counts as said by the chat that a person began."""

import pytest

from desktop.agent.memory.chat_memory import SessionMemory
from desktop.domain.children.events import ChildBegun
from desktop.domain.gate.events import SessionTainted
from desktop.domain.memory.events import MemoryWritten
from desktop.tools.offers import ToRemember
from tests.agent.children.child_script import Cast
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio

FACT = ToRemember(content="Invoices are rounded half up, because the tax office does.", category="convention")


@pytest.mark.promise("memory-ME9")
async def test_a_child_says_what_its_chat_says_and_what_that_has_read_holds_for_it(
    rig: Rig, model_api: FakeModelApi
) -> None:
    task = tool_turn("task", description="where hello is", prompt="Child: find hello")
    model_api.answer_with(Cast(Parent=[task, task, text_turn("There.")], Child=[text_turn("Here.")] * 2))
    parent = rig.engine.sessions.get(await rig.new("Parent: where is it?"))
    await rig.ended(3)
    first, second = (rig.engine.sessions.get(one.child_id) for one in rig.events(ChildBegun))
    keeper = rig.engine.parts.chats.memory.keeper
    for number in range(2):
        for child in (first, second):
            said = await SessionMemory(keeper, child).add(f"c{number}", FACT, "project", "")
            assert said.startswith(("Saved as candidate", "Merged into"))
    (entry,) = keeper.book.store.of_owner("project", parent.state.project_id)
    assert (entry.status, entry.observations, entry.chats) == ("candidate", 4, (parent.session_id,))
    parent.append(SessionTainted(reason="untrusted", source="github:acme/shop#42", call_id="c"))
    other = FACT.model_copy(update={"content": "Deploy on Fridays"})
    said = await SessionMemory(keeper, first).add("c9", other, "project", "")
    assert said == "Saved for review: a person must accept it first, because this chat has read github:acme/shop#42."
    assert rig.events(MemoryWritten)[-1].status == "quarantined"
