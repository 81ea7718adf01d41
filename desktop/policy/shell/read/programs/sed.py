"""Scripts of sed that print, leave out or replace, and can neither write, read nor run anything else."""

import re
from collections.abc import Sequence

from desktop.policy.shell.read.options import Arg, Row, read_call
from desktop.policy.shell.read.programs.regex import plain_end, regex_end
from desktop.policy.shell.read.proof import Proof

ROW = Row("-nEr -e~", ordered=True)
MAX_SCRIPT = 2_000
MAX_DEPTH = 4
_DELIMITERS = frozenset("/#|,@!:%+_~=")
_NUMBER = re.compile(r"\$|[0-9]{1,9}(?:~[0-9]{1,9})?")
_SECOND = re.compile(r"\$|[+~]?[0-9]{1,9}")
_BLANKS = re.compile(r"[ \t]*")
_FLAGS = re.compile(r"[gpIiMm0-9]*")
_ADDRESS_FLAGS = re.compile(r"[IM]*")
_BETWEEN = re.compile(r"[ \t;\n]*")
_SIMPLE = re.compile(r"[pd=nNPgGhHx]|[qQ][ \t]*[0-9]{0,3}")
_FLAG_OR_END = frozenset("gpiImMew0123456789;}# \t\n")
_END = re.compile(r"[ \t]*(?:[;\n]|(?=\})|\Z)")


def prove_sed(proof: Proof, args: Sequence[Arg]) -> None:
    """Judges the words behind `sed`: options first, for where they stand behind a file some versions take them for
    files and others do not; then the script, unless `-e` gives it, and files."""
    call = read_call(ROW, args)
    if call.problem:
        proof.fail("option", *call.problem)
    scripts, files = call.values("-e"), call.operands
    if not call.has("-e"):
        scripts, files = [arg.text for arg in files[:1]], files[1:]
    words = args[: len(args) - len(files)]
    if not scripts or any(arg.symbolic or arg.matched for arg in words):
        proof.fail("operand", "This call of sed has no plain script.", "sed")
    for script in scripts:
        if not is_read(script):
            proof.fail("operand", "Only scripts of sed that print or replace are proven.", script[:80])
    for arg in files:
        proof.operand(arg, shows=True)


def is_read(script: str) -> bool:
    """Whether a script is of the closed grammar: lines by number or expression, then `p d = n N P g G h H x q`, `s`
    without its flags `w` and `e`, and groups."""
    return len(script) <= MAX_SCRIPT and _Script(script).read()


class _Script:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._place = 0
        self._depth = 0

    def read(self) -> bool:
        """Whether all of it could be read."""
        while True:
            self._skip(_BETWEEN)
            if self._at == len(self._text):
                return self._depth == 0
            if not self._command():
                return False

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        found = pattern.match(self._text, self._at)
        if found is None:
            return False
        self._at = found.end()
        return True

    def _command(self) -> bool:
        if not self._addresses():
            return False
        self._skip(_BLANKS)
        if self._take("!"):
            self._skip(_BLANKS)
        return self._function()

    def _take(self, sign: str) -> bool:
        found = self._text.startswith(sign, self._at)
        self._at += found
        return found

    def _addresses(self) -> bool:
        """Up to two addresses; whether what stands there can be read."""
        first = self._address(_NUMBER)
        if not first:
            return first is None
        self._skip(_BLANKS)
        if not self._take(","):
            return True
        self._skip(_BLANKS)
        return bool(self._address(_SECOND))

    def _address(self, number: re.Pattern[str]) -> bool | None:
        """None where there is none, False where there is one that cannot be read."""
        if self._skip(number):
            return True
        escaped = self._take("\\")
        delimiter = self._text[self._at : self._at + 1]
        if not escaped and delimiter != "/":
            return None
        start = self._at + 1
        if delimiter not in _DELIMITERS or not self._past(delimiter, start):
            return False
        first = plain_end(self._text, start, delimiter)
        self._skip(_ADDRESS_FLAGS)
        return first + 1 == self._place or self._text[first + 1] == "]"

    def _past(self, delimiter: str, start: int) -> bool:
        end = regex_end(self._text, start, delimiter, in_brackets=True)
        self._at = self._place = end + 1
        return end >= 0

    def _function(self) -> bool:
        if self._take("{"):
            self._depth += 1
            return self._depth <= MAX_DEPTH
        if self._take("}"):
            self._depth -= 1
            return self._depth >= 0 and self._skip(_END)
        if self._take("s"):
            return self._substitution() and self._skip(_END)
        return self._skip(_SIMPLE) and self._skip(_END)

    def _substitution(self) -> bool:
        delimiter = self._text[self._at : self._at + 1]
        start = self._at + 1
        if delimiter not in _DELIMITERS or not self._past(delimiter, start):
            return False
        if not self._same_for_all(delimiter, start):
            return False
        while self._at < len(self._text):
            char = self._text[self._at]
            if char == delimiter:
                self._at += 1
                return self._skip(_FLAGS)
            if char == "\n" or self._text.startswith("\\\n", self._at):
                return False
            self._at += 2 if char == "\\" else 1
        return False

    def _same_for_all(self, delimiter: str, start: int) -> bool:
        """Whether a sed that ends an expression at a sign in brackets too reads the same here, or finds a fault: a flag
        that there is not, for which it does nothing at all."""
        first = plain_end(self._text, start, delimiter)
        if first + 1 == self._place:
            return True
        second = plain_end(self._text, first + 1, delimiter)
        flag = self._text[second + 1 : second + 2]
        return second >= 0 and bool(flag) and flag not in _FLAG_OR_END
