"""Requests that a guest takes back (`$/cancel_request`): their cards are withdrawn, and are never a yes."""

import json
from typing import Any

import pytest

from desktop.domain.commands import AnswerInput, Interrupt
from desktop.domain.events import InputRequested, InputResolved, ToolCallFinished, ToolCallStarted
from desktop.domain.gate.pending import ApprovalRequest
from desktop.policy import refusals
from tests.agent.gate_rig import ONCE
from tests.agent.guest_rig import ScriptedGuests, command, done
from tests.agent.guests.test_guest_requests import answers, asks, begin
from tests.agent.rig import Rig
from tests.agent.wholeness import follows, whole
from tests.fakes.acp_schema import problems

pytestmark = pytest.mark.asyncio
WITHDRAWN = {"code": -32_800, "message": "Cancelled."}
FORM = {
    "mode": "form",
    "message": "Which?",
    "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
}


def beside(asking: dict[str, Any], go: str, *then: dict[str, Any]) -> dict[str, Any]:
    """A request that is taken back once the file `go` is there; then the rest."""
    return {"both": [[asking, *then], [{"wait_file": go}, {"take_back": True}]]}


async def withdrawn(rig: Rig, guests: ScriptedGuests, asking: dict[str, Any]) -> tuple[str, InputRequested]:
    """A turn in which this request was taken back while its card waited, once it is over."""
    go = guests.folder / "go"
    session_id = await begin(rig, guests, beside(asking, str(go)))
    card = await rig.asked()
    go.touch()
    ended = await rig.ended()
    assert (ended.status, ended.detail) == ("completed", "")
    return session_id, card


@pytest.mark.promise("guests-A20")
@pytest.mark.parametrize(
    "asking",
    [
        {"ask": command("touch made"), "then": [{"touch": "made"}]},
        {"write": ".vscode/settings.json", "content": "{}"},
        asks("terminal/create", command="touch made"),
        asks("elicitation/create", **FORM),
    ],
    ids=["permission", "file", "terminal", "question"],
)
async def test_a_card_whose_request_was_taken_back_is_withdrawn(
    rig: Rig, guests: ScriptedGuests, asking: dict[str, Any]
) -> None:
    session_id, card = await withdrawn(rig, guests, asking)
    (closed,) = rig.events(InputResolved)
    assert (closed.input_id, closed.reason, closed.answer.outcome) == (card.input_id, "withdrawn", "cancelled")
    (finished,) = rig.events(ToolCallFinished)
    assert (finished.outcome, finished.content) == ("cancelled", refusals.TAKEN_BACK)
    assert answers(guests) == [WITHDRAWN]
    assert not [name for name in ("made", ".vscode") if (rig.lane(session_id) / name).exists()]
    digest = card.request.digest if isinstance(card.request, ApprovalRequest) else ""
    late = AnswerInput(session_id=session_id, input_id=card.input_id, answer=ONCE, digest=digest)
    await rig.engine.handle(late)
    assert [one.text for one in rig.failures()] == ["This request is no longer open."]
    assert len(rig.events(InputResolved)) == 1
    follows(rig, session_id)
    whole(rig, session_id)


@pytest.mark.promise("guests-A20")
async def test_a_yes_that_the_guest_was_not_told_is_none_once_it_takes_the_request_back(
    rig: Rig, guests: ScriptedGuests
) -> None:
    go = guests.folder / "go"
    asking = {"ask": command("touch made"), "then": [{"touch": "made"}, done()]}
    session_id = await begin(rig, guests, beside(asking, str(go)))
    card = await rig.asked()
    async with rig.engine.sessions.get(session_id).write_lock:  # so it is not told yet
        await rig.answer(session_id, card, ONCE)
        go.touch()
        await rig.until(lambda _: answers(guests))
    ended = await rig.ended()
    assert (ended.status, ended.detail) == ("completed", "")
    assert answers(guests) == [WITHDRAWN]
    (closed,), (finished,) = rig.events(InputResolved), rig.events(ToolCallFinished)
    assert (closed.reason, closed.answer.outcome) == ("person", "allow_once")
    assert (finished.outcome, finished.content) == ("cancelled", refusals.TAKEN_BACK)
    assert rig.events(ToolCallStarted) == []
    assert not (rig.lane(session_id) / "made").exists()
    follows(rig, session_id)
    whole(rig, session_id)


