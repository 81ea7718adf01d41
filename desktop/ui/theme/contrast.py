"""Whether a colour can be told from its ground, by WCAG 2, and the nearest one that can."""

from itertools import product

from PySide6.QtGui import QColor

from desktop.language import tr
from desktop.ui.theme.tokens import Tokens

GROUNDS = ("canvas", "surface", "raised", "sunken")
TEXT_PAIRS: tuple[tuple[str, str], ...] = (
    *product(("text", "muted", "accent", "danger", "warning", "success"), GROUNDS),
    ("text", "selection"), ("muted", "selection"), ("on_accent", "accent"), ("on_danger", "danger"),
    ("accent", "info_bg"), ("success", "success_bg"), ("warning", "warning_bg"), ("danger", "danger_bg"),
    ("text", "diff_add"), ("text", "diff_del"),
    *product(
        ("code_keyword", "code_string", "code_number", "code_comment", "code_function", "code_type"),
        ("sunken", "surface"),
    ),
)  # fmt: skip
"""Every ground on which text of a colour stands."""
CONTROL_PAIRS: tuple[tuple[str, str], ...] = tuple(
    product(("control", "accent", "warning", "danger", "success", "muted"), ("canvas", "surface", "raised"))
)
"""Every ground on which controls, icons and focus of a colour stand."""
TEXT_LEAST, CONTROL_LEAST = 4.5, 3.0
"""WCAG 2.2, 1.4.3 and 1.4.11."""


def contrast(ink: QColor, ground: QColor) -> float:
    """The contrast ratio of two colours by WCAG 2, 1 to 21."""
    light, dark = sorted((_luminance(ink), _luminance(ground)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def readable(ink: QColor, ground: QColor, least: float) -> QColor:
    """The ink, moved towards white or black until its contrast with the ground is at least this."""
    goal = QColor("white") if _luminance(ground) < 0.18 else QColor("black")
    for step in range(11):
        mixed = _mixed(ink, goal, step / 10)
        if contrast(mixed, ground) >= least:
            return mixed
    return goal


def _mixed(ink: QColor, goal: QColor, part: float) -> QColor:
    return QColor(
        round(ink.red() + (goal.red() - ink.red()) * part),
        round(ink.green() + (goal.green() - ink.green()) * part),
        round(ink.blue() + (goal.blue() - ink.blue()) * part),
    )


def _luminance(color: QColor) -> float:
    parts = [
        value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4
        for value in (color.redF(), color.greenF(), color.blueF())
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def unreadable(tokens: Tokens) -> str:
    """The first pair of colours that cannot be told apart well enough, as "muted on raised"; "" when all can."""
    for pairs, least in ((TEXT_PAIRS, TEXT_LEAST), (CONTROL_PAIRS, CONTROL_LEAST)):
        for ink, ground in pairs:
            if contrast(QColor(tokens.color(ink)), QColor(tokens.color(ground))) < least:
                return tr("{ink} on {ground}", ink=ink, ground=ground)
    return ""
