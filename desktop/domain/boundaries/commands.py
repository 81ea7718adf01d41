"""Commands about boundaries. What comes of them is told by events and by CommandFailed."""

from datetime import datetime
from typing import Literal

from desktop.domain.core.command import Command


class KeepBoundary(Command):
    """Make rules of a boundary: of this chat, of its lane, or of the project. One that is kept stays as it is, and
    words that would lift it are set aside. `until`: when it is over by itself, None for never; not for a limit of
    cost."""

    type: Literal["keep_boundary"] = "keep_boundary"
    session_id: str
    boundary_id: str
    scope: Literal["session", "lane", "project"] = "session"
    until: datetime | None = None


class DismissBoundary(Command):
    """A boundary that was found is none, or is over; its rules go."""

    type: Literal["dismiss_boundary"] = "dismiss_boundary"
    session_id: str
    boundary_id: str
