"""What a prompt asks of the memory before an agent changes anything (memory-ME18). Pure."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise

from desktop.domain.memory.values import GUARDS, NO_WORDS, GuardClass, OwnWords

SHORTEST = 12
_PING = re.compile(r"(?:(?:this is |just )?(?:a )?test message|just testing|testing)[.!]*", re.IGNORECASE)
_PATH = (
    r"(?<![\w.@/-])/?(?:[\w.@-]+/)+[\w.@-]*\."
    r"(?:py|pyi|ts|tsx|js|jsx|json|md|yml|yaml|toml|sql|go|rs|java|rb|sh|c|h|cpp|qml|ui)(?!\w)"
)
_REQUIRED = (
    "fix", "debug", "investigate", "implement", "refactor", "patch", "edit", "write", "add", "remove", "rename",
    "update", "change", "test", "failing", "error", "exception", "stack trace", "traceback", "crash", "bug", "diff",
    "pull request", "regression", "build", "compile", "lint", "typecheck", "delete", "migrate",
)  # fmt: skip
_SOFT = (
    "explain", "why", "how", "walk through", "summarise", "summarize", "context", "overview", "review", "plan",
    "brainstorm", "design", "architecture", "trade off", "decision", "pattern", "convention", "gotcha",
)  # fmt: skip
_UNSPACED = "\u0e00"
"""From here on stand the scripts that put no blanks between words."""
_WORD = re.compile(r"[^\W\d_]+")


def classify_prompt(text: str, attachments: int = 0, own: OwnWords = NO_WORDS) -> GuardClass:
    """The class of one message of a person: the first row of the table that fits, with the words of its project."""
    said = text.strip()
    if len(said) < SHORTEST or said.startswith("/") or _PING.fullmatch(said):
        return "none"
    if attachments or "```" in said or _path().search(said):
        return "required"
    words = _WORD.findall(said.lower())
    if _holds(words, "required") or _holds_own(words, own.changes):
        return "required"
    return "soft" if _holds(words, "soft") or _holds_own(words, own.asks) else "none"


def strictest(*classes: GuardClass) -> GuardClass:
    """The strictest of these."""
    return max(classes, key=GUARDS.index, default="none")


@cache
def _path() -> re.Pattern[str]:
    return re.compile(_PATH)


def _holds(words: list[str], kind: GuardClass) -> bool:
    single, double = _forms(kind)
    return not single.isdisjoint(words) or not double.isdisjoint(pairwise(words))


def _holds_own(words: list[str], own: tuple[str, ...]) -> bool:
    """One of a script without blanks between words is found within a word too."""
    if not own:
        return False
    forms, within = _own_forms(own)
    return not forms.isdisjoint(words) or any(one in word for one in within for word in words)


@lru_cache(maxsize=64)
def _own_forms(own: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    forms = frozenset(form for word in own for form in _endings(word))
    return forms, tuple(word for word in own if word[0] >= _UNSPACED)


@cache
def _forms(kind: GuardClass) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    """The words of a row with their endings, and its pairs of words."""
    listed = _REQUIRED if kind == "required" else _SOFT
    single = frozenset(form for word in listed if " " not in word for form in _endings(word))
    pairs = [word.split(" ") for word in listed if " " in word]
    return single, frozenset((first, form) for first, last in pairs for form in _endings(last))


def _endings(word: str) -> Iterator[str]:
    """The word with -s, -es, -ed, -ing, -ion, -ions; its final e dropped, its last consonant doubled."""
    yield word
    for stem in {word, word.removesuffix("e"), word + word[-1]}:
        for ending in ("s", "es", "ed", "ing", "ion", "ions"):
            yield stem + ending
