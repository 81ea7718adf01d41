"""What may be remembered, and how an entry begins. Pure; the checks stand in the order of memory-ME4."""

import re
from functools import cache

from desktop.domain.gate.redaction import Redactor
from desktop.domain.memory.values import MOST_CHARS, Category, Status
from desktop.records import dataclass

_STRICT = ("convention", "pattern", "gotcha", "decision")
_FRAME = r'^\s*File "[^"\n]+", line \d+|^\s+at \S+.*[(:]\S*\d+'
_EXCEPTION = r"^\s*(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception)\b"
_PATH_LINE = r"^\s*(?:[-*] )?(?:\.{0,2}/)?(?:[\w.@-]+/)+[\w.@-]+(?::\d+)*\s*$"
_LOG_LINE = r"^\s*(?:\* )?(?:commit )?[0-9a-f]{7,40}\b"
_DIFF = r"^(?:diff --git |@@ -\d+|(?:---|\+\+\+) [ab/])"
_REPORT = (
    r"^\W*(?:status|progress|summary|working on|implemented|fixed|updated|changed|next steps?)\b"
)  # fmt: skip
_PERMISSION = (
    r"ignore (?:all |any |the |your )*(?:previous|prior|above|earlier|other)|without (?:asking|approval|permission|"
    r"confirm\w*|consent)|(?:you|agents?|it) (?:are|is|may|can) (?:now )?(?:allowed|permitted|authori[sz]ed|free) to|"
    r"(?:always|never|automatically) (?:approve|allow|accept|ask|permit|confirm|grant)|auto-?approv|no need to ask|"
    r"(?:do not|don't|never) (?:tell|ask|mention|inform|show|warn)|disabl\w+|bypass\w*|turn(?:ed|ing)? off|"
    r"system prompt|skip (?:the )?(?:approval|confirmation|review|check|hook|gate)|(?:is|are) (?:pre-?)?approved|"
    r"you must (?:always|now|never)|trusted? (?:this|the) (?:source|message|command)"
)
"""Words that speak about what is allowed, or to a model (memory-ME9)."""


@cache
def _pattern(source: str) -> re.Pattern[str]:
    """Compiled at its first use."""
    return re.compile(source, re.MULTILINE | re.IGNORECASE if source in (_REPORT, _PERMISSION) else re.MULTILINE)


def text_problem(content: str) -> str:
    """Why a text can be no entry at all, "" if it can."""
    if not content.strip():
        return "it is blank"
    if len(content) > MOST_CHARS:
        return f"it has more than {MOST_CHARS:,} characters"
    return "it holds a NUL character" if "\0" in content else ""


def secret_problem(content: str, redactor: Redactor) -> str:
    """Why a text is no entry because of a secret in it, "" if none is."""
    found = redactor.redact(content).found
    if found:
        return f"it holds a secret ({found[0]})"
    return "it holds the mark of a secret that was removed" if redactor.marks_in(content) else ""


def derivable(content: str) -> str:
    """Why a text says what the code and its history tell by themselves, "" if it does not (memory-ME5)."""
    if "```" in content:
        return "it holds a block of code"
    if _pattern(_DIFF).search(content):
        return "it holds a diff"
    if "Traceback (most recent call last)" in content or _lines(_FRAME, content) > 1 or _lines(_EXCEPTION, content) > 1:
        return "it holds a stack trace"
    if _lines(_PATH_LINE, content) > 2:
        return "it is a list of paths"
    if _lines(_LOG_LINE, content) > 1:
        return "it holds a log of commits"
    if _pattern(_REPORT).match(content):
        return "it reports what was done; remember what stays true, the rule first and then the reason"
    return ""


def refusal(content: str, redactor: Redactor) -> str:
    """Why an agent's text is not kept, "" if it may be."""
    return text_problem(content) or secret_problem(content, redactor) or derivable(content)


def speaks_of_permission(content: str) -> bool:
    """Whether a text speaks about what is allowed, or to a model."""
    return _pattern(_PERMISSION).search(" ".join(content.split())) is not None


@dataclass(frozen=True)
class Beginning:
    """How an entry begins. `note`: what whoever wrote it is told beside."""

    status: Status
    tier: int
    confidence: int
    note: str = ""


def beginning(category: Category, *, pin: bool, strict: bool, quarantined: bool = False) -> Beginning:
    """What is pinned counts at once, and what is said strictly if its kind allows it; a procedure waits for a
    person."""
    if quarantined:
        return Beginning("quarantined", 3, 60)
    if category == "procedure":
        note = " A procedure counts once a person accepts it." if pin or strict else ""
        return Beginning("candidate", 3, 60, note)
    if pin:
        return Beginning("promoted", 1, 100)
    if strict and category in _STRICT:
        return Beginning("promoted", 2, 100)
    note = f" Strict is for {', '.join(_STRICT)}; this was stored as default." if strict else ""
    return Beginning("candidate", 3, 60, note)


def _lines(source: str, content: str) -> int:
    return sum(1 for _ in _pattern(source).finditer(content))
