"""The one reader of SGR sequences: which colours and weights a program asks for. Terminals and shown output use it."""

from functools import lru_cache

from desktop.domain.terminals.updates import BOLD, FAINT, HIDDEN, ITALIC, REVERSED, RGB, STRUCK, UNDERLINED

Look = tuple[int, int, int]
"""Foreground, background, bits: as in Span."""
PLAIN: Look = (-1, -1, 0)

_ON = {
    1: BOLD,
    2: FAINT,
    3: ITALIC,
    4: UNDERLINED,
    7: REVERSED,
    8: HIDDEN,
    9: STRUCK,
    21: UNDERLINED,
}
_OFF = {
    22: BOLD | FAINT,
    23: ITALIC,
    24: UNDERLINED,
    27: REVERSED,
    28: HIDDEN,
    29: STRUCK,
}
_MOST = 32


@lru_cache(maxsize=1024)
def restyled(look: Look, parameters: str) -> Look:
    """The look after `CSI parameters m`. What is not known changes nothing."""
    if parameters in ("", "0"):
        return PLAIN
    foreground, background, bits = look
    codes = [_parts(code) for code in parameters.split(";")[:_MOST]]
    at = 0
    while at < len(codes):
        code, *more = codes[at]
        at += 1
        if code == 0:
            foreground, background, bits = PLAIN
        elif code in _ON:
            bits = bits & ~UNDERLINED if (code, more[:1]) == (4, [0]) else bits | _ON[code]
        elif code in _OFF:
            bits &= ~_OFF[code]
        elif code in (38, 48):
            color, used = _colour(more) if more else _listed([one[0] for one in codes[at : at + 4]])
            at += 0 if more else used
            if color is not None:
                foreground, background = (color, background) if code == 38 else (foreground, color)
        else:
            foreground, background = _simple(code, foreground, background)
    return foreground, background, bits


def _parts(code: str) -> list[int]:
    return [int(part) if part.isdecimal() and len(part) < 6 else 0 for part in code.split(":")]


def _simple(code: int, foreground: int, background: int) -> tuple[int, int]:
    if 30 <= code <= 37:
        return code - 30, background
    if 40 <= code <= 47:
        return foreground, code - 40
    if 90 <= code <= 97:
        return code - 82, background
    if 100 <= code <= 107:
        return foreground, code - 92
    if code == 39:
        return -1, background
    return (foreground, -1) if code == 49 else (foreground, background)


def _listed(numbers: list[int]) -> tuple[int | None, int]:
    """A colour written with semicolons, and how many numbers it took."""
    if numbers[:1] == [5] and len(numbers) >= 2:
        return min(numbers[1], 255), 2
    if numbers[:1] == [2] and len(numbers) >= 4:
        return _rgb(numbers[1:4]), 4
    return None, len(numbers)


def _colour(parts: list[int]) -> tuple[int | None, int]:
    """A colour written with colons: `5:n`, `2:r:g:b` or `2:space:r:g:b`."""
    if parts[0] == 5 and len(parts) >= 2:
        return min(parts[1], 255), 0
    if parts[0] == 2 and len(parts) >= 4:
        return _rgb(parts[2:5] if len(parts) >= 5 else parts[1:4]), 0
    return None, 0


def _rgb(parts: list[int]) -> int:
    red, green, blue = (min(part, 255) for part in parts)
    return RGB + (red << 16) + (green << 8) + blue
