"""Stack runs as the project log tells them, so that a run and its undo survive a restart."""

from pydantic import JsonValue

from desktop.agent.lanes.project_log import ProjectLog
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted
from desktop.domain.lanes.updates import StackLane, StackRunChanged
from desktop.records import dataclass

RUN, REBASE, UNDO = "stack_run", "rebase", "stack_undo"
CONTINUE, ABORT = "continue", "abort"

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
class OpenRebase:
    """A rebase that a run left open in a lane, for a person to resolve. `recorded`: what its record says of it, which
    that of going on with it, or of taking it back, says again."""

    run_id: str
    lane_id: str
    before: str
    onto: str
    recorded: dict[str, JsonValue]


@dataclass(frozen=True)
class LoggedRun:
    """A run as far as it came. `undone`: it was taken back; `open`: rebases that nobody has continued or taken back
    here; `other_base`: its first lane was to go onto something else than its base."""

    run_id: str
    lanes: tuple[StackLane, ...]
    done: tuple[DoneRebase, ...]
    finished: bool
    undone: bool
    open: tuple[OpenRebase, ...] = ()
    other_base: bool = False

    def is_in_conflict(self, lane_id: str) -> bool:
        """Whether it left this lane in conflict and can go on from there."""
        at = next((lane for lane in self.lanes if lane.lane_id == lane_id), None)
        elsewhere = self.other_base and lane_id == self.lanes[0].lane_id
        return at is not None and at.state == "conflict" and not self.undone and not elsewhere

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
    """All runs of the open repository; the one that something was done for last comes last."""
    records = log.history(RUN, REBASE, UNDO, CONTINUE, ABORT)
    undone = {_text(start, "run_id") for start, end in records if start.operation == UNDO and _done(end)}
    runs: dict[str, list[Record]] = {}
    for record in records:
        run_id = _text(record[0], "run_id")
        if record[0].operation == RUN:
            runs[run_id] = [*runs.pop(run_id, []), record]
        elif record[0].operation != UNDO and run_id in runs:
            runs[run_id].append(record)
    return [_run(run_id, own, run_id in undone) for run_id, own in runs.items()]


def _run(run_id: str, own: list[Record], undone: bool) -> LoggedRun:
    """A run from what was recorded of it, which may be in several parts: it stops at a conflict and goes on later."""
    parts = [(start, end) for start, end in own if start.operation == RUN]
    steps = [record for record in own if record[0].operation in (REBASE, CONTINUE)]
    lanes: dict[str, StackLane] = {}
    left: dict[str, OpenRebase] = {}
    for start, end in own:
        if start.operation == RUN:
            lanes |= {lane.lane_id: lane for lane in _lanes(start, end, steps)}
        elif start.operation == REBASE:
            left |= _left_open(start, end)
        elif _done(end) and start.lane_id in lanes and (start.operation == ABORT or _rebase(start, end)):
            left.pop(start.lane_id, None)
            lanes[start.lane_id] = _ended(lanes[start.lane_id], start, end)
    return LoggedRun(
        run_id,
        tuple(lanes.values()),
        tuple(found for one in steps if (found := _rebase(*one)) is not None),
        parts[-1][1] is not None and parts[-1][1].status != "interrupted",
        undone,
        tuple(left.values()),
        parts[0][0].arguments.get("other_base") is True,
    )


def _left_open(start: LaneOperationStarted, end: LaneOperationFinished | None) -> dict[str, OpenRebase]:
    """By lane; whether it is still there, only the lane's folder can tell."""
    if start.arguments.get("keep_conflict") is not True or _rebase(start, end) is not None:
        return {}
    run_id, before, onto = (_text(start, name) for name in ("run_id", "before", "onto"))
    return {start.lane_id: OpenRebase(run_id, start.lane_id, before, onto, dict(start.arguments))}


def _ended(lane: StackLane, start: LaneOperationStarted, end: LaneOperationFinished | None) -> StackLane:
    """A lane whose open rebase came to its end."""
    text = end.text if end is not None else ""
    moved = _rebase(start, end)
    if moved is None:
        return lane.model_copy(update={"text": text})
    return StackLane(lane_id=lane.lane_id, state="succeeded", before=moved.before, after=moved.after, text=text)


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
        start.lane_id,
        _text(start, "before"),
        after,
        _text(start, "base_before"),
        _text(start, "parent_before"),
        _text(start, "base_ref_before"),
    )


def _text(start: LaneOperationStarted, name: str) -> str:
    value: JsonValue = start.arguments.get(name, "")
    return value if isinstance(value, str) else ""


def _done(end: LaneOperationFinished | None) -> bool:
    return end is not None and end.status == "done"
