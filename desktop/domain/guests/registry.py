"""GuestRow: what is known of an agent of others before it was ever started here: a table of `guests.toml`."""

from typing import Annotated, Literal

from pydantic import Field

from desktop.domain.core.base import Frozen
from desktop.domain.core.service_kinds import Dialect
from desktop.records import dataclass

GUEST_ID = r"^[a-z0-9][a-z0-9-]{0,23}$"


class GuestGateway(Frozen):
    """How an agent is told of another address and key for its models. `env`, `args`: variables and words for it, in
    which `{url}`, `{key}` and `{model}`, the usual one of the service, are filled in. `by`: those, or a way to sign in
    that the agent offers for it, where its variables are not known."""

    dialect: Dialect
    by: Literal["variables", "sign_in"] = "variables"
    env: dict[str, str] = Field(default_factory=dict)
    args: tuple[str, ...] = ()


class GuestRow(Frozen):
    """One agent. What an agent really does is found out when it runs.

    `programs`: names that are looked for; `args`: words after the program. `asking_mode`, `plan_mode`: its own modes,
    "" for none. `own_sandbox_off`: words that turn a sandbox of its own off. `env`: constant variables. `gateway`: None
    where it has its own login alone. `hosts`: what it reaches with its own login. `home`: its folders below the home
    folder; `passing`: patterns of what it writes there with each session, by which nothing of its settings changes.
    `login`: words that sign it in, in a terminal. `reads`: whether it is offered to read files through us. `asks`:
    whether it asks before commands. `writes_unasked`: it writes files without asking, unless it is in its asking mode.
    `confirms_mode`: it says so when its mode was set. `command_from`: where a request has the text of a command.
    `taken`: names of tools that it takes from no MCP server, because its own have them. `install`: the command that
    installs it, for people. `seen_at`: the version of which this was found.
    """

    id: Annotated[str, Field(pattern=GUEST_ID)]
    label: Annotated[str, Field(min_length=1, max_length=60)]
    programs: Annotated[tuple[Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$")], ...], Field(min_length=1)]
    args: tuple[str, ...] = ()
    asking_mode: str = ""
    plan_mode: str = ""
    own_sandbox_off: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    gateway: GuestGateway | None = None
    hosts: tuple[str, ...] = ()
    home: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()
    login: tuple[str, ...] = ()
    reads: Literal["none", "client"] = "none"
    asks: Literal["commands", "never"] = "commands"
    writes_unasked: bool = False
    confirms_mode: bool = True
    command_from: Literal["rawInput", "title", "earlier"] = "rawInput"
    taken: tuple[str, ...] = ()
    install: str = ""
    seen_at: str = ""


@dataclass(frozen=True)
class GuestFault:
    """Something wrong in a file of agents. `line` 0: nobody knows. `guest_id`: of which table, "" for the file."""

    path: str
    line: int
    text: str
    guest_id: str = ""


@dataclass(frozen=True)
class FoundGuest:
    """The program of an agent on this computer. `program`: as it was found; `real`: the file it leads to, with its
    `sha256`."""

    program: str
    real: str
    sha256: str
