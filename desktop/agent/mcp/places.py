"""Where servers are configured: a file of the person, and one of the repository; and what servers see."""

import shutil
from pathlib import Path

from desktop.domain.mcp.values import REPOSITORY_FILE, McpServer
from desktop.late import late
from desktop.services.processes.sandbox.guard import Guard

OWN_FILE = "mcp.toml"


def is_configured(own: Path, root: Path | None) -> bool:
    """Whether there is a file of servers: the person's, or that of the repository at `root`. Two looks at the disk."""
    return own.exists() or (root is not None and (root / REPOSITORY_FILE).exists())


def seeing_server(folder: Path, file: Path, guard: Guard, path: str) -> str:
    """The id of a server of the person that sees this folder, by a folder that they let it read or that its program
    stands in; "" for none. Hooks see what commands see. Blocking."""
    servers: tuple[McpServer, ...] = late("desktop.services.mcp.config").read_servers(file).servers
    real = folder.resolve()
    for server in servers:
        program = shutil.which(server.command[0], path=path) if server.command else None
        beside = f"{Path(program).parent}:{path}" if program else path
        read = (Path(one).expanduser().resolve() for one in server.read)
        if any(real.is_relative_to(one) for one in read) or guard.shows(folder, beside):
            return server.id
    return ""
