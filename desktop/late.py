"""What is imported at its first use, because a start, or a command that needs none of it, must not wait for it."""

import importlib
from functools import cache
from types import ModuleType

MODULES = {
    "PIL.Image": "pictures that are scaled or captured",
    "asyncpg": "the first statement on PostgreSQL",
    "desktop.domain.display.markdown_parser": "0.04 s, the first text in Markdown",
    "desktop.domain.display.surfaces": "the first card or title with foreign text",
    "desktop.policy.boundaries.detect": "0.02 s, the first words that could forbid something",
    "desktop.policy.display_warn": "the first command on a card",
    "desktop.policy.mcp.arguments": "the first card",
    "desktop.policy.reach": "with the parser of command lines, the first rule that a person spoke",
    "desktop.policy.shell.assess": "0.2 s with its parser, the first command line",
    "desktop.policy.sql.assess": "0.2 s with its parser, the first SQL",
    "desktop.providers.chat": "0.1 s with the network library, the first provider of a service",
    "desktop.providers.anthropic": "0.1 s with the network library, the first provider of a service",
    "desktop.providers.demo": "the first chat with the demo",
    "desktop.services.acp.door": "the socket for editors, which a run does not open",
    "desktop.services.databases.mysql.engine": "the first statement there",
    "desktop.services.databases.postgres.engine": "the first statement there",
    "desktop.services.databases.sqlite.engine": "the first statement there",
    "desktop.services.egress.client": "the first command that may reach named hosts",
    "desktop.services.egress.gateway": "the first agent of others that asks a model without its key",
    "desktop.services.egress.pinned": "the network library, the first request to a host that an agent chose",
    "desktop.services.egress.routes": "with it",
    "desktop.services.egress.upstream": "with it, and with the first fetch",
    "desktop.services.web.client": "the network library, the first request to the web",
    "desktop.services.web.errors": "with it, the first fetch that fails",
    "desktop.services.web.pages": "the first page that is read",
    "desktop.services.web.reader": "with them",
    "desktop.services.web.search": "with them",
    "desktop.services.releases.look": "the network library and that of signatures, the first look for a newer version",
    "desktop.services.github.account": "the network library, the first call to GitHub",
    "desktop.services.github.client": "the network library",
    "desktop.services.github.device_flow": "the network library",
    "desktop.services.github.foreign_picture": "the network library",
    "desktop.services.github.transport": "the network library",
    "desktop.services.mcp.config": "tomllib, the first file of MCP servers",
    "desktop.services.mcp.http": "with the SDK and the network library, the first server at an address",
    "desktop.services.mcp.sign_in.oauth": "with it, the first sign-in",
    "desktop.services.mcp.sign_in.tokens": "with it",
    "desktop.ui.settings.dialog": "the first time that Settings open",
    "desktop.ui.window.dialogs.help": "the first look at the guide or the keys",
    "genai_prices": "0.3 s, the first cost",
    "desktop.agent.acp.connection": "the first editor",
    "desktop.agent.guests.commands": "the first command about agents of others",
    "desktop.policy.guests.controls": "with them",
    "desktop.agent.guests.driver": "with what follows, the first turn of another agent",
    "desktop.agent.guests.starting.own": "with it",
    "desktop.agent.guests.starting.signing_in": "the first sign-in to one",
    "desktop.services.guests.launch": "with it",
    "desktop.tools.guests.table": "its first call",
    "desktop.agent.hooks.commands": "with the reading of differences, the first file of hooks",
    "desktop.agent.mcp.late_build": "0.02 s, the first MCP server",
    "desktop.agent.memory.embeddings": "the first search of the memory with a model for its order",
    "desktop.agent.skills.remote": "the first repository of skills at an address",
    "desktop.services.skills.fetching": "with it",
    "anyio._backends._asyncio": "0.03 s, the first connection to a service",
    "html_to_markdown": "0.06 s, the first page",
    "httpx2": "0.1 s, the first service with TLS that is asked for somebody",
    "httpcore2": "the first request to a service",
    "idna": "the first host with letters beyond ASCII",
    "anyio": "with the MCP SDK",
    "jsonschema.exceptions": "with it",
    "jsonschema.validators": "0.05 s, the first call to an MCP server",
    "keyring": "0.05 s, and it asks the person's keyring",
    "keyring.errors": "with it",
    "mcp.client.session": "1 s and 64 MB, the first MCP server",
    "mcp.shared.exceptions": "with it",
    "mcp.shared.message": "with it",
    "mcp.types": "with it",
    "mcp.types.jsonrpc": "with it",
    "psutil": "0.03 s, the first look at processes or ports",
    "pygments.lexers": "the first file whose language is named",
    "pymysql": "the first statement on MySQL",
    "referencing": "with JSON schemas",
    "resource": "not there on Windows",
    "sqlglot": "the first preview of rows",
    "tomlkit": "0.01 s, the first change of settings or rules",
    "winsound": "there on Windows alone",
    "xcffib": "the first capture of a window, on X11 alone",
    "xcffib.composite": "with it",
    "xcffib.res": "with it",
    "xcffib.xproto": "with it",
    "yaml": "0.03 s, the first skill or agent that is read",
}
"""By module: what it costs, or when it is needed. `tests/cli/test_light_start.py` holds a start to it."""


@cache
def late(name: str) -> ModuleType:
    """The module of that name, imported now unless it was before. May be called on any thread.

    Raises:
        KeyError: the list above does not name it.
        ImportError: it is not there.
    """
    MODULES[name]
    return importlib.import_module(name)
