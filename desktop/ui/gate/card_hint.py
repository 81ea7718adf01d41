"""CardHint: one line over the first card ever shown, that says which keys lead to it and answer it (ui-U156)."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from desktop.language import tr
from desktop.ui.core.actions import key_text
from desktop.ui.gate.pending_tray import PendingTray
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.gaps import set_gaps

_KEY = "cards/hint_seen"
_LEAST_PAGE = 480


class CardHint(QFrame):
    """Shown with the tray's first card until that is gone or a person got it; never again after that, nor where the
    page is so low that the card needs all of it."""

    def __init__(self, tray: PendingTray, page: QWidget) -> None:
        super().__init__(page)
        self._tray, self._page = tray, page
        self._seen = tray.settings.value(_KEY) in (True, "true")
        self._waiting = False
        self.setObjectName("card_hint")
        self.setProperty("kind", "banner")
        self.setProperty("role", "accent")
        words = plain_label(self)
        words.setText(
            tr("{key_text} jumps to a waiting card. Ctrl+Enter approves it.", key_text=key_text("next_waiting"))
        )
        got_it = push_button(tr("Got it"), "card_hint_got_it", self)
        got_it.setProperty("compact", "true")
        got_it.clicked.connect(self._on_got_it)
        layout = QHBoxLayout(self)
        set_gaps(layout, (SPACE_3, SPACE_1, SPACE_1, SPACE_1), SPACE_2)
        layout.addWidget(words, 1)
        layout.addWidget(got_it)
        tray.count_changed.connect(self._on_count)
        page.installEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Make room when the page becomes low."""
        if event.type() == QEvent.Type.Resize:
            self._refresh()
        return super().eventFilter(watched, event)

    def _on_count(self, count: int) -> None:
        if self._waiting and not count:
            self._remember()
        self._waiting = count > 0
        self._refresh()

    def _on_got_it(self) -> None:
        self._remember()
        self._refresh()
        self._tray.focus_card()

    def _remember(self) -> None:
        if not self._seen:
            self._seen = True
            self._tray.settings.setValue(_KEY, True)

    def _refresh(self) -> None:
        roomy = self._page.height() >= theme().px(_LEAST_PAGE)
        self.setVisible(self._waiting and not self._seen and roomy)
