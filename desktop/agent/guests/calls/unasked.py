"""Calls that a guest makes without asking: judged after the fact, by the same gate (guests-A26)."""

import asyncio
from collections.abc import Mapping
from typing import Protocol

from pydantic import JsonValue

from desktop.agent.core.session import Session
from desktop.agent.gate.calls.caller import ToolCaller
from desktop.agent.gate.calls.clean import clean_result
from desktop.agent.gate.calls.hooked import Hooked
from desktop.agent.gate.calls.looking_back import review_record
from desktop.agent.gate.calls.prepared import Prepared, may_change_files
from desktop.agent.gate.judge import Judge
from desktop.agent.gate.taint import taints
from desktop.agent.guests.calls.comparing import Change
from desktop.agent.guests.calls.family import Family
from desktop.agent.guests.calls.lane_watch import LaneWatch, Paths
from desktop.agent.guests.calls.opened import Seen
from desktop.agent.guests.calls.results import result_of
from desktop.agent.guests.calls.segments import Segments
from desktop.agent.guests.calls.unexplained import touched_of
from desktop.agent.guests.starting.launching import GuestFailed, GuestWords
from desktop.domain.core.content import TouchedFile
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.ids import new_id
from desktop.domain.core.permissions import Verdict
from desktop.domain.events import Event, ToolCallFinished
from desktop.domain.guests.events import GuestNoticed
from desktop.policy.guests.kinds import EDIT, OTHER, WRITE, as_call
from desktop.policy.guests.permission import guest_call
from desktop.records import dataclass

RAN_UNASKED = "It ran without asking."
RAN = "{label} ran this without asking."
FAILED = "{label} tried this without asking, and it failed."
CUT_OFF = "{label} began this without asking. It was stopped while it ran, and may have had effects."
WOULD_ASK = "Banksman would have asked."
WOULD_REFUSE = "Banksman would have refused it."
_ENDS_TOLD: Mapping[str, str] = {
    "protection": "{} ran this without asking, and a built-in protection forbids it. {}",
    "forbidden": "{} ran this without asking, and it is not allowed. {}",
}
MOST_UNASKED = 3
Told = dict[str, JsonValue]


class TurnEnds(Protocol):
    """Whose turn it is, which ends for what was done in it."""

    seen: Seen
    watch: LaneWatch

    def halt(self, why: BanksmanError | None) -> None:
        """The turn must end."""

    def above(self, key: str) -> str:
        """Our call that the call of this id is a part of, "" for none."""


@dataclass(frozen=True)
class UnaskedParts:
    """What judges them and records them. `words`: of the guest."""

    judge: Judge
    caller: ToolCaller
    words: GuestWords


class UnaskedCalls:
    """Of one turn."""

    def __init__(
        self, session: Session, parts: UnaskedParts, segments: Segments, family: Family, turn: TurnEnds
    ) -> None:
        self._session, self._parts, self._segments = session, parts, segments
        self._family, self._turn = family, turn
        self._running: dict[str, asyncio.Future[Told]] = {}
        self._seen: dict[str, asyncio.Task[None]] = {}

    def take(self, key: str, known: Told, *, over: bool) -> None:
        """A call that the guest does, or did, without asking: judged at sight where it is forbidden, else once it is
        over, since it may still ask. So may it for a change of files: one agent tells of it first."""
        if key in self._running and over and not self._running[key].done():
            self._running[key].set_result(known)
        if key in self._seen:
            return
        call = guest_call(known, self._parts.words.command_from)
        name, given = as_call(call)
        judged = self._parts.judge.judge(self._session, new_id("call_"), name, given)
        if not over and (judged.decision.verdict is not Verdict.DENY or name == EDIT):
            return
        self._begin(key, name, given, known, None)

    def open(self, key: str, known: Told) -> str:
        """A call that began something which makes calls of its own; it goes on. Our call for it."""
        name, given = as_call(guest_call(known, self._parts.words.command_from))
        ended: asyncio.Future[Told] = asyncio.get_running_loop().create_future()
        self._running[key] = ended
        return self._begin(key, name, given, known, ended)

    async def end(self, told: Mapping[str, Told]) -> None:
        """The turn is over. `told`: all that is known of each."""
        for key, ended in self._running.items():
            if not ended.done():
                ended.set_result(told.get(key, {}))
        await asyncio.gather(*self._seen.values(), return_exceptions=True)

    def _begin(self, key: str, name: str, given: Told, known: Told, ended: "asyncio.Future[Told] | None") -> str:
        call_id = new_id("call_")
        part_of = self._turn.above(key)
        self._turn.seen.unasked += 1
        self._segments.call(call_id, name, given)
        self._family.begin(call_id, key, "sandbox", part_of)
        judging = self._judge_after(call_id, name, given, ended or known)
        self._seen[key] = asyncio.create_task(judging, name="guest call")
        return call_id

    async def _judge_after(self, call_id: str, name: str, given: Told, known: "asyncio.Future[Told] | Told") -> None:
        label = self._parts.words.label
        try:
            await self._parts.judge.ready()
            prepared = await self._parts.caller.prepare(self._session, call_id, name, given, is_done=True)
            told = known if isinstance(known, dict) else await known
            claims = isinstance(known, dict) and may_change_files(prepared, edited=False)
            unasked = Unasked(told, label, *(await self._changes(name, given) if claims else ()))
            verdict = await record_unasked(self._session, self._parts.caller, self._parts.judge, prepared, unasked)
        except BanksmanError as error:
            self._turn.halt(error)
            return
        finally:
            self._parts.caller.skip(self._session, call_id)
        if verdict is Verdict.DENY:
            decision = prepared.decision
            form = _ENDS_TOLD["protection" if decision.rule == "deny" else "forbidden"]
            self._turn.halt(GuestFailed("unasked", form.format(label, decision.reason or prepared.refusal)))
        elif verdict is Verdict.ASK and name != OTHER and told.get("status") == "completed":
            self._turn.seen.against += 1
            if self._turn.seen.against >= MOST_UNASKED:
                text = f"{label} does not ask before it acts, so this mode cannot keep its promise."
                self._turn.halt(GuestFailed("unasked", text))

    async def _changes(self, name: str, given: Told) -> tuple[tuple[TouchedFile, ...], tuple[Change, ...]]:
        """What became of the files that it may have changed, by a look of our own."""
        found = await self._turn.watch.claimed(named_paths(self._session, name, given))
        return await touched_of(found, self._parts.judge.blobs)


