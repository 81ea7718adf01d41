"""Calls of a guest that are parts of others, that were asked about twice, and what really holds each."""

import pytest

from desktop.domain.commands import Interrupt
from desktop.domain.core.permissions import Verdict
from desktop.domain.events import ToolCallDecided, ToolCallFinished, UserMessage
from desktop.domain.history.state_of import message_text
from tests.agent.gate_rig import ONCE
from tests.agent.guest_rig import ScriptedGuests, command, done
from tests.agent.rig import Rig
from tests.agent.wholeness import follows, whole

pytestmark = pytest.mark.asyncio
RUN = "python3 tool.py"


def begins(key: str, part_of: str = "", **more: object) -> dict:
    """A step: it tells that a sub-agent of it begins."""
    told = {"toolCallId": key, "title": f"Task {key}", "kind": "think", "status": "pending", **part(part_of), **more}
    return {"update": {"sessionUpdate": "tool_call", **told}}


def part(of: str) -> dict:
    return {"_meta": {"anyAgent": {"parentToolUseId": of}}} if of else {}


def decided(rig: Rig) -> dict[str, ToolCallDecided]:
    """The decisions by the titles of their calls."""
    return {one.card.title: one for one in rig.events(ToolCallDecided) if one.card is not None}


@pytest.mark.promise("guests-A33")
async def test_a_call_of_a_sub_agent_stands_below_the_call_that_began_it(rig: Rig, guests: ScriptedGuests) -> None:
    asks = {"ask": command(RUN, "t3", **part("t2")), "then": [done("t3", "it ran")]}
    guests.prompts = [[begins("t1"), begins("t2", "t1"), asks, done("t2"), done("t1"), {"say": "Done."}]]
    session_id = await rig.new("Do it", driver="fake", without_sandbox=True)
    asked = await rig.asked()
    assert asked.request.asker == "sub-agent of Fake Agent"
    await rig.answer(session_id, asked, ONCE)
    assert (await rig.ended()).status == "completed"
    told = decided(rig)
    assert [*told] == ["Task t1", "Task t2", RUN]
    first, second, third = told.values()
    assert (first.part_of, second.part_of, third.part_of) == ("", first.call_id, second.call_id)
    assert [one.held_by for one in told.values()] == ["sandbox", "sandbox", "guest"]
    assert [one.outcome for one in rig.events(ToolCallFinished)] == ["ok", "ok", "ok"]
    follows(rig, session_id)
    whole(rig, session_id)


@pytest.mark.promise("guests-A33")
@pytest.mark.parametrize("above", [(), (begins("t1", "t2"), begins("t2", "t1")), (begins("t2", "t2"),)])
async def test_a_call_above_that_is_unknown_or_in_a_ring_is_ignored(
    rig: Rig, guests: ScriptedGuests, above: tuple[dict, ...]
) -> None:
    asks = {"ask": command(RUN, "t3", **part("t2")), "then": [done("t3")]}
    guests.prompts = [[*above, asks]]
    session_id = await rig.new("Do it", driver="fake", without_sandbox=True)
    asked = await rig.asked()
    assert asked.request.asker == "Fake Agent"
    await rig.answer(session_id, asked, ONCE)
    await rig.ended()
    assert [one.part_of for one in rig.events(ToolCallDecided)] == [""]
    whole(rig, session_id)


@pytest.mark.promise("guests-A33")
async def test_what_a_stopped_sub_agent_did_is_cut_off_with_it(rig: Rig, guests: ScriptedGuests) -> None:
    asks = {"ask": command(RUN, "t2", **part("t1")), "then": [{"hold": True}]}
    guests.prompts = [[begins("t1"), asks]]
    session_id = await rig.new("Do it", driver="fake", without_sandbox=True)
    await rig.answer(session_id, await rig.asked(), ONCE)
    await rig.until(lambda _: guests.outcomes())
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.ended()
    assert [one.outcome for one in rig.events(ToolCallFinished)] == ["interrupted", "interrupted"]
    stopped = [message_text(one) for one in rig.events(UserMessage) if one.note_kind == "stopped"]
    assert f"Cut off in the middle: Task t1; {RUN}. What was done by then stays." in stopped[0]
    assert "Nothing was done" not in stopped[0]
    whole(rig, session_id)


@pytest.mark.promise("guests-A21")
async def test_a_second_request_for_one_call_is_judged_anew_and_says_so(rig: Rig, guests: ScriptedGuests) -> None:
    again = {"ask": command("cat app.py", "t1"), "then": [done("t1")]}
    guests.prompts = [[{"ask": command(RUN), "then": [again]}]]
    session_id = await rig.new("Do it", driver="fake", without_sandbox=True)
    await rig.answer(session_id, await rig.asked(), ONCE)
    assert (await rig.ended()).status == "completed"
    first, second = rig.events(ToolCallDecided)
    assert (first.verdict, second.verdict) == (Verdict.ASK, Verdict.ALLOW)
    assert (first.supersedes, second.supersedes) == ("", first.call_id)
    whole(rig, session_id)
