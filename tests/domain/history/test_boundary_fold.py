"""The boundaries of a chat, folded from its log."""

from datetime import UTC, datetime

from desktop.domain.boundaries.events import BoundaryDecided, BoundaryLiftingProposed, BoundaryProposed
from desktop.domain.events import Envelope, Event
from desktop.domain.gate.rules import Rule
from desktop.domain.history.state_of import SessionState, fold

NOW = datetime(2026, 11, 24, tzinfo=UTC)
RULE = Rule(id="bnd_1.0", decision="deny", kind="tool", name="push_lane", quote="never push")
OTHER = Rule(id="r-1", decision="deny", kind="tool", name="push_lane", scope="project")


def folded(*events: Event) -> SessionState:
    state = SessionState.begin("ses_1")
    for seq, event in enumerate(events):
        state = fold(
            state,
            Envelope(event_id=f"evt_{seq}", session_id="ses_1", seq=seq, parent_id=None, at=NOW, event=event),
        )
    return state


def found(boundary_id: str = "bnd_1", by: str = "words") -> BoundaryProposed:
    values = {"boundary_id": boundary_id, "quote": "never push", "action": "push", "title": "Don’t push"}
    return BoundaryProposed.model_validate({**values, "rules": (RULE,), "by": by})


def test_a_found_one_holds_at_once_and_one_of_an_agent_does_not() -> None:
    one, other = folded(found(), found("bnd_2", "agent")).boundaries
    assert (one.holds, one.since, one.rules) == (True, NOW, (RULE,))
    assert other.holds is False


def test_a_kept_one_holds_by_the_rules_that_were_made_of_it() -> None:
    lifting = BoundaryLiftingProposed(boundary_id="bnd_1", quote="you can push")
    (one,) = folded(found(), lifting).boundaries
    assert (one.lifting, one.holds) == ("you can push", True)
    kept = BoundaryDecided(boundary_id="bnd_1", decision="kept", scope="project", rules=(OTHER,))
    (one,) = folded(found(), lifting, kept).boundaries
    assert (one.state, one.lifting, one.rules, one.holds) == ("kept", "", (OTHER,), False)


def test_a_dismissed_one_is_gone_and_the_others_stay() -> None:
    over = BoundaryDecided(boundary_id="bnd_1", decision="dismissed")
    assert [one.boundary_id for one in folded(found(), found("bnd_2"), over).boundaries] == ["bnd_2"]
