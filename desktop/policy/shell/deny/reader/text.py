"""The decoding of texts for the deny matcher: escapes, brace words, and what `printf` and `echo` would print."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from desktop.policy.shell.deny.reader.nodes import ANSI_ESCAPES

MAX_BRACE_WORDS = 256
MAX_BRACE_TEXT = 4_096
_ESCAPE = re.compile(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|0?([0-7]{1,3})|c(.)|(.))", re.DOTALL
)
_FORMAT = re.compile(r"%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?([A-Za-z%])")
_SEQUENCE = re.compile(r"(-?\d{1,6})\.\.(-?\d{1,6})(?:\.\.-?\d{1,6})?|([A-Za-z])\.\.([A-Za-z])")


def ansi_c(text: str) -> str:
    r"""A text with backslash escapes (`\n`, `\x41`, `\101`, `\u0041` …) decoded; unknown ones stay."""
    return _ESCAPE.sub(_decoded, text) if "\\" in text else text


def _decoded(found: re.Match[str]) -> str:
    return _escaped(found[0], *found.groups())


@lru_cache(maxsize=1_024)
def _escaped(escape: str, *groups: str | None) -> str:
    """What one escape stands for."""
    byte, short, long, octal, control, other = groups
    for digits, base in ((byte, 16), (short, 16), (long, 16), (octal, 8)):
        if digits:
            number = int(digits, base) & (0xFF if base == 8 else 0x1FFFFF)
            return chr(number) if number < 0x110000 else ""
    if control:
        return chr(ord(control) & 0x1F)
    return ANSI_ESCAPES.get(other or "", escape)


def printed(arguments: list[str]) -> str:
    """The text that `printf` makes of a format and its arguments, as far as the deny matcher must know it."""
    if arguments and arguments[0] == "-v":
        arguments = arguments[2:]
    if arguments and arguments[0] == "--":
        arguments = arguments[1:]
    if not arguments:
        return ""
    form, values = ansi_c(arguments[0]), arguments[1:]
    slots = sum(found[1] != "%" for found in _FORMAT.finditer(form))
    rounds = -(-len(values) // slots) if slots else 1
    left = iter(values)
    return "".join(_FORMAT.sub(lambda found: _slot(found[1], left), form) for _ in range(min(max(rounds, 1), 500)))


def _slot(letter: str, values: Iterator[str]) -> str:
    if letter == "%":
        return "%"
    value = next(values, "")
    return ansi_c(value) if letter == "b" else value[:1] if letter == "c" else value


def echoed(arguments: list[str]) -> str:
    """The text that `echo` prints, its escapes decoded when `-e` asks for it."""
    first = 0
    decode = False
    while first < len(arguments) and re.fullmatch(r"-[neE]+", arguments[first]):
        decode |= "e" in arguments[first]
        first += 1
    text = " ".join(arguments[first:]) + "\n"
    return ansi_c(text) if decode else text


def braced(text: str) -> list[str]:
    """The words that brace expansion makes of one word; at most a few hundred."""
    if "{" not in text or "}" not in text or ("," not in text and ".." not in text):
        return [text]
    if len(text) > MAX_BRACE_TEXT:
        raise OverflowError
    words = [""]
    position = 0
    while position < len(text):
        opening = text.find("{", position)
        if opening < 0 or len(words) > MAX_BRACE_WORDS:
            return [word + text[position:] for word in words]
        choices, after = _choices(text, opening)
        before = text[position:opening]
        made = (word + before + choice for word in words for choice in choices)
        words = list(islice(made, MAX_BRACE_WORDS * 2))
        position = after
    return words


def _choices(text: str, opening: int, depth: int = 0) -> tuple[list[str], int]:
    """The alternatives of the brace that opens there, and where the text goes on."""
    parts, start, level, position = [], opening + 1, 0, opening + 1
    while position < len(text) and position - opening < 4_096:
        char = text[position]
        if char == "{":
            level += 1
        elif char == "}" and level:
            level -= 1
        elif char == "}":
            parts.append(text[start:position])
            return _spread(parts, text[opening : position + 1], depth), position + 1
        elif char == "," and not level:
            parts.append(text[start:position])
            start = position + 1
        position += 1
    return ["{"], opening + 1


def _spread(parts: list[str], whole: str, depth: int) -> list[str]:
    if len(parts) > 1:
        nested = [braced(part) if depth < 4 else [part] for part in parts]
        return [word for words in nested for word in words][:MAX_BRACE_WORDS]
    if (sequence := _SEQUENCE.fullmatch(parts[0])) is None:
        return [whole]
    low, high = (sequence[1], sequence[2]) if sequence[1] else (sequence[3], sequence[4])
    numbers = (int(low), int(high)) if sequence[1] else (ord(low), ord(high))
    step = 1 if numbers[1] >= numbers[0] else -1
    spread = range(numbers[0], numbers[1] + step, step)[:MAX_BRACE_WORDS]
    return [str(number) if sequence[1] else chr(number) for number in spread]
