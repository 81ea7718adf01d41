"""FontCover: scripts of shown text that no font here draws, each told once, with the package that has one."""

import unicodedata
from functools import lru_cache

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QFontMetrics

from desktop.language import tr
from desktop.ui.theme.theme import theme

_NAMES = {
    "CJK": tr("Chinese characters"),
    "HIRAGANA": tr("Japanese"),
    "KATAKANA": tr("Japanese"),
    "HANGUL": tr("Korean"),
}
_LARGE, _OTHER = "fonts-noto-cjk", "fonts-noto-core"


class FontCover(QObject):
    """`lacking` carries a sentence for a person. Of each script the first letter that is shown is looked up."""

    lacking = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._looked: set[str] = set()

    def look(self, text: str) -> None:
        """Find out whether the scripts of a text that is shown can be drawn."""
        if text.isascii():
            return
        for char in set(text):
            script = _script(char)
            if script and script not in self._looked:
                self._looked.add(script)
                if not is_drawn(char):
                    self.lacking.emit(_sentence(script))


def is_drawn(char: str) -> bool:
    """Whether a font here has a shape for a character."""
    return QFontMetrics(theme().font()).inFontUcs4(ord(char))


@lru_cache(maxsize=4096)
def _script(char: str) -> str:
    """The script of a letter that the shipped fonts lack, as its name begins; "" for all else."""
    if char < "\u0530" or not unicodedata.category(char).startswith("L"):
        return ""
    return unicodedata.name(char, "").partition(" ")[0]


def _sentence(script: str) -> str:
    name = _NAMES.get(script, tr("{script} letters", script=script.capitalize()))
    package = _LARGE if script in _NAMES else _OTHER
    return tr(
        "No font on this computer draws {name}. On Debian and Ubuntu the package {package} has one.",
        name=name,
        package=package,
    )


_COVER: list[FontCover] = []


def font_cover() -> FontCover:
    """The application's; made at the first call, on the UI thread."""
    if not _COVER:
        _COVER.append(FontCover())
    return _COVER[0]
