"""What a person typed into the search, read without ever failing: words, phrases, exclusions and filters
(sessions-SG2)."""

import re
import unicodedata
from functools import cache

from desktop.records import dataclass

MOST_CHARS = 200
_TOKEN = re.compile(r'(?P<minus>-?)(?:(?P<key>lane|from|in|before|after):)?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))')
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_FROM = {"me": ("prompt", "reply"), "agent": ("answer", "call", "question")}
_IN = {"results": ("result",)}
_UNSPACED = (
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)


@cache
def _unspaced() -> re.Pattern[str]:
    """Compiled at the first search, which takes longer than all the rest of this module."""
    return re.compile(_UNSPACED)


@dataclass(frozen=True)
class Term:
    """One word or phrase to find, or not to find. `prefix`: words that begin with it count."""

    text: str
    wanted: bool = True
    prefix: bool = False

    @property
    def unspaced(self) -> bool:
        """Whether the text is of a script that puts no blanks between words."""
        return _unspaced().search(self.text) is not None


@dataclass(frozen=True)
class Query:
    """`kinds`: only these, empty: all. `since` and `until` compare with the stored times as text, "" does not count."""

    terms: tuple[Term, ...] = ()
    lanes: tuple[str, ...] = ()
    kinds: frozenset[str] = frozenset()
    since: str = ""
    until: str = ""

    @property
    def wanted(self) -> tuple[Term, ...]:
        """The terms that must be there. Empty: nothing is asked for."""
        return tuple(term for term in self.terms if term.wanted)


def parse_query(text: str) -> Query:
    """The query in the first 200 characters. What is no filter is text; nothing raises."""
    terms: list[Term] = []
    lanes: list[str] = []
    kinds: list[frozenset[str]] = []
    dates = {"before": "", "after": ""}
    for found in _TOKEN.finditer(unicodedata.normalize("NFC", _storable(text[:MOST_CHARS]))):
        key, minus = found["key"], found["minus"]
        word = found["phrase"] if found["word"] is None else found["word"]
        if key == "lane" and word and not minus:
            lanes.append(word)
        elif key in ("from", "in") and not minus and word in (_FROM if key == "from" else _IN):
            kinds.append(frozenset((_FROM if key == "from" else _IN)[word]))
        elif key in dates and not minus and _DATE.fullmatch(word):
            dates[key] = word
        else:
            terms += _terms(word if key is None else f"{key}:{word}", minus, is_word=found["word"] is not None)
    chosen = frozenset.intersection(*kinds) if kinds else frozenset()
    if kinds and not chosen:
        chosen = frozenset({"none"})
    return Query(tuple(terms), tuple(lanes), chosen, dates["after"], dates["before"])


def _terms(word: str, minus: str, *, is_word: bool) -> list[Term]:
    prefix = is_word and word.endswith("*")
    core = word.rstrip("*") if prefix else word
    if not any(character.isalnum() for character in core):
        return []
    return [Term(core.strip(), not minus, prefix)]


def _storable(text: str) -> str:
    clean = text.replace("\0", " ")
    return clean.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def has_unspaced(text: str) -> bool:
    """Whether a text holds a script that puts no blanks between words."""
    return not text.isascii() and _unspaced().search(text) is not None


def match_expression(terms: tuple[Term, ...]) -> str:
    """The terms in the search's own language, each quoted, so that nothing in them is an operator."""
    quoted = ['"{}"{}'.format(term.text.replace('"', '""'), "*" if term.prefix else "") for term in terms]
    wanted = " AND ".join(q for q, term in zip(quoted, terms, strict=True) if term.wanted)
    unwanted = " OR ".join(q for q, term in zip(quoted, terms, strict=True) if not term.wanted)
    return f"({wanted}) NOT ({unwanted})" if unwanted else wanted
