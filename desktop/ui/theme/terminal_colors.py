"""Colours of terminals: sixteen by theme, the cube and the greys, and what keeps text readable on them."""

from functools import lru_cache

from PySide6.QtGui import QColor

from desktop.domain.terminals.updates import RGB
from desktop.ui.theme import contrast
from desktop.ui.theme.theme import theme

_LIGHT = (
    "#1B1F24",
    "#B3261E",
    "#19703A",
    "#855400",
    "#0A5FC4",
    "#8A1C8A",
    "#006B75",
    "#7F8894",
    "#58616C",
    "#C93A31",
    "#1F8446",
    "#9A6400",
    "#1F74DB",
    "#A236A2",
    "#0A7F8A",
    "#C4CAD2",
)
_DARK = (
    "#3A414C",
    "#FF8A80",
    "#5CC98B",
    "#E8B454",
    "#76B3FF",
    "#D9A3F0",
    "#6FD3DC",
    "#C9CFD7",
    "#77818E",
    "#FFACA4",
    "#86DDAB",
    "#F2CC85",
    "#A3CCFF",
    "#E7C3F7",
    "#9CE3EA",
    "#FFFFFF",
)
_OWN = len(_DARK)
_STEPS = (0, 95, 135, 175, 215, 255)


def ground() -> QColor:
    """The colour that terminals stand on."""
    return theme().color("sunken")


def terminal_color(value: int, *, fallback: str) -> QColor:
    """A colour as terminals number them; -1 is the theme's own, the token `fallback`."""
    if value < 0:
        return theme().color(fallback)
    return _numbered(value, not theme().tokens.is_dark)


def least_contrast(value: int) -> float:
    """What text of a colour must have on its ground: one that a program mixed itself is moved as little as may be."""
    return contrast.TEXT_LEAST if value < _OWN else contrast.CONTROL_LEAST


@lru_cache(maxsize=4096)
def readable(ink_rgb: int, ground_rgb: int, least: float = contrast.TEXT_LEAST) -> int:
    """The ink, moved towards white or black until its contrast with the ground is this: colour never hides text."""
    return int(contrast.readable(QColor(ink_rgb), QColor(ground_rgb), least).rgb())


@lru_cache(maxsize=1024)
def _numbered(value: int, light: bool) -> QColor:
    if value >= RGB:
        return QColor((value >> 16) & 255, (value >> 8) & 255, value & 255)
    if value < _OWN:
        return QColor((_LIGHT if light else _DARK)[value])
    if value >= 232:
        grey = 8 + (value - 232) * 10
        return QColor(grey, grey, grey)
    value -= _OWN
    return QColor(_STEPS[value // 36], _STEPS[value // 6 % 6], _STEPS[value % 6])
