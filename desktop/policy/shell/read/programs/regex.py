"""The end of a regular expression between two signs, for programs that read it in ways of their own."""

import re

_CLASS = re.compile(r"\[:[a-z]+:\]")


def regex_end(text: str, start: int, delimiter: str, *, in_brackets: bool = False) -> int:
    """The place of the sign that ends the expression which begins at `start`; -1 where it does not end, or versions of
    sed and awk would not agree where: some take a backslash in brackets for itself, some the sign there for the end.
    `in_brackets`: the sign may stand there, the caller looks at what follows from `plain_end`."""
    at = start
    while at < len(text):
        char = text[at]
        if char == delimiter:
            return at
        if char == "\n":
            return -1
        if char == "\\":
            at += 2
        elif char == "[":
            at = _bracket_end(text, at + 1, "" if in_brackets else delimiter)
            if at < 0:
                return -1
        else:
            at += 1
        if text[at - 1 : at] == "\n":
            return -1
    return -1


def plain_end(text: str, start: int, delimiter: str) -> int:
    """The place of the first such sign that no backslash stands before, brackets or not; -1 when there is none."""
    at = start
    while at < len(text):
        if text[at] == delimiter:
            return at
        at += 2 if text[at] == "\\" else 1
    return -1


def _bracket_end(text: str, start: int, delimiter: str) -> int:
    """The place behind the bracket expression whose first sign stands at `start`, -1 as above."""
    at = start + text.startswith("^", start)
    first = at
    while at < len(text):
        char = text[at]
        if char == "]":
            return at + 1 if at > first else -1
        if char == "[":
            found = _CLASS.match(text, at)
            if not found:
                return -1
            at = found.end()
        elif char == "\\":
            if text[at + 1 : at + 2] in ("", "]", "\n"):
                return -1
            at += 2
        elif char in (delimiter, "\n"):
            return -1
        else:
            at += 1
    return -1
