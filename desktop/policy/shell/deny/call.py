"""One argument list as the deny matcher sees it, and the marks that unknown and suspicious texts carry."""

import re
from dataclasses import field
from functools import lru_cache
from typing import Literal

from desktop.domain.core.base import Frozen
from desktop.policy.shell.deny.reader.nodes import MAYBE, SOME
from desktop.policy.shell.verdict import DenyHit
from desktop.records import dataclass

FETCHED = "\x02"  # in a text: bytes from the network
DECODED = "\x03"  # in a text: bytes that were decoded
SECRET = "\x04"  # in a text: a credential, or something that holds one
MARKS = FETCHED + DECODED + SECRET
ANY = "?"  # a program that is known only at run time
MAX_FRAGMENT = 200
MAX_PLAIN_WORDS = 64
MAX_NOTABLE_CHARS = 4_096
_NOTABLE = re.compile(
    r"\A[-.+!]|[/~*?\[{}$:;=@`\x00-\x06]|env|id_|secret|credential|netrc|history|banksman|bash|sh\Z|\.(?:pem|key"
    r"|p12|pfx|jks"
    r"|keystore|kdbx|json)\Z",
    re.IGNORECASE,
)
_DEEP_RELATIVE = re.compile(r"[A-Za-z0-9_]+(?:/[A-Za-z0-9_][A-Za-z0-9_-]*)+\.(?!env|pem|key)[a-z0-9]{1,4}")

_SEPARATORS = re.compile(r"[/\\]")
_ENDINGS = (".exe", ".cmd", ".bat", ".com")


class DenyPlaces(Frozen):
    """What is around a line: the home folder, the lane root ("" unknown), the product's own folders, the folder in
    which the line would run (relative to the lane root, or absolute), and the variables with secrets that it alone is
    given, of which a person is asked."""

    home: str
    lane: str = ""
    own_folders: tuple[str, ...] = ()
    cwd: str = "."
    given: tuple[str, ...] = ()


@dataclass(slots=True)
class Call:
    """An argument list found anywhere. `writes` and `reads` are redirect targets, `stdin` the text fed to it as far as
    it is known, `remote` that it runs on another machine, `written` what `written_paths` found of it."""

    program: str
    argv: list[str]
    folder: str = ""
    stdin: str = ""
    writes: list[str] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)
    assigned: list[tuple[str, str]] = field(default_factory=list)
    remote: bool = False
    marks: str = ""
    _parts: tuple[set[str], list[str]] | None = field(default=None, init=False)
    written: list[str] | None = field(default=None, init=False)
    _words: list[str] | None = field(default=None, init=False)

    @property
    def parts(self) -> tuple[set[str], list[str]]:
        """The options and operands of the arguments, as `options` gives them; not to be changed."""
        if self._parts is None:
            self._parts = options(self.args)
        return self._parts

    @property
    def words(self) -> list[str]:
        """The known part of each argument; not to be changed."""
        if self._words is None:
            self._words = [static(word) for word in self.args]
        return self._words

    @property
    def args(self) -> list[str]:
        """The arguments behind the program's name."""
        return self.argv[1:]

    @property
    def fragment(self) -> str:
        """The words as a person may read them."""
        words = " ".join(self.argv) or " ".join(f"> {path}" for path in self.writes)
        return unmarked(words[: MAX_FRAGMENT * 8]).replace(MAYBE, "…").replace(SOME, "…")[:MAX_FRAGMENT]

    def hit(self, class_id: str, reason: str, *, confirm: str = "") -> DenyHit:
        """A hit of a class by this call; with a confirm word it asks, without it forbids."""
        severity: Literal["forbid", "confirm"] = "confirm" if confirm else "forbid"
        return DenyHit(
            id=class_id, severity=severity, reason=reason, fragment=self.fragment, confirm_word=confirm or "run"
        )


def marks_of(*texts: str) -> str:
    """The marks that occur in any of the texts."""
    if all(map(str.isprintable, texts)):
        return ""
    return "".join(mark for mark in MARKS if any(mark in text for text in texts))


def unmarked(text: str) -> str:
    """The text without marks; unknown parts stay."""
    if text.isprintable():
        return text
    for mark in MARKS:
        text = text.replace(mark, "")
    return text


def static(text: str) -> str:
    """The known part of a text, without the marks for what is not known."""
    return text if text.isprintable() else unmarked(text).replace(MAYBE, "").replace(SOME, "")


def is_unknown(text: str) -> bool:
    """Whether a part of the text is known only at run time."""
    return MAYBE in text or SOME in text


