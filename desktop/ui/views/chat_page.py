"""The centre: one chat's header, transcript, waiting cards and composer, or the page of a new chat."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QStackedWidget, QVBoxLayout, QWidget

from desktop.domain.commands import ArchiveSession, Interrupt, NewSession, OpenSession, RenameSession, SetMode
from desktop.domain.display import display_text
from desktop.domain.ids import new_command_id, new_session_id
from desktop.domain.permissions import PermissionMode
from desktop.domain.updates import Update
from desktop.domain.work import Activity
from desktop.ui.chat_book import ChatBook, ChatFacts
from desktop.ui.chat_commands import ChatCommands
from desktop.ui.drafts import NEW_CHAT, Drafts
from desktop.ui.engine_facts import EngineFacts
from desktop.ui.parts import Parts
from desktop.ui.sink import Clock, CommandSink
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_4
from desktop.ui.views.card_hint import CardHint
from desktop.ui.views.cards.parts import plain_label
from desktop.ui.views.composer import Composer, ComposerState
from desktop.ui.views.gate_dialogs import GateDialogs
from desktop.ui.views.header import Header
from desktop.ui.views.model_popup import ModelPopup
from desktop.ui.views.place_choice import PlaceChoice
from desktop.ui.views.row_actions import RowActions
from desktop.ui.widgets.column import Column
from desktop.ui.widgets.empty_state import EmptyPage, EmptyState
from desktop.ui.widgets.gaps import set_gaps

_COMPOSER_SHARE = 0.4
_TIGHT = 300


class ChatPage(QFrame):
    """Shows one chat at a time; `session_id` "" is the page of a new one.

    Emits `started` with the id of a chat that was just begun here, `note` with a sentence for a toast (and whether it
    is an error), `covered` with how many more cards a rule decided, `key_asked` when a model needs a key, `tab_asked`
    with a tab of the inspector.
    """

    started = Signal(str)
    note = Signal(str, bool)
    key_asked = Signal(str)
    start_failed = Signal()
    tab_asked = Signal(str)
    covered = Signal(int, str)

    def __init__(
        self,
        sink: CommandSink,
        clock: Clock,
        parts: Parts,
        facts: tuple[ChatBook, EngineFacts, Drafts],
        parent: QWidget,
    ) -> None:
        """`facts` are shared with the window, which feeds them before it calls `apply` here."""
        super().__init__(parent)
        self.setObjectName("chat_page")
        self.setProperty("kind", "surface")
        self.session_id = ""
        self._book, self._engine, self._drafts = facts
        self._new_mode: PermissionMode | None = None
        self._new_without_sandbox = False
        self._new_model: tuple[str, str] | None = None
        self._stop_asked = ""
        self.commands = ChatCommands(sink, self)
        self._gate = GateDialogs(sink, self.commands, self._engine, self)
        self.header = Header(clock, self)
        self.transcript = parts.transcript(self)
        self.tray = parts.tray(sink, clock, self)
        self._hint = CardHint(self.tray, self)
        self.composer = Composer(self)
        self._place = PlaceChoice(self)
        self._error = plain_label(self, "", "composer_error", role="danger")
        self._error.hide()
        self._models = ModelPopup(self)
        texts = ("What should be done?", "Nothing runs until you send.")
        self._empty = EmptyPage(EmptyState("message-square", *texts), self)
        self._stack = QStackedWidget(self)
        self._row_actions = RowActions(self.transcript, self.commands, self)
        self._lay_out()
        self._connect()
        self.show_new()

    def show_new(self) -> None:
        """The page of a new chat, with its draft."""
        self._switch("")
        self._stack.setCurrentWidget(self._empty)
        self.tray.show_session("", "")
        self.refresh()

    def show_chat(self, session_id: str) -> None:
        """Show a chat and ask the engine for its events."""
        if session_id == self.session_id:
            return
        self._enter(session_id)
        self.commands.send(OpenSession(session_id=session_id))

    def apply(self, updates: Sequence[Update]) -> None:
        """Take updates in order; the shared facts already have them."""
        self.transcript.apply(list(updates))
        self.tray.apply(list(updates))
        self._make_room()
        self._row_actions.apply(updates)
        self.commands.apply(updates)
        self._gate.apply(updates)
        self.refresh()

    def refresh(self) -> None:
        """Write header and composer anew from the facts."""
        facts = self.facts
        self.header.show_facts(facts, self._engine.sandbox)
        self._place.setVisible(facts is None)
        problem = display_text(self._engine.problem)
        self._empty.set_texts(
            "No chat can start here." if problem else "What should be done?", problem or "Nothing runs until you send."
        )
        self.composer.set_enter_sends(self._engine.settings.enter_sends)
        self.composer.set_state(self._new_state() if facts is None else self._chat_state(facts))

    @property
    def facts(self) -> ChatFacts | None:
        """The facts of the chat on screen, None on the page of a new one."""
        return self._book.facts(self.session_id) if self.session_id else None

    def cycle_mode(self) -> None:
        """Ask for the next mode; it stops at the dialog before full auto."""
        modes = list(PermissionMode)
        mode = self.composer.state.mode
        self._on_mode(modes[(modes.index(mode) + 1) % len(modes)].value)

    def stop(self) -> None:
        """Ask the turn to stop."""
        if self.session_id:
            self._stop_asked = self.session_id
            self.commands.send(Interrupt(session_id=self.session_id))
            self.refresh()

    def rename(self, title: str) -> None:
        """Give the chat a title; blank: back to the automatic one."""
        self.commands.send(RenameSession(session_id=self.session_id, title=title))

    def archive(self, archived: bool = True) -> None:
        """Take the chat out of the lists, or bring it back."""
        self.commands.send(ArchiveSession(session_id=self.session_id, archived=archived))

    def show_resolved(self, input_id: str) -> None:
        """Bring the row of an answered request into view."""
        index = self.transcript.model.index_of(f"resolved:{input_id}")
        if index >= 0:
            self.transcript.show_row(index)

    def suggest(self, text: str) -> None:
        """Put a text in the composer of a new chat; nothing is sent."""
        self.composer.set_text(text)
        self.composer.text.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The composer keeps to its share of the centre; the tray does so itself."""
        super().resizeEvent(event)
        self._make_room()
        self.composer.setMaximumHeight(max(self.composer.minimumHeight(), round(self.height() * _COMPOSER_SHARE)))

    def _make_room(self) -> None:
        """In a very low centre a waiting card comes first: header and second line give way."""
        tight = self.height() < theme().px(_TIGHT) and not self.tray.isHidden()
        self.header.setVisible(not tight)
        self.composer.set_tight(tight)
        self._foot.set_tight(tight)
        below = theme().px(SPACE_1 if tight else SPACE_4)
        self._column.setContentsMargins(0, 0, 0, below)
        parts = [part for part in (self._hint, self._error, self._place) if not part.isHidden()]
        taken = below + (1 if tight else 2) * self._column.spacing() + sum(part.sizeHint().height() for part in parts)
        header = max(self.header.minimumHeight(), self.header.sizeHint().height())
        taken += (0 if tight else header) + self._rows.spacing() * (len(parts) + 1)
        least = max(self.composer.minimumHeight(), self.composer.minimumSizeHint().height())
        self.tray.set_most(max(1, self.height() - taken - least))

    # what the composer shows

    def _new_state(self) -> ComposerState:
        endpoint_id, model = self._model_of_new()
        mode = self._new_mode or self._engine.settings.default_mode
        blocked = self._blocked(endpoint_id)
        if self._engine.project is None:
            blocked = blocked or "Open a repository first."
        return ComposerState(
            new=True, mode=mode, model=display_text(model), blocked=blocked or display_text(self._engine.problem)
        )  # fmt: skip

    def _chat_state(self, facts: ChatFacts) -> ComposerState:
        running = facts.turn_running
        if not running and self._stop_asked == self.session_id:
            self._stop_asked = ""
        blocked = "This chat is archived." if facts.archived else self._blocked(facts.endpoint_id)
        if not blocked and self.commands.sending(self.session_id):
            blocked = "Sending…"
        tip = "Choose the model. It applies to the next turn." if running else "Choose the model"
        return ComposerState(
            mode=facts.mode, pending_mode=self.commands.pending_mode(self.session_id), model=display_text(facts.model),
            model_tip=tip, running=running, blocked=blocked,
            stopping=facts.activity is Activity.STOPPING or self._stop_asked == self.session_id,
        )  # fmt: skip

    def _blocked(self, endpoint_id: str) -> str:
        if self._engine.stopped:
            return f"The engine stopped: {display_text(self._engine.stopped)}"
        if not self._engine.ready:
            return "Banksman is still starting."
        return self._engine.key_missing(endpoint_id)

    def _model_of_new(self) -> tuple[str, str]:
        if self._new_model is not None:
            return self._new_model
        settings = self._engine.settings
        endpoint = settings.endpoint(settings.default_endpoint)
        return (endpoint.id, endpoint.default_model) if endpoint is not None else ("", "")

    # what a person does

    def _on_submitted(self, text: str) -> None:
        self._error.hide()
        self._drafts.save()
        if self.session_id:
            self.commands.send_message(self.session_id, text)
            self._empty_composer()
            self.refresh()
            return
        endpoint_id, model = self._model_of_new()
        mode = self._new_mode or self._engine.settings.default_mode
        command = NewSession(
            session_id=new_session_id(), text=text, place=self._place.place, mode=mode, endpoint_id=endpoint_id,
            model=model, without_sandbox=mode is PermissionMode.FULL_AUTO and self._new_without_sandbox,
        )  # fmt: skip
        self._start(command)

    def _start(self, command: NewSession) -> None:
        self._error.hide()
        self._enter(command.session_id)
        self._new_mode, self._new_without_sandbox = None, False
        self._place.choose("lane")
        self.commands.start_chat(command)
        self.refresh()
        self.started.emit(command.session_id)

    def _on_mode(self, value: str) -> None:
        mode = PermissionMode(value)
        if mode is PermissionMode.FULL_AUTO and self._gate.must_ask:
            self._ask_full_auto(self.session_id)
            return
        self._set_mode(self.session_id, mode)

    def _set_mode(self, session_id: str, mode: PermissionMode, *, without_sandbox: bool = False) -> None:
        if session_id:
            self.commands.set_mode(session_id, mode, without_sandbox=without_sandbox)
        else:
            self._new_mode, self._new_without_sandbox = mode, without_sandbox
        self.refresh()

    def _ask_full_auto(self, session_id: str, reason: str = "") -> None:
        def go() -> None:
            self._set_mode(session_id, PermissionMode.FULL_AUTO, without_sandbox=True)

        self._gate.ask_full_auto(self.composer.state.mode, reason, go)

    def _on_model_asked(self, button: QRect) -> None:
        facts = self.facts
        chosen = (facts.endpoint_id, facts.model) if facts is not None else self._model_of_new()
        self._models.open_for(self._engine, chosen, button)

    def _on_model(self, endpoint_id: str, model: str) -> None:
        if self.session_id:
            self.commands.set_model(self.session_id, endpoint_id, model)
        else:
            self._new_model = (endpoint_id, model)
        self.refresh()

    def _on_key_refused(self) -> None:
        facts = self.facts
        self.key_asked.emit(facts.endpoint_id if facts is not None else "")

    # what the engine answers

    def _on_accepted(self, session_id: str, text: str, new: bool) -> None:
        key = NEW_CHAT if new else session_id
        if self._drafts.text(key).strip() == text:
            self._drafts.forget(key)

    def _on_refused(self, session_id: str, text: str, new: bool, sentence: str) -> None:
        """The text comes back, before what was typed meanwhile."""
        key = NEW_CHAT if new else session_id
        typed = self._drafts.text(key)
        self._drafts.keep(key, f"{text}\n\n{typed}" if typed.strip() not in ("", text) else text)
        if session_id != self.session_id:
            self.note.emit(display_text(sentence), True)
            return
        if new:
            self.show_new()
            self.start_failed.emit()
        else:
            self.composer.set_text(self._drafts.text(key))
        self._show_error(sentence)

    def _on_sandbox_wanted(self, command: SetMode | NewSession, sentence: str) -> None:
        """The engine wants the person's word: the sandbox is not what it was, or had not been tried."""
        if isinstance(command, SetMode) and command.session_id == self.session_id:
            self._ask_full_auto(command.session_id, sentence)
        elif isinstance(command, NewSession) and not self.session_id:
            self._error.hide()
            again = {"command_id": new_command_id(), "without_sandbox": True}
            start = command.model_copy(update=again)
            self._gate.ask_full_auto(self.composer.state.mode, sentence, lambda: self._start(start))
        elif isinstance(command, SetMode):
            self._on_command_refused(sentence)

    def _on_command_refused(self, sentence: str) -> None:
        self.note.emit(display_text(sentence), True)

    def _empty_composer(self) -> None:
        """Take the text away from the screen; the draft stays until the engine has accepted it."""
        self.composer.blockSignals(True)
        self.composer.set_text("")
        self.composer.blockSignals(False)

    def _show_error(self, sentence: str) -> None:
        self._error.setText(display_text(sentence))
        self._error.show()

    # switching

    def _enter(self, session_id: str) -> None:
        self._switch(session_id)
        self._stack.setCurrentWidget(self.transcript)
        self.transcript.open(session_id)
        self.tray.show_session(session_id, self._book.facts(session_id).lane_name)
        self.refresh()

    def _switch(self, session_id: str) -> None:
        self._error.hide()
        self.session_id = session_id
        draft = self._drafts.text(session_id or NEW_CHAT)
        self.composer.blockSignals(True)
        self.composer.set_text("" if draft and draft.strip() == self.commands.starting() else draft)
        self.composer.blockSignals(False)

    # making

    def _lay_out(self) -> None:
        self._foot = column = Column(self)
        self._rows = column.rows
        for widget in (self._hint, self.tray, self._error, self._place, self.composer):
            column.rows.addWidget(widget)
        self._stack.setProperty("kind", "surface")
        self._stack.setMinimumHeight(1)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.transcript)
        layout = self._column = QVBoxLayout(self)
        set_gaps(layout, spacing=SPACE_2)
        layout.addWidget(self.header)
        layout.addWidget(self._stack, 1)
        layout.addWidget(column)

    def _connect(self) -> None:
        theme().changed.connect(self._make_room)
        self.composer.submitted.connect(self._on_submitted)
        self.composer.stop_asked.connect(self.stop)
        self.composer.mode_chosen.connect(self._on_mode)
        self.composer.model_asked.connect(self._on_model_asked)
        self.composer.edited.connect(self._on_edited)
        self._models.chosen.connect(self._on_model)
        self._models.key_asked.connect(self.key_asked)
        self.header.renamed.connect(self.rename)
        self.header.archive_asked.connect(self.archive)
        self.header.sandbox_asked.connect(self._gate.show_sandbox)
        self.header.taint_asked.connect(lambda: self._gate.show_taint(self.facts))
        self.header.review_asked.connect(lambda: self.tab_asked.emit("reviews"))
        self.commands.sandbox_wanted.connect(self._on_sandbox_wanted)
        self.commands.message_accepted.connect(self._on_accepted)
        self.commands.message_refused.connect(self._on_refused)
        self.commands.refused.connect(self._on_command_refused)
        self._row_actions.tab_asked.connect(self.tab_asked)
        self._row_actions.note.connect(self.note)
        self._row_actions.key_asked.connect(self._on_key_refused)
        self.tray.set_centre(self)
        self.tray.focus_left.connect(self.composer.text.setFocus)
        self.tray.covered.connect(self.covered)
        self.tray.full_auto_asked.connect(self._gate.ask_for_plan)
        self.tray.audit_asked.connect(lambda: self.tab_asked.emit("audit"))

    def _on_edited(self, text: str) -> None:
        self._drafts.keep(self.session_id or NEW_CHAT, text)