def named_paths(session: Session, name: str, given: Mapping[str, JsonValue]) -> Paths | None:
    """The files of the lane that a call says it changes; None: it may change any."""
    if name not in (EDIT, WRITE) or session.files is None:
        return None
    listed = given.get("paths")
    paths = [one.get("path") for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    named = [path for path in (*paths, given.get("file_path")) if isinstance(path, str)]
    return frozenset(session.files.resolve(path, "write").rel for path in named)


@dataclass(frozen=True)
class Unasked:
    """What a guest told of the call, and how people know the guest. `touched`, `changes`: what was found of what it
    did."""

    told: Mapping[str, JsonValue]
    label: str
    touched: tuple[TouchedFile, ...] = ()
    changes: tuple[Change, ...] = ()


async def record_unasked(
    session: Session, caller: ToolCaller, judge: Judge, prepared: Prepared, unasked: Unasked
) -> Verdict:
    """Record what came of it, to look back on where the gate would have asked or refused. The verdict of the gate. Of
    hooks those after a call are told of it alone, as it was done before anybody was asked (guests-H5)."""
    result, secrets = clean_result(
        result_of(unasked.told, judge.blobs, (), unasked.changes), judge.redactor(), judge.blobs
    )
    verdict = prepared.decision.verdict
    against = verdict is not Verdict.ALLOW
    going_on = unasked.told.get("status") not in ("completed", "failed")
    if not going_on:
        result = await Hooked(judge).after(session, prepared, result.model_copy(update={"touched": unasked.touched}))
    finished = ToolCallFinished(
        call_id=prepared.call_id,
        outcome="interrupted" if going_on else "error" if result.is_error else "ok",
        content=result.text,
        is_error=result.is_error,
        blocks=result.blocks,
        full=result.full,
        touched=unasked.touched,
        summary="ran without asking" if against else result.summary,
        data={"unasked": against},
    )
    events: list[Event] = [*taints(session, prepared, secrets, result.untrusted, result.text), finished]
    if against:
        reason = (
            "" if verdict is Verdict.DENY else prepared.refusal or prepared.decision.reason
        )  # the turn ends with it
        failed = result.is_error and not going_on
        what = FAILED if failed else CUT_OFF if going_on and verdict is Verdict.DENY else RAN
        would = WOULD_REFUSE if prepared.refusal or verdict is Verdict.DENY else WOULD_ASK
        text = f"{what.format(label=unasked.label)} {would} {reason}".rstrip()
        events.append(GuestNoticed(kind="unasked", text=text, data={"call_id": prepared.call_id}))
    if against and prepared.args is not None and prepared.facts is not None and caller.can_ask:
        events.append(review_record(caller.request(session, prepared), (RAN_UNASKED,)))
    session.record(*events, lazy=True)
    return verdict
