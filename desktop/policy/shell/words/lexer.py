"""Our own reading of a command line, for the closed subset only (gate-S5). What it does not know it does not guess."""

import re
from dataclasses import field

from desktop.policy.shell.words.assignments import ASSIGNMENT
from desktop.records import dataclass

MAX_WORDS = 1_200
MAX_PARTS = 200
RESERVED = frozenset(
    {
        "if",
        "then",
        "else",
        "elif",
        "fi",
        "do",
        "done",
        "case",
        "esac",
        "while",
        "until",
        "for",
        "select",
        "in",
        "function",
        "time",
        "coproc",
        "!",
        "[[",
        "]]",
        "{",
        "}",
    }
)
_BLANK = re.compile(r"(?:[ \t]+(?:\\\n)?)+|(?:\\\n[ \t]*)+")
_COMMENT = re.compile(r"#[^\n]*")
_OPERATOR = re.compile(r"&&|\|\||;|\||\n")
_REDIRECT = re.compile(r"(?:([0-9]{1,4})(?=[<>]))?(>>|>&|&>|>|<)")
_PLAIN_WORD = re.compile(r"[A-Za-z0-9_./,:+@%^=\-]+(?=[ \t\n;|&<>]|\Z)")
_EMPTY_BRACES = re.compile(r"\{\}(?=[ \t\n;|&<>]|\Z)")
_WORD_CHARS = re.compile(r"[A-Za-z0-9_./,:+@%^=\-]++")
_PLAIN_WORDS = re.compile(r"(?:[ \t]*+[A-Za-z0-9_./,:+@%^=\-]++(?=[ \t\n;|]|\Z))+")
_PART = re.compile(
    r"(?P<plain>[A-Za-z0-9_./,:+@%^=\-\]!#~]+|[^\x00-\x7f]+)|'(?P<single>[^']*)'"
    r'|"(?P<double>(?:[^"\\$`]|\\[^\n]|\$(?=["|\\) /.]))*)"|\\(?P<escaped>[^\n])|(?P<glob>[*?\[]+)'
)
_DOUBLE_ESCAPE = re.compile(r'\\([$`"\\])')
_GLOB_SIGNS = re.compile(r"([*?\[\]\\])")
_GLOB = re.compile(r"[*?]|\[.*\]", re.DOTALL)
_TILDE = re.compile(r"(?:^|[:=])~")
_OTHER_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[.*\])?\+?=", re.DOTALL)
_SIGNS = (
    ("$((", "It calculates."),
    ("$(", "It runs a command to make a word of another."),
    ("`", "It runs a command to make a word of another."),
    ("$'", "It writes characters by their codes."),
    ("$", "It uses a variable."),
    ("<<", "It feeds a text to a command."),
    ("<(", "It runs a command to make a file for another."),
    ("(", "It runs commands in a shell of their own."),
    ("&", "It runs a command in the background."),
)


