"""Guests: agents of others that carry out the turns of a chat, and how a chat says so."""

from typing import Literal

from pydantic import Field

from desktop.domain.core.base import Frozen
from desktop.domain.core.service_kinds import Dialect

GuestKind = Literal["execute", "edit", "delete", "move", "read", "search", "fetch", "think", "switch_mode", "other"]
"""The kinds of calls that guests tell of."""
HeldBy = Literal["gate", "guest", "sandbox", "none"]
"""What really stops a call of a guest: nothing happens until it is done here; it asked and promised to wait; it did not
ask. `none`: no call of it was told of, only what changed was found."""
GuestUsage = Literal["exact", "claimed", "context", "unknown"]
"""What is known of the tokens of a guest: counted here, said by it, only how full its context is, or nothing."""

OWN_DRIVER = "own"
_PREFIX = "guest:"


def guest_endpoint(guest_id: str) -> str:
    """The endpoint of the chats of a guest."""
    return f"{_PREFIX}{guest_id}"


def guest_of(endpoint_id: str) -> str:
    """The id of the guest whose chat has this endpoint, "" where a model is asked."""
    return endpoint_id.removeprefix(_PREFIX) if endpoint_id.startswith(_PREFIX) else ""


class GuestSignIn(Frozen):
    """A way to sign in that a guest offers. `words`, `env`: what its program is started with in a terminal, where
    `terminal`. `variables`: those of the environment that it wants instead, which no agent gets here."""

    id: str
    name: str
    about: str = ""
    terminal: bool = False
    words: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    variables: tuple[str, ...] = ()


class GuestGatewayWay(Frozen):
    """The way to sign in by which an agent is told of a model service, of the protocol `dialect`, instead."""

    id: str
    dialect: Dialect


class GuestChoice(Frozen):
    """One value that an option of a guest can have."""

    value: str
    name: str
    about: str = ""


class GuestOption(Frozen):
    """Something that a person can choose of a guest, such as its model. `category`: `model`, `thought_level` or another
    word of the guest's. `value`: as it is now, `on` or `off` for a switch. `sets`: how it is set."""

    id: str
    name: str
    category: str = ""
    about: str = ""
    value: str = ""
    choices: tuple[GuestChoice, ...] = ()
    sets: Literal["option", "switch", "model"] = "option"


class GuestSlash(Frozen):
    """A command of the guest's own, which is sent as text. `warning`: what it changes in the guest."""

    name: str
    about: str = ""
    hint: str = ""
    warning: str = ""


class GuestAbilities(Frozen):
    """What a guest said of itself when it was started, and what was seen of it since (guests-A14).

    `steer`: it takes a message while it works. `mode`: its own, `mode_confirmed`: it said itself that it is the one it
    was put into, which is `mode_wanted`. `writes_through_us` and the like: it had us do it at least once. `asked`,
    `unasked`: its calls; `unasked_against_gate`: those made without asking that the gate would have asked about.
    `shows_output`: of commands, None: not known yet. `claimed_tokens`: those that it says it used, `context_used` of
    `context_size`: how full it says that its context is, 0 for not said.
    """

    version: str = ""
    load: bool = False
    resume: bool = False
    fork: bool = False
    image: bool = False
    embedded: bool = False
    steer: bool = False
    modes: tuple[str, ...] = ()
    mode: str = ""
    mode_confirmed: bool = False
    mode_wanted: str = ""
    writes_through_us: bool = False
    reads_through_us: bool = False
    terminal_through_us: bool = False
    asked: int = 0
    unasked: int = 0
    unasked_against_gate: int = 0
    shows_output: bool | None = None
    usage: GuestUsage = "unknown"
    claimed_tokens: int = 0
    context_used: int = 0
    context_size: int = 0
