"""Commands about the handover."""

from datetime import datetime
from typing import ClassVar, Literal

from desktop.domain.core.command import Command
from desktop.domain.handover.values import Handover

HandoverForm = Literal["markdown", "html", "json"]


class LoadHandover(Command):
    """The page over the chats of the open repository, or over one chat with its sub-agents. `since` None: from the
    beginning. → HandoverLoaded."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    type: Literal["load_handover"] = "load_handover"
    session_id: str = ""
    since: datetime | None = None


class LoadRecap(Command):
    """The most urgent lines of the page over the chats of the open repository since then. → RecapLoaded."""

    reads: ClassVar[bool] = True
    type: Literal["load_recap"] = "load_recap"
    since: datetime


class SummariseHandover(Command):
    """Have the model of a chat write about a page that was loaded; what it wrote is recorded in that chat and stands
    under a heading of its own. → HandoverLoaded, the same page with it."""

    type: Literal["summarise_handover"] = "summarise_handover"
    session_id: str
    page: Handover
    about: str = ""


class SaveHandover(Command):
    """Write a page that was loaded to a new file. → HandoverSaved."""

    reads: ClassVar[bool] = True
    on_imported: ClassVar[bool] = True
    type: Literal["save_handover"] = "save_handover"
    page: Handover
    path: str
    form: HandoverForm = "markdown"
