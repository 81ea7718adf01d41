"""The text that a word of the syntax tree means once its quotes are gone."""

import re

from tree_sitter import Node

_WORD_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)
_STRING_ESCAPE = re.compile(rb'\\([$`"\\])')
_PLAIN_PATTERN = re.compile(rb"[A-Za-z0-9_./+-]+")
WORD_KINDS = frozenset({"word", "number", "raw_string", "string", "concatenation", "extglob_pattern", "test_operator"})


def unquoted(node: Node, text: bytes) -> bytes | None:
    """The bytes of a word node of `text` as the program gets them; None when it holds anything but literal text."""
    if node.type == "concatenation":
        parts = [unquoted(child, text) for child in node.children]
        known = [part for part in parts if part is not None]
        return b"".join(known) if len(known) == len(parts) else None
    raw = text[node.start_byte : node.end_byte]
    if node.type in ("word", "number", "test_operator"):
        return None if node.child_count else _WORD_ESCAPE.sub(rb"\1", raw)
    if node.type == "raw_string":
        return raw[1:-1]
    if node.type == "string":
        literal = all(child.type in ('"', "string_content", "$") for child in node.children)
        return _STRING_ESCAPE.sub(rb"\1", raw[1:-1]) if literal else None
    return raw if node.type == "extglob_pattern" and _PLAIN_PATTERN.fullmatch(raw) else None
