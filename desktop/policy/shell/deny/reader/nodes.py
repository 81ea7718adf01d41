"""The nodes that the deny reader makes of a text: words of pieces, and commands that hold commands."""

from dataclasses import field

from desktop.records import dataclass

MAYBE = "\x00"  # a part that is known only at run time and may be empty
SOME = "\x01"  # a part that is known only at run time and is not empty
ANSI_ESCAPES = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}

_SPECIAL = "{},~ \t\n"
_EMPTY = "\U000f00ff"
_STAND_INS = tuple((char, chr(0xF0000 + index)) for index, char in enumerate(_SPECIAL))


def hidden(text: str) -> str:
    """A quoted text in which braces, tilde and blanks have lost their meaning until `shown` gives them back."""
    if not text:
        return _EMPTY
    for char, stand_in in _STAND_INS:
        if char in text:
            text = text.replace(char, stand_in)
    return text


def shown(text: str) -> str:
    """The text with what `hidden` put away."""
    if text.isascii():
        return text
    for char, stand_in in _STAND_INS:
        if stand_in in text:
            text = text.replace(stand_in, char)
    return text.replace(_EMPTY, "")


@dataclass(slots=True)
class Parameter:
    """`$name` or `${name…}`; `op` is what follows the name up to its argument."""

    name: str
    op: str = ""
    argument: "Word" = ""
    quoted: bool = False


@dataclass(slots=True)
class Substitution:
    """`$(…)`, backticks (`$`), `<(…)` (`<`) or `>(…)` (`>`)."""

    body: "Listing"
    kind: str = "$"
    quoted: bool = False


Piece = str | Parameter | Substitution
Word = str | tuple[Piece, ...]


@dataclass(slots=True)
class Redirect:
    """`op` with its target; for here-documents and here-strings `target` is the text that is fed."""

    op: str
    target: Word
    fd: str = ""


@dataclass(slots=True)
class Assignment:
    """`name=…` before or instead of a command; an array gives several values."""

    name: str
    values: list[Word]
    adds: bool = False


@dataclass(slots=True)
class Simple:
    """Assignments, words and redirects. `argv`: the words, where they are all there is and the shell makes nothing
    else of them."""

    assignments: list[Assignment] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    argv: list[str] | None = None


@dataclass(slots=True)
class Pipeline:
    """Commands joined by `|`."""

    parts: list["Node"]


@dataclass(slots=True)
class Function:
    """The definition of a function."""

    name: str
    body: "Node"


@dataclass(slots=True)
class Compound:
    """A group, subshell, loop, branch or case: all its lists, one after another. A loop has a variable and items."""

    bodies: list["Listing"]
    variable: str = ""
    items: list[Word] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    subshell: bool = False


@dataclass(slots=True)
class Listing:
    """Commands one after another; `background` marks those that end in `&`."""

    items: list["Node"] = field(default_factory=list)
    background: list[bool] = field(default_factory=list)


Node = Simple | Pipeline | Function | Compound
