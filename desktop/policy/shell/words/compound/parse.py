"""Reads lines with loops, conditions, tests in double brackets and variables, twice, as plain lines are (gate-S5)."""

import re
from collections.abc import Iterator

from tree_sitter import Node as TreeNode

from desktop.policy.shell.words.compound.syntax import (
    Assigned,
    Choice,
    Loop,
    Node,
    Part,
    Plain,
    Spelled,
    Steps,
    Tested,
    Words,
)
from desktop.policy.shell.words.grammar import parse, too_costly
from desktop.policy.shell.words.lexer import RESERVED, NotInSubset
from desktop.policy.shell.words.parse import odd_characters

MAX_TEXT = 4_000
MAX_NODES = 120
MAX_DEPTH = 4
_BLANK = re.compile(r"(?:[ \t]|(?<=[ \t])\\\n)*")
_LINES = re.compile(r"(?:[ \t\n]|(?<=[ \t])\\\n|(?:(?<=[ \t\n])|\A)#[^\n]*)*")
_COMMENT = re.compile(r"(?<=[ \t\n;])#[^\n]*")
_WORD = re.compile(r"[A-Za-z_]+(?=[ \t\n;&|<>)]|\Z)|\[\[(?=[ \t])|!(?=[ \t])")
_REDIRECT = re.compile(r"(?:([0-9]{1,4})(?=[<>]))?(>>|>&|&>|>|<)")
_OPERATOR = re.compile(r"&&|\|\||\|(?!&)|;(?!;)|\n")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_TEST_OPERATORS = frozenset({"=", "==", "!="})
_KNOWN_KINDS = frozenset(
    {
        "program", "list", "pipeline", "command", "command_name", "word", "number", "raw_string", "string",
        "string_content", "concatenation", "redirected_statement", "file_redirect", "file_descriptor", "comment",
        "test_command", "unary_expression", "binary_expression", "test_operator", "extglob_pattern", "for_statement",
        "do_group", "if_statement", "elif_clause", "else_clause", "variable_assignment", "variable_name",
        "simple_expansion", "expansion", "special_variable_name", "command_substitution", "arithmetic_expansion",
        "brace_expression", "regex",
    }
)  # fmt: skip
_COMPARED = frozenset({"command", "test_command", "for_statement", "if_statement", "variable_assignment"})


def read_compound(text: str) -> Steps:
    """The nodes of a line.

    Raises:
        NotInSubset: it holds more than these, or the two readings differ.
    """
    if len(text) > MAX_TEXT or odd_characters(text) or too_costly(text):
        raise NotInSubset("It is too long to be judged.")
    steps = _Reader(text).steps(())
    if _spans(steps) != _tree_spans(text):
        raise NotInSubset("Two ways of reading it give different commands.")
    return steps


