"""effects(): the undo ledger of a log, newest first. A fold: the same log gives the same ledger (memory-UL1)."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from desktop.domain.boundaries.events import BoundaryDecided
from desktop.domain.core.checkpoint_events import CheckpointMade, FilesRestored
from desktop.domain.core.content import TouchedFile
from desktop.domain.core.permissions import Category
from desktop.domain.events import (
    Envelope,
    LaneAttached,
    SessionStarted,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnStarted,
)
from desktop.domain.gate.events import ReviewReverted, RuleRemoved, RuleSaved
from desktop.domain.gate.rules import Rule
from desktop.domain.gate.titles import title_of
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted
from desktop.domain.ledger.effects import Effect
from desktop.domain.ledger.entries import TAKES_HOME, Entries, of_call, of_operation
from desktop.domain.ledger.inverses import ASK_THEMSELVES, Doing, Inverse, inverse_of
from desktop.domain.memory.events import MemoryWritten
from desktop.domain.preview.events import EffectApplied
from desktop.domain.undo.events import UndoBegun, UndoFinished, UndoStepDone
from desktop.domain.undo.steps import ActStep, RuleStep

MOST_NAMED = 3
_RULES_TOLD: Mapping[str, str] = {
    "allow": "Rule saved: allow {about}",
    "ask": "Rule saved: ask {about}",
    "deny": "Rule saved: deny {about}",
}
_MEMORY_TOLD: Mapping[str, str] = {
    "added": "Memory added: {content}",
    "merged": "Memory merged: {content}",
    "pinned": "Memory pinned: {content}",
    "unpinned": "Memory unpinned: {content}",
    "edited": "Memory edited: {content}",
    "accepted": "Memory accepted: {content}",
    "confirmed": "Memory confirmed: {content}",
    "archived": "Memory archived: {content}",
    "restored": "Memory restored: {content}",
    "deleted": "Memory deleted: {content}",
    "imported": "Memory imported: {content}",
}
FOLDED = frozenset(
    {
        "boundary_decided", "checkpoint_made", "files_restored", "lane_attached", "session_started",
        "tool_call_decided", "tool_call_started", "tool_call_finished", "turn_started", "review_reverted",
        "rule_saved", "rule_removed", "lane_operation_started", "lane_operation_finished", "memory_written",
        "undo_begun", "undo_step_done", "undo_finished", "effect_applied",
    }
)  # fmt: skip
"""The kinds of entries of which a ledger is made; others are not read."""


def effects(log: Iterable[Envelope], now: datetime | None = None) -> tuple[Effect, ...]:
    """What the entries of one log changed outside of the conversation, newest first, also of a part left behind by a
    rewind. A call that was refused, declined or never began has none. `now`: what is kept no longer has expired."""
    return ledger_of(log).newest_first(now)


def ledger_of(log: Iterable[Envelope]) -> "Ledger":
    """The ledger of these entries, to which more can be added."""
    ledger = Ledger()
    for envelope in log:
        if envelope.kind in FOLDED:
            ledger.add(envelope)
    return ledger


class Ledger(Entries):
    """The effects so far, by id, in the order in which they began. `open_undo`: one that has not ended on record."""

    def __init__(self) -> None:
        super().__init__()
        self.open_undo: UndoBegun | None = None
        self._decided: dict[str, ToolCallDecided] = {}
        self._operations: dict[str, LaneOperationStarted] = {}
        self._waiting: list[str] = []
        self._applied: dict[str, EffectApplied] = {}
        self._lane_id = ""

    def add(self, envelope: Envelope) -> None:
        """Take in the next entry of the log."""
        match envelope.event:
            case ToolCallDecided() as decided:
                self._decided[decided.call_id] = decided
            case ToolCallStarted() as started:
                self._began(envelope, started)
            case ToolCallFinished() as finished:
                self._finished(finished)
            case CheckpointMade() as made:
                self.checkpoints[made.checkpoint_id] = envelope.seq
                self._kept(made)
            case TurnStarted() as turn:
                self.turn_id = turn.turn_id
            case SessionStarted() | LaneAttached() as attached:
                self._lane_id = attached.lane_id
            case _:
                self._add_other(envelope)

    def _add_other(self, envelope: Envelope) -> None:
        match envelope.event:
            case ReviewReverted() as reverted:
                self.reverted(reverted)
            case FilesRestored() as restored if self.open_undo is None:
                self.restored(restored)
            case EffectApplied() as applied:
                self._applied[applied.call_id] = applied
            case LaneOperationStarted() as operation:
                self._operations[operation.operation_id] = operation
            case LaneOperationFinished() as operated:
                self._operated(envelope, operated)
            case UndoBegun() as begun:
                self.open_undo = begun
                self._undo(envelope, begun)
            case UndoStepDone() as step:
                self.step_done(step)
            case UndoFinished():
                self.open_undo = None
            case _:
                self._add_own(envelope)

    def _add_own(self, envelope: Envelope) -> None:
        """What a person does themselves; within an undo it is a part of that."""
        match envelope.event:
            case RuleSaved() as saved if saved.rule.created_by != "chip" and self.open_undo is None:
                inverse = Inverse("rule", "yes", "The rule is removed.")
                self.put(envelope, saved.rule.id, inverse, rule_words(saved.rule), steps=(RuleStep(rule=saved.rule),))
            case RuleRemoved() as removed if self.open_undo is None and removed.rule_id in self.effects:
                self.taken_back(removed.rule_id)
            case BoundaryDecided() as decided if self.open_undo is None:
                self._boundary(envelope, decided)
            case MemoryWritten() as written if self.open_undo is None:
                self._memory(envelope, written)
            case _:
                pass

    def _began(self, envelope: Envelope, started: ToolCallStarted) -> None:
        decided = self._decided.get(started.call_id)
        if decided is None or (_only_reads(decided) and started.tool not in ASK_THEMSELVES):
            return
        inverse = inverse_of(_doing(decided, started))
        if inverse.kind == "memory":
            return  # what it writes is on record by itself
        what, verbatim = title_of(decided)
        self.put(
            envelope,
            started.call_id,
            inverse,
            what,
            tool=started.tool,
            verbatim=verbatim,
            lane_id=self._lane_id,
            checkpoint_id=started.checkpoint_id,
            unknown=True,
        )

    def _finished(self, finished: ToolCallFinished) -> None:
        effect = self.effects.get(finished.call_id)
        if effect is None:
            return
        nothing_done = finished.outcome in ("refused", "declined") or (finished.is_error and not finished.touched)
        if nothing_done and effect.kind != "command":
            del self.effects[finished.call_id]
            return
        self.effects[finished.call_id] = of_call(effect, finished, self._applied.get(finished.call_id))
        with_files = effect.kind in ("files", "command") or effect.tool == TAKES_HOME
        if with_files and self.effects[finished.call_id].checkpoint_id:
            self._waiting.append(finished.call_id)

    def _kept(self, made: CheckpointMade) -> None:
        """The files as the calls before left them."""
        for call_id in self._waiting:
            self.left_at(call_id, made.checkpoint_id)
        self._waiting = []

    def _operated(self, envelope: Envelope, operated: LaneOperationFinished) -> None:
        started = self._operations.get(operated.operation_id)
        if started is None or started.by != "person" or operated.status != "done" or self.open_undo is not None:
            return
        found = of_operation(started, operated)
        if found is not None:
            inverse, what, steps = found
            self.put(envelope, operated.operation_id, inverse, what, steps=steps, lane_id=operated.lane_id)

    def _boundary(self, envelope: Envelope, decided: BoundaryDecided) -> None:
        known = self.effects.get(decided.boundary_id)
        if decided.decision != "kept":
            if known is not None:
                self.taken_back(decided.boundary_id)
            return
        quote = next((rule.quote for rule in decided.rules if rule.quote), "")
        inverse = Inverse("rule", "yes", "The boundary is lifted.")
        steps = (ActStep(act="lift_boundary", subject=decided.boundary_id),)
        self.put(envelope, decided.boundary_id, inverse, f"Boundary kept: {quote}", steps=steps)

    def _memory(self, envelope: Envelope, written: MemoryWritten) -> None:
        if written.by == "app":
            return
        act = "delete_memory" if written.change in ("added", "imported") else "restore_memory"
        inverse = inverse_of(Doing("memory_add" if act == "delete_memory" else "memory_pin"))
        words = _MEMORY_TOLD[written.change].format(content=written.content)
        step = ActStep.model_validate({"act": act, "subject": written.memory_id, "version": written.version})
        self.put(envelope, f"{written.memory_id}.{written.version}", inverse, words, steps=(step,))

    def _undo(self, envelope: Envelope, begun: UndoBegun) -> None:
        inverse = Inverse("undo", "yes", "What it took back is done again.")
        known = self.effects.get(next(iter(begun.effect_ids), ""))
        verbatim = known is not None and known.verbatim
        self.put(envelope, begun.undo_id, inverse, begun.what or "Undo", verbatim=verbatim)


def _doing(decided: ToolCallDecided, started: ToolCallStarted) -> Doing:
    """What the record says of a call from before it ran."""
    call = decided.facts.get("call")
    sql = call.get("sql") if isinstance(call, dict) else None
    verdict = sql.get("verdict") if isinstance(sql, dict) else None
    verdict = verdict if isinstance(verdict, dict) else {}
    return Doing(started.tool, bool(started.checkpoint_id), str(verdict.get("dialect") or ""), rows=True)


def _only_reads(decided: ToolCallDecided) -> bool:
    """Whether the call was proven to read, or neither its tool nor what it would do reaches further."""
    call = decided.facts.get("call")
    assessed = call.get("assessment") if isinstance(call, dict) else None
    assessed = assessed if isinstance(assessed, dict) else {}
    if assessed.get("proven_read") is True:
        return True
    return decided.category == Category.READ and assessed.get("category", Category.READ) == Category.READ


def rule_words(rule: Rule) -> str:
    """What a rule that was saved says, in a line."""
    about = " ".join(rule.tokens) or rule.glob or rule.host or rule.tool or rule.connection or rule.kind
    return _RULES_TOLD[rule.decision].format(about=about)


def named(paths: list[str]) -> str:
    """Some of the paths by name, the others as a count."""
    shown = ", ".join(paths[:MOST_NAMED])
    return shown if len(paths) <= MOST_NAMED else f"{shown} and {len(paths) - MOST_NAMED} more"


def changed_files(ledger: Iterable[Effect]) -> tuple[TouchedFile, ...]:
    """The files that these effects name, each time that one was changed, oldest first."""
    return tuple(file for effect in reversed([*ledger]) for file in effect.files)
