"""What the app adds to a summary from the log, whatever the model writes."""

import pytest

from desktop.agent.context.standing_facts import MOST_NAMES, standing_facts
from desktop.domain.chats.library_events import AttachmentAdded
from desktop.domain.context.events import Rewound
from desktop.domain.core.content import TextBlock
from desktop.domain.core.work import Todo
from desktop.domain.events import TodosChanged, ToolCallFinished, ToolCallStarted
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


@pytest.mark.promise("sessions-SX5")
async def test_files_plan_attachments_todos_and_open_calls_are_named(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(tool_turn("write_file", file_path="new.py", content="x = 1\n"), text_turn("Done."))
    session_id = await rig.new("Write it")
    await rig.ended()
    session = rig.engine.sessions.get(session_id)
    plan = (TextBlock(text="First the form, then the store.", markdown=True),)
    session.append_many(
        [
            ToolCallStarted(call_id="p", tool="exit_plan_mode"),
            ToolCallFinished(call_id="p", outcome="ok", content="Plan approved.", blocks=plan),
            ToolCallStarted(call_id="u", tool="bash"),
            AttachmentAdded(
                logical_name="notes.txt", stored_file_name="n.txt", sha256="0" * 64, mime_type="text/plain",
                size_bytes=1,
            ),
            TodosChanged(
                todos=(Todo(id="1", content="Old", status="completed"), Todo(id="2", content="New", status="pending"))
            ),
        ]
    )  # fmt: skip
    facts = standing_facts(session, "Mind the port.")
    assert "new.py (create)" in facts
    assert "First the form, then the store." in facts
    assert "attachments:notes.txt" in facts
    assert "New (pending)" in facts
    assert "Old" not in facts
    assert "Calls with unknown outcome" in facts
    assert "  - bash" in facts
    assert f"branch {session.state.branch}" in facts
    assert facts.endswith("Mind the port.")


async def test_what_a_rewind_left_behind_is_no_fact(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Done."))
    session_id = await rig.new("Look")
    await rig.ended()
    session = rig.engine.sessions.get(session_id)
    before = session.log[-1].event_id
    session.append(ToolCallStarted(call_id="u", tool="bash"))
    assert "unknown outcome" in standing_facts(session)
    session.append(Rewound(to_event_id=before))
    assert "unknown outcome" not in standing_facts(session)


async def test_long_lists_are_cut_with_a_count(rig: Rig, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("Done."))
    session_id = await rig.new("Look")
    await rig.ended()
    session = rig.engine.sessions.get(session_id)
    todos = tuple(Todo(id=str(n), content=f"Item {n}") for n in range(MOST_NAMES + 5))
    session.append(TodosChanged(todos=todos))
    assert "and 5 more" in standing_facts(session)
