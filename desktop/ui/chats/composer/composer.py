"""The composer: what to say to the agent, in which mode, with which model; Stop while a turn runs."""

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPixmap, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSpacerItem, QVBoxLayout, QWidget

from desktop.domain.chats.updates import ContextMeterChanged
from desktop.domain.core.permissions import PermissionMode
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.chats.composer.attachment_strip import AttachmentStrip
from desktop.ui.chats.composer.attachments import AttachedItem
from desktop.ui.chats.composer.drafts import DraftFile
from desktop.ui.chats.composer.text import ComposerText, TextWriter
from desktop.ui.context.meter import ContextMeter
from desktop.ui.core.actions import key_text
from desktop.ui.core.engine_facts import STARTING
from desktop.ui.text.modes import SHORT_MODES, mode_words
from desktop.ui.theme.icons import icon
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import COMPOSER_HEIGHT, CONTROL_HEIGHT, ICON_LINE, SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.elided_button import ElidedButton
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.elided_label import plain_tooltip

PLACEHOLDER = tr("Reply, or type / for commands and @ for files")
PLACEHOLDER_NEW = tr("Say what should be done")
NOTHING = tr("There is nothing to send yet.")
SENDING = tr("Sending…")
PASSING = (SENDING, STARTING)
"""Reasons that end by themselves in a moment."""
_TIGHT_WORDS_FROM = 400
_NO_WARNING, _SHORT_METER, _NO_CLEAR, _NO_STOP, _NO_SEND = range(1, 6)
_SHORT_MODE, _NO_MODEL, _NO_METER, _NO_ATTACH, _BARE = range(6, 11)
_MODE_TIPS = {
    PermissionMode.PLAN: tr("Reads and plans, changes nothing."),
    PermissionMode.EDIT: tr("Changes files in its lane, asks before commands."),
    PermissionMode.FULL_AUTO: tr("Runs commands without asking; still asks before SQL that may change data."),
}


@dataclass(frozen=True)
class ComposerState:
    """What the composer shows. `blocked`: why nothing can be sent now ("" if it can). `mode` is the folded one.
    `files`: how many are attached."""

    new: bool = False
    mode: PermissionMode = PermissionMode.EDIT
    pending_mode: PermissionMode | None = None
    model: str = ""
    model_tip: str = ""
    running: bool = False
    stopping: bool = False
    blocked: str = ""
    files: int = 0


class Writer(TextWriter, Protocol):
    """Who writes in the composer."""

    def thumbnail(self, file: DraftFile) -> QPixmap | None:
        """The small picture of an attached file, None while there is none."""


