"""Words in evidence that are not what they look like, said in sentences. They mark; they never enable or disable."""

import re
import unicodedata

from desktop.domain.display import display_text

_WORD = re.compile(r"[^\s\"'`()<>|;&,=\[\]{}$]+")
_HOST = re.compile(r"(?:^|//|@)((?:[\w-]+\.)+[\w-]{2,})")
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "HEBREW", "ARABIC", "GEORGIAN", "COPTIC")
_RIGHT_TO_LEFT = frozenset({"R", "AL"})
_AT_MOST = 5


def lookalike_warnings(text: str) -> tuple[str, ...]:
    """One sentence per word that mixes scripts, has letters that only resemble ASCII, runs right to left, or is a host
    with letters outside ASCII (its real name is given); at most five."""
    if text.isascii():
        return ()
    sentences: dict[str, None] = {}
    for word in _WORD.findall(text):
        if not word.isascii():
            sentences.update(dict.fromkeys(_about(word)))
    found = list(sentences)
    if len(found) > _AT_MOST:
        found[_AT_MOST:] = [f"And {len(found) - _AT_MOST} more like these."]
    return tuple(found)


def _about(word: str) -> list[str]:
    shown = f"“{display_text(word)}”"
    sentences = []
    for host in _HOST.findall(word):
        if not host.isascii() and (name := _punycode(host)):
            sentences.append(f"The host {display_text(host)} is really {name}.")
    scripts = _scripts(word)
    if len(scripts) > 1:
        sentences.append(f"{shown} mixes {' and '.join(script.capitalize() for script in scripts)} letters.")
    elif any(unicodedata.bidirectional(char) in _RIGHT_TO_LEFT for char in word):
        sentences.append(f"{shown} is written right to left.")
    if any(
        not char.isascii() and unicodedata.normalize("NFKC", char).isascii() and char.isprintable() for char in word
    ):
        sentences.append(f"{shown} has characters that only look like plain ones.")
    return sentences


def _resembles_ascii(char: str) -> bool:
    return not char.isascii() and char.isprintable() and unicodedata.normalize("NFKC", char).isascii()


def _scripts(word: str) -> list[str]:
    names = [unicodedata.name(char, "") for char in word if char.isalpha()]
    return [script for script in _SCRIPTS if any(name.startswith(script) for name in names)]


def _punycode(host: str) -> str:
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return ""
