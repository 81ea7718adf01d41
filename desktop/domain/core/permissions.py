"""The words of the gate: modes, categories, verdicts, what a tool states about a call and what was decided."""

from collections.abc import Mapping
from enum import IntEnum, StrEnum

from desktop.domain.core.base import Frozen


class PermissionMode(StrEnum):
    """The modes of a session: how much its agent may do without asking. Kept per session, changed by a person."""

    PLAN = "plan"
    EDIT = "edit"
    FULL_AUTO = "full-auto"


class Category(StrEnum):
    """The reach of a call: nothing outside the conversation, files of the lane, a command, or beyond this machine."""

    READ = "read"
    WRITE = "write"
    BASH = "bash"
    EXTERNAL = "external"


class Verdict(IntEnum):
    """Ordered by strictness: the strictest of all hits holds."""

    ALLOW = 0
    ASK = 1
    DENY = 2


class Assessment(Frozen):
    """The judgement of a tool about one of its calls. It can add strictness to the tool's own category, never remove
    any.

    `remember_key` names what a grant for this session would cover (None: cannot be remembered); `covers` says the same
    in words for the card. `proven_read`: the command was shown to have no effect. `fragment`: at most 200 characters of
    the part that decided.
    """

    category: Category = Category.READ
    needs_consent: bool = False
    reason: str = ""
    remember_key: str | None = None
    covers: str = ""
    proven_read: bool = False
    code: str = ""
    fragment: str = ""


class RuleHit(Frozen):
    """One rule of the gate with its verdict on a call. `liftable`: a grant or an allow rule may turn its ASK into
    ALLOW."""

    rule: str
    verdict: Verdict
    reason: str
    liftable: bool = False


class Decision(Frozen):
    """The outcome of the gate for one call: the strictest hit, and all hits. `lifted_by`: the grant that lifted ASK."""

    verdict: Verdict
    rule: str
    reason: str
    review_after: bool = False
    lifted_by: str | None = None
    hits: tuple[RuleHit, ...] = ()


_MODES_TOLD: Mapping[PermissionMode, str] = {
    PermissionMode.PLAN: "Plan",
    PermissionMode.EDIT: "Edit",
    PermissionMode.FULL_AUTO: "Full auto",
}


def mode_label(mode: PermissionMode) -> str:
    """The one word people read for a mode."""
    return _MODES_TOLD[mode]