@lru_cache(maxsize=512)
def program_name(word: str) -> str:
    """The base name by which programs are compared; unknown parts read as `*`."""
    name = _SEPARATORS.split(unmarked(word).rstrip("/"))[-1].casefold()
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    return name.replace(MAYBE, "*").replace(SOME, "*")


_ABBREVIATED = ("--recursive", "--delete", "--force", "--force-with-lease", "--hard", "--mirror")
"""Long options that destroy; programs take every beginning of them that is no other option's."""


def options(args: list[str]) -> tuple[set[str], list[str]]:
    """Option letters (short clusters split) and long names (`--name`, values cut off), and the operands."""
    letters: set[str] = set()
    operands: list[str] = []
    for index, raw in enumerate(args):
        word = raw if raw.isprintable() else static(raw)
        if word == "--":
            operands += args[index + 1 :]
            break
        if word.startswith("--"):
            name = word.partition("=")[0]
            letters.add(name)
            letters.update(whole for whole in _ABBREVIATED if len(name) > 2 and whole.startswith(name))
        elif word.startswith("-") and len(word) > 1:
            letters |= set(word[1:])
        else:
            operands.append(raw)
    return letters, operands


def thinned(argv: list[str]) -> list[str]:
    """A long argument list without repeated words and, far behind, without plain names that no class looks at.

    Raises:
        OverflowError: still more than can be judged in time.
    """
    if len(argv) <= MAX_PLAIN_WORDS:
        return argv
    rest = dict.fromkeys(argv[MAX_PLAIN_WORDS:])
    kept = [word for word in rest if _NOTABLE.search(word[:MAX_NOTABLE_CHARS])]
    if len(kept) > MAX_PLAIN_WORDS * 4:
        kept = [word for word in kept if not _DEEP_RELATIVE.fullmatch(word)]
    if len(kept) > MAX_PLAIN_WORDS * 10:
        raise OverflowError
    return argv[:MAX_PLAIN_WORDS] + kept


def option_values(args: list[str], *names: str) -> list[str]:
    """The values of options, given apart, attached to a short name, or after `=`."""
    found = []
    for index, raw in enumerate(args):
        word = unmarked(raw)
        if not word.startswith(names):
            continue
        for name in names:
            if word == name and index + 1 < len(args):
                found.append(args[index + 1])
            elif name.startswith("--") and word.startswith(name + "="):
                found.append(raw[raw.index("=") + 1 :])
            elif not name.startswith("--") and len(word) > len(name) and word.startswith(name):
                found.append(word[len(name) :].removeprefix("="))
    return found


_SHORTEST_NAME = 4
_LONGEST_CLUSTER = 60
_LONGEST_WORD = 4_200  # what follows is longer than the kernel takes a path to be
MAX_PIECES = 64


def clustered_values(args: list[str], *names: str) -> list[str]:
    """The values of options as `option_values` gives them, also where a short one stands in a cluster (`-at.git`), and
    where a long one is abbreviated (`--target=.git`).

    Raises:
        OverflowError: a cluster is longer than any real one.
    """
    found = option_values(args, *names)
    letters = {name[1] for name in names if len(name) == 2}
    longs = [name for name in names if name.startswith("--")]
    for index, raw in enumerate(args):
        word, following = unmarked(raw), args[index + 1 : index + 2]
        if word.startswith("--"):
            name, equals, value = word.partition("=")
            if len(name) >= _SHORTEST_NAME and any(long != name and long.startswith(name) for long in longs):
                found += [value] if equals else following
        elif word.startswith("-") and letters and len(word) < _LONGEST_WORD:
            for value in _behind_letters(word, letters):
                found += [value] if value else following
    return found


def _behind_letters(word: str, letters: set[str]) -> list[str]:
    """What follows each of these letters in a cluster, but for its first."""
    end = 1
    while word[end : end + 1].isalnum() or word[end : end + 1] in (*"?@#",):
        end += 1
    if end > _LONGEST_CLUSTER and word[end : end + 1] in (*"./~",):
        raise OverflowError
    return [word[at + 1 :] for at in range(2, min(end, _LONGEST_CLUSTER)) if word[at] in letters]


_PIECE_END = re.compile(r"[^\w.~/*-]+")


def value_pieces(value: str) -> list[str]:
    """A value, and each piece of it that may be a path: of `type=local,dest=x`, of `s,^,x/,`.

    Raises:
        OverflowError: there are more of them than can be judged in time.
    """
    pieces = [piece for piece in _PIECE_END.split(value.replace("\\", "")) if piece]
    if len(pieces) > MAX_PIECES:
        raise OverflowError
    return [value, *pieces] if len(pieces) > 1 or pieces != [value] else [value]
