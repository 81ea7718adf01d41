"""The one decision: every rule looks at every call, and the strictest verdict holds."""

from typing import Literal

from desktop.domain.base import Frozen
from desktop.domain.permissions import Assessment, Category, Decision, PermissionMode, Verdict
from desktop.policy.paths import PathFacts


class SessionGateFacts(Frozen):
    """What the rules may know of a session. `session_grants` are remember keys a person allowed for this session.

    `on_primary`: the lane is the person's own checkout; `primary_allowed`: they started the session on it knowingly.
    `lane_moved`: the lane folder is not the one the session was opened on. `answerable`: a person can answer a card.
    """

    mode: PermissionMode
    kind: Literal["interactive", "hosted"] = "interactive"
    primary_allowed: bool = False
    on_primary: bool = False
    hosted_grant: bool = False
    lane_moved: bool = False
    session_grants: frozenset[str] = frozenset()
    answerable: bool = True
    sandbox: Literal["none"] = "none"


class CallFacts(Frozen):
    """One call as the rules see it: the tool's own category, what it stated about this call, and the judged paths.

    `asks_person`: the tool asks a person by itself, so only its category is judged.
    """

    tool: str
    category: Category
    assessment: Assessment
    origin: Literal["agent"] = "agent"
    args_sha256: str = ""
    paths: tuple[PathFacts, ...] = ()
    asks_person: bool = False


def decide(call: CallFacts, session: SessionGateFacts) -> Decision:
    """The decision for this call: same values in, same decision out, never an exception (gate-G1)."""
    return Decision(verdict=Verdict.DENY, rule="gate_error", reason="The gate is not complete.")
