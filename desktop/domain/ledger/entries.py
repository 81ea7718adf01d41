"""Entries: the effects of a ledger while it is made, and what of them was taken back."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from pydantic import JsonValue, ValidationError

from desktop.domain.core.checkpoint_events import FilesRestored
from desktop.domain.core.content import BlobRef, TouchedFile
from desktop.domain.events import Envelope, ToolCallFinished
from desktop.domain.gate.events import ReviewReverted
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted
from desktop.domain.ledger.effects import Effect, EffectState
from desktop.domain.ledger.inverses import CHECKPOINT_DAYS, OF_OPERATIONS, Inverse
from desktop.domain.preview.events import EffectApplied
from desktop.domain.undo.events import UndoStepDone
from desktop.domain.undo.steps import ActStep, BranchStep, RowsStep, SkillStep, Step, TreeStep

TAKES_HOME = "take_task_changes"
"""The tool that makes commits and changes files with them."""
_UNKNOWN = "What it did is not on record."
_APPLIED = "The difference that was applied is reversed."
_LANE_ACTS = {"delete": "restore_lane", "archive": "unarchive_lane", "unarchive": "archive_lane"}


class Entries:
    """By id, in the order in which they began. `checkpoints`: where each stands in the log."""

    def __init__(self) -> None:
        self.effects: dict[str, Effect] = {}
        self.checkpoints: dict[str, int] = {}
        self.turn_id = ""

    def newest_first(self, now: datetime | None = None) -> tuple[Effect, ...]:
        """All of them; those whose means are gone at `now` have expired."""
        found = tuple(reversed(self.effects.values()))
        return found if now is None else tuple(_at(effect, now) for effect in found)

    def put(self, envelope: Envelope, effect_id: str, inverse: Inverse, what: str, **known: object) -> None:
        """One more effect; `known`: others of its fields."""
        fields: dict[str, object] = {
            "effect_id": effect_id,
            "session_id": envelope.session_id,
            "seq": envelope.seq,
            "at": envelope.at,
            "kind": inverse.kind,
            "what": what,
            "turn_id": self.turn_id,
            "undoable": inverse.undoable,
            "how": inverse.how,
            "not_covered": inverse.not_covered,
            "until": envelope.at + timedelta(days=inverse.days) if inverse.days else None,
            "state": "cannot" if inverse.undoable == "no" else "standing",
            **known,
        }
        self.effects[effect_id] = Effect.model_validate(fields)

    def reverted(self, reverted: ReviewReverted) -> None:
        """A person took back all files of one call, or some."""
        effect = self.effects.get(reverted.call_id)
        if effect is not None:
            back = {file.path for file in reverted.files}
            whole = all(file.path in back for file in effect.files)
            self._set(effect, "undone" if whole else "partly")

    def restored(self, restored: FilesRestored) -> None:
        """All files were put back: what came after that moment is taken back with them."""
        since = self.checkpoints.get(restored.to_checkpoint_id)
        if since is None or restored.failed:
            return
        for effect in [*self.effects.values()]:
            if effect.seq > since and effect.state == "standing" and effect.kind in ("files", "command"):
                self._set(effect, "undone" if effect.kind == "files" else "partly")

    def left_at(self, call_id: str, checkpoint_id: str) -> None:
        """The files as the call left them stand in this checkpoint."""
        effect = self.effects[call_id]
        paths = {path.rstrip("/") for file in effect.files for path in (file.path, file.from_path) if path}
        if effect.kind == "command" and effect.checkpoint_id == checkpoint_id:
            words = f"It changed no file that Git does not ignore. {effect.not_covered}"
            self._change(effect, undoable="no", state="cannot", how="", not_covered=words, steps=())
            return
        step = TreeStep(then=effect.checkpoint_id, now=checkpoint_id, paths=tuple(sorted(paths)), call_id=call_id)
        first = effect.steps if effect.kind == "commit" else ()
        self._change(effect, steps=(*first, step))

    def step_done(self, done: UndoStepDone) -> None:
        """One step was taken; what it brings back belongs to the undo, which is taken back newest first."""
        undo = self.effects.get(done.undo_id)
        self._mark(done.effect_id, done.step, taken=True)
        if undo is None or done.opposite is None:
            return
        steps, origins = (done.opposite, *undo.steps), ((done.effect_id, done.step), *undo.origins)
        self._change(undo, steps=steps, origins=origins)

    def taken_back(self, effect_id: str) -> None:
        """All of it was taken back, elsewhere than by an undo."""
        self._set(self.effects[effect_id], "undone")

    def _mark(self, effect_id: str, step: int, *, taken: bool) -> None:
        """Note whether a step is taken; of an undo: what it had taken back stands again."""
        effect = self.effects.get(effect_id)
        if effect is None:
            return
        known = {one for one in effect.done if one != step}
        done = tuple(sorted({*known, step} if taken else known))
        whole = len(done) == len(effect.steps)
        state = "standing" if not done else "undone" if whole and effect.undoable == "yes" else "partly"
        self._change(effect, done=done, state=state)
        if step < len(effect.origins):
            origin, place = effect.origins[step]
            self._mark(origin, place, taken=not taken)

    def _set(self, effect: Effect, state: EffectState) -> None:
        self._change(effect, state=state, done=tuple(range(len(effect.steps))))

    def _change(self, effect: Effect, **changes: object) -> None:
        self.effects[effect.effect_id] = effect.model_copy(update=changes)


def of_call(effect: Effect, finished: ToolCallFinished, applied: EffectApplied | None) -> Effect:
    """The effect of a call with what its end says of it. `applied`: the difference that was made in its place."""
    changed: dict[str, object] = {
        "files": finished.touched,
        "unknown": finished.outcome == "interrupted" or finished.interrupted,
    }
    if applied is not None:
        files = tuple(
            TouchedFile(path=file.path, kind=file.kind, added=file.added, removed=file.removed)
            for file in applied.files
        )
        changed |= {"files": files, "undoable": "yes", "not_covered": "", "how": _APPLIED, "state": "standing"}
        changed["checkpoint_id"] = applied.checkpoint_id or effect.checkpoint_id
        if count := len(applied.beside):
            words = f"{count} file{'s' * (count > 1)} that Git ignores cannot be put back: no checkpoint holds them."
            changed |= {"undoable": "partly", "not_covered": words}
        if applied.beside and not applied.files:
            changed |= {"undoable": "no", "how": "", "state": "cannot"}
    elif effect.kind == "files":
        changed |= _of_files(effect, finished)
    elif effect.kind not in ("command", "push") and effect.undoable != "no":
        changed |= _of_result(effect, finished.data)
    return effect.model_copy(update=changed)


def _of_files(effect: Effect, finished: ToolCallFinished) -> dict[str, object]:
    """By the bytes that the call itself kept, until a checkpoint says how it left the lane."""
    paths = tuple(sorted({file.path for file in finished.touched}))
    step = TreeStep(then=effect.checkpoint_id, now="", paths=paths, call_id=effect.effect_id)
    lost = [file.path for file in finished.touched if file.before_sha256 and file.kind == "modify" and not file.before]
    if lost and not effect.checkpoint_id:
        named = ", ".join(lost[:3])
        return {"steps": (step,), "undoable": "partly", "not_covered": f"What was in {named} is not kept."}
    return {"steps": (step,)}


def _of_result(effect: Effect, found: dict[str, JsonValue]) -> dict[str, object]:
    """The step that the values of a result name."""
    step, why = _step_of(effect, found)
    if step is None and effect.undoable == "partly" and effect.kind != "database":
        return {}
    if step is None:
        return {"undoable": "no", "state": "cannot", "how": "", "not_covered": why}
    covered = {"undoable": "yes", "not_covered": ""} if effect.kind == "database" else {}
    return {"steps": (step,), **covered}


def _step_of(effect: Effect, found: dict[str, JsonValue]) -> tuple[Step | None, str]:
    """What takes it back, or why nothing does."""
    match effect.kind, effect.tool:
        case "commit", _:
            return _commit(effect, found), _UNKNOWN
        case "database", _:
            return _kept_rows(found)
        case "skill", _ if found.get("skill"):
            skill_id, now, before = (str(found.get(name) or "") for name in ("skill", "sha256", "before"))
            return SkillStep(skill_id=skill_id, at=now, to=before), ""
        case _, "create_lane" if found.get("lane_id"):
            return ActStep(act="delete_lane", subject=str(found["lane_id"])), ""
        case "request", _ if effect.lane_id:
            return _of_request(effect, found)
        case _:
            return None, _UNKNOWN


def _of_request(effect: Effect, found: dict[str, JsonValue]) -> tuple[ActStep | None, str]:
    """What takes back what was done on the request of a lane."""
    match effect.tool:
        case "create_pr_from_lane" if found.get("adopted"):
            return None, "The request was there before."
        case "create_pr_from_lane":
            return ActStep(act="close_pull", subject=effect.lane_id), ""
        case "pr_resolve_review_thread" if found.get("thread_id"):
            return ActStep(act="unresolve_thread", subject=effect.lane_id, text=str(found["thread_id"])), ""
        case "pr_reply_to_review_thread" if found.get("comment_id"):
            named = f"{found.get('thread_id')} {found['comment_id']}"
            return ActStep(act="delete_reply", subject=effect.lane_id, text=named), ""
        case "publish_proofs" if found.get("block_sha256"):
            named = f"{found['block_sha256']} {found.get('before') or ''}"
            return ActStep(act="put_proofs_back", subject=effect.lane_id, text=named), ""
        case _:
            return None, _UNKNOWN


def _commit(effect: Effect, found: dict[str, JsonValue]) -> BranchStep | None:
    before = str(found.get("before") or "")
    if not found.get("commit") or (found.get("amended") and not before):
        return None
    amended = before if found.get("amended") or effect.tool == TAKES_HOME else ""
    return BranchStep(branch=str(found.get("branch")), at=str(found["commit"]), to=amended)


def _kept_rows(found: dict[str, JsonValue]) -> tuple[RowsStep | None, str]:
    kept = found.get("rows_kept")
    if not isinstance(kept, dict):
        return None, f"No rows kept: {found.get('no_rows_kept') or 'they were not on record'}."
    try:
        blob = BlobRef.model_validate(kept.get("blob"))
    except ValidationError:
        return None, "No rows kept: they were not on record."
    count = kept.get("count")
    return RowsStep(
        connection=str(found.get("connection")),
        database=str(found.get("database") or ""),
        rows=blob,
        count=count if isinstance(count, int) else 0,
    ), ""


def of_operation(
    started: LaneOperationStarted, operated: LaneOperationFinished
) -> tuple[Inverse, str, tuple[Step, ...]] | None:
    """What takes back an operation of a person on a lane, with a line for people; None: it is no effect of its own."""
    inverse = OF_OPERATIONS.get(operated.operation)
    if inverse is None:
        return None
    what = operated.text or operated.operation.replace("_", " ")
    steps = tuple(_steps_of(started, operated))
    if inverse.undoable == "yes" and not steps:
        inverse = inverse._replace(undoable="no", how="", not_covered="What it was before is not on record.")
    return inverse, what, steps


def _steps_of(started: LaneOperationStarted, operated: LaneOperationFinished) -> Iterable[Step]:
    lane_id, result, arguments = operated.lane_id, operated.result, started.arguments
    match operated.operation:
        case "create":
            yield ActStep(act="delete_lane", subject=lane_id)
        case "delete" | "archive" | "unarchive":
            yield ActStep.model_validate({"act": _LANE_ACTS[operated.operation], "subject": lane_id})
        case "commit" if result.get("oid"):
            to = str(arguments.get("head") or "") if arguments.get("amend") else ""
            yield BranchStep(branch=str(result.get("branch")), at=str(result["oid"]), to=to)
        case "edit":
            was = arguments.get("was")
            name = was.get("name") if isinstance(was, dict) else None
            if name and not result.get("branch"):
                yield ActStep(act="name_lane", subject=lane_id, text=str(name))
        case "switch_branch" if arguments.get("was"):
            yield ActStep(act="switch_lane", subject=lane_id, text=str(arguments["was"]))
        case _:
            yield from _steps_on_request(started, operated)


def _steps_on_request(started: LaneOperationStarted, operated: LaneOperationFinished) -> Iterable[Step]:
    lane_id, thread = operated.lane_id, str(started.arguments.get("thread") or "")
    match operated.operation:
        case "open_pull_request" if not operated.result.get("adopted"):
            yield ActStep(act="close_pull", subject=lane_id)
        case "set_pull_request" if started.arguments.get("to") in ("closed", "open"):
            act = "reopen_pull" if started.arguments["to"] == "closed" else "close_pull"
            yield ActStep.model_validate({"act": act, "subject": lane_id})
        case "resolve_thread" | "open_thread_again" if thread:
            act = "unresolve_thread" if operated.operation == "resolve_thread" else "resolve_thread"
            yield ActStep.model_validate({"act": act, "subject": lane_id, "text": thread})
        case "reply_to_thread" if thread and operated.result.get("comment"):
            yield ActStep(act="delete_reply", subject=lane_id, text=f"{thread} {operated.result['comment']}")
        case _:
            pass


def _at(effect: Effect, now: datetime) -> Effect:
    if effect.until is None or now < effect.until or effect.state not in ("standing", "partly"):
        return effect
    days = (effect.until - effect.at).days
    kept = "checkpoints" if days == CHECKPOINT_DAYS else "the trash"
    ended = f"What takes it back was kept for {days} days in {kept}."
    return effect.model_copy(update={"state": "expired", "how": "", "not_covered": ended})
