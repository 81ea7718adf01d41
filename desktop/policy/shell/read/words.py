"""The places outside the lane, and the hosts, that the words of a command name (gate-R12, gate-S13)."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from desktop.policy.paths import MAX_COMPONENT_BYTES, MAX_PATH_BYTES
from desktop.policy.protected_names import may_hold_protected_file
from desktop.policy.shell.read.proof import Findings, Folders, join
from desktop.policy.shell.verdict import ShellWord, shell_word
from desktop.policy.shell.words.lexer import Word

MAX_JUDGED_WORDS = 400
MAX_JUDGED_PARTS = 600
_PLAIN = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./-]*")
"""A word of which no part alone could be a path."""
_CLUSTER = re.compile(r"[A-Za-z0-9?@#]*")
MAX_CLUSTER = 60
_COPIES = frozenset({"rsync", "scp", "sftp"})
_MACHINE = re.compile(r"(?!-)(?:[^/:@\s]+@)?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9][A-Za-z0-9.-]+):(?!//)")
"""A word with a host before a colon before its first slash; one letter is a drive."""
_VALUE_END = re.compile(r"[=:,]")
"""What stands between the values that programs take in one word."""
_ADDRESS = re.compile(r"(?i:(?!file:)[a-z][a-z0-9+.-]*)://(?:[^/\s@'\"]*@)?(\[[0-9A-Fa-f:.]+\]|[^/\s:@'\"<>|;&()`]+)")
_WITH_PATH = re.compile(_ADDRESS.pattern + r"[^\s,:=]*")
_LOGIN = re.compile(
    r"(?:[A-Za-z0-9_.-]+)@([A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9-]+)*)(?::.*)?", re.DOTALL
)


def judged_words(words: Sequence[Word], folders: Folders, findings: Findings) -> tuple[ShellWord, ...]:
    """The words of a command that is not proven, for rules: special ones, those that lead out when read as paths."""
    judged = []
    for at, word in enumerate(words):
        outside = at > MAX_JUDGED_WORDS or (at > 0 and _leads_out(word.text, folders, findings))
        judged.append(shell_word(word.text, special=bool(word.pattern), outside=outside))
    return tuple(judged)


def judged_values(assigned: Sequence[Word], folders: Folders, findings: Findings) -> tuple[ShellWord, ...]:
    """The variables that are set for a command, for rules: those of which a value read as a path, or a part of it,
    leads out. What stands behind a `~` or a sign of a pattern is for the program to read."""
    return tuple(
        shell_word(word.text, special=bool(word.pattern), outside=_leads_out(word.text, folders, findings))
        for word in assigned
    )


def _leads_out(text: str, folders: Folders, findings: Findings) -> bool:
    if _is_outside(text, folders, findings):
        return True
    if _PLAIN.fullmatch(text):
        return False
    for part in _parts(text):
        findings.parts += 1
        if findings.parts > MAX_JUDGED_PARTS or _is_outside(part, folders, findings):
            return True
    return False


def _parts(text: str) -> Iterator[str]:
    """Every part of a word that a program could read as a path: each value in it, and of a cluster of short options
    what stands behind each letter."""
    if text.startswith("-") and not text.startswith("--") and len(text) < MAX_PATH_BYTES + MAX_CLUSTER:
        letters = _CLUSTER.match(text, 1)
        assert letters is not None
        yield from (text[at:] for at in range(2, min(letters.end(), MAX_CLUSTER) + 1))
        if letters.end() > MAX_CLUSTER:
            yield "/"  # no real cluster is that long, so it counts as one that leads out
    elif text.startswith(("@", "+", "<", ">")):
        yield text[1:]
    _, equals, value = text.partition("=")
    if equals:
        yield value
    if _VALUE_END.search(text):
        yield from (part for part in _VALUE_END.split(_WITH_PATH.sub("", text))[1:] if part)


def _is_outside(text: str, folders: Folders, findings: Findings) -> bool:
    if not text.strip():
        return False
    if "://" in text and _ADDRESS.match(text):
        return ".." in text
    if ".." in text and text != (plain := posixpath.normpath(text)) and _is_outside(plain, folders, findings):
        return True
    if _cannot_be_a_path(text):
        return ".." in text or text.startswith(("/", "~"))
    for folder in folders:
        if folder is None and not text.startswith("/"):
            return True
        facts = findings.resolve(text if folder is None else join(folder, text))
        if facts is None or facts.verdict != "inside" or facts.class_ or may_hold_protected_file(facts.rel):
            return True
    return False


def _cannot_be_a_path(text: str) -> bool:
    """Whether the kernel would take it for too long; a path with a part like that leads nowhere."""
    if len(text) <= MAX_COMPONENT_BYTES // 4:
        return False
    raw = text.encode(errors="replace")
    return len(raw) > MAX_PATH_BYTES or any(len(part) > MAX_COMPONENT_BYTES for part in raw.split(b"/"))


def hosts_of(lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """The hosts that argument lists name: in their words, and as `host:path` or `host::module` for programs that copy
    between machines."""
    found: dict[str, None] = {}
    for argv in lists:
        found.update(dict.fromkeys(hosts_in(argv)))
        if argv and argv[0].rpartition("/")[2] in _COPIES:
            machines = (_MACHINE.match(word) for word in argv[1:])
            found.update({match[1].strip("[]").casefold(): None for match in machines if match})
    return tuple(found)


def hosts_in(texts: Iterable[str]) -> tuple[str, ...]:
    """The hosts that words name, as addresses or as `user@host`, each once, in order, in lower case."""
    found: dict[str, None] = {}
    for text in texts:
        if "://" in text:
            for match in _ADDRESS.finditer(text):
                found[match.group(1).strip("[]").casefold()] = None
        elif "@" in text and (login := _LOGIN.fullmatch(text)):
            found[login.group(1).casefold()] = None
    return tuple(found)
