"""Commands about MCP servers: configuring, starting, accepting and reading them."""

from dataclasses import field
from typing import ClassVar, Literal

from pydantic import JsonValue, SecretStr

from desktop.domain.core.command import Command
from desktop.domain.mcp.values import McpServer, ToolPolicy


class LoadMcpServers(Command):
    """All servers of the open project and how they stand; nothing is started. → McpServersListed."""

    reads: ClassVar[bool] = True
    type: Literal["load_mcp_servers"] = "load_mcp_servers"


class SaveMcpServer(Command):
    """Write a server to the person's file, in place of the one that had the id `replaces` ("": a new one). `secrets`:
    values to keep in the system keyring, by the names that its marks use. → McpServersListed."""

    type: Literal["save_mcp_server"] = "save_mcp_server"
    server: McpServer
    replaces: str = ""
    secrets: tuple[tuple[str, SecretStr], ...] = field(default=(), repr=False)


class NameMcpServers(Command):
    """Servers that an editor names for its chat, as the protocol has them; nothing is started. An empty list takes them
    back. They are the chat's until the editor goes. → McpServersListed."""

    log_first: ClassVar[bool] = False
    type: Literal["name_mcp_servers"] = "name_mcp_servers"
    chat_id: str
    project_id: str
    servers: tuple[JsonValue, ...] = field(default=(), repr=False)


class RemoveMcpServer(Command):
    """Take a server out of the person's file and end it. What was accepted of it is forgotten. → McpServersListed."""

    type: Literal["remove_mcp_server"] = "remove_mcp_server"
    server_id: str


class TestMcpServer(Command):
    """Start a server that may be started, list its tools, ping it once. → McpServerTested."""

    reads: ClassVar[bool] = True
    type: Literal["test_mcp_server"] = "test_mcp_server"
    server_id: str


class RestartMcpServer(Command):
    """End a server if it runs and start it again; one that is down is given its tries anew. → McpServersListed."""

    reads: ClassVar[bool] = True
    type: Literal["restart_mcp_server"] = "restart_mcp_server"
    server_id: str


class SetMcpToolPolicy(Command):
    """What becomes of calls of an accepted tool, as it is under this digest. None leaves a thing as it is.
    → McpServersListed."""

    type: Literal["set_mcp_tool_policy"] = "set_mcp_tool_policy"
    server_id: str
    tool: str
    sha256: str
    policy: ToolPolicy | None = None
    treat_as_read: bool | None = None
    always: bool | None = None


class AcceptMcpPin(Command):
    """Accept a server as it is under `sha256`, which lets one of the repository start, and these tools of it, each by
    the digest that was shown; other tools stay as they were. `names`: by digest, what a tool is called here whose own
    name keeps it off. → McpServersListed."""

    type: Literal["accept_mcp_pin"] = "accept_mcp_pin"
    server_id: str
    sha256: str
    tools: tuple[tuple[str, str], ...] = ()
    names: tuple[tuple[str, str], ...] = ()


class KeepMcpOff(Command):
    """Say no to these tools of a server, each by the digest that was shown, and to the server as it is under `sha256`
    if that waits. They stay off, and nobody is asked again before they are others. → McpServersListed."""

    type: Literal["keep_mcp_off"] = "keep_mcp_off"
    server_id: str
    sha256: str
    tools: tuple[tuple[str, str], ...] = ()


class FindMcpImports(Command):
    """Read what other programs of the person are configured to start. Nothing is changed. → McpImportsFound."""

    reads: ClassVar[bool] = True
    type: Literal["find_mcp_imports"] = "find_mcp_imports"


class ImportMcpServers(Command):
    """Take over what was found: the keys of its rows. Values that look like secrets go to the keyring.
    → McpServersListed."""

    type: Literal["import_mcp_servers"] = "import_mcp_servers"
    keys: tuple[str, ...]


class AuthoriseMcpServer(Command):
    """Begin to sign in to a server at an address; another sign-in of it ends. `client_id`: as which program, where the
    authority does not register programs, with its secret if it has one. → McpSignInWaits, then McpSignInEnded; or
    CommandFailed."""

    type: Literal["authorise_mcp_server"] = "authorise_mcp_server"
    server_id: str
    client_id: str = ""
    client_secret: SecretStr | None = field(default=None, repr=False)


class CancelMcpSignIn(Command):
    """End the sign-in that waits. → McpSignInEnded, for whoever began it."""

    reads: ClassVar[bool] = True
    type: Literal["cancel_mcp_sign_in"] = "cancel_mcp_sign_in"
    server_id: str


class SignOutOfMcpServer(Command):
    """Forget what was given for a server, and end it. → McpServersListed."""

    type: Literal["sign_out_of_mcp_server"] = "sign_out_of_mcp_server"
    server_id: str


class LoadMcpLog(Command):
    """The last lines that a server said on its error stream or by messages, secrets taken out. → McpLogLoaded."""

    reads: ClassVar[bool] = True
    type: Literal["load_mcp_log"] = "load_mcp_log"
    server_id: str


class LoadMcpResources(Command):
    """Which resources a server has, for a person who names one. → McpResourcesLoaded."""

    reads: ClassVar[bool] = True
    type: Literal["load_mcp_resources"] = "load_mcp_resources"
    server_id: str


class CompleteMcpArgument(Command):
    """What a server proposes for an argument of a prompt of it, or for a gap in the address of a resource (`name`: the
    template), where a person began to write `value`. `given`: the others, as far as they are written.
    → McpArgumentCompleted."""

    reads: ClassVar[bool] = True
    type: Literal["complete_mcp_argument"] = "complete_mcp_argument"
    server_id: str
    kind: Literal["prompt", "resource"]
    name: str
    argument: str
    value: str = ""
    given: tuple[tuple[str, str], ...] = ()


class LoadMcpPrompt(Command):
    """A prompt of a server with its arguments filled in, to be shown before it is sent. → McpPromptLoaded."""

    reads: ClassVar[bool] = True
    type: Literal["load_mcp_prompt"] = "load_mcp_prompt"
    session_id: str
    server_id: str
    prompt: str
    arguments: tuple[tuple[str, str], ...] = ()
