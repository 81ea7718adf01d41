"""TurnFold: the beginnings and ends of turns into rows: recaps, limits, failures, stops, what a restart left open."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from desktop.domain import events as ev
from desktop.domain.core.checkpoint_events import CheckpointMade
from desktop.domain.history.state import CUT_OFF
from desktop.language import tr
from desktop.ui.chats.folds import turn_words, words
from desktop.ui.chats.folds.call_fold import CallFold
from desktop.ui.chats.folds.row_store import RowStore
from desktop.ui.chats.folds.rows import Call, Row, changed_figures
from desktop.ui.chats.folds.stream_fold import StreamFold

CONTINUE = ("continue", tr("Continue"))
COPY_DETAILS = ("copy_details", tr("Copy details"))
REPLACE_KEY = ("replace_key", tr("Replace key…"))
PUT_BACK = tr("Put files back to before this turn")
OF_GUESTS = {
    "guest_ended": (("continue", tr("Start again")),),
    "guest_sign_in": (("sign_in", tr("Sign in…")), ("continue", tr("Try again")), ("agents", tr("Agents…"))),
    "no_guest": (("agents", tr("Agents…")), ("continue", tr("Try again"))),
    "guest_changed": (("continue", tr("Ask again")), ("agents", tr("Agents…"))),
    "unasked": (("continue", tr("Go on")),),
}
"""What can be done when a turn ended for a reason of its agent."""
_OFFERING = ("error", "interrupted", "recap")


class TurnContext(Protocol):
    """What the parts of a fold share."""

    store: RowStore
    turn_id: str
    turn_open: bool
    calls: CallFold
    streams: StreamFold

    def append(self, row: Row) -> None:
        """Add a row at the end."""

    def update(self, key: str, **changes: Any) -> None:
        """Change a row."""


class TurnFold:
    """`before`: the entry that a turn's first message is to be rewound to, "" once the agent has answered.
    `card_goes_on`: a restart closed what waited in the turn, so that its card is where to go on or leave it.
    `titles`: of the calls of the turn, and whether no letter of each may differ."""

    def __init__(self, fold: TurnContext) -> None:
        self._fold = fold
        self.before = ""
        self.card_goes_on = False
        self.called: list[str] = []
        self.titles: dict[str, bool] = {}
        self._checkpoint = ""
        self._again: set[str] = set()

    def handlers(self) -> dict[type, Callable[[ev.Envelope, Any], None]]:
        """The events it folds."""
        return {
            ev.TurnStarted: self._on_started,
            ev.TurnEnded: self._on_ended,
            ev.SessionResumed: self._on_resumed,
            ev.ProviderFailed: self._on_provider_failed,
        }

    def note_checkpoint(self, event: CheckpointMade) -> None:
        """Which checkpoint holds the files as they were when the turn began."""
        if event.reason == "turn_start" and not event.partial:
            self._checkpoint = event.checkpoint_id

    def close(self, *, restarted: bool = False) -> None:
        """Nothing runs any more: open calls are interrupted, carets go."""
        self._fold.turn_open = False
        self.settle_retry()
        self._fold.streams.close()
        self._fold.calls.interrupt_open(restarted=restarted)

    def clear_actions(self) -> None:
        """Take the buttons off rows that offered to go on: something else began."""
        for row in reversed(self._fold.store.rows[-8:]):
            if row.kind in _OFFERING and row.actions:
                kept = tuple(one for one in row.actions if one[0].startswith("restore:"))
                self._fold.update(row.key, actions=kept)

    def settle_retry(self) -> None:
        """A waiting retry is over: its row is a plain line from now on."""
        for row in reversed(self._fold.store.rows[-3:]):
            if row.kind == "retry" and row.live:
                self._fold.update(row.key, live=False, actions=(), level="muted")

    def runs_again(self, call_id: str) -> None:
        """A person wants a call run again when the turn goes on."""
        self._again.add(call_id)
        self.refresh_restart()

    def refresh_restart(self) -> None:
        """Offer for each call what is still open about it."""
        row = next((row for row in reversed(self._fold.store.rows[-8:]) if row.kind == "interrupted"), None)
        if row is not None and row.calls and row.actions:
            calls = [call for one in row.calls if (call := self._fold.calls.get(one.call_id)) is not None]
            unknown = [call for call in calls if call.state == "unknown"]
            offered = turn_words.unknown_actions(unknown, frozenset(self._again))
            self._fold.update(row.key, actions=(*offered, *self._to_go_on()))

    def _to_go_on(self) -> tuple[tuple[str, str], ...]:
        return () if self.card_goes_on else (CONTINUE, turn_words.LEAVE_IT)

    def _on_started(self, envelope: ev.Envelope, event: ev.TurnStarted) -> None:
        fold = self._fold
        fold.turn_id, fold.turn_open, self.called = event.turn_id, True, []
        self.titles = {}
        self.before, self._checkpoint = envelope.parent_id or "", ""
        self.card_goes_on = False
        self.clear_actions()

    def _on_ended(self, envelope: ev.Envelope, event: ev.TurnEnded) -> None:
        restarted = event.status == "interrupted" and event.reason in CUT_OFF
        self.close(restarted=restarted)
        calls = self._fold.calls.all_of(self.called)
        if restarted:
            self._fold.append(self._restarted(envelope, event, calls))
        elif event.status in ("failed", "limit", "loop"):
            self._fold.append(self._stopped(envelope, event))
        failed = sum(call.state == "error" for call in calls)
        text = words.recap(event, changed_figures(calls, event.files_changed), failed)
        own = event.status == "completed" or (event.status == "interrupted" and not restarted)
        key = f"row:{envelope.seq}" if own else f"row:{envelope.seq}.recap"
        row = Row(key, "recap", envelope.seq, envelope.at, event.turn_id, text, event_id=envelope.event_id)
        self._fold.append(replace(row, actions=self._put_back(event, calls)))

    def _put_back(self, event: ev.TurnEnded, calls: list[Call]) -> tuple[tuple[str, str], ...]:
        """A turn that did not come to its end, and that may have changed files, offers them as they were before it."""
        writes = any(call.touched or (call.started and call.category in ("write", "bash")) for call in calls)
        if event.status == "completed" or not self._checkpoint or not writes:
            return ()
        return ((f"restore:{self._checkpoint}", PUT_BACK),)

    def _stopped(self, envelope: ev.Envelope, event: ev.TurnEnded) -> Row:
        limit = event.status == "limit"
        text = turn_words.limit_sentence(event) if limit else words.stopped_sentence(event)
        row = Row(f"row:{envelope.seq}", "error", envelope.seq, envelope.at, event.turn_id, text, event.reason)
        actions: tuple[tuple[str, str], ...] = (CONTINUE, COPY_DETAILS)
        if limit:
            actions = turn_words.limit_actions(event.reason)
        elif event.reason == "auth":
            actions = (REPLACE_KEY, *actions)
        elif event.reason in OF_GUESTS:
            actions = (*OF_GUESTS[event.reason], COPY_DETAILS)
            if event.reason == "unasked" and self._checkpoint:
                actions = ((f"restore:{self._checkpoint}", tr("Put the files back")), *actions)
        level = "danger" if event.status == "failed" else "warning"
        return replace(row, level=level, actions=actions, event_id=envelope.event_id)

    def _restarted(self, envelope: ev.Envelope, event: ev.TurnEnded, calls: list[Call]) -> Row:
        unknown = [call for call in calls if call.state == "unknown"]
        asked = [call for call in unknown if call.category != "read"]
        text = turn_words.restart_sentence(event, calls, self.titles)
        row = Row(f"row:{envelope.seq}", "interrupted", envelope.seq, envelope.at, event.turn_id, text)
        offered = turn_words.unknown_actions(asked, frozenset())
        actions = (*offered, *self._to_go_on())
        return replace(row, level="warning", actions=actions, event_id=envelope.event_id, calls=tuple(asked))

    def _on_resumed(self, envelope: ev.Envelope, event: ev.SessionResumed) -> None:
        self.close()
        self.clear_actions()

    def _on_provider_failed(self, envelope: ev.Envelope, event: ev.ProviderFailed) -> None:
        told = text = words.failed_attempt(event)
        row = Row(f"row:{envelope.seq}", "notice", envelope.seq, envelope.at, self._fold.turn_id, text)
        row = replace(row, event_id=envelope.event_id)
        if not event.will_retry:
            self._fold.append(replace(row, icon="octagon-x", detail=event.error_type, level="danger"))
            return
        text = tr(
            "{problem}. Tried again ({attempt} of {most}).",
            problem=text.rstrip("."),
            attempt=event.attempt + 1,
            most=event.max_attempts,
        )
        detail = event.message if event.message.strip() != told else ""
        self._fold.append(replace(row, kind="retry", text=text, detail=detail, level="muted"))
