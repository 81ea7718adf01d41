"""The QPalette of a theme: every role in every group comes from a token, but that of empty fields."""

from PySide6.QtGui import QColor, QPalette

from desktop.ui.theme.contrast import TEXT_LEAST, readable
from desktop.ui.theme.tokens import Tokens

_Role = QPalette.ColorRole
_ROLES: dict[QPalette.ColorRole, str] = {
    _Role.Window: "canvas",
    _Role.WindowText: "text",
    _Role.Base: "surface",
    _Role.AlternateBase: "sunken",
    _Role.Text: "text",
    _Role.Button: "raised",
    _Role.ButtonText: "text",
    _Role.BrightText: "danger",
    _Role.ToolTipBase: "raised",
    _Role.ToolTipText: "text",
    _Role.Highlight: "selection",
    _Role.HighlightedText: "text",
    _Role.Accent: "accent",
    _Role.Link: "accent",
    _Role.LinkVisited: "accent",
    _Role.Light: "raised",
    _Role.Midlight: "border",
    _Role.Mid: "border",
    _Role.Dark: "control",
    _Role.Shadow: "sunken",
}
_DISABLED: dict[QPalette.ColorRole, str] = {
    _Role.WindowText: "muted",
    _Role.Text: "muted",
    _Role.ButtonText: "muted",
    _Role.HighlightedText: "muted",
    _Role.Highlight: "border",
    _Role.Accent: "border",
    _Role.Link: "muted",
}
_HIGH_LEAST = 7.0
"""WCAG 2.2, 1.4.6."""


def make_palette(tokens: Tokens) -> QPalette:
    """The palette of these tokens; disabled text is muted, inactive windows look as active ones."""
    palette = QPalette()
    for role, token in _ROLES.items():
        palette.setColor(role, QColor(tokens.color(token)))
    palette.setColor(_Role.PlaceholderText, hint_color(tokens))
    for role, token in _DISABLED.items():
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(tokens.color(token)))
    return palette


def hint_color(tokens: Tokens) -> QColor:
    """The colour of what stands in an empty field: as far from typed text as can still be read."""
    line, least = ("border", _HIGH_LEAST) if tokens.is_outlined else ("control", TEXT_LEAST)
    return readable(QColor(tokens.color(line)), QColor(tokens.surface), least)
