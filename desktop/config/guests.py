"""The settings of a person about one agent of others."""

from pydantic import Field

from desktop.domain.core.base import Frozen
from desktop.domain.core.permissions import PermissionMode


class GuestSettings(Frozen):
    """`idle_minutes`: how long it waits for a next turn before it is ended.
    `most_mode`: the loosest mode that its chats may have. `own_folders`: it has the person's real folders of its
    configuration in place of a home of its own. `asks_when_changed`: a card asks before another version of its program
    works in a chat."""

    idle_minutes: int = Field(default=10, ge=1, le=120)
    most_mode: PermissionMode = PermissionMode.FULL_AUTO
    own_folders: bool = False
    asks_when_changed: bool = False
