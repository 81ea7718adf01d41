"""The centre: one chat's header, transcript, waiting cards and composer, or the page of a new chat."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QStackedWidget, QVBoxLayout, QWidget

from desktop.domain.chats.commands import ClearContext, Compact
from desktop.domain.chats.queue_events import Limits
from desktop.domain.commands import ArchiveSession, Interrupt, NewSession, OpenSession, RenameSession, SetMode
from desktop.domain.core.ids import new_command_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.display.text import display_text
from desktop.domain.guests.commands import EndGuest
from desktop.domain.lanes.lane import Lane
from desktop.language import said, tr
from desktop.ui.chats.book import ChatBook, ChatFacts
from desktop.ui.chats.commands import ChatCommands
from desktop.ui.chats.composer.drafts import NEW_CHAT, DraftFile, Drafts
from desktop.ui.chats.composer.states import chat_state, new_chat_state
from desktop.ui.chats.composer.writing import ChatOnScreen, Writing
from desktop.ui.chats.gate_dialogs import GateDialogs
from desktop.ui.chats.header import Header
from desktop.ui.chats.model_choice import ModelChoice, reads_images
from desktop.ui.chats.new_chat import NewChat
from desktop.ui.chats.page_parts import PageParts
from desktop.ui.chats.record_strip import RecordQuestion
from desktop.ui.chats.strips import ChatStrips
from desktop.ui.chats.transcript.row_actions import RowActions
from desktop.ui.context.dialogs import ContextDialogs
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock
from desktop.ui.core.terminal_opener import sign_in_of
from desktop.ui.gate.card_hint import CardHint
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_4
from desktop.ui.widgets.empty_state import EmptyPage, EmptyState
from desktop.ui.widgets.layouts.column import Column
from desktop.ui.widgets.layouts.gaps import set_gaps

_COMPOSER_SHARE = 0.4
_LOW, _TIGHT = 400, 300


class ChatPage(QFrame):
    """Shows one chat at a time; `session_id` "" is the page of a new one. `messages` holds the transcript, or what
    stands in its place.

    Emits `started` with the id of a chat that was just begun here, `note` with a sentence for a toast (and whether it
    is an error), `covered` with how many more cards a rule decided, `key_asked` when a model needs a key, `tab_asked`
    with a tab of the inspector, `action_asked` with an action of the window, `settings_asked` with a page of them.
    """

    started = Signal(str)
    note = Signal(str, bool)
    key_asked = Signal(str)
    start_failed = Signal()
    tab_asked = Signal(str)
    covered = Signal(int, str)
    action_asked = Signal(str)
    settings_asked = Signal(str)
    memory_asked = Signal(str, str)

    def __init__(
        self,
        requests: Requests,
        clock: Clock,
        parts: PageParts,
        facts: tuple[ChatBook, EngineFacts, Drafts],
        parent: QWidget,
    ) -> None:
        """`facts` are shared with the window, which feeds them before it hands a batch on."""
        super().__init__(parent)
        self.setObjectName("chat_page")
        self.setProperty("kind", "surface")
        self.session_id = ""
        self._book, self._engine, drafts = facts
        self._new = NewChat(self._engine)
        self._stop_asked = ""
        self.commands = ChatCommands(requests, self, RecordQuestion(self._engine, self).hold)
        self._gate = GateDialogs(requests, self.commands, self._engine, self)
        self.header = Header(clock, self)
        self.transcript = parts.transcript(self)
        self.tray = parts.tray(requests, clock, self)
        self._hint = CardHint(self.tray, self)
        self.strips = ChatStrips(self._engine, parts.strips, self)
        chat = ChatOnScreen(lambda: self.facts, self._reads_images, lambda: self._book.lane_path(self.session_id))
        self._writing = Writing(requests, self.commands, drafts, chat, parts.actions, self)
        self.area = self._writing.area
        self.composer, self._place = self.area.composer, self.area.place
        self._context = ContextDialogs(requests, self)
        self._models = ModelChoice(self.commands, self._engine, self._new, lambda: self.facts, self)
        texts = (tr("What should be done?"), tr("Nothing runs until you send."))
        self._empty = EmptyPage(EmptyState("message-square", *texts), self)
        self.messages = QStackedWidget(self)
        self.row_actions = RowActions(self.transcript, requests, self.commands, self._limits, self)
        self.hearing = self._hears()
        self._lay_out()
        self._connect()
        self.show_new()

    def show_new(self) -> None:
        """The page of a new chat, with its draft."""
        self._switch("")
        self.messages.setCurrentWidget(self._empty)
        self.tray.show_session("", "")
        self.refresh()

    def show_chat(self, session_id: str) -> None:
        """Show a chat and ask the engine for its events."""
        if session_id == self.session_id:
            return
        self._enter(session_id)
        self.commands.send(OpenSession(session_id=session_id))

    def refresh(self) -> None:
        """Write header and composer anew from the facts."""
        facts = self.facts
        engine = self._engine
        at_vendor = facts is not None and engine.searches_at_vendor(
            facts.endpoint_id, wary=facts.mode is PermissionMode.PLAN or self._book.has_read(facts)
        )
        service = engine.found_service(facts.endpoint_id) if facts is not None else None
        self.header.show_facts(facts, engine.sandbox, engine.mcp, engine.hooks, at_vendor=at_vendor, service=service)
        self._place.setVisible(facts is None)
        self._place.show_lanes(self._book.lane_book.lanes)
        self.strips.show_chat(self.session_id, facts)
        self.transcript.set_waiting(facts is not None and facts.queue_held == "setup")
        problem = display_text(said(self._engine.problem))
        nothing = tr("No chat can start here.") if problem else tr("What should be done?")
        if not problem and (problem := self._engine.guest_missing(self._new.guest_id)):
            nothing = tr("Choose another agent, or a model.")
        self._empty.set_texts(nothing, problem or tr("Nothing runs until you send."))
        self.composer.set_enter_sends(self._engine.settings.enter_sends)
        if facts is not None and not facts.turn_running and self._stop_asked == self.session_id:
            self._stop_asked = ""
        self.composer.set_state(
            new_chat_state(self._engine, self._new, self._writing)
            if facts is None
            else chat_state(facts, self._engine, self.commands, self._writing, self._stop_asked)
        )
        self.composer.show_meter(None if facts and facts.guest_id else self._book.meter(self.session_id))
        self._models.need_agents()
        self.area.agent.show_missing(self._engine.guest_missing(facts.guest_id) if facts is not None else "")
        self._writing.refresh(facts)
        self._make_room()

    @property
    def facts(self) -> ChatFacts | None:
        """The facts of the chat on screen, None on the page of a new one."""
        return self._book.facts(self.session_id) if self.session_id else None

    def choose_lane(self, lane: Lane) -> None:
        """The next new chat works in this lane."""
        self._place.choose_lane(lane.id, lane.name)

    def begin_in_lane(self, lane_id: str, text: str) -> None:
        """Begin a chat in a lane that is there, with this message, and show it. What is typed for a new chat stays."""
        command = self._new.command(text, lane_id=lane_id)
        self._enter(command.session_id)
        self.commands.start_chat(command)
        self.refresh()
        self.started.emit(command.session_id)

    def cycle_mode(self) -> None:
        """Ask for the next mode; it stops at the dialog before full auto."""
        modes = list(PermissionMode)
        mode = self.composer.state.mode
        self._on_mode(modes[(modes.index(mode) + 1) % len(modes)].value)

    def stop(self, after_step: bool = False) -> None:
        """Ask the turn to stop, at once or after the step it is in."""
        if not self.session_id:
            return
        self.commands.send(Interrupt(session_id=self.session_id, after_step=after_step))
        if after_step:
            self.note.emit(tr("The turn stops after the current step."), False)
        else:
            self._stop_asked = self.session_id
            self.refresh()

    def compact(self) -> None:
        """Ask for a summary of earlier messages; it is shown before it counts."""
        if self.session_id:
            self.commands.send(Compact(session_id=self.session_id))

    def clear_context(self) -> None:
        """Let the model start over; the transcript stays."""
        if self.session_id:
            self.commands.send(ClearContext(session_id=self.session_id))

    def attach(self) -> None:
        """Let a person choose files for the next message."""
        self._writing.choose_files()

    def mention(self) -> None:
        """List what can be named in the next message."""
        self._writing.mentions.begin()

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

    def _make_room(self) -> None:
        """In a low centre a waiting card comes first: the composer is one line; in a very low one the header gives
        way."""
        waits = not self.tray.isHidden()
        tight = waits and self.height() < theme().px(_TIGHT)
        self.header.setVisible(not tight)
        self.composer.set_tight(waits and self.height() < theme().px(_LOW))
        self._foot.set_tight(tight)
        below = theme().px(SPACE_1 if tight else SPACE_4)
        self._column.setContentsMargins(0, 0, 0, below)
        self.area.fit(self.height(), _COMPOSER_SHARE)
        hint = 0 if self._hint.isHidden() else self._hint.sizeHint().height() + self._foot.rows.spacing()
        hint += self.strips.room(self.width())
        header = max(self.header.minimumHeight(), self.header.sizeHint().height())
        taken = below + (1 if tight else 2) * self._column.spacing() + hint + (0 if tight else header)
        self.tray.set_most(max(1, self.height() - taken - self._foot.rows.spacing() - self.area.least_height()))

    # what a person does

    def _limits(self) -> Limits:
        return (self.facts and self.facts.limits) or self._engine.settings.limits

    def _reads_images(self, key: str) -> bool:
        return reads_images(self._book.facts(key) if key != NEW_CHAT else None, self._new, self._engine)

    def _on_first_message(self, text: str, files: tuple[DraftFile, ...]) -> None:
        mode = self._new.mode
        command = self._new.command(
            text,
            attachments=tuple(file.logical_name for file in files),
            place="checkout" if self._place.place == "checkout" else "lane",
            lane_id=self._place.lane_id,
            mode=mode,
            without_sandbox=mode is PermissionMode.FULL_AUTO and self._new.without_sandbox,
        )
        self._start(command, files)

    def _start(self, command: NewSession, files: tuple[DraftFile, ...]) -> None:
        self.area.show_error("")
        self._writing.files.sent(NEW_CHAT)
        self._enter(command.session_id)
        self._new.begun()
        self._place.choose("lane")
        self.commands.start_chat(command, files)
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
            self._new.choose_mode(mode, without_sandbox=without_sandbox)
        self.refresh()

    def _ask_full_auto(self, session_id: str, reason: str = "") -> None:
        def go() -> None:
            self._set_mode(session_id, PermissionMode.FULL_AUTO, without_sandbox=True)

        self._gate.ask_full_auto(self.composer.state.mode, reason, go)

    def _on_key_refused(self) -> None:
        self.key_asked.emit(self.facts.endpoint_id if self.facts is not None else "")

    # what the engine tells

    def _hears(self) -> Hearing:
        """The shared facts have it already."""
        return (
            Hearing(self.transcript.hearing, self.tray.hearing)
            .inside(self.row_actions.hearing, self.commands.hearing, self._writing.hearing, self._gate.hearing)
            .inside(self._context.hearing)
            .after(self.refresh, unless=lambda: self._book.is_still(self.session_id))
        )

    def _on_start_refused(self) -> None:
        self.show_new()
        self.start_failed.emit()

    def _on_sandbox_wanted(self, command: SetMode | NewSession, sentence: str) -> None:
        """The engine wants the person's word: the sandbox is not what it was, or had not been tried."""
        if isinstance(command, SetMode) and command.session_id == self.session_id:
            self._ask_full_auto(command.session_id, sentence)
        elif isinstance(command, NewSession) and not self.session_id:
            self.area.show_error("")
            again = {"command_id": new_command_id(), "without_sandbox": True}
            start, files = command.model_copy(update=again), self._writing.files.files(NEW_CHAT)
            self._gate.ask_full_auto(self.composer.state.mode, sentence, lambda: self._start(start, files))
        elif isinstance(command, SetMode):
            self.note.emit(sentence, True)

    def _enter(self, session_id: str) -> None:
        self._switch(session_id)
        self.messages.setCurrentWidget(self.transcript)
        self.transcript.open(session_id)
        self.tray.show_session(session_id, self._book.facts(session_id).lane_name)
        self.refresh()

    def _switch(self, session_id: str) -> None:
        self.session_id = session_id
        self._writing.show(session_id)
        self._context.show(session_id)

    def _lay_out(self) -> None:
        self._foot = column = Column(self)
        for widget in (self._hint, self.tray, self.area):
            column.rows.addWidget(widget)
        self.messages.setProperty("kind", "surface")
        self.messages.setMinimumHeight(1)
        self.messages.addWidget(self._empty)
        self.messages.addWidget(self.transcript)
        layout = self._column = QVBoxLayout(self)
        set_gaps(layout, spacing=SPACE_2)
        layout.addWidget(self.header)
        layout.addWidget(self.strips)
        layout.addWidget(self.messages, 1)
        layout.addWidget(column)

    def _connect(self) -> None:
        theme().changed.connect(self._make_room)
        self._writing.start_asked.connect(self._on_first_message)
        self._writing.start_refused.connect(self._on_start_refused)
        self._writing.note.connect(self.note)
        self._writing.sent.connect(self.transcript.pin)
        self._writing.changed.connect(self.refresh)
        self._writing.slash.action_asked.connect(self.action_asked)
        self._writing.slash.mode_asked.connect(self._on_mode)
        self._writing.slash.settings_asked.connect(self.settings_asked)
        self._writing.slash.memory_asked.connect(self.memory_asked)
        self._context.note.connect(self.note)
        self.composer.meter.compact_asked.connect(self.compact)
        self.composer.stop_asked.connect(self.stop)
        self.composer.mode_chosen.connect(self._on_mode)
        self.composer.model_asked.connect(self._models.open)
        self._models.changed.connect(self.refresh)
        self._models.key_asked.connect(self.key_asked)
        self._models.settings_asked.connect(self.settings_asked)
        self._models.several_asked.connect(lambda: self.action_asked.emit("several_models"))
        self.header.successor_asked.connect(self._models.open_successors)
        self.area.agent.choice_asked.connect(self._models.open_successors)
        self.row_actions.sign_in_asked.connect(lambda: sign_in_of(self.facts, self.window()))
        self.row_actions.agents_asked.connect(lambda: self.settings_asked.emit("agents"))
        self.header.renamed.connect(self.rename)
        self.header.archive_asked.connect(self.archive)
        self.header.action_asked.connect(self.action_asked)
        self.header.boundaries_asked.connect(self.area.boundaries.take_focus)
        self.header.sandbox_asked.connect(self._gate.show_sandbox)
        self.header.settings_asked.connect(self.settings_asked)
        self.header.taint_asked.connect(lambda: self._gate.show_taint(self.facts))
        self.header.review_asked.connect(lambda: self.tab_asked.emit("reviews"))
        self.row_actions.chat_asked.connect(self.header.chat_asked)
        self.header.chat_asked.connect(self.show_chat)
        self.header.chat_asked.connect(self.started)
        self.header.child_stop_asked.connect(self.commands.stop_child)
        self.header.agent_end_asked.connect(lambda: self.commands.send(EndGuest(session_id=self.session_id)))
        self.commands.sandbox_wanted.connect(self._on_sandbox_wanted)
        self.commands.refused.connect(lambda sentence: self.note.emit(sentence, True))
        self.row_actions.history.edit_asked.connect(self._writing.edit.begin)
        self.row_actions.tab_asked.connect(self.tab_asked)
        self.strips.details_asked.connect(lambda: self.tab_asked.emit("audit"))
        self.row_actions.note.connect(self.note)
        self.row_actions.key_asked.connect(self._on_key_refused)
        self.tray.set_centre(self)
        self.tray.focus_left.connect(self.composer.text.setFocus)
        self.tray.covered.connect(self.covered)
        self.tray.full_auto_asked.connect(self._gate.ask_for_plan)
        self.tray.audit_asked.connect(lambda: self.tab_asked.emit("audit"))
