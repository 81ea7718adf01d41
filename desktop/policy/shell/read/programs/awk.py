"""Programs of awk that choose, print and add up, and can neither write, read nor run anything else.

What a program of awk can do beyond that begins with certain signs and words: `>` behind print, `|`, `getline`,
`system`, the environment, the list of files. So a program is read as a row of signs, each of a closed list, and is
refused where two versions of awk could see other signs in it.
"""

import re
from collections.abc import Sequence

from desktop.policy.shell.read.options import Arg, Row, read_call
from desktop.policy.shell.read.programs.regex import regex_end
from desktop.policy.shell.read.proof import Proof

ROW = Row("-F~ -v~", ordered=True)
MAX_PROGRAM = 2_000
_SIGN = re.compile(
    r"(?P<blank>[ \t]+)|(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![A-Za-z0-9_.]))"
    r'|(?P<text>"(?:[^"\\\n]|\\[^\n])*")|(?P<name>[A-Za-z_][A-Za-z0-9_]*)'
    r"|(?P<sign>&&|\|\||\+\+|--|[-+*%^=!<>]=|!~|[-+*%^(){}\[\],;?:<>=!~$\n])"
)
_WORDS = frozenset({"BEGIN", "END", "print", "printf", "if", "else", "for", "in", "next", "exit", "delete"})
_FUNCTIONS = frozenset(
    {"length", "substr", "index", "split", "sub", "gsub", "match", "sprintf", "tolower", "toupper", "int"}
)
_VARIABLES = frozenset({"NR", "NF", "FNR", "FS", "OFS", "RS", "ORS", "FILENAME", "SUBSEP", "RSTART", "RLENGTH"})
_NO_NAMES = frozenset(
    {
        "function", "func", "while", "do", "break", "continue", "return", "switch", "case", "default", "getline",
        "nextfile", "close", "fflush", "system", "include", "load", "namespace", "srand", "rand", "sin", "cos", "atan2",
        "exp", "log", "sqrt", "systime", "strftime", "mktime", "gensub", "asort", "asorti", "strtonum", "and", "or",
        "xor", "lshift", "rshift", "compl", "patsplit", "isarray", "typeof", "intdiv", "dcgettext", "dcngettext",
        "bindtextdomain", "mkbool",
    }
)  # fmt: skip
_BEFORE_REGEX = frozenset("(){},;!~\n") | {"&&", "||", "!~", "print", "else", ""}
_FOR = re.compile(r"[ \t]*\([ \t]*[a-z_]\w*[ \t]+in[ \t]+[a-z_]\w*[ \t]*\)")
_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=[^\\@]*", re.DOTALL)
_BRACKET = re.compile(r"[ \t]*\(")
_FORMAT = re.compile(r'[ \t]*\(?[ \t]*"')


def prove_awk(proof: Proof, args: Sequence[Arg]) -> None:
    """Judges the words behind `awk`: `-F` and `-v`, a program of the closed grammar, files."""
    call = read_call(ROW, args)
    if call.problem:
        proof.fail("option", *call.problem)
    for value in call.values("-v"):
        named = _ASSIGNED.fullmatch(value)
        if named is None or not _is_variable(named[1]):
            proof.fail("option", "Only plain values of the program's own variables are proven.", value)
    program, files = call.operands[:1], call.operands[1:]
    words = args[: len(args) - len(files)]
    if not program or any(arg.symbolic or arg.matched for arg in words):
        proof.fail("operand", "This call of awk has no plain program.", "awk")
    elif not is_read(program[0].text):
        proof.fail("operand", "Only programs of awk that choose and print are proven.", program[0].text[:80])
    for arg in files:
        if "=" in arg.text:
            proof.fail("operand", "A word with = sets a variable of the program.", arg.text)
        proof.operand(arg, shows=True)


def _is_variable(name: str) -> bool:
    """Whether a name is one of the program's own, or one that awk only counts and splits by. Names in capitals can be
    the environment, the arguments or a program."""
    if name in _VARIABLES:
        return True
    return any(char.islower() for char in name) and name not in _WORDS | _FUNCTIONS | _NO_NAMES


def is_read(program: str) -> bool:
    """Whether a program is of the closed grammar."""
    return bool(program.strip()) and len(program) <= MAX_PROGRAM and _Program(program).read()


class _Program:
    """Reads sign by sign. `_before`: the one before, with its kind; `_prints`: a print may still go on, so that `>`
    would write; `_brackets`: for each open one whether it belongs to an `if` or `for`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._before = ""
        self._kind = ""
        self._prints = False
        self._brackets: list[bool] = []
        self._condition_ended = False

    def read(self) -> bool:
        """Whether all of it could be read."""
        while self._at < len(self._text):
            if not self._step():
                return False
        return not self._brackets

    def _step(self) -> bool:
        if self._text.startswith("/", self._at):
            return self._slash()
        found = _SIGN.match(self._text, self._at)
        if found is None:
            return False
        self._at = found.end()
        kind, part = found.lastgroup or "", found[0]
        if kind == "blank":
            return True
        known = self._name(part) if kind == "name" else kind != "sign" or self._sign(part)
        self._before, self._kind = part, kind
        return known

    def _ends_operand(self) -> bool:
        """Whether what stands before can be divided, or ends a print at a line break."""
        if self._before == ")":
            return not self._condition_ended
        return self._kind == "number" or self._before == "]" or (self._kind == "name" and _is_variable(self._before))

    def _slash(self) -> bool:
        """An expression between slashes, or a division where something to divide stands before it."""
        end = self._at
        if not self._ends_operand():
            end = regex_end(self._text, self._at + 1, "/") if self._before in _BEFORE_REGEX else -1
        divides = end == self._at
        self._at = end + 1
        self._before, self._kind = "/", "slash"
        return end >= 0 and not (divides and self._text.startswith("=", self._at))

    def _name(self, name: str) -> bool:
        bracket = bool(_BRACKET.match(self._text, self._at))
        if name in _FUNCTIONS:
            return bracket or name == "length"
        if name not in _WORDS:
            return _is_variable(name) and not bracket
        if name in ("print", "printf"):
            self._prints = True
            return name == "print" or bool(_FORMAT.match(self._text, self._at))
        if name == "for":
            return bool(_FOR.match(self._text, self._at))
        return not bracket or name == "if"

    def _sign(self, sign: str) -> bool:
        if sign in ("{", "}", ";"):
            self._prints = False
            return not self._brackets
        if sign == "\n":
            self._prints = self._prints and not (self._ends_operand() or self._kind == "text")
            return not self._brackets
        if sign in ("(", "["):
            self._brackets.append(self._before in ("if", "for"))
        elif sign in (")", "]"):
            if not self._brackets:
                return False
            self._condition_ended = self._brackets.pop()
        return sign not in (">", ">=") or not self._prints
