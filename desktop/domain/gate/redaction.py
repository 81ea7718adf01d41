"""Secrets are taken out of what enters and leaves: known values in any usual spelling, and strings shaped like keys
(gate-K3, gate-K4). Hashes, identifiers and ordinary text stay as they are."""

import base64
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property, partial
from itertools import pairwise
from urllib.parse import quote, quote_plus

from desktop.domain.core.base import Frozen

SHORTEST = 8
"""Known values under so many characters are too common to be looked for."""

_NAME = r"[^\w .:/@-]+"
_B64 = r"[A-Za-z0-9_-]"
_END = r"(?![A-Za-z0-9_-])"
_ESCAPES = (
    r"\\[abefnrtv0]",
    r"\\[0-7]{3}",
    r"\\x[0-9A-Fa-f]{2}",
    r"u[0-9A-Fa-f]{4}",
    r"\\U[0-9A-Fa-f]{8}",
    r"[%=][0-9A-Fa-f]{2}",
    r"%25[0-9A-Fa-f]{2}",
    r"%5[Cc][nrt]",
    r"u005[Cc][nrt]",
    r"\[m",
    r"[\[;][0-9]m",
    r"[\[;][0-9]{2}m",
)
"""What a character is written as in source text, JSON, addresses, mail and on terminals, and what a key may follow
although it ends in a letter or a digit."""
_START = rf"(?:(?<![A-Za-z0-9_-])|{'|'.join(f'(?<={escape})' for escape in _ESCAPES)})"
SHAPES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "private key",
        ("-----BEGIN",),
        r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[A-Za-z0-9+/=\s:,.\\-](?!-----BEGIN)){16,16384}?-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----",
    ),
    ("Slack hook", ("hooks.slack.com",), r"https://hooks\.slack\.com/services/[A-Za-z0-9/]{20,}"),
    ("Anthropic key", ("sk-ant-",), rf"{_START}sk-ant-{_B64}{{16,}}"),
    ("OpenAI key", ("sk-",), rf"{_START}sk-(?:proj-|svcacct-|admin-|or-v1-)?(?=[A-Za-z_-]*\d){_B64}{{32,}}"),
    ("GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), rf"{_START}gh[pousr]_[A-Za-z0-9]{{36,255}}{_END}"),
    ("GitHub token", ("github_pat_",), rf"{_START}github_pat_[A-Za-z0-9_]{{50,255}}{_END}"),
    ("GitLab token", ("glpat-",), rf"{_START}glpat-{_B64}{{20,}}"),
    ("AWS key id", ("AKIA", "ASIA"), rf"{_START}(?:AKIA|ASIA)[A-Z2-7]{{16}}{_END}"),
    ("Slack token", ("xox",), rf"{_START}xox[abeoprs]-[A-Za-z0-9-]{{20,}}"),
    ("Google key", ("AIza",), rf"{_START}AIza{_B64}{{35}}{_END}"),
    ("Google token", ("ya29.",), rf"{_START}ya29\.{_B64}{{20,}}"),
    ("Stripe key", ("k_live_",), rf"{_START}[sr]k_live_[A-Za-z0-9]{{20,}}"),
    ("npm token", ("npm_",), rf"{_START}npm_[A-Za-z0-9]{{36}}{_END}"),
    ("PyPI token", ("pypi-",), rf"{_START}pypi-AgE{_B64}{{50,}}"),
    ("Hugging Face token", ("hf_",), rf"{_START}hf_[A-Za-z0-9]{{34,}}{_END}"),
    ("SendGrid key", ("SG.",), rf"{_START}SG\.{_B64}{{20,24}}\.{_B64}{{40,46}}{_END}"),
    ("web token", ("eyJ",), rf"{_START}eyJ{_B64}{{10,}}\.eyJ{_B64}{{10,}}\.{_B64}{{16,}}"),
)
"""Name, pieces of which every match holds one, and the shape. Each is anchored, so that no text is read twice; those
that may stand in the middle of a word come first, so that a key before them ends where they begin. They are compiled
when a text first holds a piece: at start that would cost more than all else here."""

