"""Events of MCP servers: how one stands by now, what a person accepted of it, and what it asked the model for."""

from typing import Literal

from pydantic import Field, JsonValue

from desktop.domain.core.event_base import By, EventBase
from desktop.domain.core.usage import Usage
from desktop.domain.mcp.values import McpServerState


class McpServerChanged(EventBase):
    """A server of the project stands otherwise than before. `pin`: the digest of what was accepted of it, "" for
    nothing; `version`: its name and version as it says; `tools`: those that are in force; `why`: for people."""

    type: Literal["mcp_server_changed"] = "mcp_server_changed"
    server: str
    state: McpServerState
    pin: str = ""
    version: str = ""
    protocol: str = ""
    tools: tuple[str, ...] = ()
    why: str = ""


class McpPinAccepted(EventBase):
    """A person accepted a server, and these tools of it, each by the digest of its definition. `changed`: what they set
    for tools that were accepted before: policy, treated as a read, always offered."""

    type: Literal["mcp_pin_accepted"] = "mcp_pin_accepted"
    server: str
    sha256: str = ""
    tools: dict[str, str] = Field(default_factory=dict)
    changed: dict[str, JsonValue] = Field(default_factory=dict)
    by: By = "person"


class McpKeptOff(EventBase):
    """A person said no to a server, or to these tools of it, each by the digest of what they were shown. Nobody asks
    again before one is another."""

    type: Literal["mcp_kept_off"] = "mcp_kept_off"
    server: str
    sha256: str = ""
    tools: dict[str, str] = Field(default_factory=dict)
    by: By = "person"


class McpSampled(EventBase):
    """A server asked the model of the chat, and what came of it. `messages`: whole, as they were sent; `call_id`: the
    call during which it asked; `cost_microusd` None: nobody knows. `refused`: why the model was not asked."""

    type: Literal["mcp_sampled"] = "mcp_sampled"
    server: str
    call_id: str = ""
    model: str = ""
    system: str = ""
    messages: tuple[JsonValue, ...] = ()
    text: str = ""
    refused: str = ""
    usage: Usage = Usage()
    cost_microusd: int | None = None
