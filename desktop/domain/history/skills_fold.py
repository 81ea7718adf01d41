"""The skills that the model knows of, and those in use, as their events fold (memory-SK5, memory-SK7)."""

from collections.abc import Callable
from datetime import datetime

from desktop.domain.context.events import Compacted, ContextCleared
from desktop.domain.core.event_base import EventBase
from desktop.domain.history.state import SessionState, SkillInUse
from desktop.domain.skills.events import SkillsListed, SkillUsed


def listed(state: SessionState, event: SkillsListed, at: datetime, seq: int) -> dict[str, object]:
    """The model was told of other skills."""
    shown = {"skills_in_prompt": event.skills} if event.in_prompt else {}
    return {"skills_known": event.skills, **shown}


def used(state: SessionState, event: SkillUsed, at: datetime, seq: int) -> dict[str, object]:
    """A skill was loaded; the last loaded is the last of those in use."""
    before = state.skills_used.get(event.skill_id)
    by_person = event.by == "person" or (before is not None and before.by_person)
    others = {name: one for name, one in state.skills_used.items() if name != event.skill_id}
    return {"skills_used": {**others, event.skill_id: SkillInUse(sha256=event.sha256, by_person=by_person)}}


def begun_anew(state: SessionState, event: Compacted | ContextCleared, at: datetime, seq: int) -> dict[str, object]:
    """The prompt is made anew with what is known by now."""
    return {} if state.skills_in_prompt == state.skills_known else {"skills_in_prompt": state.skills_known}


FOLDS: dict[type[EventBase], Callable[..., dict[str, object]]] = {
    SkillsListed: listed,
    SkillUsed: used,
    Compacted: begun_anew,
    ContextCleared: begun_anew,
}
