"""ComposerArea: the composer with what stands over it: waiting messages, an error, where a new chat works."""

from PySide6.QtCore import QEvent, QObject, QRect, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop.domain.boundaries.foreign import is_foreign_no
from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.chats.composer.boundaries import BoundaryStrip
from desktop.ui.chats.composer.composer import Composer, Writer
from desktop.ui.chats.composer.edit_bar import EditBar
from desktop.ui.chats.composer.pasted import PastedSecret
from desktop.ui.chats.composer.queue.strip import QueueStrip
from desktop.ui.chats.imported_strip import ImportedStrip
from desktop.ui.chats.place_choice import PlaceChoice
from desktop.ui.chats.undo_strip import UndoStrip
from desktop.ui.guests.strip import AgentStrip
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.icon_label import IconLabel
from desktop.ui.widgets.layouts.gaps import set_gaps

FOREIGN = tr("What is forbidden counts in English. Say a boundary in English, or add it under Settings › Rules.")
_MOST_LOOKED_AT = 4_000
_QUEUE_SHARE = 0.28
_LOW = 520


class ComposerArea(QWidget):
    """`dropped`: something was dropped on the window while the area was shown; it carries the QMimeData."""

    dropped = Signal(object)

    def __init__(self, writer: Writer, parent: QWidget) -> None:
        super().__init__(parent)
        self.queue = QueueStrip(self)
        self.boundaries = BoundaryStrip(self)
        self.secret = PastedSecret(self)
        self.undo = UndoStrip(self)
        self.edit = EditBar(self)
        self.imported = ImportedStrip(self)
        self.agent = AgentStrip(self)
        self.place = PlaceChoice(self)
        self.composer = Composer(writer, self)
        self._error = plain_label(self, "", "composer_error", role="danger")
        self._error.hide()
        self._foreign = plain_label(self, "caption", "composer_foreign")
        self._foreign.setText(FOREIGN)
        self._foreign.hide()
        self._target = DropTarget(self)
        self._rows = QVBoxLayout(self)
        set_gaps(self._rows, (0, 0, 0, 0), SPACE_2)
        told = (self._error, self._foreign, self.secret, self.undo)
        self._strips = (self.boundaries, self.queue, *told, self.imported, self.agent, self.edit, self.place)
        for widget in (*self._strips, self.composer):
            self._rows.addWidget(widget)
        self.composer.text.textChanged.connect(self._on_text)
        self.window().setAcceptDrops(True)
        self.window().installEventFilter(self)

    def show_error(self, sentence: str) -> None:
        """A sentence over the composer, of the engine or about foreign text; "" takes it away."""
        self._error.setText(display_text(sentence))
        self._error.setVisible(bool(sentence))

    def fit(self, height: int, share: float) -> None:
        """Keep to a share of the centre, which is this high."""
        self.composer.files.set_low(height < theme().px(_LOW))
        self.composer.refresh_height()
        self.queue.set_most(round(height * _QUEUE_SHARE))
        self.composer.setMaximumHeight(max(self.composer.minimumHeight(), round(height * share)))

    def least_height(self) -> int:
        """What it cannot do without."""
        over = [part for part in self._strips if not part.isHidden()]
        composer = max(self.composer.minimumHeight(), self.composer.minimumSizeHint().height())
        return composer + sum(part.sizeHint().height() for part in over) + self._rows.spacing() * len(over)

    def _on_text(self) -> None:
        """Say before it is sent that words of another language forbid nothing (memory-SB8)."""
        self._foreign.setVisible(is_foreign_no(self.composer.text.toPlainText()[:_MOST_LOOKED_AT]))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take files that are dragged over the window."""
        if isinstance(event, QDragEnterEvent | QDragMoveEvent) and event.type() is not QEvent.Type.Drop:
            data = event.mimeData()
            if self.isVisible() and (data.hasUrls() or data.hasText() or data.hasImage()):
                self._target.cover(self.composer.geometry(), files=data.hasUrls() or data.hasImage())
                event.acceptProposedAction()
                return True
        elif event.type() == QEvent.Type.DragLeave:
            self._target.hide()
        elif isinstance(event, QDropEvent) and self.isVisible():
            self._target.hide()
            event.acceptProposedAction()
            self.dropped.emit(event.mimeData())
            return True
        return super().eventFilter(watched, event)


class DropTarget(QFrame):
    """The dashed place over the composer, while something is dragged."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("composer_drop_target")
        self.setProperty("kind", "drop")
        self._words = QLabel(self)
        row = QHBoxLayout(self)
        row.addStretch(1)
        row.addWidget(IconLabel("paperclip", "accent", self))
        row.addWidget(self._words)
        row.addStretch(1)
        self.hide()

    def cover(self, place: QRect, *, files: bool) -> None:
        """Lie over this place."""
        self._words.setText(tr("Drop to attach") if files else tr("Drop to write it here"))
        self.setGeometry(place)
        self.show()
        self.raise_()
