"""Letters that are not what they look like: words of several scripts, foreign program names and hosts, full-width
characters, writing from right to left (gate-V4). They are underlined and named; they stay as they are."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache

from desktop.domain.display.scripts import scripts_of
from desktop.domain.display.text import Mark, display_text, is_hidden
from desktop.patterns import Pattern

_SCRIPTS_TOLD: Mapping[str, str] = {
    "ARMENIAN": "Armenian",
    "CHEROKEE": "Cherokee",
    "CYRILLIC": "Cyrillic",
    "GREEK": "Greek",
    "HEBREW": "Hebrew",
    "LATIN": "Latin",
}
_RUN = Pattern(r"\w+")
_PART = Pattern(r"[\w-]+")
_ODD = Pattern(r"[^\x00-\x7f]+")
_ADDRESS = Pattern(r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]*://(?:[^\s/@?#\\]*@)?([^\s/?#:\\\"'`<>()\[\]{}|,;]+)")
_AT_HOST = Pattern(r"@([\w-]+(?:[.\u3002\uff0e\uff61][\w-]+)+)")
_BARE_HOST = Pattern(r"(?<![\w.@/\\-])([\w-]+(?:[.\u3002\uff0e\uff61][\w-]+)+)(?![\w-]|\.\w)")
_DOTS = Pattern("[.\u3002\uff0e\uff61]")
_FULL_STOP = Pattern("[\u3002\uff61](?![A-Za-z0-9])")
_EAST = "[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]"
_SIGN = "[\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f\uff5e\u3000]"
_EAST_ASIAN_SIGN = Pattern(f"(?<={_EAST}){_SIGN}|{_SIGN}(?={_EAST})")
KNOWN_ENDINGS = frozenset(
    [
        "com",
        "org",
        "net",
        "edu",
        "gov",
        "mil",
        "int",
        "info",
        "biz",
        "io",
        "dev",
        "app",
        "ai",
        "co",
        "me",
        "tv",
        "cloud",
        "online",
        "site",
        "shop",
        "xyz",
        "zip",
        "mov",
        "example",
    ]
)
FILE_ENDINGS = frozenset(
    {
        "py",
        "md",
        "rs",
        "sh",
        "pl",
        "rb",
        "cc",
        "hs",
        "ml",
        "ps",
        "so",
        "js",
        "ts",
        "go",
        "cs",
        "fs",
        "mk",
        "gz",
        "xz",
        "db",
        "kt",
        "vb",
    }
)
"""Two letters that are more often a file's ending than a country's."""

_RIGHT_TO_LEFT = frozenset({"R", "AL"})
_AT_MOST = 5
_LONGEST_HOST = 253

_SHELL = Pattern(
    r"""(?P<space>[ \t]+)|(?P<cut>\$\(|[|&;()`\n{}!]|\\\n)|(?P<hard>'[^']*'?)|(?P<soft>"(?:\\.|[^"\\])*"?)"""
    r"""|(?P<esc>\\.)|(?P<redirect>[0-9]*[<>]+[&|]?)|(?P<comment>(?<![^\s|&;()`])\#[^\n]*)|(?P<bare>[^\s|&;()`{}!'"\\<>$\#]+|.)""",
    re.DOTALL,
)
_BEFORE_PROGRAM = frozenset(
    [
        "if",
        "then",
        "elif",
        "else",
        "while",
        "until",
        "do",
        "time",
        "sudo",
        "doas",
        "env",
        "exec",
        "command",
        "builtin",
        "nohup",
        "nice",
        "xargs",
        "watch",
        "setsid",
    ]
)
_ASSIGNMENT = Pattern(r"\w+\+?=")


def text_marks(text: str) -> tuple[Mark, ...]:
    """The marks to underline in code and in texts on cards: all but the full-width signs of East Asian sentences."""
    if text.isascii():
        return ()
    found = {*_words(text, _RUN), *_odd_forms(_without_signs(text)), *_hosts(text, sentences=True)}
    return tuple(sorted(found, key=_place))


def command_marks(text: str) -> tuple[Mark, ...]:
    """The marks to underline in a shell command: program names with letters outside ASCII as well."""
    if text.isascii():
        return ()
    found = {*_words(text, _RUN), *_odd_forms(text), *_hosts(text), *_programs(text)}
    return tuple(sorted(found, key=_place))


def path_marks(text: str) -> tuple[Mark, ...]:
    """The marks to underline in a path: parts of file names that mix scripts, hyphens included."""
    if text.isascii():
        return ()
    return tuple(sorted({*_words(text, _PART), *_odd_forms(text)}, key=_place))


def mark_sentences(marks: tuple[Mark, ...]) -> tuple[str, ...]:
    """The warning lines of marks, each once; at most five, and how many more there are."""
    found = list(dict.fromkeys(mark.why for mark in marks))
    if len(found) > _AT_MOST:
        found[_AT_MOST:] = [f"And {len(found) - _AT_MOST} more like these."]
    return tuple(found)


def host_name(host: str) -> str:
    """The name under which a host is looked up, ASCII; "" for one that no name can be."""
    if len(host) > _LONGEST_HOST or any(is_hidden(char) for char in host):
        return ""
    return ".".join(_label(label) for label in _DOTS.split(host))