async def test_what_was_answered_cannot_be_taken_back(rig: Rig, guests: ScriptedGuests) -> None:
    steps = {"ask": command("touch made"), "then": [{"take_back": True}, {"touch": "made"}, done()]}
    session_id = await begin(rig, guests, steps)
    await rig.answer(session_id, await rig.asked(), ONCE)
    await rig.ended()
    (finished,) = rig.events(ToolCallFinished)
    assert (finished.outcome, len(rig.events(ToolCallStarted))) == ("ok", 1)
    assert [one["outcome"]["outcome"] for one in answers(guests)] == ["selected"]
    whole(rig, session_id)


@pytest.mark.promise("guests-A26")
async def test_what_it_does_after_it_took_the_request_back_was_not_asked_about(
    rig: Rig, guests: ScriptedGuests
) -> None:
    go = guests.folder / "go"
    asking = {"ask": command("touch made"), "else": [{"touch": "made"}, done()]}
    session_id = await begin(rig, guests, beside(asking, str(go)))
    await rig.asked()
    go.touch()
    await rig.ended()
    taken, unasked = rig.events(ToolCallFinished)
    assert (taken.outcome, taken.content) == ("cancelled", refusals.TAKEN_BACK)
    assert unasked.call_id != taken.call_id
    whole(rig, session_id)


async def test_a_wait_for_a_command_that_is_taken_back_leaves_the_command(rig: Rig, guests: ScriptedGuests) -> None:
    go = guests.folder / "go"
    terminal = {"terminalId": "terminal-1"}
    made = asks("terminal/create", command="until [ -e end ]; do sleep 0.05; done; echo over")
    waiting = beside(asks("terminal/wait_for_exit", **terminal), str(go), {"touch": "end"})
    steps = (made, waiting, asks("terminal/wait_for_exit", **terminal), asks("terminal/output", **terminal))
    session_id = await begin(rig, guests, *steps)
    await rig.answer(session_id, await rig.asked(), ONCE)
    go.touch()
    await rig.ended()
    assert answers(guests)[1] == WITHDRAWN
    assert answers(guests)[2] == {"exitCode": 0, "signal": None}
    assert answers(guests)[3]["output"] == "over\n"
    assert problems("$/cancel_request", "Notification", {"requestId": 1001}) == []
    whole(rig, session_id)


async def test_other_cards_stay_and_a_stop_is_still_a_stop(rig: Rig, guests: ScriptedGuests) -> None:
    go = guests.folder / "go"
    first = {"ask": command("touch one", key="t1")}
    second = beside({"ask": command("touch two", key="t2")}, str(go))
    both = {"both": [[first], [{"wait_file": str(guests.folder / "next")}, second]]}
    session_id = await begin(rig, guests, both)
    kept = await rig.asked()
    (guests.folder / "next").touch()
    taken = await rig.until(lambda _: next(iter(rig.events(InputRequested)[1:]), None))
    go.touch()
    await rig.until(lambda _: rig.events(InputResolved))
    assert [(one.input_id, one.reason) for one in rig.events(InputResolved)] == [(taken.input_id, "withdrawn")]
    await rig.engine.handle(Interrupt(session_id=session_id))
    await rig.ended()
    assert (rig.events(InputResolved)[1].input_id, rig.events(InputResolved)[1].reason) == (
        kept.input_id,
        "interrupted",
    )
    whole(rig, session_id)


@pytest.mark.parametrize("number", [7, "x", None, True])
async def test_what_is_not_open_is_not_taken_back(rig: Rig, guests: ScriptedGuests, number: object) -> None:
    message = {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": number}}
    session_id = await begin(rig, guests, {"raw": json.dumps(message)})
    ended = await rig.ended()
    assert (ended.status, ended.detail) == ("completed", "")
    whole(rig, session_id)
