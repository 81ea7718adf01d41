"""ChatCommands: sends what a person asks of a chat and remembers it until the engine has said yes or no."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal

from desktop.domain.chats.commands import RewindSession
from desktop.domain.chats.queue_events import MessageQueued
from desktop.domain.children.commands import StopChild
from desktop.domain.commands import ContinueTurn, NewSession, SendMessage, SetMode, SetModel
from desktop.domain.core.command import Command
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import Envelope, ModeChanged, ThinkingLevel, UserMessage
from desktop.domain.updates import CommandFailed, SessionOpened
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.chats.composer.drafts import DraftFile
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Reply, Request, Requests

NO_SANDBOX = "no_sandbox"
REMOVED = "[secret "
NOT_SENT = tr("The message was not sent.")
Hold = Callable[[str, Callable[[], None], Callable[[], None]], bool]
"""Of a chat, what goes on and what is done instead: whether a person is asked first."""


@dataclass(frozen=True)
class SentMessage:
    """A message on its way. `start`: the command, if it also starts the chat."""

    session_id: str
    text: str
    files: tuple[DraftFile, ...] = ()
    start: NewSession | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Its files as the engine knows them."""
        return tuple(file.logical_name for file in self.files)

    @property
    def new(self) -> bool:
        """Whether it also starts the chat."""
        return self.start is not None


def _never(_session_id: str, _go: Callable[[], None], _drop: Callable[[], None]) -> bool:
    return False


