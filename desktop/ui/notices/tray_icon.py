"""TrayIcon: the program in the system's tray, where there is one: what waits, and a way to it (ui-U169)."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, QRect, QSize, Signal
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from desktop.domain.core.work import SessionSummary
from desktop.language import tr, trn
from desktop.ui.core.chat_state import RUNNING_ACTIVITIES
from desktop.ui.notices.fold import chat_title
from desktop.ui.sidebar.rows import waiting_order
from desktop.ui.theme.icons import pixmap
from desktop.ui.widgets.badge import badge_size, badge_text, paint_badge

_SIDE, _SHOWN_MS, _MOST = 32, 10_000, 10


class TrayIcon(QObject):
    """`chat_asked` names a chat that waits; `message_clicked`: the last message of the system was."""

    chat_asked = Signal(str)
    window_asked = Signal()
    new_chat_asked = Signal()
    quit_asked = Signal()
    message_clicked = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.menu = QMenu()
        self.menu.setObjectName("tray_menu")
        self.words = ""
        self._count, self._looked = 0, False
        self._icon: QSystemTrayIcon | None = None
        self._shown: tuple[tuple[str, str], ...] = ()
        self._fill(())

    def show_chats(self, chats: Sequence[SessionSummary]) -> None:
        """These are the chats now."""
        live = [chat for chat in chats if not chat.archived]
        waiting = [chat for chat in waiting_order(live) if chat.waiting]
        entries = tuple((chat.session_id, chat_title(chat)) for chat in waiting[:_MOST])
        if entries != self._shown:
            self._shown = entries
            self._fill(entries)
        count = sum(len(chat.waiting) for chat in live)
        running = sum(chat.activity in RUNNING_ACTIVITIES for chat in live)
        failed = sum(bool(chat.failed) for chat in live)
        parts = (
            (count, trn(count, "{n} waiting", "{n} waiting")),
            (running, trn(running, "{n} running", "{n} running")),
            (failed, trn(failed, "{n} failed", "{n} failed")),
        )
        self.words = ", ".join(words for number, words in parts if number)
        self._count = count
        if not self._looked:
            self._look()
        self._show_state()

    def send(self, title: str, text: str) -> None:
        """Show a message of the system; without a tray there is none."""
        self._look()
        if self._icon is not None:
            self._icon.showMessage(title, text, _badged(0), _SHOWN_MS)

    def hide(self) -> None:
        """The program ends."""
        if self._icon is not None:
            self._icon.hide()

    def _look(self) -> None:
        """Whether there is a tray by now. The system is asked, so not at each change."""
        self._looked = True
        if self._icon is None and QSystemTrayIcon.isSystemTrayAvailable():
            self._icon = self._made()
            self._show_state()

    def _show_state(self) -> None:
        if self._icon is not None:
            self._icon.setIcon(_badged(self._count))
            self._icon.setToolTip(f"Banksman: {self.words}" if self.words else "Banksman")

    def _fill(self, entries: tuple[tuple[str, str], ...]) -> None:
        self.menu.clear()
        for session_id, title in entries:
            chat = self.menu.addAction(title.replace("&", "&&"))
            chat.triggered.connect(partial(self.chat_asked.emit, session_id))
        if entries:
            self.menu.addSeparator()
        for name, words, asked in (
            ("window", tr("Show window"), self.window_asked),
            ("new_chat", tr("New chat"), self.new_chat_asked),
            ("quit", tr("Quit"), self.quit_asked),
        ):
            action = self.menu.addAction(words)
            action.setObjectName(f"tray_{name}")
            action.triggered.connect(asked)

    def _made(self) -> QSystemTrayIcon:
        icon = QSystemTrayIcon(self)
        icon.setContextMenu(self.menu)
        icon.messageClicked.connect(self.message_clicked)
        icon.activated.connect(self._on_activated)
        icon.setIcon(_badged(self._count))
        icon.show()
        return icon

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason is QSystemTrayIcon.ActivationReason.Trigger:
            self.window_asked.emit()


def _badged(count: int) -> QIcon:
    """The bell, with how many decisions wait."""
    shown = QPixmap(pixmap("bell", "warning" if count else "muted", _SIDE))
    if count:
        text = badge_text(count)
        size = badge_size(text).boundedTo(QSize(shown.width(), shown.height()))
        painter = QPainter(shown)
        place = QRect(shown.width() - size.width(), shown.height() - size.height(), size.width(), size.height())
        paint_badge(painter, place, text, "warning")
        painter.end()
    return QIcon(shown)