class Composer(QFrame):
    """98 high and growing. Asks by signals; it empties only when told to.

    `submitted`: the text, and whether the running step is to be stopped for it; `stop_asked`: whether the step may end
    first.
    """

    submitted = Signal(str, bool)
    stop_asked = Signal(bool)
    attach_asked = Signal()
    mention_asked = Signal()
    clear_asked = Signal()
    mode_chosen = Signal(str)
    model_asked = Signal(QRect)
    edited = Signal(str)

    def __init__(self, writer: Writer, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("composer")
        self.setProperty("kind", "composer")
        self._state = ComposerState()
        self._tight, self._shown, self._written, self._sharing = False, False, False, False
        self._shared = -1
        self._metered: tuple[ContextMeterChanged | None, bool] | None = None
        self.files = AttachmentStrip(writer.thumbnail, self)
        self.text = ComposerText(self, writer)
        self.text.setAcceptDrops(False)
        self.text.send_asked.connect(self.submit)
        self.text.send_now_asked.connect(self.submit_now)
        self.text.textChanged.connect(self._on_text)
        self.text.focus_changed.connect(self._on_focus)
        choices = [(mode.value, mode_words(mode)) for mode in PermissionMode]
        self._mode = Segmented("composer_mode", tr("Mode"), choices, self)
        for mode, tip in _MODE_TIPS.items():
            self._mode.set_tooltip(mode.value, tip)
        self._mode.chosen.connect(self.mode_chosen)
        self._model = ElidedButton("", self)
        self._model.setObjectName("composer_model")
        self._model.setProperty("kind", "ghost")
        self._model.clicked.connect(self.ask_model)
        self.meter = ContextMeter(self)
        self._attach = IconButton("paperclip", tr("Attach files"), self)
        self._attach.setObjectName("composer_attach")
        self._attach.clicked.connect(self.attach_asked)
        self._mention = IconButton("at-sign", tr("Name a file, a lane or a chat"), self)
        self._mention.setObjectName("composer_mention")
        self._mention.clicked.connect(self.mention_asked)
        self._clear = IconButton("x", tr("Clear what is written"), self)
        self._clear.setObjectName("composer_clear")
        self._clear.clicked.connect(self.clear_asked)
        self._stop = _button(tr("Stop"), "composer_stop", self)
        self._stop.setToolTip(tr("Stop the turn ({key}). With Shift: after the current step.", key=key_text("stop")))
        self._stop.clicked.connect(self._on_stop)
        self._send = _button(tr("Send"), "composer_send", self)
        self._send.setProperty("kind", "primary")
        self._send.clicked.connect(self.submit)
        self._why = plain_label(self, "caption", "composer_blocked", role="warning")
        self._why.hide()
        self._lay_out()
        self.set_state(self._state)
        self._take_theme()
        theme().changed.connect(self._take_theme)

    @property
    def state(self) -> ComposerState:
        """What is shown."""
        return self._state

    def set_state(self, state: ComposerState) -> None:
        """Show this state; the same one again costs nothing."""
        if state == self._state and self._shown:
            return
        self._state, self._shown = state, True
        busy = state.pending_mode.value if state.pending_mode is not None else ""
        self._mode.set_value(state.mode.value, busy)
        self._model.set_full_text(state.model or tr("Choose model"))
        self._model.setToolTip(plain_tooltip(f"{state.model}\n{state.model_tip}".strip()))
        self._stop.setVisible(state.running)
        self._share_room()
        self.text.setPlaceholderText(PLACEHOLDER_NEW if state.new else PLACEHOLDER)
        self._check_send()

    def set_text(self, text: str) -> None:
        """Put a text in the field, the caret at its end."""
        self.text.setPlainText(text)
        cursor = self.text.textCursor()
        cursor.movePosition(cursor.MoveOperation.End)
        self.text.setTextCursor(cursor)

    def replace_text(self, text: str) -> None:
        """Put another text in the field, as if it were typed: Ctrl+Z takes it back."""
        cursor = self.text.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.text.setTextCursor(cursor)

    def set_tight(self, tight: bool) -> None:
        """Take as little height as possible, for a card above it: field and buttons in one row, no mode, no model."""
        if tight == self._tight:
            return
        self._tight = tight
        self.text.set_tight(tight)
        if tight:
            self._rows.removeWidget(self.text)
            self._controls.insertWidget(0, self.text, 1, Qt.AlignmentFlag.AlignVCenter)
        else:
            self._controls.removeWidget(self.text)
            self._rows.insertWidget(1, self.text, 1)
        self._controls.setStretch(self._controls.indexOf(self._gap), 0 if tight else 1)
        self.files.set_shown(not tight)
        self._share_room()
        self._take_theme()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where it is narrow, words give way to icons, and what is in the palette too is there only."""
        super().resizeEvent(event)
        if self.width() != self._shared:
            self._share_room()

    def minimumSizeHint(self) -> QSize:
        """As wide as the mode with the icons of Stop and Send, whatever is shown: were it what is shown, the window
        would make room for more words, and take it again from the composer that shows them, without an end."""
        least = self._mode.minimumSizeHint().width() + theme().px(2 * CONTROL_HEIGHT + 4 * SPACE_2)
        return QSize(least, super().minimumSizeHint().height())

    def show_meter(self, meter: ContextMeterChanged | None) -> None:
        """Show how full the model's window is; the same again costs nothing."""
        shown = meter, not self._state.running and not self._state.new
        if shown != self._metered:
            self._metered = shown
            self.meter.show_meter(meter, can_compact=shown[1])
            self._share_room()

    def set_enter_sends(self, enter_sends: bool) -> None:
        """Whether Enter sends (else Ctrl+Enter does)."""
        self.text.enter_sends = enter_sends

    def ask_model(self) -> None:
        """Ask for the model list; the signal carries where the button is on screen."""
        self.model_asked.emit(QRect(self._model.mapToGlobal(QPoint(0, 0)), self._model.size()))

    def submit(self) -> None:
        """Send what is written, or let it wait while a turn runs."""
        self._submit(now=False)

    def submit_now(self) -> None:
        """Send what is written; a running step is stopped for it."""
        self._submit(now=self._state.running)

    def _submit(self, *, now: bool) -> None:
        if self._send.isEnabled():
            self.submitted.emit(self.text.toPlainText().strip(), now)

    def _on_stop(self) -> None:
        shift = bool(QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier)
        self.stop_asked.emit(shift)

    def _on_text(self) -> None:
        self._check_send()
        self.edited.emit(self.text.toPlainText())

    def _check_send(self) -> None:
        state = self._state
        reason = state.blocked
        if not reason and state.pending_mode is not None:
            reason = tr("Waiting for mode {mode}.", mode=mode_words(state.pending_mode))
        written = bool(self.text.toPlainText()) or bool(state.files)
        if written != self._written:
            self._written = written
            self._share_room()
        if not reason and not self.text.toPlainText().strip() and not state.files:
            reason = NOTHING
        self._show_why(state.blocked if written and state.blocked not in PASSING else "")
        set_off(self._send, reason, self._send_tip())
        self._take_send_icon()

    def _show_why(self, reason: str) -> None:
        """Say below a written text why it cannot be sent."""
        if (reason, not reason) != (self._why.text(), self._why.isHidden()):
            say(self._why, reason)
            self._take_height()

    def _send_tip(self) -> str:
        plain, now = (
            (tr("Enter"), tr("Ctrl+Enter")) if self.text.enter_sends else (tr("Ctrl+Enter"), tr("Ctrl+Shift+Enter"))
        )
        if self._state.running:
            return tr(
                "Send after the current step ({key}). {now_key} stops the step and sends now.", key=plain, now_key=now
            )
        return tr("Send the message ({key})", key=plain)

    def _on_focus(self, focused: bool) -> None:
        restyle(self, role="focus" if focused else "")

    def _lay_out(self) -> None:
        self._gap = QSpacerItem(0, 0)
        self._controls = QHBoxLayout()
        self._controls.addWidget(self._attach)
        self._controls.addWidget(self._mention)
        self._controls.addWidget(self._mode)
        self._controls.addWidget(self._clear)
        self._controls.addItem(self._gap)
        self._controls.setStretch(self._controls.indexOf(self._gap), 1)
        for button in (self._model, self.meter, self._stop, self._send):
            self._controls.addWidget(button)
        self._rows = QVBoxLayout(self)
        self._rows.addWidget(self.files)
        self._rows.addWidget(self.text, 1)
        self._rows.addWidget(self._why)
        self._rows.addLayout(self._controls)

    def _take_gaps(self) -> None:
        px = theme().px
        self._rows.setSpacing(px(SPACE_1))
        if self._tight:
            self._rows.setContentsMargins(px(SPACE_2), px(SPACE_1), px(SPACE_1), px(SPACE_1))
        else:
            self._rows.setContentsMargins(px(SPACE_3), px(SPACE_3), px(SPACE_2), px(SPACE_2))

    def _share_room(self) -> None:
        """Take away what is least needed until the rest fits in one row, and place the rest at once. What is shown on
        trial can make the field wider for a moment, which asks for no other look."""
        if self._sharing:
            return
        self._sharing, self._shared = True, self.width()
        self._choose_level()
        self._rows.activate()
        self._sharing = False

    def _choose_level(self) -> None:
        """The model's name is cut only after words and a button that matter less gave way to it."""
        if self._tight:
            self._show_level(_BARE)
            words = self.width() >= theme().px(_TIGHT_WORDS_FROM)
            self._show_words(stop=words, send=words)
            return
        margins = self._rows.contentsMargins()
        room = self.width() - margins.left() - margins.right() - 2 * theme().px(2)
        if any(self._fits(level, room - self._model.cuttable) for level in range(_NO_STOP)):
            return
        for level in range(_SHORT_METER, _BARE):
            if self._fits(level, room):
                return

    def _fits(self, level: int, room: int) -> bool:
        """Whether the row fits into so much room at this level, which is shown then."""
        self._show_level(level)
        return self._controls.minimumSize().width() <= room

    def _show_level(self, level: int) -> None:
        self.meter.set_words((level >= _NO_WARNING) + (level >= _SHORT_METER))
        self._show_words(stop=level < _NO_STOP, send=level < _NO_SEND)
        self._model.setVisible(level < _NO_MODEL)
        self.meter.setVisible(self.meter.known and level < _NO_METER)
        self._attach.setVisible(level < _NO_ATTACH)
        self._mention.setVisible(level < _SHORT_METER)
        self._clear.setVisible(self._written and level < _NO_CLEAR)
        self._mode.setVisible(level < _BARE)
        self._mode.set_short(SHORT_MODES if level >= _SHORT_MODE else {})
        self._controls.setSpacing(theme().px(SPACE_1 if _SHORT_METER <= level < _BARE else SPACE_2))
        self._controls.invalidate()

    def _show_words(self, *, stop: bool, send: bool) -> None:
        stop_words = tr("Stopping…") if self._state.stopping else tr("Stop")
        send_words = tr("Queue") if self._state.running else tr("Send")
        for button, text, words in ((self._stop, stop_words, stop), (self._send, send_words, send)):
            button.setText(text if words else "")
            button.setAccessibleName(text)
            restyle(button, compact="" if words else "true")

    def _take_height(self) -> None:
        more = self.files.height() if not self.files.isHidden() else 0
        more += self._why.sizeHint().height() if not self._why.isHidden() else 0
        self.setMinimumHeight(0 if self._tight else theme().px(COMPOSER_HEIGHT) + more)
        self.text.updateGeometry()

    def show_files(self, items: Sequence[AttachedItem]) -> None:
        """Show the files that go with the message."""
        self.files.show_items(items)
        self.refresh_height()

    def refresh_height(self) -> None:
        """Leave room for the files that are shown."""
        self._take_height()

    def _take_send_icon(self) -> None:
        self._send.setIcon(icon("arrow-up", "on_accent" if self._send.isEnabled() else "muted"))

    def _take_theme(self) -> None:
        px = theme().px
        self._stop.setIcon(icon("square-filled", "text"))
        self._take_send_icon()
        for button in (self._stop, self._send):
            button.setFixedHeight(px(CONTROL_HEIGHT))
            button.setIconSize(QSize(px(ICON_LINE), px(ICON_LINE)))
        self._take_gaps()
        self._take_height()


def _button(text: str, name: str, parent: QWidget) -> QPushButton:
    button = push_button(text, name, parent)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button