_PIECES = tuple(dict.fromkeys(piece for _name, pieces, _shape in SHAPES for piece in pieces))
_ADDRESS = "password in an address"
_ASSIGNED_NAMES = "password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key"
ASSIGNED = (
    rf"""(?i)(?P<name>{_ASSIGNED_NAMES})"""
    r"""(?:\\{0,3}["'])?[ \t]{0,4}(?:[:=]|=>|%3[AaDd]|\\u003[ad])[ \t]{0,4}(?P<quote>(?:\\{0,3}["'])?)"""
    r"(?P<value>[A-Za-z0-9+/=_.~!@#$%^&*-]{8,200})(?P<call>[(\[]?)"
)
_ASSIGNED_PIECES = (
    "password",
    "passwd",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "accesskey",
    "access_key",
    "access-key",
    "privatekey",
    "private_key",
    "private-key",
)
"""One of these stands in every text that `ASSIGNED` could match."""
_ASSIGNING = (":", "=", "%3", "u003")
_ASSIGNED_STEMS = ("key", "passw", "secret", "token")
"""One of these stands in each of the pieces."""
IN_URL = r"(?i)(?<=://)(?P<user>[^\s/:@\"'<>]{0,64}):(?P<value>[^\s/:@\"'<>$*{}]{8,200})@"
_SHORTEST_SHAPE = len("://:12345678@")
_MARK_START = "[secret "
_HEX = r"[0-9a-fA-F-]+"
_RUN = r"[A-Za-z0-9]{14,}"
_PLAIN_HASH = r"sha\d{1,3}[-:]"
_SIGNS = r"[!@#$%^&*~]"
_LEET = r"[A-Za-z][0-9][A-Za-z]"
_IN_QUERY = r"&\w+=.*"
_OF_CODE = (
    r"^[$%@&*~^]?[\w.]*[$%]?$|^[\^~=]?v?\d+\.|%[a-z0-9.-]*[sdrf]\b|^\w[\w.+-]*@\w[\w.-]*$|^[!=]=|[*&]{2}|\$\w+\b.*\$"
)
_BITS = 3.2
"""Bits a character below which a value is words rather than a secret."""


Removed = Callable[[str, str], str]
"""Given the name and the value of a secret, what stands in its place."""


class Redacted(Frozen):
    """A text without its secrets, and the names of those that stood in it, each once, in order."""

    text: str
    found: tuple[str, ...] = ()


