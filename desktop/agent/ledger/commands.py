"""LedgerCommands: shows what a chat changed, plans taking it back, and does that."""

import asyncio
import heapq
from collections.abc import Callable, Iterator
from datetime import datetime
from operator import attrgetter

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Telling
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.lanes.project_log import project_log_id
from desktop.agent.ledger.undo import Planned, Undo
from desktop.collecting import uncollected
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.events import Envelope
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted
from desktop.domain.ledger.commands import LoadLedger, PlanUndo, RunUndo
from desktop.domain.ledger.effects import Effect
from desktop.domain.ledger.fold import FOLDED, Ledger, ledger_of
from desktop.domain.ledger.updates import LedgerLoaded, PlannedEntry, UndoPlanned
from desktop.store.core.events import OpenedChat
from desktop.store.core.readings import Readings

MOST = 1_000
CHANGED = "What would be undone changed meanwhile. Look at it again."


class LedgerCommands:
    """On the engine thread; logs are read on a worker thread. Of one chat one undo runs at a time. `held`: chats in
    which no turn begins right now."""

    def __init__(
        self,
        sessions: Sessions,
        readings: Readings,
        undo: Undo,
        telling: Telling,
        clock: Callable[[], datetime],
        held: set[str],
    ) -> None:
        self._sessions = sessions
        self._readings = readings
        self._undo = undo
        self._telling = telling
        self._clock = clock
        self._held = held
        self._running: set[str] = set()

    def handlers(self) -> dict[type[Command], Handler]:
        """Showing the ledger, planning an undo and running it."""
        return {LoadLedger: self._load, PlanUndo: self._plan, RunUndo: self._run}

    async def _load(self, command: LoadLedger) -> None:
        """Raises StoreError: the log cannot be read."""
        await self._show(command.command_id, command.session_id)

    async def _plan(self, command: PlanUndo) -> None:
        """Raises CommandError: it is not in the ledger; StoreError: the log cannot be read."""
        session = await self._whose(command)
        self._telling.publish((await self._planned(session, command))[0])

    async def _run(self, command: RunUndo) -> None:
        """Raises CommandError `plan_changed`, after the plan as it is now; nothing was done then. What fits no longer
        when its turn comes is told by the ledger."""
        session = await self._whose(command)
        session.refuse_imported()
        here = self._sessions.get(command.session_id)
        both = {session.session_id, here.session_id}
        self._running |= both
        try:
            shown, planned, ledger = await self._planned(session, command)
            _refuse_work(session)
            _refuse_work(here)
            if shown.digest != command.digest:
                self._telling.publish(shown)
                raise CommandError("plan_changed", CHANGED)
            cut_off = ledger.open_undo.undo_id if ledger.open_undo is not None else ""
            self._held |= both
            told = await self._undo.run(session, planned, command.reach, cut_off)
        finally:
            self._running -= both
            self._held -= both
        await self._show(command.command_id, command.session_id, told)
        self._telling.listed()

    async def _planned(self, session: Session, command: PlanUndo | RunUndo) -> tuple[UndoPlanned, Planned, Ledger]:
        ledger, below = await asyncio.to_thread(self._family, session.session_id)
        if session.session_id != command.session_id:
            below = []
        planned = await self._undo.plan(session, ledger, command.effect_id, command.reach)
        shown = UndoPlanned(
            command_id=command.command_id,
            session_id=command.session_id,
            effect_id=command.effect_id,
            reach=command.reach,
            digest=planned.digest,
            entries=(*planned.entries, *_staying(ledger, below, command)),
        )
        return shown, planned, ledger

    async def _whose(self, command: PlanUndo | RunUndo) -> Session:
        """The chat in whose log the effect stands: this one, or a sub-agent's. Nothing runs in it, nor in this one."""
        self._quiet(command.session_id)
        ledger, below = await asyncio.to_thread(self._family, command.session_id)
        here = self._quiet(command.session_id)  # as it is when this returns
        if command.effect_id in ledger.effects:
            return here
        owner = next((one.session_id for one in below if one.effect_id == command.effect_id), here.session_id)
        return self._quiet(owner)

    async def _show(self, command_id: str, session_id: str, told: str = "") -> None:
        ledger, below = await asyncio.to_thread(self._family, session_id)
        own = ledger.newest_first(self._clock())
        found = tuple(sorted([*own, *below], key=attrgetter("at"), reverse=True)) if below else own
        open_one = ledger.open_undo if session_id not in self._running else None
        self._telling.publish(
            LedgerLoaded(
                command_id=command_id,
                session_id=session_id,
                effects=found[:MOST],
                more=max(0, len(found) - MOST),
                cut_off=open_one.undo_id if open_one is not None else "",
                told=told,
            )
        )

    def _family(self, session_id: str) -> tuple[Ledger, list[Effect]]:
        """The ledger of a chat, and the effects of its sub-agents and of those below them."""
        with uncollected():
            opened = self._readings.chat(session_id)
            return self._ledger(session_id, opened), [*self._below(opened, "", {session_id})]

    def _below(self, opened: OpenedChat, path: str, seen: set[str]) -> Iterator[Effect]:
        for child_id in opened.state.children:
            if child_id in seen:
                continue  # nobody begins themselves but in a log that was changed
            seen.add(child_id)
            child = self._readings.chat(child_id)
            asker = f"{path}{child.state.title or 'Sub-agent'}"
            for effect in self._ledger(child_id, child).newest_first(self._clock()):
                yield effect.model_copy(update={"asker": asker})
            yield from self._below(child, f"{asker} › ", seen)

    def _ledger(self, session_id: str, opened: OpenedChat) -> Ledger:
        """The chat's own entries, and what people did to its lane meanwhile."""
        own = [e for e in opened.path if e.session_id == session_id and e.kind in FOLDED]
        lane_id = opened.state.lane_id
        about = self._of_lane(opened.state.project_id, lane_id, own[0].at) if own and lane_id else []
        return ledger_of(heapq.merge(own, about, key=_order))

    def _of_lane(self, project_id: str, lane_id: str, since: datetime) -> list[Envelope]:
        found: list[Envelope] = []
        for envelope in self._readings.chat(project_log_id(project_id)).path:
            if envelope.kind in ("lane_operation_started", "lane_operation_finished") and envelope.at >= since:
                event = envelope.event
                if isinstance(event, LaneOperationStarted | LaneOperationFinished) and event.lane_id == lane_id:
                    found.append(envelope)
        return found

    def _quiet(self, session_id: str) -> Session:
        """The chat, when nothing of it runs."""
        session = self._sessions.get(session_id)
        _refuse_work(session)
        if session_id in self._running or session_id in self._held:
            raise CommandError("undoing", "An undo of this chat is under way. Wait until it is done.")
        return session


def _order(envelope: Envelope) -> tuple[datetime, bool]:
    """Times of two logs are told apart by milliseconds: what an undo did to a lane stands within it."""
    return envelope.at, envelope.kind == "undo_finished"


def _staying(ledger: Ledger, below: list[Effect], command: PlanUndo | RunUndo) -> Iterator[PlannedEntry]:
    """What sub-agents did since the effect that an undo goes back to: each stays, and can be undone by itself."""
    first = ledger.effects.get(command.effect_id)
    if first is None or command.reach != "back":
        return
    for effect in below:
        if effect.at >= first.at and effect.left:
            words = f"The sub-agent {effect.asker} did it. Undo it by itself."
            yield PlannedEntry(
                effect_id=effect.effect_id, what=effect.what, verbatim=effect.verbatim, verdict="cannot", text=words
            )


def _refuse_work(session: Session) -> None:
    if session.running:
        raise CommandError("running", "The agent is working. Stop it first, or wait.")
