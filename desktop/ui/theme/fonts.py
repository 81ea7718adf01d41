"""Fonts: the system's own, or the shipped ones where the system has none and on the offscreen platform.

Emoji: the system's font, mostly a coloured one of 10 MB, is used where there is one; else a shipped one of one colour
and under 1 MB. Fonts of scripts are not shipped (Chinese, Japanese and Korean alone are 20 MB): `font_cover` names what
is missing.
"""

from PySide6.QtGui import QFontDatabase, QGuiApplication

from desktop.config.folders import resource_folder
from desktop.ui.theme.theme import theme

_UI_FILES = ("NotoSans-Regular.ttf", "NotoSans-SemiBold.ttf")
_MONO_FILE = "DejaVuSansMono.ttf"
_EMOJI_FILE = "NotoEmoji-Regular.ttf"


def _load(name: str) -> str:
    """The family of a shipped font file, "" if it could not be read."""
    families = QFontDatabase.applicationFontFamilies(
        QFontDatabase.addApplicationFont(str(resource_folder() / "fonts" / name))
    )
    return families[0] if families else ""


def load_fonts() -> None:
    """Give the theme its two font families, and the application a font of emoji. Call once, before the first widget."""
    if not any("emoji" in family.casefold() for family in QFontDatabase.families()):
        QFontDatabase.addApplicationEmojiFontFamily(_load(_EMOJI_FILE))
    if QGuiApplication.platformName() == "offscreen" or not QFontDatabase.families():
        theme().ui_family, *_ = (_load(name) for name in _UI_FILES)
        theme().mono_family = _load(_MONO_FILE)
        return
    theme().mono_family = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()


def families(*, fixed: bool) -> list[str]:
    """The families of this computer that text can be written in, in order; `fixed`: those of one width alone."""
    listed = (one for one in QFontDatabase.families() if not QFontDatabase.isPrivateFamily(one))
    return [one for one in listed if "emoji" not in one.casefold() and (not fixed or QFontDatabase.isFixedPitch(one))]
