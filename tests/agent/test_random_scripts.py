"""Any script of turns, answers, stops and switches leaves a whole log: one result for each call, no effect twice."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.domain.commands import (
    ContinueTurn,
    Interrupt,
    RemoveQueued,
    ResumeQueue,
    SendMessage,
    SendQueuedNow,
    SetMode,
)
from desktop.domain.events import InputRequested
from desktop.domain.pending import Answer, ApprovalRequest
from desktop.domain.permissions import PermissionMode
from desktop.domain.queue_events import Limits
from tests.agent.rig import Rig, folders_below, make_repository, write_settings
from tests.agent.wholeness import whole
from tests.fakes.fake_model_api import Call, FakeModelApi, http_failure, text_turn, turn
from tests.validity import faults

CALLS = (
    Call("read_file", {"file_path": "app.py"}),
    Call("read_file", {"file_path": "missing"}),
    Call("list_dir"),
    Call("bash", {"command": "echo run >> runs"}),
    Call("bash", {"command": "cat app.py"}),
    Call("write_file", {"file_path": "new.txt", "content": "new"}),
    Call("write_file", {"file_path": ".env", "content": "x"}),
    Call("ask_user", {"question": "Which?"}),
    Call("exit_plan_mode", {"plan": "1. Do it"}),
    Call("no_such_tool"),
    Call("read_file", raw='{"file_path": '),
    Call("set_chat_summary", {"summary": "A title"}),
)
ANSWERS = st.one_of(
    st.lists(st.sampled_from(CALLS), min_size=1, max_size=4).map(lambda calls: turn("calls", list(calls))),
    st.just(text_turn("words")),
    st.just(text_turn("cut in the middle of it", fault="drop_in_text")),
    st.just(http_failure(400, "invalid_request_error")),
    st.just(turn("", thinking="hm")),
)
_ANSWERING = ("allow", "allow", "always", "reject", "decline and stop")
_DOING = ("send", "send", "continue", "stop", "stop now", "plan", "edit", "full", "wait", "wait")
_QUEUEING = ("interrupt", "interrupt", "send now", "remove", "resume", "stop after step")
STEPS = st.lists(st.sampled_from(_ANSWERING + _DOING + _QUEUEING), max_size=14)
MODES = {"plan": PermissionMode.PLAN, "edit": PermissionMode.EDIT, "full": PermissionMode.FULL_AUTO}


def answer_for(step: str, requested: InputRequested) -> Answer:
    """What a person may say to a request at this step."""
    if step in ("reject", "decline and stop"):
        return Answer(outcome="reject", note="no", stop_turn=step != "reject")
    if requested.request.kind in ("question", "structured_question"):
        return Answer(outcome="answered", note="the first")
    if step == "always" and isinstance(requested.request, ApprovalRequest):
        return Answer(outcome="allow_always", scope="session")
    return Answer(outcome="allow_once")


async def act(rig: Rig, session_id: str, step: str) -> None:
    """One thing a person does."""
    if step in ("allow", "always", "reject", "decline and stop"):
        for opened in list(rig.engine.sessions.get(session_id).state.open_inputs.values()):
            requested = InputRequested(input_id=opened.input_id, call_id=opened.call_id, request=opened.request)
            await rig.answer(session_id, requested, answer_for(step, requested))
    elif step in MODES:
        await rig.engine.handle(SetMode(session_id=session_id, mode=MODES[step], without_sandbox=True))
    elif step == "send":
        await rig.engine.handle(SendMessage(session_id=session_id, text="go on"))
    elif step == "interrupt":
        await rig.engine.handle(SendMessage(session_id=session_id, text="now this", interrupt=True))
    elif step in ("send now", "remove"):
        for waiting in rig.engine.sessions.get(session_id).state.queue[-1:]:
            kind = SendQueuedNow if step == "send now" else RemoveQueued
            await rig.engine.handle(kind(session_id=session_id, queue_id=waiting.queue_id))
    elif step == "resume":
        await rig.engine.handle(ResumeQueue(session_id=session_id))
    elif step == "stop after step":
        await rig.engine.handle(Interrupt(session_id=session_id, after_step=True))
    elif step == "continue":
        await rig.engine.handle(ContinueTurn(session_id=session_id))
    elif step == "stop now":
        await rig.engine.handle(Interrupt(session_id=session_id))
        return
    elif step == "stop":
        await asyncio.sleep(0.05)
        await rig.engine.handle(Interrupt(session_id=session_id))
    await asyncio.sleep(0.02)


async def play(folder: Path, api: FakeModelApi, answers: list[Any], steps: list[str]) -> None:
    """Run the script in a new store and look at what is left, before and after a restart."""
    folders = folders_below(folder / "home")
    write_settings(folders, api.url, max_attempts=1, limits=Limits(steps=6))
    api.script(*answers, loop=True)
    repository = make_repository(folder / "shop")
    rig = await Rig(folders).open(repository)
    session_id = await rig.new("Begin")
    try:
        for step in steps:
            await act(rig, session_id, step)
        async with asyncio.timeout(20):
            while rig.engine.sessions.running():
                await rig.engine.handle(Interrupt(session_id=session_id))
                await asyncio.sleep(0.02)
        whole(rig, session_id)
        assert not rig.engine.sessions.get(session_id).state.open_inputs
    finally:
        await rig.engine.stop()
    assert not [failure for failure in rig.failures() if failure.code in ("internal", "turn_failed", "frozen")]
    again = await Rig(folders).open(repository)
    try:
        whole(again, session_id)
        assert again.engine.sessions.get(session_id).state.mode is not PermissionMode.FULL_AUTO
    finally:
        await again.engine.stop()


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(answers=st.lists(ANSWERS, min_size=1, max_size=4), steps=STEPS)
@pytest.mark.timeout(120)
def test_any_script_leaves_a_whole_log(answers: list[Any], steps: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder, FakeModelApi() as api:
        asyncio.run(play(Path(folder), api, answers, steps))
        assert not [fault for request in api.requests for fault in faults(request.messages)]