class Redactor:
    """Replaces known secrets and key-shaped strings by `[secret NAME removed]`. Redacting again changes nothing."""

    def __init__(self, secrets: Mapping[str, str] | None = None) -> None:
        """`secrets`: values by the name that is shown; those shorter than 8 characters are not looked for.

        `spellings` is what is looked for in a text: each spelling of a value, and the name that is shown for it.
        """
        self.spellings: dict[str, str] = {}
        for name, value in (secrets or {}).items():
            for spelling in _spellings(value):
                self.spellings.setdefault(spelling, _plain_name(name))
        self._telling = _telling(self.spellings)
        self._pieces = ("://", *_PIECES, *self._telling)
        self._shortest = min([_SHORTEST_SHAPE, *map(len, self._telling)])

    def redact(self, text: str) -> Redacted:
        """The text without secrets. Linear in its length."""
        clean, taken = self.take_out(text)
        return Redacted(text=clean, found=tuple(dict.fromkeys(name for name, _value in taken)))

    def take_out(self, text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
        """The text without secrets, and those that stood in it, in the order of the shapes: name and value."""
        if not self._may_hold(text):
            return text, ()
        taken: dict[tuple[str, str], None] = {}

        def removed(name: str, value: str) -> str:
            taken[name, value] = None
            return f"[secret {name} removed]"

        if _MARK_START not in text:
            return self._clean(text, removed), tuple(taken)
        pieces, marks = self._mark.split(text), self._mark.findall(text)
        clean = [self._clean(piece, removed) for piece in pieces]
        whole = clean[0] + "".join(mark + piece for mark, piece in zip(marks, clean[1:], strict=True))
        return whole, tuple(taken)

    def marks_in(self, text: str) -> tuple[str, ...]:
        """The marks of removed secrets that stand in a text."""
        return tuple(dict.fromkeys(self._mark.findall(text))) if _MARK_START in text else ()

    def known_in(self, text: str) -> tuple[str, ...]:
        """The names of known secrets that stand in a text, which is left as it is (gate-K5: a command)."""
        if not self._holds_known(text):
            return ()
        return tuple(dict.fromkeys(self.spellings[match[0]] for match in self._known.finditer(text)))

    @cached_property
    def _known(self) -> re.Pattern[str]:
        return re.compile("|".join(map(re.escape, sorted(self.spellings, key=len, reverse=True))))

    @cached_property
    def _mark(self) -> re.Pattern[str]:
        ours = sorted({*self.spellings.values(), *(name for name, _pieces, _shape in SHAPES), _ADDRESS})
        names = "|".join([*map(re.escape, ours), _ASSIGNED_NAMES])
        return re.compile(rf"\[secret (?:{names}) removed\]")

    def _may_hold(self, text: str) -> bool:
        """False only where nothing can be removed: a few searches for plain pieces, for nearly all text holds none."""
        if len(text) < self._shortest:
            return False
        for piece in self._pieces:  # a plain loop, for this is what nearly all texts cost
            if piece in text:
                return True
        return any(sign in text for sign in _ASSIGNING) and _may_assign(text.casefold())

    def _holds_known(self, text: str) -> bool:
        return any(spelling in text for spelling in self._telling)

    def _clean(self, text: str, removed: Removed) -> str:
        if self._holds_known(text):
            text = self._known.sub(lambda match: removed(self.spellings[match[0]], match[0]), text)
        for name, pieces, shape in SHAPES:
            if any(piece in text for piece in pieces):
                text = self._replaced(text, shape, partial(_shaped, name, removed))
        if "://" in text:
            text = self._replaced(text, IN_URL, partial(_in_url, removed))
        if _may_assign(text.casefold()):
            text = self._replaced(text, ASSIGNED, partial(_assigned, removed))
        return text

    def _replaced(self, text: str, shape: str, replace: Callable[[re.Match[str]], str]) -> str:
        """What was removed before is left alone."""
        return _compiled(shape).sub(lambda match: match[0] if self._holds_mark(match[0]) else replace(match), text)

    def _holds_mark(self, text: str) -> bool:
        return _MARK_START in text and self._mark.search(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _telling(spellings: Iterable[str]) -> tuple[str, ...]:
    """The spellings without those that hold a shorter one: where none of these stands, none of all does."""
    found: list[str] = []
    for spelling in sorted(spellings, key=len):
        if not any(shorter in spelling for shorter in found):
            found.append(spelling)
    return tuple(found)


def _may_assign(folded: str) -> bool:
    return any(stem in folded for stem in _ASSIGNED_STEMS) and any(piece in folded for piece in _ASSIGNED_PIECES)


def _shaped(name: str, removed: Removed, match: re.Match[str]) -> str:
    if name == "OpenAI key" and not is_random(match[0]):
        return match[0]
    return removed(name, match[0])


def _in_url(removed: Removed, match: re.Match[str]) -> str:
    if match["value"].casefold() in _EXAMPLES:
        return match[0]
    return f"{match['user']}:{removed(_ADDRESS, match['value'])}@"


def _assigned(removed: Removed, match: re.Match[str]) -> str:
    value = match["value"].rstrip(".,;:")
    if not is_random(value) and (match["call"] or not is_password(value)):
        return match[0]
    rest = match["value"][len(value) :] + match["call"]
    start = match.start("value") - match.start()
    return match[0][:start] + removed(match["name"].casefold(), value) + rest


def is_random(value: str) -> bool:
    """Whether a value holds a generated run: letters of both kinds and digits in turn, no hash, no words."""
    if _compiled(_HEX).fullmatch(value) or _compiled(_PLAIN_HASH).match(value):
        return False
    return any(_mixes(run) and _entropy(run) >= _BITS for run in _compiled(_RUN).findall(value))


def is_password(value: str) -> bool:
    """Whether what is assigned to the name of a secret is one that a person thought of: small letters, capitals, digits
    and signs, or digits within words and signs. No path, variable, version, address, package or format."""
    if "/" in value or _compiled(_OF_CODE).search(value) or _compiled(_HEX).fullmatch(value):
        return False
    word = _compiled(_IN_QUERY).sub("", value)
    signs = _compiled(_SIGNS).search(word) is not None
    digits = _compiled("[0-9]").search(word) is not None
    capitals = word.lower() != word and word.upper() != word
    return signs and digits and (capitals or _compiled(_LEET).search(word) is not None)


def _mixes(run: str) -> bool:
    """Whether small letters, capitals and digits change often, as in no name that a person gives."""
    kinds = ["d" if char.isdigit() else "u" if char.isupper() else "l" for char in run]
    changes = sum(1 for one, other in pairwise(kinds) if one != other)
    return "d" in kinds and "l" in kinds and changes * 3 >= len(kinds)


def _entropy(text: str) -> float:
    total = len(text)
    return -sum(times / total * math.log2(times / total) for times in Counter(text).values())


_EXAMPLES = frozenset({"password", "changeme", "postgres", "username", "********"})


def _spellings(value: str) -> list[str]:
    """A value as it is, each of its lines, in base64 (also within a longer text), in hexadecimal digits, as in JSON
    and encoded for addresses."""
    if len(value) < SHORTEST:
        return []
    raw = value.encode("utf-8", "surrogatepass")
    found = [value, *value.splitlines(), raw.hex(), raw.hex().upper()]
    found += [json.dumps(value, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)]
    for before in range(3):
        for alphabet in (base64.b64encode, base64.urlsafe_b64encode):
            found.append(_steady(alphabet(b"\0" * before + raw).decode("ascii"), before, len(raw)))
    found += [quote(value, safe="", errors="surrogatepass"), quote_plus(value, errors="surrogatepass"), value.strip()]
    return [spelling for spelling in dict.fromkeys(found) if len(spelling) >= SHORTEST]


def _steady(encoded: str, before: int, length: int) -> str:
    """The digits of base64 that depend on the value alone, `before` bytes in front of it."""
    start = (before * 8 + 5) // 6
    end = (before + length) * 8 // 6
    return encoded[start:end]


def _plain_name(name: str) -> str:
    return " ".join(re.sub(_NAME, " ", name).split())[:60].strip() or "value"
