"""SettingsPage: one page of the settings: a heading and fields one under the other, scrolling when it must."""

from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from desktop.ui.core.hearing import Hearing
from desktop.ui.settings.fields import Field
from desktop.ui.settings.topics import Topic
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_4, SPACE_5
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.edge_fade import EdgeFade
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
        outer = self._outer = QVBoxLayout(self.contents)
        set_gaps(outer, spacing=SPACE_4)
        self._keep_edge()
        self.verticalScrollBar().rangeChanged.connect(self._keep_edge)
        theme().changed.connect(self._keep_edge)
        heading = plain_label(self.contents, "page")
        heading.setText(self.title)
        outer.addWidget(heading)
        self.column = QVBoxLayout()
        set_gaps(self.column, spacing=SPACE_4)
        outer.addLayout(self.column)
        outer.addStretch(1)
        self.setWidget(self.contents)
        EdgeFade(self, "raised")

    def _keep_edge(self) -> None:
        """What is on the page ends at one place, with a scroll bar and without."""
        px = theme().px
        bar = px(SPACE_2) if self.verticalScrollBar().maximum() > 0 else 0
        self._outer.setContentsMargins(px(SPACE_5), px(SPACE_5), px(SPACE_5) - bar, px(SPACE_5))

    def stop(self) -> None:
        """The settings are closed: nothing is asked any more."""

    def take_focus(self) -> bool:
        """Put the focus where something is missing; False if nothing is."""
        return False

    def show_row(self, words: str) -> bool:
        """Bring the row of these words into view, and put the focus into it; False if it is not there now."""
        here = [one for one in _named(words, self.contents) if one.isVisibleTo(self)]
        if here:
            _to(here[0])
        return bool(here)

    def show_in_form(self, topic: Topic) -> bool:
        """Open the form of a row, unless it is open, and show the row; False if it has no such row now: the form is
        then shown from where it begins."""
        before = [one for one in _named(topic.row, self.window()) if one.isVisible()]
        _press(topic.form, self.contents)
        if topic.choice:
            _press(topic.choice, self.window())
        here = [one for one in _named(topic.row, self.window()) if one.isVisible()]
        here = [one for one in here if one not in before] or here
        if here:
            _to(here[0])
        return bool(here)

    def show_item(self, item: str) -> None:
        """Show one thing of the page, if it has such."""

    def fields(self) -> list[Field]:
        """All fields of the page, in order."""
        return self.contents.findChildren(Field)


def _named(words: str, inside: QWidget) -> list[QWidget]:
    """The fields, buttons and labels of these words."""
    said: list[tuple[QWidget, str]] = [(field, field.label) for field in inside.findChildren(Field)]
    said += [(one, one.text().replace("&&", "&")) for one in inside.findChildren(QAbstractButton)]
    said += [(one, one.text()) for one in inside.findChildren(QLabel)]
    return [one for one, text in said if text == words]


def _press(words: str, inside: QWidget) -> None:
    """Press the button of these words, if it is there."""
    for one in _named(words, inside):
        if isinstance(one, QAbstractButton) and one.isVisible() and one.isEnabled():
            one.click()


def _to(row: QWidget) -> None:
    """Bring it into view, and put the focus into it."""
    inside = [one for one in (row, *row.findChildren(QWidget)) if _takes_focus(one) and one.isVisibleTo(row.window())]
    if inside:
        inside[0].setFocus(Qt.FocusReason.TabFocusReason)
    around = row.parentWidget()
    while around is not None and not isinstance(around, QScrollArea):
        around = around.parentWidget()
    if around is not None:
        around.ensureWidgetVisible(row)


def _takes_focus(widget: QWidget) -> bool:
    return widget.isEnabled() and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
