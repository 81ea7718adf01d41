"""Commands about the inbox."""

from datetime import datetime
from typing import ClassVar, Literal

from desktop.domain.core.command import Command


class LoadInbox(Command):
    """All that waits for a person in any chat of this process, and where those chats are. → InboxLoaded."""

    reads: ClassVar[bool] = True
    type: Literal["load_inbox"] = "load_inbox"


class LoadAnswered(Command):
    """What people answered since then, in any chat. → AnsweredLoaded."""

    reads: ClassVar[bool] = True
    type: Literal["load_answered"] = "load_answered"
    since: datetime
