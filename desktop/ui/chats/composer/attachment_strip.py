"""AttachmentStrip: the files that go with the next message: small pictures, names and sizes, each to take out."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon, QPixmap, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QToolButton, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.chats.composer.attachments import AttachedItem
from desktop.ui.chats.composer.drafts import DraftFile
from desktop.ui.text import format as fmt
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CONTROL_HEIGHT_COMPACT, SPACE_1, SPACE_2
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.icon_label import IconLabel
from desktop.ui.widgets.layouts.gaps import set_gaps

_PICTURE, _PICTURE_LOW = 64, 32
_NAMES = (208, 112, 72)
_BAR = 12
Thumbnail = Callable[[DraftFile], QPixmap | None]


class AttachmentStrip(QScrollArea):
    """One row that scrolls sideways; hidden while there is nothing. `thumbnail` gives the small picture of a file.

    `removed`, `opened` (see the picture whole) and `text_wanted` (put a pasted text into the message) carry the Item.
    """

    removed = Signal(object)
    opened = Signal(object)
    text_wanted = Signal(object)

    def __init__(self, thumbnail: Thumbnail, parent: QWidget) -> None:
        super().__init__(parent)
        self._thumbnail = thumbnail
        self._items: tuple[AttachedItem, ...] = ()
        self._low, self._shown = False, True
        self.setObjectName("composer_attachments")
        self.setAccessibleName(tr("Attached files"))
        self.setProperty("kind", "plain")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._body = QWidget(self)
        self._row = QHBoxLayout(self._body)
        set_gaps(self._row, (0, 0, 0, 0), SPACE_2)
        self._row.addStretch(1)
        self.setWidget(self._body)
        theme().changed.connect(self.redraw)
        self.hide()

    def show_items(self, items: Sequence[AttachedItem]) -> None:
        """Show these files."""
        if tuple(items) != self._items:
            self._items = tuple(items)
            self.redraw()

    def set_low(self, low: bool) -> None:
        """Smaller pictures, where there is little height."""
        if low != self._low:
            self._low = low
            self.redraw()

    def set_shown(self, shown: bool) -> None:
        """Whether there is room for it at all."""
        self._shown = shown
        self.setVisible(bool(self._items) and shown)

    def redraw(self) -> None:
        """Draw every file anew, as when a small picture has arrived."""
        for chip in self._body.findChildren(AttachmentChip, options=Qt.FindChildOption.FindDirectChildrenOnly):
            self._row.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        for at, item in enumerate(self._items):
            chip = AttachmentChip(item, self._picture(item), self._side(), self._body)
            chip.removed.connect(self.removed)
            chip.opened.connect(self.opened)
            chip.text_wanted.connect(self.text_wanted)
            self._row.insertWidget(at, chip, 0, Qt.AlignmentFlag.AlignTop)
            chip.show()
        self._fit_names()
        self.setFixedHeight(self._side() + theme().px(2 * SPACE_1 + _BAR))  # room below, with the bar and without
        self.setVisible(bool(self._items) and self._shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Long names are cut where there is no room for them."""
        super().resizeEvent(event)
        self._fit_names()

    def _fit_names(self) -> None:
        chips = self._body.findChildren(AttachmentChip, options=Qt.FindChildOption.FindDirectChildrenOnly)
        shown = [chip for chip in chips if not chip.isHidden()]
        for most in _NAMES:
            widths = [chip.set_name_width(most) for chip in shown]
            if sum(widths) + theme().px(SPACE_2) * len(widths) <= self.viewport().width():
                return

    def _side(self) -> int:
        """Of a picture in pixels; without pictures a row is as high as its words."""
        pictures = any(item.file is not None and item.file.is_image for item in self._items)
        low = _PICTURE_LOW if pictures or self._low else CONTROL_HEIGHT_COMPACT + 2 * SPACE_1
        return theme().px(_PICTURE if pictures and not self._low else low)

    def _picture(self, item: AttachedItem) -> QPixmap | None:
        return self._thumbnail(item.file) if item.file is not None and item.file.is_image else None


class AttachmentChip(QFrame):
    """One file. The dynamic property `item_id` is its name."""

    removed = Signal(object)
    opened = Signal(object)
    text_wanted = Signal(object)

    def __init__(self, item: AttachedItem, picture: QPixmap | None, side: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("composer_attachment")
        self.setProperty("kind", "banner")
        self.setProperty("item_id", item.name)
        name, below = display_text(item.name), _below(item)
        self.setAccessibleName(f"{name}, {below}")
        self.setFixedHeight(side + 2 * theme().px(SPACE_1))
        row = QHBoxLayout(self)
        set_gaps(row, (SPACE_1 if picture is not None else SPACE_2, SPACE_1, SPACE_1, SPACE_1), SPACE_2)
        row.addWidget(self._shape(item, picture, side))
        words = QVBoxLayout()
        set_gaps(words, (0, 0, 0, 0), 0)
        self._title = ElidedLabel(name, self)
        words.addStretch(1)
        words.addWidget(self._title)
        second = plain_label(self, "caption", wrap=False)
        second.setText(below)
        second_row = QHBoxLayout()
        set_gaps(second_row, (0, 0, 0, 0), SPACE_2)
        second_row.addWidget(second)
        if item.text:
            second_row.addWidget(self._put_in(item))
        second_row.addStretch(1)
        words.addLayout(second_row)
        words.addStretch(1)
        row.addLayout(words)
        remove = IconButton("x", tr("Take out {name}", name=name), self)
        remove.setObjectName("composer_attachment_remove")
        remove.clicked.connect(lambda: self.removed.emit(item))
        row.addWidget(remove)

    def set_name_width(self, most: int) -> int:
        """No more than this for the name, in logical pixels; the width of the chip then."""
        self._title.setFixedWidth(min(theme().px(most), self._title.sizeHint().width()))
        return self.sizeHint().width()

    def _put_in(self, item: AttachedItem) -> QPushButton:
        button = push_button(tr("Put in message"), "composer_attachment_put_in", self)
        button.setProperty("kind", "link")
        button.setProperty("role", "caption")
        button.clicked.connect(lambda: self.text_wanted.emit(item))
        return button

    def _shape(self, item: AttachedItem, picture: QPixmap | None, side: int) -> QWidget:
        if picture is None:
            loading = item.file is None
            is_image = item.file is not None and item.file.is_image
            return IconLabel("loader-circle" if loading else "image" if is_image else "file-text", "muted", self)
        button = QToolButton(self)
        button.setObjectName("composer_attachment_open")
        button.setAccessibleName(tr("Show {name}", name=display_text(item.name)))
        button.setToolTip(tr("Show it whole"))
        button.setIcon(QIcon(_square(picture, side, self.devicePixelRatio())))
        inner = side - 2 * theme().px(2)
        button.setIconSize(QSize(inner, inner))
        button.setFixedSize(side, side)
        button.clicked.connect(lambda: self.opened.emit(item))
        return button


def _square(picture: QPixmap, side: int, ratio: float) -> QPixmap:
    """The middle of the picture."""
    size = QSize(round(side * ratio), round(side * ratio))
    fill, smooth = Qt.AspectRatioMode.KeepAspectRatioByExpanding, Qt.TransformationMode.SmoothTransformation
    shown = picture.scaled(size, fill, smooth)
    left, top = (shown.width() - size.width()) // 2, (shown.height() - size.height()) // 2
    shown = shown.copy(left, top, size.width(), size.height())
    shown.setDevicePixelRatio(ratio)
    return shown


def _below(item: AttachedItem) -> str:
    return tr("Reading…") if item.file is None else fmt.size(item.file.size_bytes)
