"""SettingsPage: one page of the settings: a heading and fields one under the other, scrolling when it must."""

from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from desktop.ui.core.hearing import Hearing
from desktop.ui.settings.fields import Field
from desktop.ui.theme.tokens import SPACE_4, SPACE_5
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.gaps import set_gaps


class SettingsPage(QScrollArea):
    """`name` is the last part of its object name, `title` what people read, `icon` stands before it in the list. Add to
    `column`, and to `hearing` what the page hears while the settings are open."""

    name: ClassVar[str]
    title: ClassVar[str]
    icon: ClassVar[str]

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.hearing = Hearing()
        self.setObjectName(f"settings_{self.name}")
        self.setAccessibleName(self.title)
        self.setProperty("kind", "plain")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.contents = QWidget(self.viewport())
        outer = QVBoxLayout(self.contents)
        set_gaps(outer, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_4)
        heading = plain_label(self.contents, "page")
        heading.setText(self.title)
        outer.addWidget(heading)
        self.column = QVBoxLayout()
        set_gaps(self.column, spacing=SPACE_4)
        outer.addLayout(self.column)
        outer.addStretch(1)
        self.setWidget(self.contents)

    def stop(self) -> None:
        """The settings are closed: nothing is asked any more."""

    def take_focus(self) -> bool:
        """Put the focus where something is missing; False if nothing is."""
        return False

    def show_row(self, words: str) -> bool:
        """Bring the row of these words into view, and put the focus into it; False if it is not there now."""
        said: list[tuple[QWidget, str]] = [(field, field.label) for field in self.fields()]
        said += [(one, one.text().replace("&&", "&")) for one in self.contents.findChildren(QAbstractButton)]
        said += [(one, one.text()) for one in self.contents.findChildren(QLabel)]
        named = [one for one, text in said if text == words]
        here = [one for one in named if one.isVisibleTo(self)]
        if not here:
            return False
        inside = [
            one for one in (here[0], *here[0].findChildren(QWidget)) if _takes_focus(one) and one.isVisibleTo(self)
        ]
        if inside:
            inside[0].setFocus(Qt.FocusReason.TabFocusReason)
        self.ensureWidgetVisible(here[0])
        return True

    def show_item(self, item: str) -> None:
        """Show one thing of the page, if it has such."""

    def fields(self) -> list[Field]:
        """All fields of the page, in order."""
        return self.contents.findChildren(Field)


def _takes_focus(widget: QWidget) -> bool:
    return widget.isEnabled() and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
