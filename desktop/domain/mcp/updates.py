"""Updates about MCP servers: passing state, never stored."""

from dataclasses import field
from typing import ClassVar, Literal

from pydantic import JsonValue

from desktop.domain.core.update import Answer, Outcome, Stand
from desktop.domain.mcp.values import McpServer, McpServerState, McpTool, Scope, ToolPolicy
from desktop.records import dataclass

McpToolState = Literal["on", "new", "changed", "kept_off", "gone", "clash", "invalid", "never"]
"""on: offered as accepted; new: nobody accepted it; changed, gone: other than accepted; kept_off: a person said no to
it as it is; clash: its name is that of another; invalid: it cannot be used as it is; never: a person switched it
off."""


@dataclass(frozen=True)
class McpToolRow:
    """A tool and how it stands. `tool`: as the server describes it now (as it was accepted, if it is gone).
    `sha256`: what a yes binds. `difference`: from what was accepted, as a unified diff; `why`: it is not on, a
    sentence. `called`: what a person called it, "" for its own name; `nameless`: its own name keeps it off until
    they do."""

    tool: McpTool
    sha256: str
    state: McpToolState
    why: str = ""
    policy: ToolPolicy = "ask"
    treat_as_read: bool = False
    always: bool = False
    difference: str = ""
    called: str = ""
    nameless: bool = False


@dataclass(frozen=True)
class McpPromptRow:
    """A prompt of a server; `arguments`: name, description, whether it is needed. Foreign text."""

    name: str
    description: str = ""
    arguments: tuple[tuple[str, str, bool], ...] = ()


@dataclass(frozen=True)
class McpResource:
    """A resource that a server lists, all of it in its words. `is_template`: its address has gaps to be filled."""

    uri: str
    name: str
    description: str = ""
    is_template: bool = False


@dataclass(frozen=True)
class McpServerRow:
    """A server and how it stands. `sha256`: what a yes binds, of `basis`; `accepted`: whether that is what a person
    accepted; `difference`: from what they accepted, as a unified diff. `place`: where it is configured. `version`: name
    and version as the server says, `protocol` the one spoken, `instructions` its text, all foreign. `ready_ms`: how
    long its last start took. `signs_in`: it waits for a person to sign in; `signed_in`: a person did.
    `prompts`: those that it listed last. `kept_off`: a person said no to it as it is;
    `by_events`: it is one of the older kind, spoken to over server-sent events; `no_resources`: it ran, and said that
    it has none."""

    server: McpServer
    state: McpServerState
    why: str = ""
    place: str = ""
    sha256: str = ""
    basis: dict[str, JsonValue] | None = None
    accepted: bool = False
    difference: str = ""
    version: str = ""
    protocol: str = ""
    instructions: str = ""
    tools: tuple[McpToolRow, ...] = ()
    person: str = ""
    day: str = ""
    ready_ms: int = 0
    signs_in: bool = False
    signed_in: bool = False
    prompts: tuple[McpPromptRow, ...] = ()
    kept_off: bool = False
    by_events: bool = False
    no_resources: bool = False

    @property
    def id(self) -> str:
        """The id by which commands name it."""
        return self.server.id

    @property
    def scope(self) -> Scope:
        """Whether it is the person's or the repository's."""
        return self.server.scope


@dataclass(frozen=True)
class McpFault:
    """A server, or a file, that is not used. `line`: from 1, 0 for the file as a whole; `text`: a sentence."""

    path: str
    line: int
    text: str
    server_id: str = ""


class McpServersListed(Outcome):
    """All servers of the open project, the person's first. Told when asked for and whenever one stands otherwise."""

    stands: ClassVar[Stand | None] = Stand.LISTS
    servers: tuple[McpServerRow, ...] = ()
    faults: tuple[McpFault, ...] = ()
    file: str = ""
    command_id: str = ""


class McpServerTested(Answer):
    """How a test went: seconds until ready, and of one ping; `problem`: why it failed, ""."""

    server_id: str
    ready_s: float = 0.0
    ping_s: float = 0.0
    tools: int = 0
    problem: str = ""


@dataclass(frozen=True)
class McpImport:
    """A server that another program would start. `key`: names it in `ImportMcpServers`; `secrets`: names of values that
    would go to the keyring; `problem`: why it cannot be taken over, ""; `notes`: what is left out, sentences."""

    key: str
    program: str
    path: str
    server: McpServer
    secrets: tuple[str, ...] = ()
    problem: str = ""
    notes: tuple[str, ...] = ()


class McpImportsFound(Answer):
    """What other programs are configured to start, by program. `faults`: files that cannot be read."""

    imports: tuple[McpImport, ...] = ()
    faults: tuple[McpFault, ...] = ()


class McpSignInWaits(Answer):
    """A sign-in waits for a person. `address`: where the browser goes when they click, whole; `authority`: who signs
    them in, `resource`: for what, `scopes`: what is asked for. `sent_to`: the host to which goes what they get, ""
    where it is that of the page. Foreign text, all of it."""

    server_id: str
    address: str
    authority: str
    resource: str
    scopes: tuple[str, ...] = ()
    sent_to: str = ""


class McpSignInEnded(Answer):
    """A sign-in is over. `problem`: why nobody was signed in, "" if somebody was. `needs_client`: it can be begun again
    with the id of a program, which is registered with the address `returns_to`."""

    server_id: str
    problem: str = ""
    needs_client: bool = False
    returns_to: str = ""


class McpLogLoaded(Answer):
    """The newest lines of a server's log, oldest first. Foreign text."""

    server_id: str
    lines: tuple[str, ...] = ()


class McpPromptLoaded(Answer):
    """The texts of a prompt as a server gave them, one below the other, and its pictures as files. Foreign text."""

    server_id: str
    prompt: str
    text: str
    pictures: tuple[bytes, ...] = field(default=(), repr=False)


class McpResourcesLoaded(Answer):
    """What a server has. Foreign text."""

    server_id: str
    resources: tuple[McpResource, ...] = ()


class McpArgumentCompleted(Answer):
    """What a server proposes, its best first. Foreign text."""

    values: tuple[str, ...] = ()
