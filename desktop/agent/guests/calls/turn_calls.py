"""TurnCalls: the calls of a guest in one turn: judged, asked about and answered as all others (guests-A19)."""

import asyncio
import logging
from collections.abc import Mapping

from pydantic import JsonValue

from desktop.agent.core.session import Session
from desktop.agent.gate.calls.caller import ToolCaller
from desktop.agent.gate.calls.loop_guard import LoopGuard
from desktop.agent.gate.judge import Judge
from desktop.agent.guests.bridging.bridge_tools import BridgeTools
from desktop.agent.guests.bridging.bridged import Bridged
from desktop.agent.guests.calls.comparing import changes_since, files_before
from desktop.agent.guests.calls.family import Family
from desktop.agent.guests.calls.lane_watch import Files, LaneWatch, Paths, Watching
from desktop.agent.guests.calls.opened import Does, OpenCall, Seen, Told, Write
from desktop.agent.guests.calls.results import result_of, says, says_output
from desktop.agent.guests.calls.segments import Segments
from desktop.agent.guests.calls.unasked import UnaskedCalls, UnaskedParts, named_paths
from desktop.agent.guests.calls.unexplained import record_unexplained
from desktop.agent.guests.starting.launching import GuestFailed, GuestWords
from desktop.agent.lanes.keeper import LaneKeeper
from desktop.agent.turns.call_runner import CallRunner
from desktop.agent.turns.limits import LimitWatch
from desktop.agent.turns.turn import Turn, stopped
from desktop.domain.core.content import ToolUse
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.ids import new_id
from desktop.domain.events import Notice, ToolCallFinished
from desktop.domain.guests.events import GuestNoticed
from desktop.policy.guests.kinds import MODE, OTHER, WRITE, as_call, plan_of
from desktop.policy.guests.options import CANCELLED, allowing, can_allow, refusing
from desktop.policy.guests.permission import GuestCall, guest_call, joined, parent_said
from desktop.records import dataclass
from desktop.services.acp.wire import WireError
from desktop.services.processes.stubborn import to_its_end
from desktop.tools.file_changes import StoredChange
from desktop.tools.guests.peer import CallOrigin
from desktop.tools.guests.writing import text_of, written
from desktop.tools.tool import ToolContext, ToolError, ToolResult

logger = logging.getLogger(__name__)

MOST_CALLS, MOST_OPEN = 2_000, 64
REFUSED = -32_000
NESTED, MOST_NESTED = "Creating new namespace failed", 3
OWN_SANDBOX = (
    "{label} cannot run commands: its own sandbox does not start inside Banksman's. Its table in guests.toml can turn "
    "it off (own_sandbox_off)."
)


@dataclass(frozen=True)
class CallParts:
    """What judges the calls of guests, asks about them, limits them and keeps the lane, one of each for all chats."""

    judge: Judge
    caller: ToolCaller
    limits: LimitWatch
    guard: LoopGuard
    keeper: LaneKeeper


