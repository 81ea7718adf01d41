"""PictureRows: the pictures of a foreign text below it, each loaded only when a person clicks (lanes-G24)."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from desktop.domain.display.foreign_pictures import named_pictures
from desktop.domain.display.prose import Link
from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.pulls.pages.picture_store import PullPictures
from desktop.ui.pulls.parts import line_of
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.elided_label import ElidedLabel, plain_tooltip
from desktop.ui.widgets.layouts.gaps import set_gaps

LOADING = tr("Loading the picture…")
_OFFERS = {
    "offered": tr("Load picture"),
    "loading": tr("Cancel"),
    "failed": tr("Try again"),
    "shown": tr("Hide picture"),
}


class PictureRows(QWidget):
    """A row for each picture that a text names. `link_asked`: an address for the browser."""

    link_asked = Signal(str)

    def __init__(self, pictures: PullPictures, parent: QWidget) -> None:
        super().__init__(parent)
        self._pictures = pictures
        self._named: tuple[Link, ...] = ()
        self._rows: list[_Row] = []
        self._column = QVBoxLayout(self)
        set_gaps(self._column, (0, 0, 0, 0), SPACE_2)
        pictures.changed.connect(self._on_changed)
        self.hide()

    def show_text(self, text: str) -> None:
        """Offer the pictures of this Markdown."""
        named = named_pictures(text)
        if named == self._named:
            return
        self._named = named
        for row in self._rows:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [_Row(self._pictures, link, number, self) for number, link in enumerate(named)]
        for row in self._rows:
            row.link_asked.connect(self.link_asked)
            self._column.addWidget(row)
        self.setVisible(bool(named))

    def _on_changed(self, address: str) -> None:
        for row in self._rows:
            if row.address == address:
                row.refresh()


class _Row(QWidget):
    """One picture: offered, being loaded, shown, or why it is not."""

    link_asked = Signal(str)

    def __init__(self, pictures: PullPictures, link: Link, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.address = link.href
        self._pictures = pictures
        self._words = display_text(link.text)
        address = display_text(link.href)
        self._load = small_button("", f"pr_picture_{number}", self)
        self._load.setToolTip(plain_tooltip(address))
        self._browser = IconButton("external-link", tr("Open the picture in the browser"), self)
        self._browser.setObjectName(f"pr_picture_{number}_browser")
        named = ElidedLabel(self._words or address, self)
        named.setProperty("kind", "caption")
        self._note = plain_label(self, "caption", f"pr_picture_{number}_note")
        self._view = _Picture(f"pr_picture_{number}_view", self._words or address, self)
        column = QVBoxLayout(self)
        set_gaps(column, (0, 0, 0, 0), SPACE_1)
        line = line_of(self._load, self._browser, named, margins=(0, 0, 0, 0))
        line.setStretch(2, 1)
        column.addWidget(self._view)
        column.addLayout(line)
        column.addWidget(self._note)
        self._load.clicked.connect(self._act)
        self._browser.clicked.connect(lambda: self.link_asked.emit(self.address))
        theme().changed.connect(self._take_icon)
        self._take_icon()
        self.refresh()

    def refresh(self) -> None:
        """Show what there is of it."""
        stand = self._pictures.stand(self.address)
        offer = _OFFERS[stand.state]
        self._load.setText(offer)
        self._load.setAccessibleName(f"{offer}: {self._words}" if self._words else offer)
        self._browser.setVisible(stand.state in ("failed", "shown"))
        say(self._note, LOADING if stand.state == "loading" else stand.problem)
        self._view.set_picture(stand.picture)

    def _take_icon(self) -> None:
        self._load.setIcon(icon("image", "muted"))

    def _act(self) -> None:
        if self._pictures.stand(self.address).state in ("loading", "shown"):
            self._pictures.forget(self.address)
        else:
            self._pictures.load(self.address)


class _Picture(QWidget):
    """A picture as wide as there is room, never wider than it is."""

    def __init__(self, name: str, accessible: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(accessible)
        self._picture = QPixmap()
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme().changed.connect(self.update)

    def set_picture(self, picture: QPixmap | None) -> None:
        """Show this one; None: nothing."""
        self._picture = picture if picture is not None else QPixmap()
        self.setVisible(picture is not None)
        self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        """The narrower, the lower."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Its height at that width."""
        return self._shown_at(width).height()

    def sizeHint(self) -> QSize:
        """As it is shown at its present width."""
        return self._shown_at(max(1, self.width()))

    def minimumSizeHint(self) -> QSize:
        """It gives way."""
        return QSize(1, 1)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw it, framed, so that a white one has an end."""
        size = self._shown_at(self.width())
        if size.isEmpty():
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        box = self.rect().adjusted(0, 0, size.width() - self.width(), size.height() - self.height())
        painter.drawPixmap(box, self._picture)
        painter.setPen(theme().color("border"))
        painter.drawRect(box.adjusted(0, 0, -1, -1))

    def _shown_at(self, width: int) -> QSize:
        size = self._picture.size()
        if size.width() <= width:
            return size
        return size.scaled(width, size.height(), Qt.AspectRatioMode.KeepAspectRatio)