class NotInSubset(Exception):
    """The text is outside the closed subset; `fragment` is where it leaves it."""

    def __init__(self, reason: str, fragment: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.fragment = fragment


@dataclass(slots=True)
class Word:
    """One word without its quotes. `pattern`: the same as a glob, "" when it holds no unquoted glob; in it a backslash
    takes the meaning from the next character. `bare`: no part of it was quoted."""

    text: str
    start: int
    end: int
    pattern: str = ""
    bare: bool = True


@dataclass(slots=True)
class Redirect:
    """One redirect; `fd` is "" where none is written."""

    fd: str
    operator: str
    target: Word


@dataclass(slots=True)
class LexedCommand:
    """One simple command; `operator` stands before it: "" for the first, ";" for a line feed too. `assigned`: the
    variables that are set for it alone."""

    operator: str
    words: list[Word] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    assigned: list[Word] = field(default_factory=list)

    @property
    def span(self) -> tuple[int, int]:
        """The characters from the first to the last word or redirect target."""
        if self.words and not self.redirects and not self.assigned:
            return self.words[0].start, self.words[-1].end
        parts = self.assigned + self.words + [redirect.target for redirect in self.redirects]
        return min(part.start for part in parts), max(part.end for part in parts)


def lex(text: str, max_commands: int) -> list[LexedCommand]:
    """The simple commands of a line, in order; none for a line of blanks and comments.

    Raises:
        NotInSubset: something else stands in it, more commands than `max_commands`, or very many words.
    """
    commands: list[LexedCommand] = []
    current = LexedCommand("")
    at = words = 0
    while at < len(text):
        if found := _PLAIN_WORDS.match(text, at):
            at = found.end()
            words = _add_plain(text, found, current, words)
        elif found := _BLANK.match(text, at) or _COMMENT.match(text, at):
            at = found.end()
        elif found := _OPERATOR.match(text, at):
            current = _next_command(commands, current, found.group(), at)
            at = found.end()
            if len(commands) > max_commands:
                raise NotInSubset("It has too many commands.")
        else:
            words = _counted(words, 1)
            found = _REDIRECT.match(text, at)
            at = _redirect(text, found, current) if found else _add(text, _word(text, at), current)
    if current.words or current.redirects or current.assigned:
        commands.append(_whole(current))
    elif current.operator in ("&&", "||", "|"):
        raise NotInSubset("A command is missing at the end.", current.operator)
    return commands


def _add(text: str, word: Word, current: LexedCommand) -> int:
    if not current.words and _begins_assignment(text[word.start : word.end]):
        current.assigned.append(word)
    else:
        current.words.append(word)
    return word.end


def _add_plain(text: str, found: re.Match[str], current: LexedCommand, words: int) -> int:
    """Adds a run of plain words; how many words there are now."""
    texts = found[0].split()
    _counted(words, 1)
    total = _counted(words, len(texts))
    parts = [Word(part[0], *part.span()) for part in _WORD_CHARS.finditer(text, *found.span())]
    if not current.words:
        given = next((at for at, part in enumerate(texts) if not _begins_assignment(part)), len(texts))
        current.assigned += parts[:given]
        parts = parts[given:]
    current.words += parts
    return total


def _counted(words: int, more: int) -> int:
    if words + more > MAX_WORDS:
        raise NotInSubset("It has too many words.")
    return words + more


def _next_command(commands: list[LexedCommand], current: LexedCommand, operator: str, at: int) -> LexedCommand:
    if not (current.words or current.redirects or current.assigned):
        if operator != "\n":
            raise NotInSubset("A command is missing before an operator.", operator)
        return current
    commands.append(_whole(current))
    return LexedCommand(";" if operator == "\n" else operator)


def _redirect(text: str, found: re.Match[str], current: LexedCommand) -> int:
    at = found.end()
    blank = _BLANK.match(text, at)
    target = _word(text, blank.end() if blank else at)
    current.redirects.append(Redirect(found.group(1) or "", found.group(2), target))
    return target.end


def _word(text: str, start: int) -> Word:
    """The word that begins here. Raises NotInSubset where there is none, or it holds more than text and globs."""
    if simple := _PLAIN_WORD.match(text, start) or _EMPTY_BRACES.match(text, start):
        return Word(simple.group(), start, simple.end())
    at = start
    plain: list[str] = []
    pattern: list[str] = []
    unquoted: list[str] = []
    while len(plain) <= MAX_PARTS and (found := _PART.match(text, at)):
        kind = found.lastgroup or ""
        part = found.group(kind)
        at = found.end()
        if kind == "double":
            part = _DOUBLE_ESCAPE.sub(r"\1", part)
        is_bare = kind in ("plain", "glob")
        plain.append(part)
        pattern.append(part if is_bare else _GLOB_SIGNS.sub(r"\\\1", part))
        unquoted.append(part if is_bare else "\0")
    if len(plain) > MAX_PARTS or (at < len(text) and text[at] not in " \t\n;|&<>"):
        raise NotInSubset(_why_no_word(text, at, "It holds more than plain words."), text[at : at + 40])
    if at == start:
        raise NotInSubset(_why_no_word(text, at, "A word is missing."), text[at : at + 40])
    outside = "".join(unquoted)
    if "~" in outside and _TILDE.search(outside):
        raise NotInSubset("A ~ stands for a home folder.", text[start:at])
    return Word("".join(plain), start, at, "".join(pattern) if _GLOB.search(outside) else "", bare="\0" not in outside)


def _why_no_word(text: str, at: int, otherwise: str) -> str:
    """Why no plain word stands here, by the sign that does."""
    return next((why for sign, why in _SIGNS if text.startswith(sign, at)), otherwise)


def _begins_assignment(raw: str) -> bool:
    """Whether a word before the program sets a variable for it. Raises NotInSubset for words of the shell's language,
    and where it changes more than one plain variable."""
    if raw in RESERVED:
        raise NotInSubset("It uses the shell's own language.", raw)
    if ASSIGNMENT.match(raw):
        return True
    if _OTHER_ASSIGNMENT.match(raw):
        raise NotInSubset("It sets a variable.", raw)
    return False


def _whole(command: LexedCommand) -> LexedCommand:
    """A command that was read to its end. Raises NotInSubset where it sets variables for all that follows."""
    if command.assigned and not command.words:
        raise NotInSubset("It sets a variable.", command.assigned[0].text)
    return command
