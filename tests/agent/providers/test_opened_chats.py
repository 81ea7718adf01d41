"""The first request of a long chat that was opened: what the log says, whatever is appended while it is read."""

import asyncio
import json
from pathlib import Path

import pytest

from desktop.agent.core.session import Session
from desktop.agent.providers.instructions import LoadedInstructions, PromptFiles
from desktop.agent.providers.opened import MANY_EVENTS, read_aside
from desktop.agent.providers.request import RequestBuilder
from desktop.config.folders import Folders
from desktop.config.settings import DEMO_ENDPOINT
from desktop.domain.chats.library_events import InstructionFile, InstructionFilesLoaded
from desktop.domain.commands import SendMessage
from desktop.domain.context.events import Compacted, Rewound
from desktop.domain.events import AssistantMessage, ToolCallFinished, ToolCallStarted, UserMessage
from desktop.domain.history.builder import to_messages
from desktop.providers.wire import request_body
from desktop.tools.registry import builtin_tools
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn

pytestmark = pytest.mark.asyncio


def file(digit: str) -> InstructionFile:
    return InstructionFile(path="AGENTS.md", sha256=digit * 64, bytes=1)


def grow(session: Session, turns: int) -> None:
    """Turns as a long chat has them, each with a call in a folder of its own."""
    for number in range(turns):
        path = {"file_path": f"src/part{number % 7}/a.py"}
        call = {"type": "tool_use", "id": f"grown_{number}", "name": "read_file", "input": path}
        session.append_many(
            [
                UserMessage(parts=({"type": "text", "text": f"Go on, {number}."},)),
                AssistantMessage(parts=({"type": "text", "text": "I look."}, call)),
                ToolCallStarted(call_id=f"grown_{number}", tool="read_file", input=path),
                ToolCallFinished(call_id=f"grown_{number}", outcome="ok", content="a line\n" * 3),
                AssistantMessage(parts=({"type": "text", "text": "Done."},)),
            ]
        )


async def long_chat(rig: Rig, model_api: FakeModelApi, turns: int = MANY_EVENTS // 4) -> Session:
    """A chat of many events, as it is just after it was opened."""
    model_api.script(text_turn("Hello."))
    session_id = await rig.new("Hi")
    await rig.ended()
    session = rig.engine.sessions.get(session_id)
    grow(session, turns)
    session.rest()
    return session


async def test_what_is_appended_while_a_chat_is_read_is_not_lost(rig: Rig, model_api: FakeModelApi) -> None:
    session = await long_chat(rig, model_api)
    assert not session.history.ready
    reading = asyncio.create_task(read_aside(session))
    await asyncio.sleep(0)
    session.append(UserMessage(parts=({"type": "text", "text": "Said meanwhile."},)))
    await reading
    assert session.history.ready
    assert session.history.messages() == to_messages(session.log)
    assert "Said meanwhile." in str(session.history.messages()[-1])


async def test_a_rewind_while_a_chat_is_read_counts(rig: Rig, model_api: FakeModelApi) -> None:
    session = await long_chat(rig, model_api)
    reading = asyncio.create_task(read_aside(session))
    await asyncio.sleep(0)
    session.append(Rewound(to_event_id=session.log[20].event_id))
    await reading
    assert session.history.messages() == to_messages(session.log)
    assert len(session.history.messages()) < 20


async def test_two_that_read_a_chat_at_once_do_not_disturb_each_other(rig: Rig, model_api: FakeModelApi) -> None:
    session = await long_chat(rig, model_api)
    await asyncio.gather(read_aside(session), read_aside(session))
    assert session.history.messages() == to_messages(session.log)


async def test_a_stop_at_any_moment_of_the_first_request_leaves_the_next_one_whole(
    rig: Rig, model_api: FakeModelApi
) -> None:
    session = await long_chat(rig, model_api)
    session.append(UserMessage(parts=({"type": "text", "text": "And now?"},)))
    tools = builtin_tools().tools

    async def asked(builder: RequestBuilder) -> bytes:
        await builder.begin(session)
        return request_body(await builder.build(session, tools, DEMO_ENDPOINT))

    builder = RequestBuilder(rig.engine._store.blobs, interactive=True)
    for rounds in range(12):
        asking = asyncio.create_task(asked(builder))
        for _ in range(rounds):
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
    whole = await asked(builder)
    assert whole == await asked(RequestBuilder(rig.engine._store.blobs, interactive=True))
    assert whole == await asked(builder)


@pytest.mark.parametrize("rewound", [False, True])
async def test_the_instructions_of_a_long_log_are_those_of_a_log_read_step_by_step(
    rig: Rig, model_api: FakeModelApi, rewound: bool
) -> None:
    session = await long_chat(rig, model_api)
    stepwise = LoadedInstructions()
    session.append(InstructionFilesLoaded(files=(file("a"),)))
    grow_from = session.log[-1].event_id
    session.append(Compacted(summary="So far."))
    stepwise.catch_up(session)
    session.append(InstructionFilesLoaded(files=(file("b"),)))
    stepwise.catch_up(session)
    if rewound:
        session.append(Rewound(to_event_id=grow_from))
        stepwise.catch_up(session)
    whole, prompt = await LoadedInstructions.of(session), await PromptFiles.of(session)
    for files in (whole, prompt):
        files.catch_up(session)
        assert (files.in_prompt, files.known, files.answered) == (
            stepwise.in_prompt,
            stepwise.known,
            stepwise.answered,
        )
    assert list(whole.folders) == list(stepwise.folders)
    assert whole.known == ((file("a"),) if rewound else (file("b"),))


async def test_a_long_chat_goes_on_after_a_restart_with_the_bytes_it_had(
    rig: Rig, folders: Folders, repository: Path, model_api: FakeModelApi
) -> None:
    session = await long_chat(rig, model_api)
    model_api.more(text_turn("One."), text_turn("Two."))
    await rig.engine.handle(SendMessage(session_id=session.session_id, text="And now?"))
    await rig.ended(2)
    await rig.engine.stop()
    again = await Rig(folders).open(repository)
    await again.engine.handle(SendMessage(session_id=session.session_id, text="And then?"))
    await again.ended()
    before, after = model_api.requests[-2:]
    assert len(before.messages) > 4 * MANY_EVENTS // 5
    assert after.raw.startswith(before.raw.removesuffix(b"]}"))
    assert json.dumps(after.messages[: len(before.messages)]) == json.dumps(before.messages)
    await again.engine.stop()
