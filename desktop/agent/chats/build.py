"""Chats as a theme: what they are called and shown as, what waits in them, and what is attached to messages."""

from collections.abc import Awaitable, Callable
from functools import partial

from desktop.agent.chats.attachments import AttachmentCommands
from desktop.agent.chats.commands import ChatCommands
from desktop.agent.chats.cut_off import CutOff
from desktop.agent.chats.named import Readers
from desktop.agent.chats.queue import MessageQueue
from desktop.agent.chats.slash_commands import SlashCommands
from desktop.agent.chats.view import ViewCommands
from desktop.agent.core.offers import offer
from desktop.agent.core.premises import Premises
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.store.gate.trust import ContentTrust
from desktop.store.library.attachments import AttachmentStore
from desktop.tools.offers import Attachment


class Chats:
    """`queue` keeps what a person sends meanwhile, `readers` read what it names with an `@`, `slash` knows their
    commands, `attachments` what they attached; `cut_off` closes what an earlier process left open. All of it works with
    `sessions` and `settings`. `look`: checks the record of a chat that was opened, and tells what it finds."""

    def __init__(
        self, premises: Premises, sessions: Sessions, settings: SettingsKeeper, look: Callable[[str], Awaitable[None]]
    ) -> None:
        self.sessions, self.settings = sessions, settings
        folders, store, publish = premises.folders, premises.store, premises.telling.publish
        kept = AttachmentStore(folders.data / "attachments", premises.clock, store.readings.attachments)
        self.attachments = AttachmentCommands(sessions, kept, store.blobs, publish, premises.project)
        self.cut_off = CutOff(sessions, store.events)
        self.slash = SlashCommands(folders.config, ContentTrust(folders.data, "commands"))
        self.readers = Readers()
        self.queue = MessageQueue(
            sessions, expand=self.slash.expand, attach=self.attachments.parts, readers=self.readers
        )
        view = ViewCommands(sessions, store.blobs, publish, premises.clock, look)
        self.theme = Theme(
            "chats",
            handlers_of(ChatCommands(sessions, settings), self.queue, self.attachments, view),
            offers=(offer(Attachment, lambda session: partial(self.attachments.read, session)),),
        )
