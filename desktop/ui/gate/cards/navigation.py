"""The tray's own controls: which card of how many, previous, next and folding, and the line of the folded tray."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget

from desktop.language import tr
from desktop.ui.gate.cards.wording import icon_of
from desktop.ui.gate.input_fold import PendingItem
from desktop.ui.theme.icons import pixmap
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import ICON_LINE, SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.elided_label import ElidedLabel

FOLDED = 36


class Navigation(QWidget):
    """ "1 of 2", previous, next, and the chevron that folds the tray; it stands in the header of the shown card."""

    folded = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("tray_navigation")
        self.position = plain_label(self, "muted", "tray_position", wrap=False)
        self.previous = self._icon("chevron-left", tr("Previous request"), "tray_previous")
        self.next = self._icon("chevron-right", tr("Next request"), "tray_next")
        self.collapse = self._icon("chevron-down", tr("Fold the requests"), "tray_collapse")
        self.position.setMinimumWidth(self.position.fontMetrics().horizontalAdvance("99 of 99"))
        self.position.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for part in (self.position, self.previous, self.next, self.collapse):
            row.addWidget(part)
        self.keep_room(True)

    def keep_room(self, kept: bool) -> None:
        """Whether what is hidden keeps its room, so that nothing moves when a second request comes."""
        for part in (self.position, self.previous, self.next):
            policy = part.sizePolicy()
            if policy.retainSizeWhenHidden() != kept:
                policy.setRetainSizeWhenHidden(kept)
                part.setSizePolicy(policy)
                self.updateGeometry()

    def show_position(self, index: int, total: int, *, is_folded: bool) -> None:
        """Which of how many. With one alone only the chevron is shown; the room stays, so that nothing moves."""
        several = total > 1 and not is_folded
        self.position.setText(tr("{value} of {total}", value=index + 1, total=total))
        for part in (self.position, self.previous, self.next):
            part.setVisible(several)
        set_off(self.previous, "" if index > 0 else tr("This is the first request."))
        set_off(self.next, "" if index < total - 1 else tr("This is the last request."))
        self.collapse.set_icon("chevron-up" if is_folded else "chevron-down")
        self.collapse.set_name(tr("Show the requests") if is_folded else tr("Fold the requests"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc folds the tray."""
        if event.key() == Qt.Key.Key_Escape and not event.isAutoRepeat():
            event.accept()
            self.folded.emit()
        else:
            super().keyPressEvent(event)

    def _icon(self, icon_name: str, words: str, name: str) -> IconButton:
        button = IconButton(icon_name, words, self)
        button.setObjectName(name)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button


class FoldLine(QFrame):
    """The folded tray: one line that names what waits."""

    pressed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("tray_fold_line")
        self.setProperty("kind", "card")
        self.setFixedHeight(theme().px(FOLDED))
        self._icon = QLabel(self)
        self.text = ElidedLabel("", self)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(theme().px(SPACE_3), 0, theme().px(SPACE_1), 0)
        self.row.setSpacing(theme().px(SPACE_2))
        self.row.addWidget(self._icon)
        self.row.addWidget(self.text, 1)

    def show_line(self, text: str, item: PendingItem) -> None:
        """Say this, in the colour of the shown input."""
        icon_name, role = icon_of(item.request, interrupted=item.interrupted)
        restyle(self, role=role)
        self._icon.setPixmap(pixmap(icon_name, role, ICON_LINE, self.devicePixelRatio()))
        self.text.set_full_text(text)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click anywhere on the line opens the tray."""
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.pressed.emit()
