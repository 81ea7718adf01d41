"""Fonts: the system's own, or the shipped ones where the system has none and on the offscreen platform."""

from PySide6.QtGui import QFontDatabase, QGuiApplication

from desktop.config.folders import resource_folder
from desktop.ui.theme.theme import theme

_UI_FILES = ("NotoSans-Regular.ttf", "NotoSans-SemiBold.ttf")
_MONO_FILE = "DejaVuSansMono.ttf"


def _load(name: str) -> str:
    """The family of a shipped font file, "" if it could not be read."""
    families = QFontDatabase.applicationFontFamilies(
        QFontDatabase.addApplicationFont(str(resource_folder() / "fonts" / name))
    )
    return families[0] if families else ""


def load_fonts() -> None:
    """Give the theme its two font families. Call once, before the first widget."""
    if QGuiApplication.platformName() == "offscreen" or not QFontDatabase.families():
        theme().ui_family, *_ = (_load(name) for name in _UI_FILES)
        theme().mono_family = _load(_MONO_FILE)
        return
    theme().mono_family = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
