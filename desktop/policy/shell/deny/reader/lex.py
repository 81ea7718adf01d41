"""Words for the deny reader: quotes, expansions and substitutions, read forgivingly and in linear time."""

import re
from abc import ABC, abstractmethod

from desktop.policy.shell.deny.reader.nodes import (
    SOME,
    Listing,
    Parameter,
    Piece,
    Substitution,
    Word,
    hidden,
)
from desktop.policy.shell.deny.reader.text import ansi_c

MAX_LOAD = 2_000
MAX_BRACKETS = 4_000
_BLANKS = re.compile(r"(?:[ \t\r\f\v]|\\\r?\n)+")
_GAPS = re.compile(r"(?:[\s;]|\\\n)+", re.ASCII)
_PLAIN = re.compile(r"[A-Za-z0-9_./:@%+,^=-]++(?=[\s;&|<>)]|\Z)", re.ASCII)
_RUN = re.compile(r"[^\s;&|<>()$`'\"\\]++", re.ASCII)
_IN_QUOTES = re.compile(r"[^\"$`\\]++")
_IN_TEXT = re.compile(r"[^$`\\]++")
_IN_BRACES = re.compile(r"[^}$`\\'\"]++")
_PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_BRACED_NAME = re.compile(r"([!#]?)([A-Za-z_][A-Za-z0-9_]*|\d+|[@*#?$!-])(\[[^\]\s]*\])?")
_OPERATOR = re.compile(r":?[-=+?]|//|/[#%]?|##?|%%?|\^\^?|,,?|@|:")
_PEEK = re.compile(r"(?:[a-z]{2,8}|[{}!]|\[\[|-p|--)(?=[\s;&|<>()]|\Z)", re.ASCII)
_PARENS = re.compile(r"[()]")


