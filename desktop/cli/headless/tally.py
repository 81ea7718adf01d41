"""Tally: counts what happens in a run, for its summary."""

from desktop.cli.headless.summary import Summary
from desktop.domain.changes.updates import LaneChangesLoaded
from desktop.domain.core.update import Update
from desktop.domain.core.work_events import TodosChanged
from desktop.domain.events import (
    Envelope,
    Event,
    InputRequested,
    InputResolved,
    LaneAttached,
    ModeChanged,
    ModelChanged,
    SessionStarted,
    ToolCallFinished,
    TurnEnded,
    TurnStarted,
)
from desktop.domain.reports.events import CompletionReported
from desktop.domain.updates import SandboxReported
from desktop.policy.refusals import NO_PERSON


class Tally:
    """Takes every update of the engine and keeps the summary true."""

    def __init__(self, summary: Summary) -> None:
        self._summary = summary
        self._asked: dict[str, str] = {}
        self._unanswered: set[str] = set()

    def take(self, update: Update) -> None:
        """Count what one update says."""
        if isinstance(update, SandboxReported):
            self._summary.sandbox = update.report.level
        elif isinstance(update, LaneChangesLoaded):
            self._changes(update)
        elif isinstance(update, Envelope):
            self._consent(update.event)
            if update.session_id == self._summary.session_id:
                self._event(update.event)

    def _changes(self, loaded: LaneChangesLoaded) -> None:
        summary = self._summary
        summary.head = loaded.head
        if not loaded.problem:
            summary.files_changed = len(loaded.files) + loaded.more
            summary.added = sum(file.added for file in loaded.files)
            summary.removed = sum(file.removed for file in loaded.files)

    def _consent(self, event: Event) -> None:
        """Of sub-agents too: their calls are declined like those of the chat."""
        summary = self._summary
        if isinstance(event, InputRequested):
            self._asked[event.input_id] = event.call_id
        elif isinstance(event, InputResolved) and event.reason == "no_person":
            self._unanswered.add(self._asked.get(event.input_id, event.input_id))
        elif isinstance(event, ToolCallFinished):
            summary.calls += 1
            summary.declined += event.outcome == "declined"
            if isinstance(event.content, str) and NO_PERSON in event.content:
                self._unanswered.add(event.call_id)
        summary.unanswered = len(self._unanswered)

    def _event(self, event: Event) -> None:
        summary = self._summary
        if isinstance(event, TurnStarted):
            summary.begun, summary.mode = True, event.mode.value
        elif isinstance(event, TurnEnded):
            summary.usage, summary.cost_microusd = event.usage, event.cost_microusd
            summary.steps, summary.duration_ms = event.steps, event.duration_ms
            summary.open_todos = event.open_todos
        elif isinstance(event, LaneAttached):
            summary.lane, summary.branch, summary.head = event.worktree_path, event.branch, event.base_commit
        elif isinstance(event, SessionStarted | ModelChanged):
            summary.model = event.model
        elif isinstance(event, ModeChanged):
            summary.mode = event.mode.value
        elif isinstance(event, TodosChanged):
            summary.open_todos = sum(todo.status != "completed" for todo in event.todos)
        elif isinstance(event, CompletionReported):
            summary.report = event.model_dump(mode="json", include={"call_id", "summary", "status", "blocker"})
