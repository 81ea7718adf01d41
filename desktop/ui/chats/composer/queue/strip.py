"""QueueStrip: the messages that wait while a turn runs, each to edit, move, take back or send now (ui-U117)."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from desktop.domain.history.state import QueuedMessage
from desktop.language import tr
from desktop.ui.chats.composer.queue.chip import QueueChip
from desktop.ui.chats.composer.queue.words import paused_words
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import CONTROL_HEIGHT_COMPACT, SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.icon_label import IconLabel
from desktop.ui.widgets.layouts.edge_fade import EdgeFade
from desktop.ui.widgets.layouts.gaps import set_gaps

_SHOWN_CHIPS = 3.5


class QueueStrip(QFrame):
    """Hidden while nothing waits. Asks by signals with the id of a message; what waits is told with `show_queue`.

    `edited`: id and text; `moved`: id and place from 0.
    """

    edited = Signal(str, str)
    removed = Signal(str)
    moved = Signal(str, int)
    send_now = Signal(str)
    resumed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("queue_strip")
        self.setAccessibleName(tr("Messages that wait"))
        self._chips: dict[str, QueueChip] = {}
        self._most = 0
        self._pause = self._make_pause()
        self._body = QWidget(self)
        self._rows = QVBoxLayout(self._body)
        set_gaps(self._rows, (0, 0, 0, 0), SPACE_1)
        self._scroll = QScrollArea(self)
        self._scroll.setProperty("kind", "plain")
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self._body)
        EdgeFade(self._scroll, "surface")
        layout = QVBoxLayout(self)
        set_gaps(layout, (0, 0, 0, 0), SPACE_1)
        layout.addWidget(self._pause)
        layout.addWidget(self._scroll)
        theme().changed.connect(self._fit)
        self.hide()

    @property
    def chips(self) -> list[QueueChip]:
        """The chips in their order."""
        return list(self._chips.values())

    def show_queue(self, queue: Sequence[QueuedMessage], paused: str) -> None:
        """Show what waits; a chip that is being edited keeps what was typed."""
        for gone in set(self._chips) - {message.queue_id for message in queue}:
            self._drop(gone)
        chips = {message.queue_id: self._chips.get(message.queue_id) or self._make_chip() for message in queue}
        for place, message in enumerate(queue):
            chip = chips[message.queue_id]
            chip.show_message(message, first=place == 0, last=place == len(queue) - 1)
            if self._rows.indexOf(chip) != place:
                self._rows.removeWidget(chip)
                self._rows.insertWidget(place, chip)
                chip.show()
        self._chips = chips
        self._pause_words.setText(paused_words(paused))
        self._resume.setText(tr("Start now") if paused == "setup" else tr("Send next"))
        self._pause.setVisible(bool(paused))
        self.setVisible(bool(queue))
        self._fit()

    def set_most(self, height: int) -> None:
        """Be at most this high in pixels; 0: as high as three chips and a half."""
        if height != self._most:
            self._most = height
            self._fit()

    def sizeHint(self) -> QSize:
        """As high as what waits, within the limit."""
        return QSize(super().sizeHint().width(), self._wanted())

    def _wanted(self) -> int:
        px = theme().px
        pause = self._pause.sizeHint().height() + px(SPACE_1) if not self._pause.isHidden() else 0
        return pause + self._scroll.maximumHeight()

    def _fit(self) -> None:
        px = theme().px
        whole = sum(chip.sizeHint().height() for chip in self.chips) + px(SPACE_1) * max(0, len(self._chips) - 1)
        most = round(_SHOWN_CHIPS * px(CONTROL_HEIGHT_COMPACT + SPACE_2 + SPACE_1))
        if self._most:
            pause = 0 if self._pause.isHidden() else self._pause.sizeHint().height() + px(SPACE_1)
            most = min(most, max(px(CONTROL_HEIGHT_COMPACT + SPACE_2), self._most - pause))
        self._scroll.setFixedHeight(max(px(CONTROL_HEIGHT_COMPACT), min(whole, most)))
        self.updateGeometry()

    def _make_chip(self) -> QueueChip:
        chip = QueueChip(self._body)
        chip.edited.connect(lambda text: self.edited.emit(chip.queue_id, text))
        chip.removed.connect(lambda: self.removed.emit(chip.queue_id))
        chip.send_now.connect(lambda: self.send_now.emit(chip.queue_id))
        chip.stepped.connect(lambda step: self.moved.emit(chip.queue_id, self.chips.index(chip) + step))
        chip.resized.connect(self._fit)
        return chip

    def _drop(self, queue_id: str) -> None:
        chip = self._chips.pop(queue_id)
        self._rows.removeWidget(chip)
        chip.hide()
        chip.deleteLater()

    def _make_pause(self) -> QFrame:
        frame = QFrame(self)
        frame.setProperty("kind", "banner")
        frame.setProperty("role", "warning")
        self._pause_words = plain_label(frame, "", "queue_paused", wrap=True)
        resume = self._resume = QPushButton(tr("Send next"), frame)
        resume.setObjectName("queue_resume")
        resume.setProperty("compact", "true")
        resume.setAutoDefault(False)
        resume.setToolTip(tr("Deliver what waits, beginning with the first message"))
        resume.clicked.connect(self.resumed)
        row = QHBoxLayout(frame)
        set_gaps(row, (SPACE_3, SPACE_1, SPACE_1, SPACE_1), SPACE_2)
        row.addWidget(IconLabel("circle-pause", "warning", frame))
        row.addWidget(self._pause_words, 1)
        row.addWidget(resume)
        frame.hide()
        return frame
