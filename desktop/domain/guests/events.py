"""Events of the chats of guests: that a session of theirs began or ended, and what was noticed of them."""

from typing import Literal

from pydantic import Field, JsonValue

from desktop.domain.core.event_base import EventBase
from desktop.domain.core.usage import Usage

GuestBegin = Literal["new", "load", "resume", "fork", "handover"]
GuestEndWhy = Literal["idle", "stop", "crash", "quit", "limit"]
GuestNotice = Literal["mode", "version", "unasked", "leftovers", "home_changed", "unexplained_change"]


class GuestSessionBegan(EventBase):
    """A guest works in this chat from here on. `how`: anew, as it was kept by the guest, or with a summary of what was
    said (`handover`). `program_sha256`: of the file that its name leads to, "" where it is not known. `abilities`: as
    the guest told them."""

    type: Literal["guest_session_began"] = "guest_session_began"
    guest_id: str
    label: str = ""
    version: str = ""
    program: str = ""
    program_sha256: str = ""
    guest_session_id: str = ""
    how: GuestBegin = "new"
    abilities: dict[str, JsonValue] = Field(default_factory=dict)
    home: Literal["private", "own"] = "private"
    keys: Literal["gateway", "login"] = "login"


class GuestSessionEnded(EventBase):
    """The guest of this chat was ended, or ended by itself. `detail`: its last lines, without secrets."""

    type: Literal["guest_session_ended"] = "guest_session_ended"
    guest_id: str
    why: GuestEndWhy
    exit_status: int | None = None
    detail: str = ""


class GuestNoticed(EventBase):
    """Something that a person should know of the guest."""

    type: Literal["guest_noticed"] = "guest_noticed"
    kind: GuestNotice
    text: str
    data: dict[str, JsonValue] = Field(default_factory=dict)


class GuestClaimed(EventBase):
    """The guest says how much its model used in a prompt, where nobody else counts it. It is in no sum and can only end
    a turn sooner."""

    type: Literal["guest_claimed"] = "guest_claimed"
    usage: Usage


class GuestCounted(EventBase):
    """The guest had its model answer through the proxy, which counted it. `usage`: empty where the service told none;
    `cost_microusd` None: nobody knows."""

    type: Literal["guest_counted"] = "guest_counted"
    model: str = ""
    usage: Usage = Usage()
    cost_microusd: int | None = None
