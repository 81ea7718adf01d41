"""Icons: the only file that names an icon. Lucide SVGs, coloured by token, rendered for the screen, cached."""

from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from desktop.config.folders import resource_folder
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import ICON_LINE

_STROKE_WIDTH = "1.75"


@lru_cache(maxsize=128)
def _svg(name: str) -> str:
    path: Path = resource_folder() / "icons" / f"{name}.svg"
    return path.read_text(encoding="utf-8").replace('stroke-width="2"', f'stroke-width="{_STROKE_WIDTH}"')


@lru_cache(maxsize=1024)
def _pixmap(name: str, color: str, side: int, ratio: float) -> QPixmap:
    renderer = QSvgRenderer(QByteArray(_svg(name).replace("currentColor", color).encode()))
    pixmap = QPixmap(round(side * ratio), round(side * ratio))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, side * ratio, side * ratio))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


def control_file(name: str, theme_name: str) -> Path:
    """A mark of a control, as a stylesheet takes pictures: `chevron` (the arrow of a box that opens a list) in the
    `muted` of that theme, `check` (a tick) in its `on_accent`."""
    return resource_folder() / "controls" / f"{name}-{theme_name}.svg"


def pixmap(name: str, token: str = "muted", size: float = ICON_LINE, ratio: float = 1.0) -> QPixmap:
    """The icon of that file name in a token's colour; `size` in logical pixels, `ratio` is the screen's."""
    return _pixmap(name, theme().tokens.color(token), theme().px(size), ratio)


def icon(name: str, token: str = "muted", size: float = ICON_LINE) -> QIcon:
    """The icon for buttons and actions: in `token`, selected too; disabled in the theme's token for what is off."""
    result = QIcon()
    for ratio in (1.0, 2.0):
        result.addPixmap(pixmap(name, token, size, ratio))
        result.addPixmap(pixmap(name, token, size, ratio), QIcon.Mode.Selected)
        result.addPixmap(pixmap(name, theme().tokens.off, size, ratio), QIcon.Mode.Disabled)
    return result
