"""The plain commands that a line with loops, conditions and variables runs, each as often as it is run."""

import re
from collections.abc import Sequence
from itertools import product

from desktop.policy.shell.read.tables import PUBLIC_VARIABLES
from desktop.policy.shell.words.compound.outputs import print_no_pattern
from desktop.policy.shell.words.compound.parse import read_compound
from desktop.policy.shell.words.compound.syntax import Assigned, Choice, Loop, Node, Part, Plain, Spelled, Steps, Tested
from desktop.policy.shell.words.lexer import LexedCommand, NotInSubset, Redirect, Word

MAX_COMMANDS = 200
MAX_BRACES = 64
MAX_WORDS = 1_200
UNKNOWN = "x"
"""What stands for an output that nobody knows before it is there."""
_OWN_NAME = re.compile(r"[a-z][a-z0-9_]*|[A-Z]|(?:FILE|DIR|NAME|PATTERN|ROOT|BASE|SRC|TARGET|FILES|DIRS|COMMIT|BRANCH)")
_TAKEN_NAMES = frozenset(
    {"histchars", "auto_resume", "http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy"}
)
_UNSPLIT = re.compile(r"[A-Za-z0-9_./,:+@%=^-]+")
_GLOB_SIGNS = re.compile(r"([*?\[\]\\])")
_GLOB = re.compile(r"[*?]|\[.*\]", re.DOTALL)
_TILDE = re.compile(r"(?:^|[:=])~")


def unfold(text: str) -> list[LexedCommand]:
    """The commands of a line in the order in which they could run.

    Raises:
        NotInSubset: it cannot be read, or what it runs depends on more than its text.
    """
    unfolding = _Unfolding()
    unfolding.run(read_compound(text), {}, operator="", outer=True)
    if unfolding.pipes_many and any(command.words[0].text == "xargs" for command in unfolding.commands):
        raise NotInSubset("What runs in a pipeline here cannot be told.")
    return unfolding.commands


class _Value:
    """What a variable holds: a text, a name that fits a pattern, or something unknown. `wild`: that could hold the
    signs of a pattern, which bash fits to names of files where it stands without quotes."""

    def __init__(self, text: str, pattern: str = "", *, known: bool = True, wild: bool = False) -> None:
        self.text = text
        self.pattern = pattern
        self.known = known
        self.wild = wild


_PUBLIC = {name: _Value("", known=False) for name in (*PUBLIC_VARIABLES, "?")}
Values = dict[str, _Value]


