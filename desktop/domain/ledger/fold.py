"""effects(): the undo ledger of a log, newest first. A fold: the same log gives the same ledger (memory-UL1)."""

from collections.abc import Iterable, Mapping

from desktop.domain.core.checkpoint_events import CheckpointMade, FilesRestored
from desktop.domain.core.content import TouchedFile
from desktop.domain.core.permissions import Category
from desktop.domain.events import Envelope, ToolCallDecided, ToolCallFinished, ToolCallStarted
from desktop.domain.gate.events import ReviewReverted, RuleRemoved, RuleSaved
from desktop.domain.gate.rules import Rule
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted
from desktop.domain.ledger.effects import OF_OPERATIONS, OF_TOOLS, UNNAMED, Effect, EffectState, Inverse

MOST_NAMED = 3


def effects(log: Iterable[Envelope]) -> tuple[Effect, ...]:
    """What the entries of one log changed outside of the conversation, newest first, also of a part left behind by a
    rewind. A call that was refused, declined or never began has none."""
    ledger = _Ledger()
    for envelope in log:
        ledger.add(envelope)
    return tuple(reversed(ledger.effects.values()))


class _Ledger:
    """The effects so far, by id, in the order in which they began."""

    def __init__(self) -> None:
        self.effects: dict[str, Effect] = {}
        self._decided: dict[str, ToolCallDecided] = {}
        self._operations: dict[str, LaneOperationStarted] = {}
        self._checkpoints: dict[str, int] = {}

    def add(self, envelope: Envelope) -> None:
        """Take in the next entry of the log."""
        match envelope.event:
            case ToolCallDecided() as decided:
                self._decided[decided.call_id] = decided
            case ToolCallStarted() as started:
                self._began(envelope, started)
            case ToolCallFinished() as finished:
                self._finished(finished)
            case ReviewReverted() as reverted:
                self._reverted(reverted)
            case CheckpointMade() as made:
                self._checkpoints[made.checkpoint_id] = envelope.seq
            case FilesRestored() as restored:
                self._restored(restored)
            case RuleSaved() | RuleRemoved() as ruled:
                self._ruled(envelope, ruled)
            case LaneOperationStarted() as operation:
                self._operations[operation.operation_id] = operation
            case LaneOperationFinished() as operated:
                self._operated(envelope, operated)
            case _:
                pass

    def _began(self, envelope: Envelope, started: ToolCallStarted) -> None:
        decided = self._decided.get(started.call_id)
        if decided is None or _only_reads(decided):
            return
        inverse = _without_checkpoint(OF_TOOLS.get(started.tool, UNNAMED), started.checkpoint_id)
        self.effects[started.call_id] = _effect(
            envelope,
            started.call_id,
            inverse,
            decided.card.title if decided.card else started.tool,
            tool=started.tool,
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
        changed: dict[str, object] = {
            "files": finished.touched,
            "unknown": finished.outcome == "interrupted" or finished.interrupted,
        }
        lost = [file.path for file in finished.touched if file.before_sha256 and file.before is None]
        if effect.kind == "files" and lost:
            changed |= {"undoable": "partly", "not_covered": f"What was in {named(lost)} is not kept."}
        self.effects[finished.call_id] = effect.model_copy(update=changed)

    def _reverted(self, reverted: ReviewReverted) -> None:
        effect = self.effects.get(reverted.call_id)
        if effect is not None:
            back = {file.path for file in reverted.files}
            whole = all(file.path in back for file in effect.files)
            self._set(effect, "undone" if whole else "partly")

    def _restored(self, restored: FilesRestored) -> None:
        since = self._checkpoints.get(restored.to_checkpoint_id)
        if since is None or restored.failed:
            return
        for effect in [*self.effects.values()]:
            if effect.seq > since and effect.state == "standing" and effect.kind in ("files", "command"):
                self._set(effect, "undone" if effect.kind == "files" else "partly")

    def _ruled(self, envelope: Envelope, ruled: RuleSaved | RuleRemoved) -> None:
        if isinstance(ruled, RuleSaved):
            inverse = Inverse("rule", "yes", "The rule is removed.")
            self.effects[ruled.rule.id] = _effect(
                envelope, ruled.rule.id, inverse, rule_words(ruled.rule), scope=ruled.rule.scope
            )
        elif ruled.rule_id in self.effects:
            self._set(self.effects[ruled.rule_id], "undone")

    def _operated(self, envelope: Envelope, operated: LaneOperationFinished) -> None:
        started = self._operations.get(operated.operation_id)
        inverse = OF_OPERATIONS.get(operated.operation)
        if started is None or started.by != "person" or inverse is None or operated.status != "done":
            return
        what = operated.text or operated.operation.replace("_", " ")
        self.effects[operated.operation_id] = _effect(
            envelope, operated.operation_id, inverse, what, lane_id=operated.lane_id
        )

    def _set(self, effect: Effect, state: EffectState) -> None:
        self.effects[effect.effect_id] = effect.model_copy(update={"state": state})


def _only_reads(decided: ToolCallDecided) -> bool:
    """Whether the call was proven to read, or neither its tool nor what it would do reaches further."""
    call = decided.facts.get("call")
    assessed = call.get("assessment") if isinstance(call, dict) else None
    assessed = assessed if isinstance(assessed, dict) else {}
    if assessed.get("proven_read") is True:
        return True
    return decided.category == Category.READ and assessed.get("category", Category.READ) == Category.READ


def _effect(envelope: Envelope, effect_id: str, inverse: Inverse, what: str, **more: object) -> Effect:
    fields: Mapping[str, object] = {
        "effect_id": effect_id,
        "session_id": envelope.session_id,
        "seq": envelope.seq,
        "at": envelope.at,
        "kind": inverse.kind,
        "what": what,
        "undoable": inverse.undoable,
        "how": inverse.how,
        "not_covered": inverse.not_covered,
        "state": "cannot" if inverse.undoable == "no" else "standing",
        **more,
    }
    return Effect.model_validate(fields)


def _without_checkpoint(inverse: Inverse, checkpoint_id: str) -> Inverse:
    if inverse.kind != "command" or checkpoint_id:
        return inverse
    return Inverse("command", "no", not_covered="No checkpoint of the lane's files was taken before it.")


def rule_words(rule: Rule) -> str:
    """What a rule that was saved says, in a line."""
    about = " ".join(rule.tokens) or rule.glob or rule.host or rule.tool or rule.connection or rule.kind
    return f"Rule saved: {rule.decision} {about}"


def named(paths: list[str]) -> str:
    """Some of the paths by name, the others as a count."""
    shown = ", ".join(paths[:MOST_NAMED])
    return shown if len(paths) <= MOST_NAMED else f"{shown} and {len(paths) - MOST_NAMED} more"


def changed_files(ledger: Iterable[Effect]) -> tuple[TouchedFile, ...]:
    """The files that these effects name, each time that one was changed, oldest first."""
    return tuple(file for effect in reversed([*ledger]) for file in effect.files)
