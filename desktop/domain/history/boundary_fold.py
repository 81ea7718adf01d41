"""What a chat's log says of its boundaries."""

from datetime import datetime

from desktop.domain.boundaries.events import BoundaryDecided, BoundaryLiftingProposed, BoundaryProposed
from desktop.domain.boundaries.values import ChatBoundary
from desktop.domain.history.state import SessionState


def proposed(state: SessionState, event: BoundaryProposed, at: datetime, seq: int) -> dict[str, object]:
    """One more boundary."""
    found = ChatBoundary(
        boundary_id=event.boundary_id,
        quote=event.quote,
        action=event.action,
        title=event.title,
        rules=event.rules,
        by_agent=event.by == "agent",
        limit_microusd=event.limit_microusd,
        since=at,
    )
    return {"boundaries": (*state.boundaries, found)}


def lifting_proposed(state: SessionState, event: BoundaryLiftingProposed, at: datetime, seq: int) -> dict[str, object]:
    """Words that would lift one; it holds as before."""
    return _changed(state, event.boundary_id, {"lifting": event.quote})


def decided(state: SessionState, event: BoundaryDecided, at: datetime, seq: int) -> dict[str, object]:
    """A person kept it, or it is over."""
    if event.decision == "kept":
        kept: dict[str, object] = {"state": "kept", "lifting": "", "rules": event.rules, "until": event.until}
        return _changed(state, event.boundary_id, kept)
    return {"boundaries": tuple(one for one in state.boundaries if one.boundary_id != event.boundary_id)}


def _changed(state: SessionState, boundary_id: str, update: dict[str, object]) -> dict[str, object]:
    found = (one.model_copy(update=update) if one.boundary_id == boundary_id else one for one in state.boundaries)
    return {"boundaries": tuple(found)}
