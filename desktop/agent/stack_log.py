"""Stack runs as the project log tells them, so that a run and its undo survive a restart."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from desktop.agent.project_log import ProjectLog
from desktop.domain.lane_events import LaneOperationFinished, LaneOperationStarted
from desktop.domain.lane_updates import StackLane, StackRunChanged

RUN, REBASE, UNDO = "stack_run", "rebase", "stack_undo"

Record = tuple[LaneOperationStarted, LaneOperationFinished | None]


@dataclass(frozen=True)
class DoneRebase:
    """One lane that a run moved. `base_before`: the base that was recorded for it until then."""

    lane_id: str
    before: str
    after: str
    base_before: str
    parent_before: str = ""
    base_ref_before: str = ""


@dataclass(frozen=True)
class LoggedRun:
    """A run as far as it came. `undone`: it was taken back."""

    run_id: str
    lanes: tuple[StackLane, ...]
    done: tuple[DoneRebase, ...]
    finished: bool
    undone: bool

    def update(self) -> StackRunChanged:
        """What the window is told of it; whether it can be undone is not known here."""
        state = "completed"
        if self.undone:
            state = "undone"
        elif not self.finished:
            state = "aborted"
        elif any(lane.state not in ("succeeded", "skipped") for lane in self.lanes):
            state = "failed"
        return StackRunChanged.model_validate({"run_id": self.run_id, "state": state, "lanes": self.lanes})


def logged_runs(log: ProjectLog) -> list[LoggedRun]:
    """All runs of the open repository, oldest first."""
    records = log.history(RUN, REBASE, UNDO)
    undone = {_text(start, "run_id") for start, end in records if start.operation == UNDO and _done(end)}
    return [_run(record, records, undone) for record in records if record[0].operation == RUN]


def _run(record: Record, records: Sequence[Record], undone: set[str]) -> LoggedRun:
    start, end = record
    run_id = _text(start, "run_id")
    own = [one for one in records if one[0].operation == REBASE and _text(one[0], "run_id") == run_id]
    return LoggedRun(
        run_id,
        _lanes(start, end, own),
        tuple(found for one in own if (found := _rebase(*one)) is not None),
        end is not None and end.status != "interrupted",
        run_id in undone,
    )


def _lanes(start: LaneOperationStarted, end: LaneOperationFinished | None, own: list[Record]) -> tuple[StackLane, ...]:
    """As the end of the run tells them; of a run without an end, what its single steps tell."""
    listed = end.result.get("lanes") if end is not None else None
    if isinstance(listed, list):
        return tuple(StackLane.model_validate(lane) for lane in listed)
    named = start.arguments.get("lanes")
    by_lane = {one.lane_id: (one, finished) for one, finished in own}
    lanes: list[StackLane] = []
    for lane_id in named if isinstance(named, list) else []:
        begun = by_lane.get(str(lane_id))
        moved = _rebase(*begun) if begun is not None else None
        if moved is not None:
            lanes.append(StackLane(lane_id=str(lane_id), state="succeeded", before=moved.before, after=moved.after))
        else:
            text = "Banksman closed before it came to this lane." if begun is None else "Banksman closed meanwhile."
            lanes.append(StackLane(lane_id=str(lane_id), state="pending", text=text))
    return tuple(lanes)


def _rebase(start: LaneOperationStarted, end: LaneOperationFinished | None) -> DoneRebase | None:
    after = end.result.get("after") if end is not None and end.status == "done" else None
    if not isinstance(after, str) or not after:
        return None
    return DoneRebase(
        start.lane_id, _text(start, "before"), after, _text(start, "base_before"), _text(start, "parent_before"),
        _text(start, "base_ref_before"),
    )  # fmt: skip


def _text(start: LaneOperationStarted, name: str) -> str:
    value: JsonValue = start.arguments.get(name, "")
    return value if isinstance(value, str) else ""


def _done(end: LaneOperationFinished | None) -> bool:
    return end is not None and end.status == "done"
