"""The two readings of a line, and whether they agree (gate-S2, gate-S5)."""

import re
import sys
import unicodedata
from collections.abc import Sequence

from tree_sitter import Node

from desktop.policy.shell.words.grammar import parse, too_costly
from desktop.policy.shell.words.lexer import LexedCommand, NotInSubset, lex
from desktop.policy.shell.words.unquote import WORD_KINDS, unquoted

MAX_COMMANDS = 200
_NAMED = frozenset(
    {
        "list",
        "pipeline",
        "command",
        "command_name",
        "word",
        "number",
        "raw_string",
        "string",
        "string_content",
        "concatenation",
        "redirected_statement",
        "file_redirect",
        "file_descriptor",
        "comment",
        "test_command",
        "unary_expression",
        "binary_expression",
        "test_operator",
        "extglob_pattern",
        "variable_assignment",
    }
)
"""The kinds of nodes that a command may hold, a closed list; of `extglob_pattern`, which stands behind `==`, only a
plain word is taken."""
_UNNAMED = frozenset(["&&", "||", ";", "|", "\n", '"', "<", ">", ">>", ">&", "&>", "[", "]", "!", "=", "==", "!="])
_CONTAINERS = frozenset(
    {"list", "pipeline", "command_name", "redirected_statement", "unary_expression", "binary_expression"}
)
_TEST_SIGNS = frozenset(["[", "]", "!", "=", "==", "!="])
_PLAIN_BYTES = re.compile(rb"[A-Za-z0-9_./,:+@%^=\-]+")
_PLAIN_COMMAND = re.compile(rb"[A-Za-z0-9_./,:+@%^\-]++(?:[ \t]++[A-Za-z0-9_./,:+@%^=\-]++)*")
_ODD = {"Cc", "Cf", "Zl", "Zp", "Co", "Cn", "Cs"}
_BLANK_BYTES = frozenset(b"\x85\xa0")
"""Bash 3.2 asks `isblank` of single bytes, and macOS says yes of these."""
_NOT_PLAIN = re.compile(r"[^\n\t -~]")
_JOINED_LINE = re.compile(r"(?<![ \t])\\\n")

Reading = list[tuple[str, list[str], list[tuple[str, str, str]], list[str]]]
"""Operator before it, arguments, redirects as descriptor, operator and target, variables that are set for it: one entry
a simple command."""


class Unreadable(Exception):
    """The line is not one that can be judged. `code` as in ShellVerdict."""

    def __init__(self, code: str, reason: str, fragment: str = "") -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.fragment = fragment


def odd_characters(text: str, platform: str = sys.platform) -> str:
    """The first character that has no place in a command, as U+XXXX; "" when there is none (gate-S2). On macOS also one
    of which a byte alone is a blank for the bash there, so that a word could end inside it."""
    if text.isascii() and text.isprintable():
        return ""
    blanks = _BLANK_BYTES if platform == "darwin" else frozenset()
    for char in _NOT_PLAIN.findall("".join(dict.fromkeys(text))):
        category = unicodedata.category(char)
        if category in _ODD or category == "Zs" or not blanks.isdisjoint(char.encode(errors="replace")):
            return f"U+{ord(char):04X}"
    return "a line break within a word" if _JOINED_LINE.search(text) else ""


def read_line(text: str) -> list[LexedCommand]:
    """The simple commands of a line inside the closed subset, as both readings have them.

    Raises:
        Unreadable: it is too long, odd, outside the subset, or the readings differ.
    """
    if odd := odd_characters(text):
        raise Unreadable("odd_characters", f"It holds {odd}, which has no place in a command.")
    if too_costly(text):
        raise Unreadable("too_long", "It is too long to be judged.")
    try:
        commands = lex(text, MAX_COMMANDS)
    except NotInSubset as e:
        raise Unreadable("unmodelled", e.reason, e.fragment) from e
    if len(commands) > MAX_COMMANDS:
        raise Unreadable("unmodelled", "It has too many commands.")
    if _reading(commands) != _tree_reading(text):
        raise Unreadable("readings_differ", "Two ways of reading it give different commands.")
    return commands


