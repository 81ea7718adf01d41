"""The parts of a line beyond plain commands, as far as they can be read for certain, and the reader of words."""

import re
from abc import ABC, abstractmethod
from dataclasses import field

from desktop.policy.shell.words.lexer import NotInSubset
from desktop.records import dataclass

_PIECE = re.compile(
    r"(?P<plain>[A-Za-z0-9_./,:+@%^=\-\]!#~]+|[^\x00-\x7f]+)|'(?P<single>[^']*)'|\\(?P<escaped>[^\n])"
    r"|(?P<empty>\{\})|(?P<glob>[*?\[]+)|(?P<double>\")|\{(?P<brace>[A-Za-z0-9_./@+-]*(?:,[A-Za-z0-9_./@+-]*)+)\}"
    r"|\$(?:\{(?P<braced>[A-Za-z_]\w*)\}|(?P<name>[A-Za-z_]\w*|\?))|(?P<sum>\$\(\([0-9+*/% -]*\)\))|(?P<sub>\$\()",
    re.ASCII,
)
_INNER = re.compile(
    r"(?P<text>(?:[^\"\\$`]|\\[^\n]|\$(?=[\"|\\) /.]))+)|\$(?:\{(?P<braced>[A-Za-z_]\w*)\}|(?P<name>[A-Za-z_]\w*|\?))"
    r"|(?P<sum>\$\(\([0-9+*/% -]*\)\))|(?P<sub>\$\()",
    re.ASCII,
)
_DOUBLE_ESCAPE = re.compile(r'\\([$`"\\])')
WORD_ENDS = " \t\n;|&<>)"


@dataclass(slots=True)
class Part:
    """One part of a word. `kind`: text, glob, brace (its items parted by commas), variable, or output, which is what
    `body` prints or a number."""

    kind: str
    text: str
    quoted: bool = False
    body: "Steps | None" = None


@dataclass(slots=True)
class Spelled:
    """One word as it is written, at characters `start` to `end`."""

    parts: list[Part]
    start: int
    end: int

    @property
    def plain(self) -> str:
        """The text of the word where all of it is unquoted text, else ""."""
        return self.parts[0].text if [(p.kind, p.quoted) for p in self.parts] == [("text", False)] else ""


@dataclass(slots=True)
class Plain:
    """A simple command. `span`: its words without redirects, which are descriptor, operator and target."""

    words: list[Spelled]
    span: tuple[int, int]
    redirects: list[tuple[str, str, Spelled]] = field(default_factory=list)


@dataclass(slots=True)
class Assigned:
    """A variable that gets a value."""

    name: str
    value: Spelled
    span: tuple[int, int]


@dataclass(slots=True)
class Tested:
    """`[[ … ]]`: the words of its tests."""

    tests: list[list[Spelled]]
    span: tuple[int, int]


@dataclass(slots=True)
class Loop:
    """A `for` loop over words."""

    name: str
    words: list[Spelled]
    body: "Steps"
    span: tuple[int, int]


@dataclass(slots=True)
class Choice:
    """`if` with all its conditions and bodies, in order."""

    branches: list["Steps"]
    span: tuple[int, int]


Node = Plain | Assigned | Tested | Loop | Choice
Steps = list[tuple[str, Node]]
"""Nodes, each with the operator before it, "" for the first, ";" for a line feed too."""


class Words(ABC):
    """Reads the words of a text. `sub` reads the commands of a substitution from behind its `$(` on."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    @abstractmethod
    def sub(self) -> Steps:
        """The steps between `$(` and its `)`, which is passed over."""

    def word(self) -> Spelled:
        """The word that begins here. Raises NotInSubset where it holds more than can be read."""
        start = self.at
        parts: list[Part] = []
        while (found := _PIECE.match(self.text, self.at)) is not None:
            self.at = found.end()
            kind = found.lastgroup or ""
            if kind == "name" and self.text.startswith("{", self.at):  # bash reads $x{a,b} as $xa $xb
                break
            if kind == "double":
                parts += self._double()
            else:
                parts.append(self._part(kind, found[kind], quoted=kind in ("single", "escaped")))
        if self.at == start or (self.at < len(self.text) and self.text[self.at] not in WORD_ENDS):
            raise NotInSubset("It holds more than plain words.", self.text[self.at : self.at + 40])
        return Spelled(parts, start, self.at)

    def _double(self) -> list[Part]:
        parts = [Part("text", "", quoted=True)]
        while (found := _INNER.match(self.text, self.at)) is not None:
            self.at = found.end()
            kind = found.lastgroup or ""
            text = _DOUBLE_ESCAPE.sub(r"\1", found[kind]) if kind == "text" else found[kind]
            parts.append(self._part(kind, text, quoted=True))
        if not self.text.startswith('"', self.at):
            raise NotInSubset("It holds more than plain words.", self.text[self.at : self.at + 40])
        self.at += 1
        return parts

    def _part(self, kind: str, text: str, *, quoted: bool) -> Part:
        if kind in ("braced", "name"):
            return Part("variable", text, quoted=quoted)
        if kind == "sub":
            return Part("output", text, quoted=quoted, body=self.sub())
        if kind == "sum":
            return Part("output", text, quoted=quoted)
        return Part(kind if kind in ("glob", "brace") else "text", text, quoted=quoted)
