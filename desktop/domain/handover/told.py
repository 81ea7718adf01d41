"""The forms of the lines of a handover: recorded and exported in English, and told in the language by the window."""

from collections.abc import Mapping

from desktop.domain.ledger.effects import EffectState
from desktop.domain.reports.values import Verdict

STATES_TOLD: Mapping[EffectState, str] = {
    "undone": "taken back",
    "partly": "partly taken back",
    "cannot": "cannot be taken back",
    "expired": "cannot be taken back any more",
    "standing": "",
}
EARLIER = "an earlier one"
ASKED_TOLD: Mapping[str, str] = {
    "approved": "Plan approved: {}",
    "declined": "Plan declined: {}",
    "by_agent": "Boundary: {} (found by the agent)",
    "proposed": "Boundary: {} (“{}”)",
    "kept": "Boundary kept: {}",
    "dismissed": "Boundary dismissed: {}",
    "lifted": "Boundary lifted: {}",
}
RULED_TOLD: Mapping[str, str] = {
    "rejected": "Declined: {}",
    "noted": "Declined: {} ({})",
    "edited": "Allowed after a change: {}",
    "mode": "Mode: {} to {}",
    "refused": "{} × {}: {}",
}
CHANGED_TOLD: Mapping[str, str] = {"more": "{} ({} and {} more{})"}
OPEN_TOLD: Mapping[str, str] = {
    "waits": "Waits for an answer: {}",
    "queued": "Queued: {}",
    "todo": "To do: {}",
    "last": "The agent's last words: {}",
}
KINDS_TOLD: Mapping[str, str] = {
    "question": "a question",
    "plan": "a plan",
    "picture": "a picture",
    "credential": "a credential",
    "skill": "a skill",
}
RISKS_TOLD: Mapping[str, str] = {
    "damaged": "The record of this chat is damaged: {}",
    "unseen_one": "{} call ran without asking and was not looked back on",
    "unseen": "{} calls ran without asking and were not looked back on",
    "unknown": "Whether it was done is not known: {}",
    "auto": "Full auto from here on",
    "no_sandbox": "Full auto without a sandbox was accepted",
    "secret": "Read secret data: {}",
    "outside": "Read outside data: {}",
    "untrusted": "Read untrusted data: {}",
    "memory": "Written to the memory, waits for review: {}",
    "cut_off": "A call was cut off; its outcome is not known",
}
UNDONE_TOLD: Mapping[str, str] = {
    "reverted": "Taken back: {}",
    "restored": "A checkpoint was put back: {} files",
    "rule": "A rule was removed",
}
CLAIMS_TOLD: Mapping[Verdict, str] = {
    "proved": "Reported and proved: {} ({})",
    "failed": "Reported and failed: {} ({})",
    "stale": "Reported and stale: {} ({})",
    "changed_tree": "Reported and changed files: {} ({})",
    "unproved": "Reported and no evidence: {} ({})",
    "refused": "Reported and refused: {} ({})",
    "not_checked": "Reported and not checked: {} ({})",
    "checking": "Reported and checking…: {} ({})",
}
