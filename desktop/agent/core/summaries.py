"""Summaries: what lists tell of chats. Of a chat that did not change it is the value that was told last."""

from desktop.agent.core.session import Session
from desktop.domain.core.work import Activity, SessionSummary, WaitingInput
from desktop.domain.gate.pending import input_title, is_verbatim_title
from desktop.domain.history.state_of import SessionState
from desktop.domain.lanes.lane import Lane
from desktop.store.core.session_row import SessionRow

_Seen = tuple[SessionRow | SessionState, Lane | None, Activity]


class Summaries:
    """By chat, the last summary and what it was made of, compared by identity: rows, states and lanes never change."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[_Seen, SessionSummary]] = {}

    def of_open(self, session: Session) -> SessionSummary:
        """A chat that is open."""
        seen = (session.state, session.lane, session.doing)
        return self._known(session.session_id, seen) or self._keep(seen, _of_open(session))

    def of_row(self, row: SessionRow, lane: Lane | None) -> SessionSummary:
        """A chat that is not open, whose lane this is."""
        seen = (row, lane, Activity.IDLE)
        return self._known(row.session_id, seen) or self._keep(seen, _of_row(row, lane))

    def forget(self, session_id: str) -> None:
        """The chat is gone."""
        self._kept.pop(session_id, None)

    def _known(self, session_id: str, seen: _Seen) -> SessionSummary | None:
        kept, summary = self._kept.get(session_id, (None, None))
        same = kept is not None and kept[0] is seen[0] and kept[1] is seen[1] and kept[2] is seen[2]
        return summary if same else None

    def _keep(self, seen: _Seen, summary: SessionSummary) -> SessionSummary:
        self._kept[summary.session_id] = (seen, summary)
        return summary


def _of_open(session: Session) -> SessionSummary:
    state = session.state
    created = state.created_at or session.now()
    return SessionSummary(
        session_id=session.session_id,
        title=state.title,
        mode=state.mode,
        endpoint_id=state.endpoint_id,
        model=state.model,
        lane_id=state.lane_id,
        lane_name=session.lane.name if session.lane is not None else "",
        branch=state.branch,
        primary=state.primary,
        demo=state.endpoint_id == "demo",
        activity=session.doing,
        waiting=tuple(
            WaitingInput(
                input_id=opened.input_id,
                kind=opened.request.kind,
                title=input_title(opened.request),
                since=opened.since,
                verbatim=is_verbatim_title(opened.request),
            )
            for opened in state.open_inputs.values()
        ),
        interrupted=state.interrupted,
        failed=state.failed,
        limited=state.limited,
        archived=state.archived,
        pinned=state.pinned,
        muted=state.muted,
        turns=state.turns,
        created_at=created,
        last_activity_at=state.last_activity_at or created,
    )


def _of_row(row: SessionRow, lane: Lane | None) -> SessionSummary:
    return SessionSummary(
        session_id=row.session_id,
        title=row.title,
        mode=row.mode,
        endpoint_id=row.endpoint_id,
        model=row.model,
        lane_id=row.lane_id,
        lane_name=lane.name if lane is not None else "",
        branch=row.branch,
        primary=row.primary,
        demo=row.endpoint_id == "demo",
        interrupted=row.interrupted,
        failed=row.failed,
        limited=row.limited,
        archived=row.archived,
        pinned=row.pinned,
        muted=row.muted,
        turns=row.turns,
        created_at=row.created_at,
        last_activity_at=row.last_activity_at,
    )
