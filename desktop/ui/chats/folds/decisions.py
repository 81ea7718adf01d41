"""Why a call ran, waited or did not run, in plain words: who decided, and by what."""

from desktop.domain.core.permissions import Category, PermissionMode, Verdict, mode_label
from desktop.language import ENGLISH, said, tr, worn
from desktop.ui.chats.folds.rows import Call
from desktop.ui.text.gate_words import gate_rule_words, refusal_words

_HOOK = 'The hook "'
_NAMED = ("", "rule", "deny")
"""Rules of the gate whose sentences name what refused: a rule or a boundary of a person, a built-in protection."""
_MODE_WORDS = tuple(mode_label(mode) for mode in PermissionMode)


_HELD = {
    "gate": tr("Held by the gate: nothing happened before Banksman did it."),
    "guest": tr("Held by the agent: it asked, and that it waits for the answer is its word."),
    "sandbox": tr("Held by the sandbox alone: the agent did not ask."),
    "none": tr("No call of the agent says so. It did this, or you or another program did meanwhile."),
}


def held_sentence(call: Call) -> str:
    """What really stopped a call of another's agent; "" for all other calls."""
    return _HELD[call.held_by] if call.held_by else ""


def refused_sentence(call: Call) -> str:
    """Why a refused call did not run, and the rule of the gate that says so, in words for people."""
    rule = tr("rule: {rule}", rule=gate_rule_words(call.rule)) if call.rule not in _NAMED else ""
    return " · ".join(part for part in (refusal_words(call.reason, call.rule), rule) if part)


def decision_sentence(call: Call) -> str:
    """What decided about a call: "You allowed this once."; "" when that is not known, or said by its line already."""
    if call.answer:
        return f"{call.answer}. {_of_hook(call.why)}".rstrip()
    if call.verdict is Verdict.DENY or call.state == "thought" or call.held_by == "none":
        return ""
    if call.lifted_by:
        return tr("Allowed in this chat by you.")
    if call.verdict is Verdict.ASK:
        return tr("Waits for you: {why}", why=_inside(call.why)) if call.state == "waiting" and call.why else ""
    if call.state in ("decided", "declined", "cancelled") or not call.rule:
        return ""
    why = tr("reads run in every mode.") if call.category == Category.READ else _inside(call.why)
    ran = tr("Allowed without asking") if call.state == "error" else tr("Ran without asking")
    return f"{ran}: {why}" if why else f"{ran}."


def _of_hook(why: str) -> str:
    """What a hook said of a call that was asked about, with the time that it took; "" where none did."""
    at = why.find(_HOOK)
    return said(why[at:]) if at >= 0 else ""


def _inside(sentence: str) -> str:
    """A recorded sentence as it stands after a colon: in English its first word small, unless it is a name."""
    told = said(sentence)
    if told != sentence or worn() != ENGLISH:
        return told
    if sentence.startswith(_MODE_WORDS) or not sentence[1:2].islower():
        return sentence
    return sentence[0].lower() + sentence[1:]
