"""The frame of every card: header, body that scrolls, footer that does not, guard, keys, and the state of sending."""

from collections.abc import Callable, Iterator

from PySide6.QtCore import QEvent, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QKeyEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.domain.core.update import Update
from desktop.domain.gate.pending import Answer
from desktop.language import tr
from desktop.ui.core.accessible import read_as_role
from desktop.ui.gate.cards.context import CardContext, announcement
from desktop.ui.gate.cards.guard import CardButton, CardGuard
from desktop.ui.gate.cards.header import CardHeader
from desktop.ui.gate.cards.look import CardLook
from desktop.ui.gate.cards.sending import STILL_SENDING, Sending
from desktop.ui.gate.cards.wording import Title, icon_of, title_of
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import RADIUS_CARD, SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.card_parts import BodyScroll, plain_label, say
from desktop.ui.widgets.chip import button_text

_SETTLED_MS = 150
_FEW_LINES = 4
ENGINE_STOPPED = tr("Cannot answer while the engine is stopped.")
_CONTROL = Qt.KeyboardModifier.ControlModifier


class InputCard(QFrame):
    """One pending input. Emits `answered` at most once until it is enabled again; `left` when Esc leaves the card.

    `wanted`: a Command the card needs carried out, that answers nothing; what comes of it arrives by `take`.
    `discarded`: the agent's version of the call is to be shown again.
    Subclasses fill `body.column` and `footer`, add buttons with `button()`, and say what the keys do. One of many parts
    is whole when the steps of `filling` are taken, which `CardStage` does before the card is in its place.
    """

    answered = Signal(Answer)
    wanted = Signal(object)
    left = Signal()
    reshaped = Signal()
    continued = Signal()
    dismissed = Signal()
    discarded = Signal()
    audit_asked = Signal()
    unconfirmed = Signal()
    prefix = "card"

    def __init__(self, context: CardContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.context = context
        self.item = context.item
        self.guard = CardGuard(self, context.monotonic)
        self.engine_stopped = False
        self.tiny = False
        self._was_painted = False
        self._buttons: list[CardButton] = []
        self._sending = Sending(self)
        self._sending.late.connect(self._say_still_sending)
        self._sending.given_up.connect(self.unconfirmed)
        self.setObjectName(f"{self.prefix}_card")
        self.setProperty("item_id", self.item.input_id)
        self.setProperty("kind", "card")
        self._role = icon_of(context.request, interrupted=self.item.interrupted)[1]
        self.setProperty("role", self._role)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        read_as_role(self, QAccessible.Role.AlertMessage)
        self._header = CardHeader(self, context, self.prefix, self.title())
        self._build_frame()
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._focus_moved)
        theme().changed.connect(self._take_theme)
        self._take_theme()
        self.refresh_age()

    # What a subclass says

    def filling(self) -> Iterator[None]:
        """Put the parts into the frame in steps, none of which is long."""
        yield from ()

    def title(self) -> Title:
        """The card's title."""
        return title_of(self.context.request, self.context.lane)

    def approve(self) -> None:
        """What Ctrl+Enter does."""

    def decline_now(self) -> None:
        """What Ctrl+Backspace does; what a restart closed is taken away."""
        if self.item.interrupted:
            self.dismissed.emit()
        else:
            self.submit(Answer(outcome="reject"), None)

    def choose(self, number: int) -> None:
        """What the digits 1 to 9 do."""

    def toggle_why(self) -> None:
        """What W does."""

    def open_editor(self) -> None:
        """What E does."""

    def open_rule(self) -> None:
        """What R does."""

    def try_in_copy(self) -> None:
        """What T does."""

    def go_back(self) -> bool:
        """Close what is open inside the card; False when nothing was."""
        return False

    def first_painted(self) -> None:
        """The card has been on screen for a moment, for the first time."""

    def look(self) -> CardLook:
        """What was done to the card without answering it."""
        return CardLook()

    def can_restore(self, former: "InputCard") -> bool:
        """Whether what was done to another card for this input holds for this one."""
        return self.context.request == former.context.request

    def restore(self, look: CardLook) -> None:
        """Look again as a card for the same input did."""

    def take(self, update: Update) -> None:
        """What came of something this card wanted."""

    def lacks(self, _update: Update) -> bool:
        """Whether it has no place for this and is to be drawn anew with it."""
        return False

    def refuse(self, sentence: str) -> None:
        """Something this card wanted was not carried out; `sentence` says why."""
        say(self.error, sentence)
        self.content_changed()

    def tab_chain(self) -> list[QWidget]:
        """What Tab goes through inside the card, in order."""
        return []

    def refresh_enabled(self) -> None:
        """Enable what can be pressed now; called whenever `can_answer` may have changed."""
        for button in self._buttons:
            set_off(button, self.why_not)

    # What the tray does

    @property
    def can_answer(self) -> bool:
        """False while an answer is under way and while there is no engine."""
        return not self._sending.under_way and not self.engine_stopped

    @property
    def why_not(self) -> str:
        """Why nothing can be answered now, "" if it can."""
        return "" if self.can_answer else ENGINE_STOPPED if self.engine_stopped else UNDER_WAY

    def set_navigation(self, navigation: QWidget) -> None:
        """Take the tray's "1 of 2" and its buttons into the header."""
        self._header.set_navigation(navigation)

    def height_at(self, width: int) -> int:
        """The height at which nothing of the card needs to scroll."""
        margins = self.layout_column.contentsMargins()
        inner = self._inner_width(width)
        self._header.row.invalidate()
        rows = [self._header.row.heightForWidth(inner), self.body.wanted_height(inner)]
        if not self._footer_box.isHidden():
            rows.append(self.footer.heightForWidth(inner))
        spacing = self.layout_column.spacing() * (len(rows) - 1)
        return sum(rows) + spacing + margins.top() + margins.bottom() + 2 * self.frameWidth()

    def make_fit(self, width: int, height: int) -> None:
        """Shrink what scrolls by itself, so that the body need not scroll in so much room.

        Where title and buttons leave it only a few lines, the margins shrink, and age and hint are left out.
        """
        inner = self._inner_width(width)
        self._header.show_second_line(True, inner)
        self.hint.setVisible(bool(self.hint.text()))
        self._set_margins(SPACE_3, SPACE_2)
        few = min(self.body.wanted_height(inner), _FEW_LINES * self.fontMetrics().lineSpacing())
        if self._room(width, height) < few:
            self._header.show_second_line(False, inner)
            self._set_margins(SPACE_2, SPACE_1)
            self.hint.setVisible(bool(self.hint.text()) and self._room(width, height) >= 0)
        self.tiny = self._room(width, height) < few
        for button in self._buttons:
            restyle(button, compact="true" if self.tiny else "")
        if self.tiny:
            self._set_margins(SPACE_1, 0)

    def _room(self, width: int, height: int) -> int:
        """What such a height leaves for the body; negative when the rest alone is higher."""
        return height - self.height_at(width) + self.body.wanted_height(self._inner_width(width))

    def set_sending(self, button: CardButton | None = None) -> None:
        """An answer is under way (also used when a card is drawn again meanwhile)."""
        self._sending.start(button)
        self.refresh_enabled()

    def fail(self, text: str) -> None:
        """The answer was not taken: enable the card again and say why."""
        self._end_sending()
        self.guard.restart()
        say(self.error, text)
        self.refresh_enabled()
        self.reshaped.emit()

    def set_engine_stopped(self, stopped: bool) -> None:
        """Nothing can be answered without the engine; an answer that was under way is not confirmed any more."""
        if stopped == self.engine_stopped:
            return
        self.engine_stopped = stopped
        self._end_sending()
        say(self.error, ENGINE_STOPPED if stopped else "")
        self.guard.restart()
        self.refresh_enabled()
        self.reshaped.emit()

    def refresh_age(self) -> None:
        """Say how long it has been waiting."""
        self._header.refresh_age()

    # What subclasses use

    def button(self, text: str, name: str, kind: str = "", *, role: str = "", prefix: str = "") -> CardButton:
        """A button that obeys the guard. `text` may hold any characters; `prefix` if its name has another than ours."""
        button = CardButton(button_text(text), f"{prefix or self.prefix}_{name}", self.guard, self)
        button.setAccessibleName(text)
        for key, value in (("kind", kind), ("role", role)):
            if value:
                button.setProperty(key, value)
        self._buttons.append(button)
        return button

    def submit(self, answer: Answer, button: CardButton | None) -> None:
        """Send the answer, unless one is under way or there is no engine."""
        if not self.can_answer:
            return
        say(self.error, "")
        self.set_sending(button)
        self.answered.emit(answer)

    def content_changed(self) -> None:
        """The card says something else now: presses wait 500 ms, and its height may differ."""
        self.guard.restart()
        self.reshaped.emit()

    def _inner_width(self, width: int) -> int:
        margins = self.layout_column.contentsMargins()
        return width - margins.left() - margins.right() - 2 * self.frameWidth()

    def _set_margins(self, margin: int, spacing: int) -> None:
        side = theme().px(margin)
        self.layout_column.setContentsMargins(side, side, side, side)
        self.layout_column.setSpacing(theme().px(spacing))

    # Building

    def _build_frame(self) -> None:
        px = theme().px
        self.layout_column = QVBoxLayout(self)
        self._set_margins(SPACE_3, SPACE_2)
        self.layout_column.addLayout(self._header.row)
        self.body = BodyScroll(self)
        self.layout_column.addWidget(self.body, 1)
        self._footer_box = QWidget(self)
        self.footer = QVBoxLayout(self._footer_box)
        self.footer.setContentsMargins(0, 0, 0, 0)
        self.footer.setSpacing(px(SPACE_2))
        self.error = plain_label(self._footer_box, name=f"{self.prefix}_error", role="danger")
        self.hint = plain_label(self._footer_box, "caption", f"{self.prefix}_hint", role="warning")
        say(self.error, "")
        say(self.hint, "")
        self.footer.addWidget(self.error)
        self.footer.addWidget(self.hint)
        self.layout_column.addWidget(self._footer_box)
        self.setAccessibleName(self.title().text)
        self.setAccessibleDescription(announcement(self.context.request))

    def _say_still_sending(self) -> None:
        say(self.hint, STILL_SENDING)
        self.reshaped.emit()

    def _end_sending(self) -> None:
        self._sending.end()
        if self.hint.text() == STILL_SENDING:
            say(self.hint, "")

    def _take_theme(self) -> None:
        self._header.take_theme()

    # Focus and keys

    def _focus_moved(self, old: QWidget | None, new: QWidget | None) -> None:
        was_inside = old is not None and (old is self or self.isAncestorOf(old))
        is_inside = new is not None and (new is self or self.isAncestorOf(new))
        if is_inside and not was_inside:
            self.guard.restart()
        if new is self or old is self:
            self.update()

    def in_text_field(self) -> bool:
        """Whether the focus is in a field of this card that takes text."""
        focus = QApplication.focusWidget()
        if focus is None or not self.isAncestorOf(focus):
            return False
        return isinstance(focus, QLineEdit) or (isinstance(focus, QPlainTextEdit) and not focus.isReadOnly())

    def event(self, event: QEvent) -> bool:
        """Keep the card's own keys from window-wide shortcuts while the focus is inside."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and self._key(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Do what the key means here; held keys, and keys typed in a field, mean nothing."""
        act = self._key(event)
        if act is None:
            event.ignore()
            return
        event.accept()
        if event.isAutoRepeat():
            return
        if act == self.escape:
            act()
        elif not self.in_text_field():
            act() if self.guard.is_open() else self.guard.tell_dropped(self._footer_box)

    def escape(self) -> None:
        """Close what is open inside the card, else leave it."""
        if self.go_back():
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.left.emit()

    def _key(self, event: QKeyEvent) -> Callable[[], None] | None:
        key, control = event.key(), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == _CONTROL
        if control:
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                return self.approve
            return self.decline_now if key == Qt.Key.Key_Backspace else None
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return None
        plain = {
            Qt.Key.Key_Escape: self.escape,
            Qt.Key.Key_W: self.toggle_why,
            Qt.Key.Key_E: self.open_editor,
            Qt.Key.Key_R: self.open_rule,
            Qt.Key.Key_T: self.try_in_copy,
        }
        if key in plain:
            return plain[Qt.Key(key)]
        if Qt.Key.Key_1 <= key <= Qt.Key.Key_9:
            number = key - Qt.Key.Key_0
            return lambda: self.choose(number)
        return None

    def paintEvent(self, event: QPaintEvent) -> None:
        """The frame, and the focus ring, with the bar inside of it, when the frame itself has the focus."""
        super().paintEvent(event)
        if not self._was_painted:
            self._was_painted = True
            self.guard.restart()
            QTimer.singleShot(_SETTLED_MS, self, self.first_painted)
        if self.hasFocus():
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            ring = max(2, theme().px(2))
            inset = ring // 2
            radius = theme().px(RADIUS_CARD)
            around = self.rect().adjusted(inset, inset, -inset, -inset)
            inner = QPainterPath()
            inner.addRoundedRect(QRectF(around), radius, radius)
            painter.setClipPath(inner)
            painter.fillRect(QRect(ring, ring, theme().px(3), self.height() - 2 * ring), theme().color(self._role))
            painter.setClipping(False)
            painter.setPen(QPen(theme().color("accent"), ring))
            painter.drawRoundedRect(around, radius, radius)