def host_mark(host: str, span: tuple[int, int]) -> Mark:
    """The mark of a host with letters outside ASCII: the name that it has in truth, or that none can be it."""
    if name := host_name(host):
        return Mark(*span, f"The host {display_text(host)} is really {display_text(name)}.", display_text(name))
    return Mark(*span, f"“{display_text(host[:_LONGEST_HOST])}” cannot be the name of a host.")


def mixed_letters(word: str) -> str:
    """The sentence about a word of several scripts."""
    names = [_SCRIPTS_TOLD.get(script, script.capitalize()) for script in sorted(scripts_of(word))]
    if len(names) == 2:
        return f"“{display_text(word)}” mixes {names[0]} and {names[1]} letters ({_named(word)})."
    return f"“{display_text(word)}” mixes {' and '.join(names)} letters ({_named(word)})."


def _label(label: str) -> str:
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", label).lower())
    return plain if plain.isascii() else f"xn--{plain.encode('punycode').decode('ascii')}"


def _place(mark: Mark) -> tuple[int, int, str]:
    return (mark.start, mark.end, mark.why)


def _words(text: str, pattern: Pattern) -> Iterator[Mark]:
    for match in pattern.finditer(text):
        if not match[0].isascii():
            for why in _about_word(match[0]):
                yield Mark(*match.span(), why)


@lru_cache(maxsize=4096)
def _about_word(word: str) -> tuple[str, ...]:
    found = []
    if len(scripts_of(word)) > 1:
        found.append(mixed_letters(word))
    if any(_runs_left(char) for char in set(word)):
        found.append(f"“{display_text(word)}” is written right to left.")
    return tuple(found)


def _odd_forms(text: str) -> Iterator[Mark]:
    """Characters that are compatible with ASCII ones: full-width, mathematical, small, raised."""
    if not any(_looks_plain(char) for char in set(text)):
        return
    for match in _ODD.finditer(text):
        chars = match[0]
        start = -1
        for index, char in enumerate(f"{chars} "):
            if _looks_plain(char):
                start = index if start < 0 else start
            elif start >= 0:
                piece = chars[start:index]
                why = f"“{display_text(piece)}” only looks like “{_plain_form(piece)}” ({_named(piece)})."
                yield Mark(match.start() + start, match.start() + index, why)
                start = -1


def _without_signs(text: str) -> str:
    """The text with full-width signs beside East Asian letters, where they are the ordinary ones, as blanks."""
    return _EAST_ASIAN_SIGN.sub(" ", text)


def _hosts(text: str, *, sentences: bool = False) -> Iterator[Mark]:
    """Hosts with letters outside ASCII. `sentences`: an ideographic full stop may end one."""
    seen: set[tuple[int, int]] = set()
    for pattern in (_ADDRESS, _AT_HOST, _BARE_HOST):
        for match in pattern.finditer(text):
            host, span = match[1], match.span(1)
            if host.isascii() or span in seen or (pattern is _BARE_HOST and not _reads_as_host(host)):
                continue
            if sentences and pattern is _BARE_HOST and _FULL_STOP.search(host):
                continue
            seen.add(span)
            yield host_mark(host, span)


def _reads_as_host(name: str) -> bool:
    """Whether a dotted word without an address around it is more likely a host than a file."""
    labels = _DOTS.split(name)
    last = unicodedata.normalize("NFKC", labels[-1]).lower()
    if not any(char.isalpha() and not char.isascii() for label in labels for char in label):
        return False
    if not last.isascii():
        return last.isalpha()
    return last in KNOWN_ENDINGS or (len(last) == 2 and last.isalpha() and last not in FILE_ENDINGS)


def _programs(text: str, offset: int = 0) -> Iterator[Mark]:
    """Words in a place where a program is named, quotes and substitutions looked through."""
    start, awaiting = -1, True
    for match in _SHELL.finditer(text):
        kind = match.lastgroup
        if kind in ("hard", "soft", "esc", "bare"):
            if kind == "soft" and ("$(" in match[0] or "`" in match[0]):
                yield from _programs(match[0][1:], offset + match.start() + 1)
            start = match.start() if start < 0 else start
            continue
        if start >= 0:
            word = text[start : match.start()]
            if awaiting:
                yield from _program(word, offset + start)
            awaiting = awaiting and (word in _BEFORE_PROGRAM or _ASSIGNMENT.match(word) is not None)
            start = -1
        awaiting = awaiting or (kind == "cut" and match[0] != "\\\n")
    if start >= 0 and awaiting:
        yield from _program(text[start:], offset + start)


def _program(word: str, start: int) -> Iterator[Mark]:
    if any(char.isalpha() and not char.isascii() for char in word) and not any(char.isspace() for char in word):
        why = f"The program name “{display_text(word)}” has letters outside ASCII ({_named(word)})."
        yield Mark(start, start + len(word), why)


def _named(text: str) -> str:
    odd = list(dict.fromkeys(char for char in text if not char.isascii()))
    names = [f"U+{ord(char):04X}" for char in odd[:_AT_MOST]]
    return ", ".join([*names, *(["…"] if len(odd) > _AT_MOST else [])])


@lru_cache(maxsize=8192)
def _runs_left(char: str) -> bool:
    return unicodedata.bidirectional(char) in _RIGHT_TO_LEFT and not is_hidden(char)


@lru_cache(maxsize=8192)
def _looks_plain(char: str) -> bool:
    return not char.isascii() and not is_hidden(char) and unicodedata.normalize("NFKC", char).isascii()


def _plain_form(text: str) -> str:
    return display_text(unicodedata.normalize("NFKC", text))
