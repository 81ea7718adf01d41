"""Strip: a line across a region that stays until what it says is over, with some buttons beside or below it."""

from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from desktop.ui.theme.stylesheet import restyle
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.icon_label import IconLabel
from desktop.ui.widgets.layouts.strip_layout import StripLayout

_ICONS = {"danger": "octagon-x", "warning": "triangle-alert", "accent": "loader-circle"}


class Strip(QFrame):
    """Hidden until it is told something; `name` is its object name, its text is `<name>_text`; `icon`: "" for that of
    the role. One that goes `across` its region from edge to edge has no round corners."""

    def __init__(self, name: str, parent: QWidget, role: str = "danger", icon: str = "") -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setProperty("kind", "banner")
        self.setProperty("role", role)
        self._icon = IconLabel(icon or _ICONS[role], role, self)
        self.text = plain_label(self, "strong", f"{name}_text", role=role)
        self._row = StripLayout(self)
        self._row.addWidget(self._icon)
        self._row.addWidget(self.text)
        self.hide()

    def go_across(self) -> None:
        """It stands at both edges of its region."""
        self.setProperty("across", True)

    def add_button(self, text: str, name: str) -> QPushButton:
        """A button at its end."""
        button = push_button(text, name, self)
        self._row.addWidget(button)
        return button

    def add(self, widget: QWidget) -> None:
        """Something else at its end."""
        self._row.addWidget(widget)

    def say(self, text: str, role: str = "danger", icon: str = "") -> None:
        """Show this; "" hides the strip. The text must have passed display_text(). `icon`: "" for that of the role."""
        if text and self.property("role") != role:
            restyle(self, role=role)
            restyle(self.text, role=role)
            self._icon.set_icon(icon or _ICONS[role], role)
        self.text.setText(text)
        self.setAccessibleName(text)
        self.setVisible(bool(text))

    def room(self, width: int) -> int:
        """The height of the strip at this width, 0 while it is hidden."""
        if self.isHidden():
            return 0
        return self.heightForWidth(width) if self.hasHeightForWidth() else self.sizeHint().height()
