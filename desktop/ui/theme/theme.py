"""The theme in force: tokens, zoom and fonts, one for the whole application, with a signal when they change."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication

from desktop.loading import load
from desktop.ui.theme.tokens import BODY, BODY_PIXELS, DARK, DENSE, LIGHT, MONO_SCALE, READING, Tokens

if TYPE_CHECKING:
    from desktop.config.settings import Appearance


class Theme(QObject):
    """The theme that every view asks for colours, fonts and sizes; `changed` is emitted after any of them changed."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.tokens: Tokens = LIGHT
        self.zoom = 1.0
        self.ui_family = ""
        self.mono_family = ""
        self._choice = "system"
        self._density, self._reading = "comfortable", "usual"
        self._text, self._code = ("", float(BODY_PIXELS)), ("", 0.0)

    @property
    def choice(self) -> str:
        """`system`, `light`, `dark` or the name of a file of colours, as the person chose."""
        return self._choice

    def choose(self, choice: str, zoom_percent: int = 100) -> None:
        """Use this theme and zoom from now on; `system` follows the desktop's colour scheme (unknown: light)."""
        self._choice = choice
        self._apply(self._wanted(), zoom_percent / 100)

    def wear(self, look: "Appearance", choice: str = "") -> None:
        """Look as the settings say from now on, all of it at once. `choice`: another theme than theirs."""
        before = self._shape
        self._density, self._reading = look.density, look.reading
        self._text, self._code = (
            (_there(look.text_font), float(look.text_size)),
            (_there(look.code_font), look.code_size),
        )
        self._choice = choice or look.theme
        self._apply(self._wanted(), look.zoom / 100, other=self._shape != before)

    @property
    def _shape(self) -> tuple[object, ...]:
        return self._density, self._reading, self._text, self._code

    @property
    def reading_width(self) -> int:
        """The widest that rows of a chat become, at 100 % zoom."""
        return READING[self._reading]

    def dense(self, logical: float) -> float:
        """A height or a place within a row, at 100 % zoom, as the density in force has it."""
        return logical * DENSE[self._density]

    def follow_system(self) -> None:
        """Take the desktop's colour scheme again, if the choice is `system`."""
        if self._choice == "system":
            self._apply(self._wanted(), self.zoom)

    def color(self, token: str) -> QColor:
        """The colour of a token."""
        return QColor(self.tokens.color(token))

    def px(self, logical: float) -> int:
        """A length in pixels at the zoom in force."""
        return round(logical * self.zoom)

    def font(self, scale: float = BODY, *, semibold: bool = False, italic: bool = False) -> QFont:
        """The interface font at a scale of the body size."""
        family, size = self._text
        font = QFont(family or self.ui_family) if family or self.ui_family else QFont()
        font.setPixelSize(max(1, round(size * scale * self.zoom)))
        font.setWeight(QFont.Weight.DemiBold if semibold else QFont.Weight.Normal)
        font.setItalic(italic)
        return font

    def mono(self, scale: float = BODY, *, semibold: bool = False) -> QFont:
        """The fixed-width font at a scale of the body size."""
        family, size = self._code
        font = QFont(family or self.mono_family or "monospace")
        font.setStyleHint(QFont.StyleHint.Monospace)
        font.setFixedPitch(True)
        font.setPixelSize(max(1, round((size or self._text[1] * MONO_SCALE) * scale * self.zoom)))
        font.setWeight(QFont.Weight.DemiBold if semibold else QFont.Weight.Normal)
        return font

    def _wanted(self) -> Tokens:
        if self._choice == "system":
            hints = QGuiApplication.styleHints()
            return DARK if hints.colorScheme() is Qt.ColorScheme.Dark else LIGHT
        if self._choice in (LIGHT.name, DARK.name):
            return DARK if self._choice == DARK.name else LIGHT
        return load("desktop.ui.theme.theme_files").tokens_of(self._choice) or LIGHT

    def _apply(self, tokens: Tokens, zoom: float, *, other: bool = False) -> None:
        """Tell it only where it is another: a window and its settings hold a thousand layouts that measure anew."""
        if other or (tokens, zoom) != (self.tokens, self.zoom):
            self.tokens, self.zoom = tokens, zoom
            self.changed.emit()


def _there(family: str) -> str:
    """The family where this computer has it, else "" for the usual one."""
    return family if family and family in QFontDatabase.families() else ""


_THEME: list[Theme] = []


def theme() -> Theme:
    """The application's theme; made at the first call, on the UI thread."""
    if not _THEME:
        _THEME.append(Theme(QGuiApplication.instance()))
    return _THEME[0]
