"""Guests: agents of others that carry out the turns of a chat, and how a chat says so."""

from typing import Literal

GuestKind = Literal["execute", "edit", "delete", "move", "read", "search", "fetch", "think", "switch_mode", "other"]
"""The kinds of calls that guests tell of."""

OWN_DRIVER = "own"
_PREFIX = "guest:"


def guest_endpoint(guest_id: str) -> str:
    """The endpoint of the chats of a guest."""
    return f"{_PREFIX}{guest_id}"


def guest_of(endpoint_id: str) -> str:
    """The id of the guest whose chat has this endpoint, "" where a model is asked."""
    return endpoint_id.removeprefix(_PREFIX) if endpoint_id.startswith(_PREFIX) else ""
