"""Where servers are configured: a file of the person, and one of the repository."""

from pathlib import Path

from desktop.domain.mcp.values import REPOSITORY_FILE

OWN_FILE = "mcp.toml"


def is_configured(own: Path, root: Path | None) -> bool:
    """Whether there is a file of servers: the person's, or that of the repository at `root`. Two looks at the disk."""
    return own.exists() or (root is not None and (root / REPOSITORY_FILE).exists())