class _Unfolding:
    """`pipes_many`: what more than one command prints goes into a pipe."""

    def __init__(self) -> None:
        self.commands: list[LexedCommand] = []
        self.pipes_many = False
        self._words = 0

    def run(self, steps: Steps, values: Values, *, operator: str, outer: bool) -> None:
        """Unfolds steps that stand behind this operator; within loops and the like the order decides nothing, because
        no folder is entered there."""
        for at, (own, node) in enumerate(steps):
            following = steps[at + 1][0] if at + 1 < len(steps) else ""
            before = own or operator
            if not outer and at and own != "|":
                before = "&&"
            if not isinstance(node, Plain) and "|" in (own, following):
                self._check_piped(node, own)
            if isinstance(node, Assigned):
                self._assign(node, values, before, alone=outer and own in ("", ";") and following != "||")
            else:
                self._node(node, values, before, outer=outer)

    def _check_piped(self, node: Node, own: str) -> None:
        if own == "|" or isinstance(node, Assigned):
            raise NotInSubset("What runs in a pipeline here cannot be told.")
        self.pipes_many = True

    def _assign(self, node: Assigned, values: Values, operator: str, *, alone: bool) -> None:
        if not alone or not _is_own(node.name):
            raise NotInSubset("It sets a variable.", node.name)
        before = len(self.commands)
        word, known = self._word(_unglobbed(node.value), values, operator)[0]
        wild = not known and self._may_be_wild(node.value, values, before)
        values[node.name] = _Value(word.text, known=known, wild=wild)
        if len(self.commands) == before:
            self._add(LexedCommand(operator, [Word("true", *node.span)]))

    def _node(self, node: Plain | Tested | Loop | Choice, values: Values, operator: str, *, outer: bool) -> None:
        if isinstance(node, Plain):
            self._plain(node, values, operator, outer=outer)
        elif isinstance(node, Tested):
            for test in node.tests:
                words = [Word("test", *node.span), *(self._known(word, values) for word in test)]
                self._add(LexedCommand(operator, words))
                operator = "&&"
        elif isinstance(node, Loop):
            self._loop(node, values, operator)
        else:
            for branch in node.branches:
                self.run(branch, values, operator=operator, outer=False)
                operator = "&&"

    def _loop(self, node: Loop, values: Values, operator: str) -> None:
        if not _is_own(node.name) or node.name in values:
            raise NotInSubset("It sets a variable.", node.name)
        held = [found for word in node.words for found in self._word(word, values, "")]
        if not held or not all(known for _, known in held):
            raise NotInSubset("What it loops over is not known.", node.name)
        for word, _ in held:
            inner = {**values, node.name: _Value(word.text, word.pattern)}
            self.run(node.body, inner, operator=operator, outer=False)
            operator = "&&"

    def _plain(self, node: Plain, values: Values, operator: str, *, outer: bool) -> None:
        name = self._known(node.words[0], {}).text
        if name == "cd" and not outer:
            raise NotInSubset("It enters a folder where that cannot be followed.", name)
        found: list[Word] = []
        start = operator
        for at, spelled in enumerate(node.words):
            if operator == "|" and any(part.body for part in spelled.parts):
                raise NotInSubset("What runs in a pipeline here cannot be told.")
            before = len(self.commands)
            words = self._word(spelled, values, start)
            start = start if len(self.commands) == before else "&&"
            if not all(known for _, known in words) and not _only_prints(name, at, found):
                raise NotInSubset("A word of it is not known before it runs.", name)
            found += [word for word, _ in words]
        redirects = [Redirect(fd, sign, self._known(target, values)) for fd, sign, target in node.redirects]
        self._add(LexedCommand(start, found, redirects))

    def _add(self, command: LexedCommand) -> None:
        self.commands.append(command)
        if len(self.commands) > MAX_COMMANDS:
            raise NotInSubset("It has too many commands.")

    def _known(self, spelled: Spelled, values: Values) -> Word:
        if any(part.kind == "output" for part in spelled.parts):
            raise NotInSubset("A word of it is not known before it runs.")
        words = self._word(spelled, values, "")
        if len(words) != 1 or not words[0][1]:
            raise NotInSubset("A word of it is not known before it runs.")
        return words[0][0]

    def _word(self, spelled: Spelled, values: Values, operator: str) -> list[tuple[Word, bool]]:
        """The words that bash makes of one, and whether each is known."""
        before = len(self.commands)
        for part in spelled.parts:
            if part.body is not None:
                self.run(part.body, values, operator=operator, outer=False)
                operator = "&&"
        bare = Spelled([part for part in spelled.parts if not part.quoted], spelled.start, spelled.end)
        if self._may_be_wild(bare, values, before):
            raise NotInSubset("What stands here without quotes could name files anywhere.", "$")
        choices = [part.text.split(",") if part.kind == "brace" else [part.text] for part in spelled.parts]
        made = list(product(*choices)) if _count(choices) <= MAX_BRACES else []
        self._words += len(made)
        if not made or self._words > MAX_WORDS:
            raise NotInSubset("It names too much.", "{")
        return [self._one(spelled, texts, values) for texts in made]

    def _may_be_wild(self, spelled: Spelled, values: Values, start: int) -> bool:
        """Whether an unknown part could hold the signs of a pattern. `start`: the first command that ran for it."""
        held = (values.get(part.text) for part in spelled.parts if part.kind == "variable")
        if any(value is not None and value.wild for value in held):
            return True
        ran = any(part.body is not None for part in spelled.parts)
        return ran and not print_no_pattern(self.commands[start:])

    def _one(self, spelled: Spelled, texts: Sequence[str], values: Values) -> tuple[Word, bool]:
        plain, pattern, outside = "", "", ""
        known = True
        for part, text in zip(spelled.parts, texts, strict=True):
            if part.kind == "output":
                text, known = UNKNOWN, False
            elif part.kind == "variable":
                value = values.get(part.text) or _PUBLIC.get(part.text)
                if value is None:
                    raise NotInSubset("A variable of it is not known.", part.text)
                if value.pattern and len(spelled.parts) <= 2 and part.quoted and _alone(spelled):
                    return Word(value.text, spelled.start, spelled.end, value.pattern), True
                known = known and value.known and not value.pattern
                text = self._held(part, value)
            bare = part.kind in ("glob", "brace") or (part.kind == "text" and not part.quoted)
            plain += text
            pattern += text if bare else _GLOB_SIGNS.sub(r"\\\1", text)
            outside += text if bare else "\0"
        if _TILDE.search(outside) or not outside:
            raise NotInSubset("A ~ stands for a home folder.", plain)
        return Word(plain, spelled.start, spelled.end, pattern if _GLOB.search(outside) else ""), known

    def _held(self, part: Part, value: _Value) -> str:
        if value.pattern or not value.known:
            return UNKNOWN
        if not part.quoted and not _UNSPLIT.fullmatch(value.text):
            raise NotInSubset("A variable of it stands for more than one word.", part.text)
        return value.text


def _only_prints(name: str, at: int, before: Sequence[Word]) -> bool:
    """Whether the word at this place is only printed, whatever it is: the format of printf is not."""
    if name == "printf":
        return at > 1 + (len(before) > 1 and before[1].text == "--")
    return name == "echo"


def _count(choices: list[list[str]]) -> int:
    total = 1
    for choice in choices:
        total *= len(choice)
    return total


def _alone(spelled: Spelled) -> bool:
    """Whether a variable in double quotes is all of the word."""
    return "".join(part.text for part in spelled.parts if part.kind != "variable") == ""


def _is_own(name: str) -> bool:
    """Whether neither bash nor a program that only reads takes a variable of this name for a setting."""
    return _OWN_NAME.fullmatch(name) is not None and name not in _TAKEN_NAMES


def _unglobbed(spelled: Spelled) -> Spelled:
    """The value of a variable is neither split nor fitted to names of files, and has no lists in braces."""
    if any(part.kind == "brace" for part in spelled.parts):
        raise NotInSubset("It sets a variable.")
    parts = [
        part if part.kind == "text" else Part("text" if part.kind == "glob" else part.kind, part.text, True, part.body)
        for part in spelled.parts
    ]
    return Spelled(parts, spelled.start, spelled.end)