class _Reader(Words):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0
        self._count = 0

    def sub(self) -> Steps:
        steps = self._nested((")",))
        if not self.text.startswith(")", self.at):
            raise self._fault()
        self.at += 1
        return steps

    def _nested(self, stops: tuple[str, ...]) -> Steps:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._fault()
        steps = self.steps(stops)
        self._depth -= 1
        if not steps:
            raise self._fault()
        return steps

    def _fault(self) -> NotInSubset:
        return NotInSubset("It uses more of the shell than can be read.", self.text[self.at : self.at + 40])

    def _skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _next_word(self) -> str:
        found = _WORD.match(self.text, self.at)
        return found[0] if found else ""

    def _take(self, word: str) -> None:
        if self._next_word() != word:
            raise self._fault()
        self.at += len(word)

    def steps(self, stops: tuple[str, ...]) -> Steps:
        """Nodes up to the end of the text or one of these words."""
        found: Steps = []
        operator = ""
        while True:
            self._skip(_LINES)
            if self.at == len(self.text) or self._next_word() in stops or self.text[self.at] in stops:
                if operator in ("&&", "||", "|"):
                    raise self._fault()
                return found
            self._count += 1
            if self._count > MAX_NODES:
                raise self._fault()
            found.append((operator, self._node()))
            self._skip(_BLANK)
            self._skip(_COMMENT)
            following = _OPERATOR.match(self.text, self.at)
            if following is None:
                if self.at < len(self.text) and self.text[self.at] not in stops:
                    raise self._fault()
                return found
            self.at = following.end()
            operator = ";" if following[0] == "\n" else following[0]

    def _node(self) -> Node:
        word = self._next_word()
        if word == "for":
            return self._loop()
        if word == "if":
            return self._choice()
        if word == "[[":
            return self._tested()
        if word in RESERVED:
            raise self._fault()
        if assigned := _ASSIGNMENT.match(self.text, self.at):
            return self._assigned(assigned[1], assigned.end())
        return self._plain()

    def _assigned(self, name: str, value_at: int) -> Assigned:
        start, self.at = self.at, value_at
        value = self.word()
        self._skip(_BLANK)
        if self.at < len(self.text) and not _OPERATOR.match(self.text, self.at):
            raise self._fault()
        return Assigned(name, value, (start, value.end))

    def _plain(self) -> Plain:
        words: list[Spelled] = []
        redirects: list[tuple[str, str, Spelled]] = []
        while True:
            if found := _REDIRECT.match(self.text, self.at):
                self.at = found.end()
                self._skip(_BLANK)
                redirects.append((found[1] or "", found[2], self.word()))
            elif self.at == len(self.text) or self.text[self.at] in "\n;|&)#":
                break
            elif redirects:
                raise self._fault()
            else:
                words.append(self.word())
            self._skip(_BLANK)
        if not words:
            raise self._fault()
        return Plain(words, (words[0].start, words[-1].end), redirects)

    def _loop(self) -> Loop:
        start = self.at
        self._take("for")
        self._skip(_BLANK)
        named = _NAME.match(self.text, self.at)
        if named is None:
            raise self._fault()
        self.at = named.end()
        self._skip(_BLANK)
        self._take("in")
        words: list[Spelled] = []
        self._skip(_BLANK)
        while self.at < len(self.text) and self.text[self.at] not in ";\n":
            words.append(self.word())
            self._skip(_BLANK)
        self._break()
        self._take("do")
        body = self._nested(("done",))
        self._take("done")
        return Loop(named[0], words, body, (start, self.at))

    def _break(self) -> None:
        if self.text[self.at : self.at + 1] not in (";", "\n"):
            raise self._fault()
        self.at += 1
        self._skip(_LINES)

    def _choice(self) -> Choice:
        start = self.at
        self._take("if")
        branches = [self._nested(("then",))]
        self._take("then")
        branches.append(self._nested(("elif", "else", "fi")))
        while self._next_word() == "elif":
            self._take("elif")
            branches.append(self._nested(("then",)))
            self._take("then")
            branches.append(self._nested(("elif", "else", "fi")))
        if self._next_word() == "else":
            self._take("else")
            branches.append(self._nested(("fi",)))
        self._take("fi")
        return Choice(branches, (start, self.at))

    def _tested(self) -> Tested:
        start = self.at
        self._take("[[")
        tests: list[list[Spelled]] = [[]]
        while True:
            self._skip(_BLANK)
            if self.text.startswith(("&&", "||"), self.at):
                self.at += 2
                tests.append([])
                continue
            word = self.word()
            if word.plain == "]]":
                break
            tests[-1].append(_unsplit(word))
        return Tested([_checked(test) for test in tests], (start, self.at))


def _unsplit(word: Spelled) -> Spelled:
    """In double brackets words are neither split nor fitted to names of files."""
    parts = [Part("text", part.text, quoted=True) if part.kind == "glob" else part for part in word.parts]
    return Spelled(parts, word.start, word.end)


def _checked(test: list[Spelled]) -> list[Spelled]:
    texts = ["".join(part.text for part in word.parts) for word in test]
    if len(texts) == 3 and texts[0] != "!" and texts[1] not in _TEST_OPERATORS:
        raise NotInSubset("This test is more than one plain comparison.", " ".join(texts))
    return test


def _spans(steps: Steps) -> list[tuple[int, int]]:
    return sorted(_walk(steps))


def _walk(steps: Steps) -> Iterator[tuple[int, int]]:
    for _, node in steps:
        yield node.span
        for inner in _inside(node):
            yield from _walk(inner)


def _inside(node: Node) -> Iterator[Steps]:
    if isinstance(node, Loop):
        yield node.body
    elif isinstance(node, Choice):
        yield from node.branches
    for word in _words_of(node):
        yield from (part.body for part in word.parts if part.body is not None)


def _words_of(node: Node) -> list[Spelled]:
    if isinstance(node, Plain):
        return [*node.words, *(target for _, _, target in node.redirects)]
    if isinstance(node, Loop):
        return node.words
    if isinstance(node, Assigned):
        return [node.value]
    return [word for test in node.tests for word in test] if isinstance(node, Tested) else []


def _tree_spans(text: str) -> list[tuple[int, int]]:
    """The same from the other reading: places of commands, tests, loops, conditions and assignments."""
    tree = parse(text)
    if tree is None or tree.root_node.has_error:
        raise NotInSubset("It is not a whole command for bash.")
    raw = text.encode()
    found: list[tuple[int, int]] = []
    waiting: list[TreeNode] = [tree.root_node]
    while waiting:
        node = waiting.pop()
        if node.is_named and node.type not in _KNOWN_KINDS:
            raise NotInSubset("It uses more of the shell than can be read.", node.type)
        if node.type in _COMPARED:
            found.append((len(raw[: node.start_byte].decode()), len(raw[: node.end_byte].decode())))
        waiting += node.children
    return sorted(found)