class ChatCommands(QObject):
    """Messages, modes and models on their way to the engine.

    `message_accepted` carries the SentMessage, also when it waits in the queue now; `message_refused` the same and the
    engine's sentence; `refused` the sentence for any other command sent here. `sandbox_wanted`: a SetMode or NewSession
    to full auto was refused because the sandbox is not full, with the engine's sentence; for a new chat
    `message_refused` came before.
    """

    message_accepted = Signal(object)
    message_refused = Signal(object, str)
    refused = Signal(str)
    sandbox_wanted = Signal(object, str)

    def __init__(self, requests: Requests, parent: QObject, hold: Hold = _never) -> None:
        """`hold` is asked before a chat goes on."""
        super().__init__(parent)
        self.requests = requests
        self._messages: list[SentMessage] = []
        self._modes: dict[str, SetMode] = {}
        self._hold = hold
        self.hearing = Hearing().on(Envelope, self._on_envelope).on(SessionOpened, self._on_opened)

    def send(self, command: Command) -> None:
        """Send any other command; if it fails `refused` says why."""
        if isinstance(command, ContinueTurn) and self._hold(command.session_id, lambda: self._send(command), _nothing):
            return
        self._send(command)

    def order(
        self,
        command: Command,
        owner: QObject,
        *replies: Reply,
        failed: Callable[[CommandFailed], object] | None = None,
    ) -> Request:
        """Ask for this as `send` does; the owner is told what comes of it too."""
        self.requests.expect(command, self, failed=self._on_refused)
        return self.requests.ask(command, owner, *replies, failed=failed)

    def _send(self, command: Command) -> None:
        self.requests.ask(command, self, failed=self._on_refused)

    def _on_refused(self, failed: CommandFailed) -> None:
        self.refused.emit(failed.text)

    def start_chat(self, command: NewSession, files: tuple[DraftFile, ...] = ()) -> None:
        """Send the first message of a new chat; `files` are those that the command names."""
        sent = SentMessage(command.session_id, command.text, files, command)
        self._messages.append(sent)
        self._start(command, sent)

    def send_message(
        self,
        session_id: str,
        text: str,
        files: tuple[DraftFile, ...] = (),
        *,
        interrupt: bool = False,
        rewind_to: str = "",
    ) -> None:
        """Send a message to a chat. `interrupt`: stop the running step for it; `rewind_to`: go back to this entry."""
        sent = SentMessage(session_id, text, files)
        command: SendMessage | RewindSession
        if rewind_to:
            command = RewindSession(session_id=session_id, to_event_id=rewind_to, text=text, attachments=sent.names)
        else:
            command = SendMessage(session_id=session_id, text=text, attachments=sent.names, interrupt=interrupt)
        self._messages.append(sent)
        if not self._hold(session_id, lambda: self._start(command, sent), lambda: self._refuse(sent, NOT_SENT)):
            self._start(command, sent)

    def stop_child(self, child_id: str) -> None:
        """End a sub-agent; its chat goes on."""
        self.send(StopChild(child_id=child_id))

    def set_mode(self, session_id: str, mode: PermissionMode, *, without_sandbox: bool = False) -> None:
        """Ask for another mode; until it is confirmed `pending_mode` names it."""
        command = SetMode(session_id=session_id, mode=mode, without_sandbox=without_sandbox)
        self._modes[session_id] = command
        self.requests.ask(command, self, failed=partial(self._on_mode_refused, command))

    def set_model(self, session_id: str, endpoint_id: str, model: str, thinking: ThinkingLevel = "off") -> None:
        """Ask for another model; it thinks as long as this one does."""
        command = SetModel(session_id=session_id, endpoint_id=endpoint_id, model=model, thinking=thinking)
        self.send(command)

    def pending_mode(self, session_id: str) -> PermissionMode | None:
        """The mode that was asked for and is neither confirmed nor refused."""
        pending = self._modes.get(session_id)
        return pending.mode if pending is not None else None

    def sending(self, session_id: str) -> bool:
        """A message of this chat is on its way."""
        return any(sent.session_id == session_id for sent in self._messages)

    def on_the_way(self, session_id: str) -> SentMessage | None:
        """The message of this chat that is neither accepted nor refused; of "": the first one of a new chat."""
        sent = self._messages
        return next((one for one in sent if (one.session_id == session_id if session_id else one.new)), None)

    def _on_opened(self, update: SessionOpened) -> None:
        for envelope in update.envelopes:
            self._on_envelope(envelope)

    def _on_envelope(self, envelope: Envelope) -> None:
        event = envelope.event
        if isinstance(event, ModeChanged):
            self._modes.pop(envelope.session_id, None)
        elif isinstance(event, MessageQueued) or (isinstance(event, UserMessage) and event.origin == "person"):
            self._accept(envelope.session_id, event)

    def _accept(self, session_id: str, event: UserMessage | MessageQueued) -> None:
        typed = event.display if isinstance(event, UserMessage) else ""
        texts = {part.get("text") for part in event.parts if isinstance(part, dict)} | {"", typed}
        for sent in list(self._messages):
            cleaned = any(REMOVED in str(text) for text in texts)  # the engine knows of secrets that a window does not
            same = (sent.text in texts or cleaned) and sent.names == event.attachments
            if sent.session_id == session_id and (same or sent.new):
                self._forget(sent)
                self.message_accepted.emit(sent)

    def _start(self, command: Command, sent: SentMessage) -> None:
        self.requests.ask(command, self, failed=partial(self._on_message_refused, sent))

    def _forget(self, sent: SentMessage) -> bool:
        """It is not on its way any more; whether it still was."""
        was = len(self._messages)
        self._messages = [one for one in self._messages if one is not sent]
        return len(self._messages) < was

    def _refuse(self, sent: SentMessage, why: str) -> None:
        if self._forget(sent):
            self.message_refused.emit(sent, why)

    def _on_message_refused(self, sent: SentMessage, failed: CommandFailed) -> None:
        if not self._forget(sent):
            return
        self.message_refused.emit(sent, failed.text)
        if sent.start is not None and failed.code == NO_SANDBOX:
            self.sandbox_wanted.emit(sent.start, failed.text)

    def _on_mode_refused(self, command: SetMode, failed: CommandFailed) -> None:
        if self._modes.get(command.session_id) is not command:
            return
        del self._modes[command.session_id]
        if failed.code == NO_SANDBOX:
            self.sandbox_wanted.emit(command, failed.text)
        else:
            self.refused.emit(failed.text)


def _nothing() -> None:
    """Nothing is to be taken back."""
