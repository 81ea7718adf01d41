"""Parts of the welcome page: a numbered step with its tick, and a row for a recent repository."""

from pathlib import PurePath

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CONTROL_HEIGHT, ICON_CARD, ICON_LINE, SPACE_1, SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.chip import Chip
from desktop.ui.widgets.elided_label import ElidedLabel, plain_tooltip
from desktop.ui.widgets.layouts.gaps import set_gaps

NOT_FOUND = tr("not found")


class WelcomeStep(QFrame):
    """One step: shape, title, `sentence` and what is added to `body`. `number` 0: not one of them, but another way."""

    def __init__(self, number: int, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("kind", "card")
        self._done, self._lit = False, False
        self._title = title
        self._number = number
        self._shape = QLabel(self)
        self._shape.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._heading = plain_label(self, "strong")
        self.sentence = plain_label(self, "muted")
        self.body = QVBoxLayout()
        set_gaps(self.body, spacing=SPACE_2)
        words = QVBoxLayout()
        set_gaps(words, spacing=SPACE_1)
        words.addWidget(self._heading)
        words.addWidget(self.sentence)
        words.addSpacing(theme().px(SPACE_1))
        words.addLayout(self.body)
        layout = QHBoxLayout(self)
        margin = theme().px(SPACE_4)
        layout.setContentsMargins(margin, margin, margin, margin)
        set_gaps(layout, spacing=SPACE_3)
        layout.addWidget(self._shape, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(words, 1)
        self.set_title(title)
        theme().changed.connect(self._take_shape)

    @property
    def done(self) -> bool:
        """Whether it is ticked."""
        return self._done

    def set_state(self, *, done: bool, lit: bool) -> None:
        """`done`: ticked. `lit`: this is what to do now."""
        if (done, lit) != (self._done, self._lit):
            self._done, self._lit = done, lit
            self._take_shape()

    def set_title(self, title: str) -> None:
        """What is to be done, or was."""
        self._title = title
        self._heading.setText(f"{self._number}  {title}" if self._number else title)
        self._take_shape()

    def _take_shape(self) -> None:
        if not self._number:
            self._shape.setPixmap(pixmap("play", "muted", ICON_CARD, self.devicePixelRatio()))
            self.setAccessibleName(self._title)
            return
        name, token = ("circle-check", "success") if self._done else ("circle", "accent" if self._lit else "control")
        self._shape.setPixmap(pixmap(name, token, ICON_CARD, self.devicePixelRatio()))
        state = tr("done") if self._done else tr("next") if self._lit else tr("to do")
        self.setAccessibleName(
            tr("Step {number}, {title}, {state}", number=self._number, title=self._title, state=state)
        )


class _RowButton(QPushButton):
    """A flat row with an icon; it is as high as what is laid out in it."""

    def __init__(self, icon_name: str, object_name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._icon_name = icon_name
        self.setObjectName(object_name)
        self.setProperty("kind", "row")
        self.setAutoDefault(False)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._icon = QLabel(self)
        self.contents = QHBoxLayout(self)
        set_gaps(self.contents, (SPACE_2, SPACE_1, SPACE_2, SPACE_1), SPACE_2)
        self.contents.addWidget(self._icon)
        self._take_icon()
        theme().changed.connect(self._take_icon)

    def sizeHint(self) -> QSize:
        """What its contents need, one row at least."""
        hint = self.contents.sizeHint()
        return QSize(hint.width(), max(hint.height(), theme().px(CONTROL_HEIGHT)))

    def minimumSizeHint(self) -> QSize:
        """As narrow as its contents can be."""
        hint = self.contents.minimumSize()
        return QSize(hint.width(), max(hint.height(), theme().px(CONTROL_HEIGHT)))

    def hasHeightForWidth(self) -> bool:
        """Texts may wrap."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height of its contents at that width."""
        return max(self.contents.heightForWidth(width), theme().px(CONTROL_HEIGHT))

    def add(self, label: QLabel, stretch: int = 0) -> None:
        """Add a label; clicks on it are clicks on the row."""
        label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.contents.addWidget(label, stretch)

    def changeEvent(self, event: QEvent) -> None:
        """The icon shows whether it can be clicked."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange:
            self._take_icon()

    def _take_icon(self) -> None:
        token = "muted" if self.isEnabled() else "border"
        self._icon.setPixmap(pixmap(self._icon_name, token, ICON_LINE, self.devicePixelRatio()))


class RecentRow(_RowButton):
    """A repository that was open before. `picked` carries its path as the settings hold it."""

    picked = Signal(str)

    def __init__(self, path: str, parent: QWidget) -> None:
        super().__init__("folder-git-2", "welcome_recent_open", parent)
        self._path = path
        name = display_text(PurePath(path).name or path)
        self.setProperty("item_id", path)
        self.setAccessibleName(tr("Open {name}, {path}", name=name, path=display_text(path)))
        self.setToolTip(plain_tooltip(display_text(path)))
        title = ElidedLabel(name, self)
        title.setProperty("kind", "strong")
        title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        place = ElidedLabel(display_text(path), self, Qt.TextElideMode.ElideMiddle)
        place.setProperty("kind", "muted")
        self._missing = Chip(NOT_FOUND, "warning", self)
        self._missing.hide()
        self.add(title)
        self.add(place, 1)
        self.add(self._missing)
        self.clicked.connect(self._on_clicked)

    def set_missing(self, missing: bool) -> None:
        """Mark it as not found, or not."""
        self._missing.setVisible(missing)
        self.setAccessibleDescription(NOT_FOUND if missing else "")

    def _on_clicked(self) -> None:
        self.picked.emit(self._path)


class TaskRow(_RowButton):
    """A suggestion; `picked` carries its text."""

    picked = Signal(str)

    def __init__(self, number: int, text: str, parent: QWidget) -> None:
        super().__init__("sparkles", f"welcome_task_{number}", parent)
        self._text = text
        self.setAccessibleName(text)
        self._words = plain_label(self)
        self._words.setText(text)
        self.add(self._words, 1)
        self.clicked.connect(self._on_clicked)

    def changeEvent(self, event: QEvent) -> None:
        """Muted while it cannot be clicked."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange:
            restyle(self._words, kind="" if self.isEnabled() else "muted")

    def _on_clicked(self) -> None:
        self.picked.emit(self._text)
