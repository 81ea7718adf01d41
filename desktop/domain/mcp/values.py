"""MCP servers as values: what a person configured, what a server offers, and what of it a person accepted.

A server is known by its `id` in one project. How it stands is told by `McpServersChanged`, what it offers by `McpTool`,
what of it is in force by `McpPin`: a tool is offered to an agent only if its pinned digest is the one it has now.
"""

import hashlib
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Literal, Self

from pydantic import Field, JsonValue

from desktop.domain.core.base import Frozen
from desktop.domain.gate.action import canonical_json

McpServerState = Literal["off", "waiting", "starting", "ready", "failed", "changed"]
"""off: a person switched it off, or it rests until its first use; waiting: a person must accept it, or tools of it;
starting; ready; failed: it is down, `why` says how; changed: it, or a tool, is other than what was accepted."""
ToolPolicy = Literal["ask", "allow", "never"]
Scope = Literal["person", "repository", "editor"]
EDITOR = "an editor"
"""Where servers stand that an editor names."""
Network = Literal["off", "open"] | tuple[str, ...]
"""off, open, or the hosts that it reaches through the egress proxy."""

REPOSITORY_FILE = ".mcp.json"
"""In a repository: its servers, in the form that other programs read too."""
SERVER_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,23}")
LONGEST_TIME_LIMIT_S = 600
SECRET_MARK = re.compile(r"\$\{secret:([A-Za-z_][A-Za-z0-9_]{0,63})\}")
"""In a value of a variable or header: the secret of that name, which the system keyring holds."""
ENV_MARK = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]{0,63})\}")
"""In a value of a variable: the variable of that name in the environment that Banksman was started with."""
LANE_MARK = "${lane}"
"""In a word of the command or the folder: the lane's folder. A server that has it is one for each lane."""


class McpServer(Frozen):
    """A server as it is configured. Either `command` (words, the first is the program) or `url` is there.

    `env`, `headers`: name and value, which may hold marks for secrets. `folder`: how its process sees the lane (of one
    that all chats share: the project's main checkout, never to be written). `cwd`: where it starts below that folder.
    `read`: further folders and files that it sees, never to be written. `share`: one process for all chats of the
    project, or one for each lane. `parallel`: it takes several calls at once. `tools`: policies from the configuration
    file, by name. `private_host`: the person says that the host of `url` may be one of their own network. `elicits`,
    `samples`, `instructs`: what a person switched on for it; all off at first. `guests`: agents of others are
    offered its tools too. `dialect`: of the SQL that it takes, as connections name theirs, "" while nobody said; `sql`:
    names of arguments that hold SQL, whatever they look like.
    """

    id: str
    command: tuple[str, ...] = ()
    url: str = ""
    env: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    folder: Literal["none", "read", "write"] = "read"
    cwd: str = "."
    read: tuple[str, ...] = ()
    network: Network = "off"
    share: Literal["project", "lane"] = "project"
    parallel: bool = False
    enabled: bool = True
    time_limit_s: int = 60
    tools: tuple[tuple[str, ToolPolicy], ...] = ()
    scope: Scope = "person"
    private_host: bool = False
    elicits: bool = False
    samples: bool = False
    instructs: bool = False
    guests: bool = False
    dialect: str = ""
    sql: tuple[str, ...] = ()
    log_level: Literal["debug", "info", "warning", "error"] = "warning"

    @property
    def per_lane(self) -> bool:
        """Whether each lane has its own process."""
        return self.share == "lane" or any(LANE_MARK in word for word in (*self.command, self.cwd))

    @property
    def is_foreign(self) -> bool:
        """Whether others than the person configured it: nothing of it starts before they accepted it as it is."""
        return self.scope != "person"

    @property
    def is_local(self) -> bool:
        """Whether it is a process on this computer."""
        return bool(self.command)


class McpTool(Frozen):
    """A tool as its server describes it, which is foreign text throughout."""

    name: str
    title: str = ""
    description: str = ""
    input_schema: dict[str, JsonValue] = Field(default_factory=dict)
    output_schema: dict[str, JsonValue] | None = None
    annotations: dict[str, JsonValue] = Field(default_factory=dict)

    @cached_property
    def sha256(self) -> str:
        """The digest that a person's consent binds (gate-M2): of all that stands here, whatever its order. Worked out
        once; a tool is never changed."""
        told = {name: value for name, value in self if name in McpTool.model_fields}
        return hashlib.sha256(canonical_json(told).encode("ascii")).hexdigest()

    def model_copy(self, *, update: Mapping[str, object] | None = None, deep: bool = False) -> Self:
        """Another tool, which has another digest."""
        copied = super().model_copy(update=update, deep=deep)
        copied.__dict__.pop("sha256", None)
        return copied


class McpPinnedTool(Frozen):
    """A tool that a person accepted exactly so. `treat_as_read`: they said that it only reads; `always`: it is offered
    also where the others have to be searched for; `called`: the name that they gave it, "" for its own."""

    tool: McpTool
    sha256: str
    called: str = ""
    policy: ToolPolicy = "ask"
    treat_as_read: bool = False
    always: bool = False


class McpPin(Frozen):
    """What a person accepted of a server. `sha256`: of `basis`, which says what is started or reached (program with
    its digest, words, names of variables, folder, network; or address). Tools keep their pin while they are gone.
    `person`, `day` (ISO): who accepted last, and when."""

    server: str
    sha256: str
    basis: dict[str, JsonValue] = Field(default_factory=dict)
    tools: tuple[McpPinnedTool, ...] = ()
    person: str = ""
    day: str = ""

    def tool(self, name: str) -> McpPinnedTool | None:
        """The pin of the tool of that name, None: nobody accepted one."""
        return next((one for one in self.tools if one.tool.name == name), None)


def basis_sha256(basis: dict[str, JsonValue]) -> str:
    """The digest of what is started or reached."""
    return hashlib.sha256(canonical_json(basis).encode("ascii")).hexdigest()