def _reading(commands: list[LexedCommand]) -> Reading:
    return [
        (
            command.operator,
            [word.text for word in command.words],
            [(redirect.fd, redirect.operator, redirect.target.text) for redirect in command.redirects],
            [word.text for word in command.assigned],
        )
        for command in commands
    ]


class _TreeReader:
    """Collects the commands of the syntax tree of `raw` in the order of the text."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._operator = ""
        self._commands: Reading = []

    def read(self, root: Node) -> Reading:
        """Every command of the tree. Raises Unreadable on a node that is not on the closed list."""
        for statement in root.children:
            self._operator = ";" if self._commands else ""
            self._read(statement)
        return self._commands

    def _read(self, statement: Node) -> None:
        waiting = [statement]
        while waiting:
            node = waiting.pop()
            kind = node.type
            if kind not in (_NAMED if node.is_named else _UNNAMED):
                raise Unreadable("unmodelled", "It uses more of the shell than plain commands.", self._text(node))
            if kind in WORD_KINDS:
                self._commands[-1][1].append(self._literal(node))
            elif kind == "command_name" and (plain := self._plain(node)):
                self._commands[-1][1].append(plain)
            elif kind == "command" and _PLAIN_COMMAND.fullmatch(raw := self._raw[node.start_byte : node.end_byte]):
                self._commands.append((self._operator, raw.decode().split(), [], []))
            elif parts := self._take(node, kind):
                waiting += parts[::-1]

    def _take(self, node: Node, kind: str) -> Sequence[Node]:
        """Takes in one node; the parts of it that are still to be read."""
        if kind in ("&&", "||", "|"):
            self._operator = kind
        elif kind == "file_redirect":
            self._add_redirect(node.children)
        elif kind == "variable_assignment":
            self._add_assignment(node)
        elif kind in _TEST_SIGNS:
            self._commands[-1][1].append(self._literal(node))
        elif kind in ("command", "test_command") or (
            kind == "redirected_statement" and node.children[0].type == "file_redirect"
        ):
            self._commands.append((self._operator, [], [], []))
            return node.children
        elif kind in _CONTAINERS:
            return node.children
        return ()

    def _add_redirect(self, parts: list[Node]) -> None:
        """The grammar gives words behind a target to the redirect; bash gives them to the command."""
        fd = self._text(parts[0]) if parts[0].type == "file_descriptor" else ""
        rest = parts[1:] if fd else parts
        if len(rest) == 1:
            raise Unreadable("unmodelled", "It redirects to nothing that is named.", rest[0].type)
        operator, target, *more = rest
        _, words, redirects, _ = self._commands[-1]
        redirects.append((fd, operator.type, self._literal(target)))
        words += [self._literal(word) for word in more]

    def _add_assignment(self, node: Node) -> None:
        """A variable that is set for a command; any other way to set one differs from the other reading."""
        name, sign, *value = node.children
        self._commands[-1][3].append(f"{self._text(name)}{self._text(sign)}{''.join(map(self._literal, value))}")

    def _plain(self, node: Node) -> str:
        """The text of a node in which no character has a meaning for bash, "" when one may have."""
        raw = self._raw[node.start_byte : node.end_byte]
        return raw.decode() if _PLAIN_BYTES.fullmatch(raw) else ""

    def _literal(self, node: Node) -> str:
        if plain := self._plain(node):
            return plain
        text = node.type.encode() if node.type in _TEST_SIGNS else unquoted(node, self._raw)
        if text is None:
            raise Unreadable("unmodelled", "It holds more than plain words.", self._text(node))
        return text.decode()

    def _text(self, node: Node) -> str:
        return self._raw[node.start_byte : node.end_byte].decode(errors="replace")


def _tree_reading(text: str) -> Reading:
    tree = parse(text)
    root = tree.root_node if tree is not None else None
    if root is None or root.has_error or root.type != "program":
        raise Unreadable("unmodelled", "It is not a whole command for bash.")
    return _TreeReader(text.encode(errors="replace")).read(root)
