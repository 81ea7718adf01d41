"""Changes in the lane that no call of a guest explains, as a row that can be looked back on and taken back
(guests-A40)."""

from collections.abc import Sequence
from typing import Literal

from pydantic import JsonValue

from desktop.agent.core.session import Session
from desktop.agent.gate.calls.caller import ToolCaller
from desktop.agent.gate.calls.looking_back import review_record
from desktop.agent.guests.calls.comparing import Change, change_of
from desktop.agent.guests.calls.family import Family
from desktop.agent.guests.calls.lane_watch import Files
from desktop.agent.guests.calls.segments import Segments
from desktop.domain.core.content import TouchedFile
from desktop.domain.core.ids import new_id
from desktop.domain.core.permissions import Verdict
from desktop.domain.events import Event, ToolCallFinished
from desktop.domain.guests.events import GuestNoticed
from desktop.policy.guests.kinds import UNREPORTED
from desktop.services.history.apart import FileApart
from desktop.store.core.blobs import BlobStore

WHOSE = "No call that it told of explains this. It did it, or you or another program did meanwhile."
MOST_SHOWN, MOST_LISTED = 20, 200


async def touched_of(files: Files, blobs: BlobStore) -> tuple[tuple[TouchedFile, ...], tuple[Change, ...]]:
    """All of these files as what a call touched, and the first of them with their difference. Where one of them was not
    read, its bytes are not kept, and it cannot be taken back by them."""
    changes = [await change_of(one.path, one.before, one.after, blobs) for one in files if one.whole]
    known = {one.touched.path: one.touched for one in changes}
    touched = (known.get(one.path) or TouchedFile(path=one.path, kind=_kind(one)) for one in files)
    return tuple(touched), tuple(changes[:MOST_SHOWN])


async def record_unexplained(
    session: Session, caller: ToolCaller, blobs: BlobStore, said: tuple[Segments, Family], files: Sequence[FileApart]
) -> None:
    """Put them on record as one row, judged as a change that the guest did not ask for, to be looked back on."""
    segments, family = said
    call_id, listed = new_id("call_"), tuple(files)[:MOST_LISTED]
    paths: list[JsonValue] = [{"path": one.path, "kind": _kind(one)} for one in listed]
    given: dict[str, JsonValue] = {"files": paths, "more": len(files) - len(listed)}
    segments.call(call_id, UNREPORTED, given)
    family.begin(call_id, "", "none")
    try:
        prepared = await caller.prepare(session, call_id, UNREPORTED, given)
        touched, changes = await touched_of(listed, blobs)
        names = ", ".join(one.path for one in listed[:MOST_SHOWN])
        more = f" and {len(files) - MOST_SHOWN} more" if len(files) > MOST_SHOWN else ""
        text = f"Changed without a reported call: {names}{more}. {WHOSE}"
        data: dict[str, JsonValue] = {"call_id": call_id, "files": [one.path for one in listed]}
        finished = ToolCallFinished(
            call_id=call_id,
            outcome="ok",
            content=text,
            blocks=tuple(one.block for one in changes),
            touched=touched if len(listed) == len(files) else (),
            data={"unasked": True, "reported": False},
        )
        events: list[Event] = [finished, GuestNoticed(kind="unexplained_change", text=text, data=data)]
        if prepared.args is not None and prepared.facts is not None and caller.can_ask:
            against = (prepared.decision.reason,) if prepared.decision.verdict is not Verdict.ALLOW else ()
            events.append(review_record(caller.request(session, prepared), (WHOSE, *against)))
        session.record(*events, lazy=True)
    finally:
        caller.skip(session, call_id)


def _kind(one: FileApart) -> Literal["create", "modify", "delete"]:
    return "create" if not one.was else "modify" if one.stands else "delete"
