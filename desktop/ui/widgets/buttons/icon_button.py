"""IconButton: a flat button with an icon of the theme and, as it has no text, a tooltip and a name; icon_button."""

from collections.abc import Callable

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QToolButton, QWidget

from desktop.ui.theme.icons import icon
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import ICON_LINE


class IconButton(QToolButton):
    """At least 28 × 28. The icon follows the theme."""

    def __init__(self, icon_name: str, name: str, parent: QWidget | None = None, *, token: str = "muted") -> None:
        super().__init__(parent)
        self._icon_name = icon_name
        self._token = token
        self.setProperty("kind", "icon")
        self.set_name(name)
        self._take_icon()
        theme().changed.connect(self._take_icon)

    def set_name(self, name: str, keys: str = "") -> None:
        """Set what the button does, as accessible name and, with its keys, as tooltip."""
        self.setAccessibleName(name)
        self.setToolTip(f"{name} ({keys})" if keys else name)

    def set_icon(self, icon_name: str, token: str = "muted") -> None:
        """Another icon or colour. `accent` says that something is on, which a line under the icon says too."""
        if (icon_name, token) != (self._icon_name, self._token):
            self._icon_name, self._token = icon_name, token
            restyle(self, role="on" if token == "accent" else "")
            self._take_icon()

    def _take_icon(self) -> None:
        side = theme().px(ICON_LINE)
        self.setIconSize(QSize(side, side))
        self.setIcon(icon(self._icon_name, self._token))


def icon_button(
    icon_name: str, words: str, name: str, parent: QWidget, act: Callable[[], object] | None = None
) -> IconButton:
    """An IconButton; `words` are what it does, `name` is its object name, `act` is called when it is clicked."""
    button = IconButton(icon_name, words, parent)
    button.setObjectName(name)
    if act is not None:
        button.clicked.connect(lambda _checked=False: act())
    return button
