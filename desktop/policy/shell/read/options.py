"""The reading of a program's words: its options, their values and its operands, by a row of the table (gate-S7)."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import cache
from typing import Literal

from desktop.records import dataclass

Operands = Literal["paths", "text", "none", "pattern"]
NUMBER = re.compile(r"[+-]?[0-9][0-9A-Za-z.]*|0x[0-9A-Fa-f]+")
_COUNT = re.compile(r"-[0-9]+")
_DIFFERS = "Versions of this program differ in whether this option takes a value."
_MARKED = re.compile(r"(--?[A-Za-z0-9?-]+?)([=#@%~]*|[:?!])")


@dataclass(slots=True)
class Arg:
    """One argument as the program gets it. `symbolic`: an unquoted glob of which no match is known, as a pattern;
    `matched`: it came from a glob."""

    text: str
    symbolic: str = ""
    matched: bool = False


@dataclass(frozen=True)
class Row:
    """One program, or one of its sub-commands, that can be proven to read only.

    `options`, one after another: `-abc` three short ones without a value; `--name` a long one. A sign behind says that
    it takes a value: `=` any text, `~` any text that may begin with a dash, `#` a number, `@` a path, `%` a text that
    is also judged as a path, `:` one that may be left out and is never a word of its own, `?` a text that may be
    left out behind the last word only, so that the next word is its value whatever that is. More signs: so many values,
    each a word of its own, whatever it looks like. `!`: versions differ in whether it takes one, so that it is never
    proven: what one takes for a value another reads as a file.

    `counts`: `-5` is a number. `most`: operands at most. `ordered`: options stand before operands. `shows`: it shows
    what is in files. `bare_globs`: no option of the program, listed or not, can write or run anything. `split`: values
    are not attached to short options.
    """

    options: str = ""
    operands: Operands = "paths"
    counts: bool = False
    most: int | None = None
    ordered: bool = False
    shows: bool = True
    bare_globs: bool = False
    split: bool = False


@dataclass(slots=True)
class Call:
    """One call read by its row. `options`: name and value, None without one, in order. `problem`: the first word that
    the row does not know, with why; the rest is read on as well as it can be."""

    options: list[tuple[str, str | None]] = field(default_factory=list)
    operands: list[Arg] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    problem: tuple[str, str] | None = None

    def has(self, *names: str) -> bool:
        """Whether one of these options was given."""
        return any(name in names for name, _ in self.options)

    def values(self, *names: str) -> list[str]:
        """The values given to these options."""
        return [value for name, value in self.options if name in names and value is not None]

    def fail(self, reason: str, word: str) -> None:
        """Notes why this call cannot be proven, unless something was noted before."""
        self.problem = self.problem or (reason, word)


@cache
def known_options(row: Row) -> dict[str, str]:
    """Option → the sign of its value, "" without one."""
    found: dict[str, str] = {}
    for word in row.options.split():
        matched = _MARKED.fullmatch(word)
        assert matched is not None, word
        name, sign = matched.groups()
        if name.startswith("--") or len(name) == 2:
            found[name] = sign
        else:
            found.update({f"-{letter}": "" for letter in name[1:]})
    return found


def read_call(row: Row, args: Sequence[Arg]) -> Call:
    """The words behind the program's name, read as the row says."""
    return _Reader(row, args).read()


class _Reader:
    def __init__(self, row: Row, args: Sequence[Arg]) -> None:
        self._row = row
        self._known = known_options(row)
        self._rest: Iterator[Arg] = iter(args)
        self._call = Call()

    def read(self) -> Call:
        row, call = self._row, self._call
        for arg in self._rest:
            text = arg.text
            if text == "--":
                call.operands += self._rest
            elif text[:1] != "-" or text == "-":
                call.operands.append(arg)
            elif row.counts and _COUNT.fullmatch(text):
                call.options.append(("-#", text[1:]))
            elif row.ordered and call.operands:
                call.fail("Options of this program are taken for files behind an operand.", text)
            elif arg.matched or (arg.symbolic and not self._is_long_text(arg)):
                call.fail("A file name that a glob makes could be taken for an option.", text)
            elif text.startswith("--"):
                self._long(text)
            else:
                self._short(text)
        if row.most is not None and len(call.operands) > row.most:
            call.fail("It has more operands than one that only reads.", call.operands[row.most].text)
        return call

    def _is_long_text(self, arg: Arg) -> bool:
        """Whether every name that fits this glob is the same option with some text (`--include=*.py`)."""
        name, equals, _ = arg.symbolic.partition("=")
        return bool(equals) and self._known.get(name) in ("=", "~", ":")

    def _long(self, text: str) -> None:
        name, equals, value = text.partition("=")
        sign = self._known.get(name)
        if sign is None or (equals and not sign):
            self._call.fail("This option is not known to be harmless.", text)
        elif sign == "!":
            self._call.fail(_DIFFERS, text)
        elif len(sign) > 1:
            self._more_values(name, sign, text)
        elif not sign or (sign == ":" and not equals):
            self._call.options.append((name, None))
        elif equals:
            self._value(name, sign, value, attached=True)
        else:
            self._next_value(name, sign)

    def _short(self, text: str) -> None:
        for at in range(1, len(text)):
            name = f"-{text[at]}"
            sign = self._known.get(name)
            attached = text[at + 1 :]
            if sign is None:
                self._call.fail("This option is not known to be harmless.", text)
                return
            if sign == "!":
                self._call.fail(_DIFFERS, text)
                return
            if sign == ":":
                self._value(name, sign, attached, attached=True)
                return
            if sign:
                self._valued_short(name, sign, attached, text)
                return
            self._call.options.append((name, None))

    def _valued_short(self, name: str, sign: str, attached: str, text: str) -> None:
        if attached and self._row.split and not (sign == "#" and attached.isdecimal()):
            self._call.fail("A value attached to an option is read differently by some versions.", text)
        elif attached:
            self._value(name, sign, attached, attached=True)
        else:
            self._next_value(name, sign)

    def _next_value(self, name: str, sign: str) -> None:
        arg = next(self._rest, None)
        if arg is None and sign == "?":
            self._call.options.append((name, None))
        elif arg is None:
            self._call.fail("This option lacks its value.", name)
        elif arg.symbolic:
            self._call.fail("A glob stands where a value should.", arg.text)
        else:
            self._value(name, sign, arg.text, attached=False)

    def _more_values(self, name: str, signs: str, text: str) -> None:
        if text != name:
            self._call.fail("The values of this option are words of their own.", text)
        for sign in signs:
            self._next_value(name, sign)

    def _value(self, name: str, sign: str, value: str, *, attached: bool) -> None:
        self._call.options.append((name, value))
        if sign == "#" and not NUMBER.fullmatch(value):
            self._call.fail("The value of this option should be a number.", value)
        elif sign in "=@%?" and not attached and value.startswith("-") and value != "-":
            self._call.fail("The value of this option looks like an option.", value)
        if sign in "@%":
            self._call.paths.append(value)


Check = Callable[[Call], tuple[str, str] | None]
"""What the row alone cannot say of a call: why it is not proven, with the word, or None."""
