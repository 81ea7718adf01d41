"""The skills that a model knows of, those in its prompt and those in use, as events fold."""

from datetime import UTC, datetime

from desktop.domain.context.events import Compacted, ContextCleared
from desktop.domain.core.event_base import EventBase
from desktop.domain.events import Envelope
from desktop.domain.history.fold_state import dump_state, fold_log, load_state
from desktop.domain.history.state_of import SessionState
from desktop.domain.skills.events import ListedSkill, SkillsListed, SkillUsed

NOTES = ListedSkill(skill_id="notes", description="How notes are written", sha256="1" * 64)
PLANS = ListedSkill(skill_id="plans", sha256="2" * 64)


def folded(*events: EventBase) -> SessionState:
    log = [
        Envelope(
            event_id=f"e{seq}",
            session_id="s",
            seq=seq,
            parent_id=f"e{seq - 1}" if seq else None,
            at=datetime(2026, 1, 1, tzinfo=UTC),
            event=event,
        )
        for seq, event in enumerate(events)
    ]
    return fold_log(SessionState.begin("s"), log)


def test_the_first_list_stands_in_the_prompt_and_later_ones_after_a_compaction_or_a_clear() -> None:
    first, later = SkillsListed(skills=(NOTES,), in_prompt=True), SkillsListed(skills=(NOTES, PLANS))

    told = folded(first, later)
    assert (told.skills_in_prompt, told.skills_known) == ((NOTES,), (NOTES, PLANS))
    for anew in (ContextCleared(), Compacted(summary="s")):
        assert folded(first, later, anew).skills_in_prompt == (NOTES, PLANS)
    assert folded(first, ContextCleared()).skills_in_prompt == (NOTES,)


def test_a_skill_that_a_person_called_stays_one_that_a_person_called() -> None:
    state = folded(
        SkillUsed(skill_id="notes", sha256="1", by="person"),
        SkillUsed(skill_id="plans", sha256="2"),
        SkillUsed(skill_id="notes", sha256="3", file="a.md"),
    )

    assert list(state.skills_used) == ["plans", "notes"], "the last loaded is the last"
    assert (state.skills_used["notes"].sha256, state.skills_used["notes"].by_person) == ("3", True)
    assert state.skills_used["plans"].by_person is False
    text = dump_state(state)
    assert text is not None
    assert load_state(text) == state