class WordReader(ABC):
    """Reads words at `pos`. `faulty` afterwards: something did not close, was out of place or too much."""

    def __init__(self, text: str, depth: int = 0, load: list[int] | None = None) -> None:
        self.text = text
        self.pos = 0
        self.end = len(text)
        self.faulty = False
        self.depth = depth
        self.load = [0, 0] if load is None else load

    @abstractmethod
    def listing(self, stop: frozenset[str]) -> Listing:
        """Commands up to a closing bracket or one of the words of `stop`."""

    @abstractmethod
    def nested(self, text: str) -> "WordReader":
        """A reader for a text inside this one; its faults count here."""

    def quoted_text(self) -> Word:
        """The whole text as the inside of a here-document: expansions count, quotes do not."""
        pieces: list[Piece] = []
        while self.pos < self.end and self.carry(1):
            self._expandable(pieces, _IN_TEXT, "$`\\\n")
        return _joined(pieces)

    def carry(self, weight: int) -> bool:
        """Count what was read, nested texts included; False once it is more than can be judged in time."""
        self.load[0] += weight
        if self.load[0] > MAX_LOAD:
            self.give_up()
        return self.load[0] <= MAX_LOAD

    def give_up(self) -> None:
        """Skip the rest of the text: there is too much of it, or it is nested too deep."""
        self.faulty = True
        self.pos = self.end

    def skip_blanks(self) -> None:
        """To the next character that is no blank."""
        if found := _BLANKS.match(self.text, self.pos):
            self.pos = found.end()

    def skip_gaps(self) -> None:
        """To the next character that is no blank, line end or semicolon."""
        if found := _GAPS.match(self.text, self.pos):
            self.pos = found.end()

    def peek(self) -> str:
        """The word here if it may be a reserved one."""
        found = _PEEK.match(self.text, self.pos)
        return found[0] if found else ""

    def expect(self, closer: str) -> None:
        """Step over what closes a construct; a fault where it is missing."""
        self.skip_gaps()
        if self.text.startswith(closer, self.pos):
            self.pos += len(closer)
        else:
            self.faulty = True

    def word(self) -> Word:
        """The word at `pos`; nothing is read where none begins."""
        if found := _PLAIN.match(self.text, self.pos):
            self.pos = found.end()
            return found[0]
        pieces: list[Piece] = []
        while self.pos < self.end and self._piece(pieces) and self.carry(1):
            pass
        return _joined(pieces)

    def _piece(self, into: list[Piece]) -> bool:
        """Read one piece of a word; False at its end."""
        if found := _RUN.match(self.text, self.pos):
            into.append(found[0])
            self.pos = found.end()
            if self.text.startswith("(", self.pos) and found[0][-1] in "?*+@!":
                self._extended_glob(into)
            return True
        char = self.text[self.pos]
        if char in "<>" and self.text.startswith("(", self.pos + 1):
            self.pos += 2
            into.append(Substitution(self.listing(frozenset()), char))
            self.expect(")")
        elif char == "\\":
            escaped = self.text[self.pos + 1 : self.pos + 2]
            if escaped not in {"\n", ""}:
                into.append(hidden(escaped))
            self.pos += 2
        elif char == "'":
            self._single(into)
        elif char == '"':
            self._double(into)
        elif char in "$`":
            self._dollar(into, quoted=False)
        else:
            return False
        return True

    def _single(self, into: list[Piece]) -> None:
        closing = self.text.find("'", self.pos + 1)
        if closing < 0:
            self.faulty = True
            closing = self.end
        into.append(hidden(self.text[self.pos + 1 : closing]))
        self.pos = closing + 1

    def _double(self, into: list[Piece]) -> None:
        self.pos += 1
        before = len(into)
        while self.pos < self.end and self.text[self.pos] != '"' and self.carry(1):
            self._expandable(into, _IN_QUOTES, '$`"\\\n')
        if len(into) == before:
            into.append(hidden(""))
        if self.pos >= self.end:
            self.faulty = True
        self.pos += 1

    def _expandable(self, into: list[Piece], plain: re.Pattern[str], escapable: str) -> None:
        if found := plain.match(self.text, self.pos):
            into.append(hidden(found[0]))
            self.pos = found.end()
        elif self.text[self.pos] == "\\":
            escaped = self.text[self.pos + 1 : self.pos + 2]
            if escaped != "\n":
                into.append(hidden(escaped if escaped in escapable else "\\" + escaped))
            self.pos += 2
        else:
            self._dollar(into, quoted=True)

    def _dollar(self, into: list[Piece], *, quoted: bool) -> None:
        if self.text[self.pos] == "`":
            self._backticks(into, quoted=quoted)
        elif self.text.startswith("$((", self.pos) and (end := self.arithmetic_end(self.pos + 3)):
            into.append(self._arithmetic(self.pos + 3, end))
            self.pos = end + 2
        elif self.text.startswith("$(", self.pos):
            self.pos += 2
            into.append(Substitution(self.listing(frozenset()), "$", quoted))
            self.expect(")")
        elif self.text.startswith("${", self.pos):
            self.pos += 2
            self._braced(into, quoted=quoted)
        elif not quoted and self.text.startswith("$'", self.pos):
            self._ansi(into)
        elif not quoted and self.text.startswith('$"', self.pos):
            self.pos += 1
        elif found := _PARAMETER.match(self.text, self.pos + 1):
            into.append(Parameter(found[0], quoted=quoted and found[0] != "@"))
            self.pos = found.end()
        else:
            into.append("$")
            self.pos += 1

    def _ansi(self, into: list[Piece]) -> None:
        closing = self.pos + 2
        while closing < self.end and self.text[closing] != "'":
            closing += 2 if self.text[closing] == "\\" else 1
        self.faulty |= closing >= self.end
        into.append(hidden(ansi_c(self.text[self.pos + 2 : closing])))
        self.pos = closing + 1

    def _backticks(self, into: list[Piece], *, quoted: bool) -> None:
        closing = self.pos + 1
        while closing < self.end and self.text[closing] != "`":
            closing += 2 if self.text[closing] == "\\" else 1
        self.faulty |= closing >= self.end
        inner = re.sub(r"\\([\\`$\"])" if quoted else r"\\([\\`$])", r"\1", self.text[self.pos + 1 : closing])
        self.pos = closing + 1
        reader = self.nested(inner)
        into.append(Substitution(reader.listing(frozenset()), "$", quoted))
        self.faulty |= reader.faulty or reader.pos < reader.end

    def _braced(self, into: list[Piece], *, quoted: bool) -> None:
        """The rest of `${…}`. Its name, operator and argument; anything odd counts as unknown."""
        found = _BRACED_NAME.match(self.text, self.pos)
        prefix, name = (found[1].replace("#", "len"), found[2]) if found else ("", "")
        self.pos = found.end() if found else self.pos
        operator = _OPERATOR.match(self.text, self.pos)
        if operator and self.pos < self.end:
            self.pos = operator.end()
        pieces: list[Piece] = []
        self.depth += 1
        while self.pos < self.end and self.text[self.pos] != "}" and self.depth < 60 and self.carry(1):
            self._in_braces(pieces, quoted=quoted)
        self.depth -= 1
        if not self.text.startswith("}", self.pos):
            self.give_up()
        self.pos += 1
        whole = found is not None and found[3] in {"[@]", "[*]"}
        op = "[@]" if whole and not operator and not prefix else prefix + (operator[0] if operator else "")
        into.append(Parameter(name, op, _joined(pieces), quoted and name != "@" and not whole))

    def _in_braces(self, pieces: list[Piece], *, quoted: bool) -> None:
        char = self.text[self.pos]
        if found := _IN_BRACES.match(self.text, self.pos):
            pieces.append(hidden(found[0]) if quoted else found[0])
            self.pos = found.end()
        elif char == "'" and not quoted:
            self._single(pieces)
        elif char == '"':
            self._double(pieces)
        elif char == "'":
            pieces.append(char)
            self.pos += 1
        elif char == "\\":
            pieces.append(hidden(self.text[self.pos + 1 : self.pos + 2]))
            self.pos += 2
        else:
            self._dollar(pieces, quoted=quoted)

    def _arithmetic(self, start: int, end: int) -> Piece:
        """An arithmetic expansion: its value is unknown, but what it substitutes runs."""
        text = self.text[start:end]
        if text.strip().lstrip("-").isdigit():
            return text.strip()
        if "$(" not in text and "`" not in text:
            return SOME
        return Parameter("", "((", self.inner_text(start, end), quoted=True)

    def inner_text(self, start: int, end: int) -> Word:
        """A part of the text as it stands between double quotes."""
        reader = self.nested(self.text[start:end])
        found = reader.quoted_text()
        self.faulty |= reader.faulty
        return found

    def arithmetic_end(self, start: int) -> int:
        """The place of the `))` that closes the arithmetic opened before `start`; 0 when it is none."""
        level = 0
        for found in _PARENS.finditer(self.text, start, min(self.end, start + 2_000)):
            self.load[1] += 1
            if self.load[1] > MAX_BRACKETS:
                self.faulty = True
                return 0
            if found[0] == "(":
                level += 1
            elif level:
                level -= 1
            else:
                return found.start() if self.text.startswith("))", found.start()) else 0
        return 0

    def _extended_glob(self, into: list[Piece]) -> None:
        """`@(a|b)` and its like stand for any name."""
        level = 0
        for found in _PARENS.finditer(self.text, self.pos, min(self.end, self.pos + 2_000)):
            level += 1 if found[0] == "(" else -1
            if not level:
                self.pos = found.end()
                into.append("*")
                return
        self.give_up()


def _joined(pieces: list[Piece]) -> Word:
    if not pieces:
        return ""
    if all(isinstance(piece, str) for piece in pieces):
        return "".join(piece for piece in pieces if isinstance(piece, str))
    return tuple(pieces)
