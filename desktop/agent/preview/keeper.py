"""PreviewKeeper: commands of open cards tried in a copy of the lane, and what they did there applied (memory-EP5)."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish, Session
from desktop.agent.gate.calls.clean import clean_result
from desktop.agent.gate.commands import GateCommands
from desktop.agent.gate.inputs import Answered, PendingInputs, Waiting
from desktop.agent.lanes.keeper import LaneKeeper
from desktop.agent.preview.copies import Copies, Tried, Wanted, no_preview
from desktop.agent.preview.real_runs import RealRuns
from desktop.agent.preview.records import evidence_of, tried_event
from desktop.domain.commands import AnswerInput
from desktop.domain.core.command import Command
from desktop.domain.core.content import BlobRef
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.gate.pending import Answer, ApprovalRequest
from desktop.domain.gate.redaction import Redactor
from desktop.domain.preview.commands import ApplyEffect, TryInCopy
from desktop.domain.preview.effect import Effect, effect_digest
from desktop.domain.preview.events import CommandTried, EffectApplied
from desktop.domain.preview.updates import TriedInCopy, TryProgress
from desktop.records import dataclass
from desktop.services.history.tree_id import lane_tree_id
from desktop.services.preview.applying import NotApplied, apply_difference, what_differs
from desktop.services.processes.stubborn import to_its_end
from desktop.store.core.blobs import BlobStore
from desktop.tools.tool import ToolResult

logger = logging.getLogger(__name__)

GONE = "Nothing was done: what the command did in the copy is not kept any more."
_RISKY = frozenset({"high", "irreversible"})
By = Literal["person", "setting"]


@dataclass(frozen=True)
class Kept:
    """A try that an open card shows. `result`: what the model is given once it is applied, without its last line."""

    session: Session
    event: CommandTried
    tried: Tried
    result: ToolResult

    def is_of(self, digest: str) -> bool:
        """Whether a person may have said yes to it by this digest."""
        return bool(digest) and digest in (self.event.digest, self.event.ticked_digest)

    def is_ticked(self, digest: str) -> bool:
        """Whether it is that of the effect with the files that Git ignores."""
        return digest == self.event.ticked_digest


@dataclass(frozen=True)
class TryTelling:
    """What it tells with. `redactor`: takes secrets out of texts. `tries_risky`: whether risky commands are tried
    by themselves."""

    publish: Publish
    blobs: BlobStore
    redactor: Callable[[], Redactor]
    tries_risky: Callable[[], bool]


class PreviewKeeper:
    """All on the engine thread."""

    def __init__(
        self, copies: Copies, inputs: PendingInputs, gate: GateCommands, keeper: LaneKeeper, telling: TryTelling
    ) -> None:
        self.real = RealRuns()
        self._copies = copies
        self._inputs = inputs
        self._gate = gate
        self._keeper = keeper
        self._telling = telling
        self._running: dict[str, asyncio.Task[None]] = {}
        self._kept: dict[str, Kept] = {}
        inputs.asked.add(self._asked)

    def handlers(self) -> dict[type[Command], Handler]:
        """The commands about previews."""
        return {TryInCopy: self._try, ApplyEffect: self._allow}

    async def close(self) -> None:
        """End the tries that run."""
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self.real.close()

    # Trying

    async def _try(self, command: TryInCopy) -> None:
        waiting, request, _ = self._inputs.approval(command.session_id, command.input_id)
        if command.digest != request.digest:
            raise CommandError("digest_differs", "The request changed while it was on screen. Look at it again.")
        if not request.can_try:
            raise CommandError("no_try", "This call cannot be tried in a copy.")
        if waiting.input_id in self._running:
            raise CommandError("trying", "This command is being tried already.")
        self._begin(waiting, request, by="person")

    def _asked(self, waiting: Waiting) -> None:
        """A card is open: a risky command, and one that cannot be read, is tried by itself where the person wants that
        (memory-EP1)."""
        request = waiting.request
        if not isinstance(request, ApprovalRequest) or not request.can_try or not self._telling.tries_risky():
            return
        if request.risk in _RISKY or not request.commands:
            self._begin(waiting, request, by="setting")

    def _begin(self, waiting: Waiting, request: ApprovalRequest, *, by: By) -> None:
        task = asyncio.create_task(self._tried(waiting, request, by), name="try in a copy")
        self._running[waiting.input_id] = task
        task.add_done_callback(lambda task: self._over(waiting, request, task))
        waiting.future.add_done_callback(lambda answered: self._closed(waiting.input_id, answered))

    def _over(self, waiting: Waiting, request: ApprovalRequest, task: "asyncio.Task[None]") -> None:
        """A try that failed as nobody foresaw leaves no card that waits for it."""
        self._running.pop(waiting.input_id, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("a command could not be tried in a copy", exc_info=error)
            problem = f"No preview: {type(error).__name__}. Details are in the log."
            head = CommandTried(input_id=waiting.input_id, call_id=request.call_id, call_digest=request.digest)
            self._tell(waiting, head.model_copy(update={"problem": problem}))

    def _closed(self, input_id: str, answered: "asyncio.Future[Answered]") -> None:
        """The card is closed: what was tried is kept only if it is to be applied now."""
        if (running := self._running.get(input_id)) is not None:
            running.cancel()
        if answered.cancelled() or not answered.result().answer.effect:
            kept = self._kept.pop(input_id, None)
            if kept is not None and not answered.cancelled() and answered.result().answer.outcome != "reject":
                self.real.expect(kept.event.call_id, kept.session, kept.tried.found.effect)

    async def _tried(self, waiting: Waiting, request: ApprovalRequest, by: By) -> None:
        session, input_id = waiting.session, waiting.input_id

        def told(text: str) -> None:
            self._telling.publish(TryProgress(session_id=session.session_id, input_id=input_id, text=text))

        told("Waiting for the lane…" if session.write_lock.locked() else "Making the copy…")
        self._kept.pop(input_id, None)
        head = CommandTried(input_id=input_id, call_id=request.call_id, call_digest=request.digest, by=by)
        try:
            tried = await self._copies.run(session, _wanted(request), told)
        except (BanksmanError, OSError) as error:
            self._tell(waiting, head.model_copy(update={"problem": no_preview(error)}))
            return
        tried = self._held_to_rules(session, tried)
        event = tried_event(head, tried, self._telling.redactor())
        if event.digest or event.ticked_digest:
            cleaned, _ = clean_result(tried.result, self._telling.redactor(), self._telling.blobs)
            self._kept[input_id] = Kept(session, event, tried, cleaned)
        self._tell(waiting, event)

    def _held_to_rules(self, session: Session, tried: Tried) -> Tried:
        """A try that says what rules say to its files: where one refuses, it can be looked at and not applied."""
        effect, (stops, asks) = tried.found.effect, self._ruled(session, tried.found.effect)
        changes: dict[str, object] = {"asks": asks} if asks else {}
        if stops:
            changes |= {"stops": (*stops, *effect.stops), "tree_after": ""}
        if against := self._against_ticked(session, effect):
            changes["beside_stop"] = effect.beside_stop or against
        held = effect.model_copy(update=changes)
        return replace(tried, found=replace(tried.found, effect=held)) if changes else tried

    def _ruled(self, session: Session, effect: Effect) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What the rules of now say against the files of an effect, and about which of them they want to be asked:
        nobody foretold them when the call was judged."""
        paths = [(file.path, file.kind == "delete") for file in effect.files]
        paths += [(folder, False) for folder in effect.folders]
        rules = self._gate.rules
        return tuple(rules.refusing(session)(paths)), tuple(rules.asking(session)(paths))

    def _against(self, session: Session, effect: Effect, *, ticked: bool) -> str:
        """What a rule of now says that did not stand on the card when a person looked, "" for nothing."""
        stops, asks = self._ruled(session, effect)
        against = next((line for line in (*stops, *asks) if line not in effect.asks), "")
        return against or (self._against_ticked(session, effect) if ticked else "")

    def _against_ticked(self, session: Session, effect: Effect) -> str:
        """What a rule of now says against the files that Git ignores, be it that it wants to be asked."""
        paths, rules = [(file.path, file.kind == "delete") for file in effect.beside], self._gate.rules
        return next(iter((*rules.refusing(session)(paths), *rules.asking(session)(paths))), "")

    def _tell(self, waiting: Waiting, event: CommandTried) -> None:
        if not waiting.future.done():
            waiting.session.append(event)
            told = TriedInCopy(session_id=waiting.session.session_id, input_id=waiting.input_id, tried=event)
            self._telling.publish(told)

    # Applying

    async def _allow(self, command: ApplyEffect) -> None:
        """A person's yes to the difference that they saw; what is not as it was then leaves the card open."""
        waiting, request, _ = self._inputs.approval(command.session_id, command.input_id)
        kept = self._kept.get(command.input_id)
        if kept is None or not kept.is_of(command.effect):
            raise CommandError("no_effect", "There is no such effect to apply. Try the command in a copy first.")
        if not request.digest == command.digest == kept.event.call_digest:
            raise CommandError("digest_differs", "The request changed since it was tried. Try it again.")
        effect = kept.tried.found.effect
        files = waiting.session.files
        now = await self._keeper.work(waiting.session, lane_tree_id)
        if now != effect.tree_before or files is None:
            words = await asyncio.to_thread(what_differs, files, effect) if files is not None else "the lane"
            raise CommandError("lane_changed", f"Not applied: {words} changed since the command was tried.")
        asks = self._ruled(waiting.session, effect)[1]
        if since := [line for line in asks if line not in effect.asks]:
            raise CommandError("asks_since", f"Not applied: {since[0]} Try the command again, to see it there.")
        answer = Answer(outcome="allow_once", effect=command.effect, confirm=command.confirm)
        given = AnswerInput(
            session_id=command.session_id, input_id=command.input_id, answer=answer, digest=command.digest
        )
        await self._gate.answer(given, applies=True)

    async def apply(self, session: Session, call_id: str, input_id: str, effect: str) -> ToolResult:
        """Do it, once, and record it; it comes to its end whatever stops the call.

        Raises:
            BanksmanError: it was not done.
        """
        kept = self._kept.pop(input_id, None)
        if kept is None or not kept.is_of(effect) or kept.event.call_id != call_id:
            raise NotApplied(GONE)
        ticked = kept.is_ticked(effect)
        if effect_digest(kept.event.call_digest, kept.tried.found.effect, ticked=ticked) != effect:
            raise NotApplied(GONE)
        return await to_its_end(self._applied(session, kept, effect, ticked=ticked))

    async def _applied(self, session: Session, kept: Kept, digest: str, *, ticked: bool) -> ToolResult:
        found, files = kept.tried.found, session.files
        if files is None:
            raise NotApplied("Not applied: this chat has no lane.")
        if against := self._against(session, found.effect, ticked=ticked):
            raise NotApplied(f"Not applied: {against}")
        checkpoint = await self._keeper.work(session, lambda lane: apply_difference(lane, files, found, ticked=ticked))
        effect = found.effect
        done = EffectApplied(
            input_id=kept.event.input_id,
            call_id=kept.event.call_id,
            digest=digest,
            files=effect.files,
            folders=effect.folders,
            beside=effect.beside if ticked else (),
            checkpoint_id=checkpoint,
            tree_before=effect.tree_before,
            tree_after=effect.tree_after,
        )
        printed = self._printed(kept.tried)
        session.record(done, evidence_of(session, kept.event, kept.tried, printed), lazy=True)
        return _result(kept.result, done)

    def _printed(self, tried: Tried) -> BlobRef | None:
        """What it printed, without secrets."""
        clean = self._telling.redactor().redact(tried.printed.decode("utf-8", "surrogateescape")).text
        if not clean:
            return None
        return self._telling.blobs.put(clean.encode("utf-8", "surrogateescape"), "text/plain", lazy=True)


class SessionTries:
    """What commands of one chat did in copies."""

    def __init__(self, previews: PreviewKeeper, session: Session) -> None:
        self._previews = previews
        self._session = session

    async def apply(self, call_id: str, input_id: str, effect: str) -> ToolResult:
        """See `PreviewKeeper.apply`."""
        return await self._previews.apply(self._session, call_id, input_id, effect)


def _wanted(request: ApprovalRequest) -> Wanted:
    """The command of a card. The words of a call that was judged have these kinds."""
    given = request.arguments
    timeout = given.get("timeout_ms")
    return Wanted(
        command=str(given.get("command", "")),
        cwd=str(given.get("cwd") or "."),
        timeout_ms=timeout if isinstance(timeout, int) else 60_000,
    )


def _result(result: ToolResult, done: EffectApplied) -> ToolResult:
    """What the copy printed and how it ended, and that it is done (memory-EP6)."""
    count = len(done.files) + len(done.beside)
    changes = f"its {count} file changes were" if count != 1 else "its 1 file change was"
    if not count:
        changes = "the folders it made were"
    said = f"Ran in a copy; {changes} applied."
    return result.model_copy(update={"text": f"{result.text}\n[{said}]", "summary": f"{result.summary} · from a copy"})
