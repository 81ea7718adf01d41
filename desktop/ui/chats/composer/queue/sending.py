"""QueueSending: what a person does with messages that wait, sent for the chat on screen."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from desktop.domain.chats.commands import EditQueued, MoveQueued, RemoveQueued, ResumeQueue, SendQueuedNow
from desktop.domain.lanes.commands import SkipSetupWait
from desktop.ui.chats.book import ChatFacts
from desktop.ui.chats.commands import ChatCommands
from desktop.ui.chats.composer.queue.strip import QueueStrip


class QueueSending(QObject):
    """`facts`: of the chat on screen, None where it is a new one, in which nothing waits. `cleaned`: a text without the
    secrets that a person keeps elsewhere."""

    def __init__(
        self,
        strip: QueueStrip,
        commands: ChatCommands,
        facts: Callable[[], ChatFacts | None],
        cleaned: Callable[[str], str],
    ) -> None:
        super().__init__(strip)
        self._commands, self._facts, self._cleaned = commands, facts, cleaned
        strip.edited.connect(self._on_edited)
        strip.removed.connect(self._on_removed)
        strip.moved.connect(self._on_moved)
        strip.send_now.connect(self._on_send_now)
        strip.resumed.connect(self._on_resumed)

    @property
    def _session_id(self) -> str:
        facts = self._facts()
        return facts.session_id if facts is not None else ""

    def _on_edited(self, queue_id: str, text: str) -> None:
        facts = self._facts()
        waiting = next((one for one in facts.queue if one.queue_id == queue_id), None) if facts is not None else None
        names = waiting.attachments if waiting is not None else ()
        self._commands.send(
            EditQueued(session_id=self._session_id, queue_id=queue_id, text=self._cleaned(text), attachments=names)
        )

    def _on_removed(self, queue_id: str) -> None:
        self._commands.send(RemoveQueued(session_id=self._session_id, queue_id=queue_id))

    def _on_moved(self, queue_id: str, place: int) -> None:
        self._commands.send(MoveQueued(session_id=self._session_id, queue_id=queue_id, position=place))

    def _on_send_now(self, queue_id: str) -> None:
        self._commands.send(SendQueuedNow(session_id=self._session_id, queue_id=queue_id))

    def _on_resumed(self) -> None:
        facts = self._facts()
        waits = facts is not None and facts.queue_held == "setup"
        self._commands.send((SkipSetupWait if waits else ResumeQueue)(session_id=self._session_id))
