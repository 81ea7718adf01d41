"""Whether a colour can be told from its ground, by WCAG 2, and the nearest one that can."""

from PySide6.QtGui import QColor


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
    return QColor.fromRgbF(
        ink.redF() + (goal.redF() - ink.redF()) * part,
        ink.greenF() + (goal.greenF() - ink.greenF()) * part,
        ink.blueF() + (goal.blueF() - ink.blueF()) * part,
    )


def _luminance(color: QColor) -> float:
    parts = [
        value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4
        for value in (color.redF(), color.greenF(), color.blueF())
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