class TurnCalls:
    """`halted` is done once the turn must end: with why, or None where that is on record. `refused`: a request of the
    guest got a no. `watch`: over the lane."""

    def __init__(self, session: Session, turn: Turn, parts: CallParts, segments: Segments, words: GuestWords) -> None:
        self.halted: asyncio.Future[BanksmanError | None] = asyncio.get_running_loop().create_future()
        self.refused = asyncio.Event()
        self._session, self._turn, self._parts = session, turn, parts
        self._segments, self._words = segments, words
        self._runner = CallRunner(parts.judge, parts.caller, parts.limits, parts.guard)
        self._told: dict[str, Told] = {}
        self._of: dict[str, list[OpenCall]] = {}
        self._calls: dict[str, OpenCall] = {}
        self._family = Family(words.label)
        self._unasked = UnaskedCalls(
            session, UnaskedParts(parts.judge, parts.caller, words), segments, self._family, self
        )
        self._bridged = Bridged(BridgeTools(session, parts.judge, words.taken), self._unheard)
        self.seen = Seen()
        self._nested = 0
        self._written: set[str] = set()
        self._plan = ""
        watching = Watching(words.label, parts.keeper, parts.caller.looks, self._explains, self._unexplained)
        self.watch = LaneWatch(session, watching)

    # What the guest says

    async def permission(self, told: Mapping[str, JsonValue], options: JsonValue) -> Told:
        """The answer to a request; it waits for a person where the gate asks."""
        key = _key(told)
        known = self._join(key, told)
        if can_allow(options) and self._bridged.may(key, known):
            return allowing(options)
        call = guest_call(known, self._words.command_from)
        name, given = as_call(call)
        if name == MODE:
            given["plan"] = plan_of(known) or self._plan
        if not can_allow(options):
            name, given = OTHER, {"title": call.title, "input": call.raw, "once": False}
        opened = self._begin(key, name, given, call)
        opened.shown = known.get("content")
        self.seen.asked += 1
        allowed = await opened.answer
        if allowed is None:
            return CANCELLED
        if not allowed:
            self.refused.set()
        return allowing(options) if allowed else refusing(options)

    async def write(self, path: str, content: str) -> None:
        """Write a file for the guest: as part of a call that showed this very change, else as a call of its own
        (guests-A22). Raises WireError: it was not written."""
        self.seen.writes = True
        showed = next((one for one in self._calls.values() if one.runs and _shows(one, path)), None)
        if showed is not None:
            done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
            showed.heard.put_nowait(Write(path, content, done))
            if await done:
                return
            text = f"{path}: what the agent wants to write is not what it showed before."
            self._session.append(Notice(kind="digest", level="warning", text=text))
        self._written.add(path)
        opened = self._begin("", WRITE, {"file_path": path, "content": content})
        self.must_be_ok(await self.over(opened))

    def begin(self, name: str, given: Told, does: Does) -> OpenCall:
        """A call for it that we carry out ourselves once it may be. Raises WireError: there are too many."""
        return self._begin("", name, given, does=does)

    async def over(self, opened: OpenCall) -> ToolCallFinished | None:
        """How a call ended, once it has."""
        if opened.task is not None:
            await asyncio.wait({opened.task})
        return self._finished(opened.call_id)

    def must_be_ok(self, finished: ToolCallFinished | None) -> None:
        """Raises WireError: it was not done, and why."""
        if finished is None or finished.outcome != "ok":
            text = finished.content if finished is not None and isinstance(finished.content, str) else "It was stopped."
            raise WireError(REFUSED, text)

    def planned(self, plan: str) -> None:
        """Its newest plan."""
        self._plan = plan

    def heard(self, told: Mapping[str, JsonValue]) -> None:
        """What the guest tells of a call."""
        key = _key(told)
        known = self._join(key, told)
        status = told.get("status")
        over = status in ("completed", "failed")
        opened = self._of.get(key, [])
        if over and NESTED in says(known):
            self._nested += 1
            if self._nested >= MOST_NESTED:
                self.halt(GuestFailed("guest_sandbox", OWN_SANDBOX.format(label=self._words.label)))
        if over and _is_command(known):
            self.seen.shows_output = self.seen.shows_output or says_output(known)
        if opened and over:
            if status == "completed" and not opened[-1].answer.done():
                text = f"{self._words.label} says that it did this before it was answered."
                self._session.append(GuestNoticed(kind="unasked", text=text, data={"call_id": opened[-1].call_id}))
            for one in opened:
                one.heard.put_nowait(known if known.get("content") != one.shown else {**known, "content": []})
        elif not opened and self._bridged.takes(key, known, over=over):
            return
        elif not opened and (over or status == "in_progress"):
            self._unasked.take(key, known, over=over)

    async def bridged(self, name: str, given: Told) -> ToolCallFinished | None:
        """As `BridgedCalls.bridged`, by its proper name. Cancelled, the call is stopped."""
        try:
            opened = self._begin("", name, given)
        except BanksmanError as error:
            self.halt(error)  # what cannot be put on record does not happen
            raise WireError(REFUSED, str(error)) from error
        opened.ours = True
        self._bridged.came(name, given)
        assert opened.task is not None
        try:
            await asyncio.wait({opened.task})
        finally:
            opened.task.cancel()
        return self._finished(opened.call_id)

    # What is done with it

    def origin(self, call_id: str) -> CallOrigin | None:
        """As `GuestPeer.origin`."""
        return self._family.origin(call_id)

    def above(self, key: str) -> str:
        """Our call that a call of the guest is a part of, put on record now where it was not yet; "" for none."""
        parent = self._family.parent(key) if key else ""
        return (self._family.row(parent) or self._unasked.open(parent, self._told[parent])) if parent else ""

    def does(self, call_id: str) -> bool:
        """As `GuestPeer.does`."""
        return not self._calls[call_id].ours

    def allowed(self, call_id: str) -> None:
        """As `GuestPeer.allowed`."""
        self._calls[call_id].say(True)

    async def carried_out(self, ctx: ToolContext) -> ToolResult:
        """Let the guest go on with a call, write what it has written, and wait for its end."""
        opened = self._calls[ctx.call_id]
        if opened.does is not None:
            return await opened.does(ctx)
        before = await files_before(ctx)
        opened.runs = True
        opened.say(True)
        stored: list[StoredChange] = []
        try:
            while isinstance(heard := await opened.heard.get(), Write):
                await self._write_in(ctx, opened, heard, stored)
        finally:
            opened.runs = False
            while not opened.heard.empty():
                left = opened.heard.get_nowait()
                if isinstance(left, Write) and not left.done.done():
                    left.done.set_result(False)
        changed = await changes_since(ctx, before, frozenset([*(one.touched.path for one in stored), *self._written]))
        return result_of(heard, ctx.blobs, tuple(stored), changed)

    async def _write_in(self, ctx: ToolContext, opened: OpenCall, write: Write, stored: list[StoredChange]) -> None:
        if write.done.done():  # it was taken back
            return
        try:
            _, before = await text_of(ctx, ctx.files.resolve(write.path, "write"))
            of_file = (one for one in opened.left if one.path == write.path)
            shown = next((one for one in of_file if one.gives(before, write.content)), None)
            if shown is not None:
                change = await written(ctx, write.path, write.content)
                opened.left.remove(shown)
                stored += [change] if change is not None else []
        except ToolError:
            shown = None
        if not write.done.done():
            write.done.set_result(shown is not None)

    def take_back(self, request: "asyncio.Task[JsonValue]") -> None:
        """The guest wants no answer to a request any more. What waits for a person is withdrawn from them and ends
        without having run; what was answered, or runs, goes on."""
        opened = next((one for one in self._calls.values() if one.request is request), None)
        if opened is None:
            request.cancel()
            return
        if opened.answer.done() or not self._parts.caller.take_back(self._session, opened.call_id):
            return
        for one in self._of.values():  # what it tells of it from here on was not asked about
            if opened in one:
                one.remove(opened)
        request.cancel()
        if opened.task is not None:
            opened.task.cancel()

    def withdraw(self) -> None:
        """Answer all that is open with neither yes nor no."""
        for one in self._calls.values():
            one.say(None)

    async def end(self, *, stopped_now: bool) -> None:
        """The turn is over: what runs has ended in a way that nobody told, what waits is withdrawn."""
        self._bridged.end()
        for one in self._calls.values():
            if stopped_now or one.does is not None or not one.answer.done():
                one.say(None)
                if one.task is not None and not one.task.done():
                    one.task.cancel()
            elif one.runs:
                one.heard.put_nowait(None)
        tasks = [one.task for one in self._calls.values() if one.task is not None]
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._unasked.end(self._told)

    def may_ask_model(self) -> str:
        """Why the guest's model may not be asked any more in this turn, which then ends; "" if it may."""
        self._turn.count(self._session.log)
        try:
            self._parts.limits.before_guest_asks(self._session, self._turn)
        except BanksmanError as error:
            self.halt(error)
            return f"The turn of this agent ends here: {error}"
        return ""

    def claims(self, context_used: int) -> None:
        """It says how full its context is: it has used at least that much, which can end the turn (guests-A49)."""
        self._turn.claimed_context = max(self._turn.claimed_context, context_used)
        self.may_ask_model()

    def halt(self, why: BanksmanError | None) -> None:
        """The turn must end."""
        if not self.halted.done():
            self.halted.set_result(why)

    def _begin(
        self, key: str, name: str, given: Told, call: GuestCall | None = None, does: Does | None = None
    ) -> OpenCall:
        """Put a call on record and have it carried out in a task of its own."""
        running = sum(1 for one in self._calls.values() if one.task is not None and not one.task.done())
        if len(self._calls) >= MOST_CALLS or running >= MOST_OPEN:
            self.halt(GuestFailed("guest_calls", f"{self._words.label} made more calls than can be followed."))
            raise WireError(REFUSED, "There are too many calls.")
        answer: asyncio.Future[bool | None] = asyncio.get_running_loop().create_future()
        opened = OpenCall(new_id("call_"), name, given, answer, list(call.edits) if call is not None else [])
        opened.does, opened.request = does, asyncio.current_task()
        part_of = self.above(key)
        self._segments.call(opened.call_id, name, given)
        self._calls[opened.call_id] = opened
        self._family.begin(opened.call_id, key, "guest" if call is not None else "gate", part_of)
        if key:
            self._of.setdefault(key, []).append(opened)
        opened.task = asyncio.create_task(self._carry(opened), name="guest call")
        return opened

    async def _carry(self, opened: OpenCall) -> None:
        """Judge it, ask about it, run it: one result, whatever happens."""
        session, turn, over = self._session, self._turn, False
        try:
            if turn.stop_after_step and turn.status is None:
                stopped(session, turn)
            over = turn.status is not None
            if not over:
                turn.count(session.log)
                self._parts.limits.before_request(session, turn)
                turn.steps += 1
                use = ToolUse(id=opened.call_id, name=opened.name, input=opened.given)
                try:
                    await self._runner.carry_out(session, turn, [use])
                finally:  # one that is taken back explains nothing from here on
                    await to_its_end(self.watch.over(opened.call_id))
                over = turn.status is not None
        except BanksmanError as error:
            opened.say(None)
            self.halt(error)
        finally:
            self._parts.caller.skip(session, opened.call_id)
            opened.say(None if over else False)
        if over:
            self.halt(None)

    def _explains(self, call_id: str) -> Paths | None:
        """The paths that this call may have changed, None: any."""
        opened, finished = self._calls.get(call_id), self._finished(call_id)
        named = named_paths(self._session, opened.name, opened.given) if opened is not None else None
        touched = finished.touched if finished is not None else ()
        return named | {one.path for one in touched} if named is not None else None

    async def _unexplained(self, files: Files) -> None:
        """Files of the lane are not as they were, and no call says why."""
        said = (self._segments, self._family)
        await record_unexplained(self._session, self._parts.caller, self._parts.judge.blobs, said, files)

    def _unheard(self, key: str, told: Told) -> None:
        """It says that it called a tool of ours, and no call came: that was only its word (guests-A56)."""
        self._unasked.take(key, told, over=True)

    def _join(self, key: str, told: Mapping[str, JsonValue]) -> Told:
        known = joined(self._told.get(key, {}), told)
        if len(self._told) < MOST_CALLS or key in self._told:
            self._told[key] = known
            self._family.heard(key, parent_said(told))
        return known

    def _finished(self, call_id: str) -> ToolCallFinished | None:
        events = self._session.turn_events()
        return next((e for e in events if isinstance(e, ToolCallFinished) and e.call_id == call_id), None)


def _is_command(known: Mapping[str, JsonValue]) -> bool:
    return known.get("kind") == "execute" and known.get("status") == "completed"


def _key(told: Mapping[str, JsonValue]) -> str:
    found = told.get("toolCallId")
    return found if isinstance(found, str) and found else new_id("call_")


def _shows(opened: OpenCall, path: str) -> bool:
    return any(edit.path == path for edit in opened.left)
