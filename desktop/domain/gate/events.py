"""Events of the gate beside decisions and answers: rules, trust, sandbox, taint, previews, and looking back."""

from typing import Literal

from desktop.domain.core.base import Frozen
from desktop.domain.core.event_base import EventBase
from desktop.domain.gate.effects import EffectPreview
from desktop.domain.gate.pending import ApprovalRequest
from desktop.domain.gate.rules import Rule, RuleScope
from desktop.domain.gate.sandbox import SandboxReport

TaintReason = Literal["secret", "outside", "untrusted"]


class SandboxChosen(EventBase):
    """A person chose to work in full auto with this level of sandbox; `gaps` are the sentences they were shown."""

    type: Literal["sandbox_chosen"] = "sandbox_chosen"
    level: Literal["none", "limited", "full"]
    gaps: tuple[str, ...] = ()
    report_id: str = ""
    by: Literal["person"] = "person"


class HostedGrantGiven(EventBase):
    """A session without a window may write in its lane without asking."""

    type: Literal["hosted_grant_given"] = "hosted_grant_given"
    granted: bool = True
    by: Literal["person"] = "person"


class SandboxProbed(EventBase):
    """The report on the sandbox of this computer, as it holds for the calls that follow."""

    type: Literal["sandbox_probed"] = "sandbox_probed"
    report: SandboxReport


class RuleSaved(EventBase):
    """A person made a rule. A session rule lives here alone; the others are in their file too."""

    type: Literal["rule_saved"] = "rule_saved"
    rule: Rule
    input_id: str = ""
    by: Literal["person"] = "person"


class RuleRemoved(EventBase):
    """A person took a rule back."""

    type: Literal["rule_removed"] = "rule_removed"
    rule_id: str
    scope: RuleScope
    by: Literal["person"] = "person"


class RulesAccepted(EventBase):
    """A person trusted the allow rules of the repository's own file, for exactly this content."""

    type: Literal["rules_accepted"] = "rules_accepted"
    path: str
    sha256: str
    rules: tuple[Rule, ...] = ()
    by: Literal["person"] = "person"


class SessionTainted(EventBase):
    """The session read what must not leave, or what nobody vouches for. It stays until a person clears it."""

    type: Literal["session_tainted"] = "session_tainted"
    reason: TaintReason
    source: str
    call_id: str = ""


class TaintCleared(EventBase):
    """A person cleared the mark."""

    type: Literal["taint_cleared"] = "taint_cleared"
    by: Literal["person"] = "person"


class InputRevised(EventBase):
    """An open approval was judged again and still waits; from here on its card shows this request. What a person had
    changed of the call counts no more until it is checked again. Of a record to look back on: it says more now."""

    type: Literal["input_revised"] = "input_revised"
    input_id: str
    request: ApprovalRequest


class EffectPreviewed(EventBase):
    """The effect of an open request was tried and rolled back: a person asked for it, or it was made by itself."""

    type: Literal["effect_previewed"] = "effect_previewed"
    input_id: str
    preview: EffectPreview
    by: Literal["person", "auto"] = "person"


class ReviewFlagged(EventBase):
    """A person looked back on calls that had run without asking. `note` goes to the agent with the next message."""

    type: Literal["review_flagged"] = "review_flagged"
    input_ids: tuple[str, ...]
    note: str = ""
    by: Literal["person"] = "person"


class RevertedFile(Frozen):
    """One file that was put back. `sha256` None: it is gone again."""

    path: str
    sha256: str | None = None


class ReviewReverted(EventBase):
    """A person took back what a call had changed."""

    type: Literal["review_reverted"] = "review_reverted"
    call_id: str
    files: tuple[RevertedFile, ...] = ()
    by: Literal["person"] = "person"
