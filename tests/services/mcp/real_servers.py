"""Where the MCP servers that the test command installs are, and how each is started.

`packaging/bootstrap.py test` puts them beside the packages. It stops when it could not though a registry answers, so
what is skipped here is skipped on a machine that cannot have them.
"""

import json
import sys
from pathlib import Path

import pytest

FOLDER = Path(sys.prefix) / "mcp-servers"
INDEX = FOLDER / "servers.json"


def program_of(name: str) -> list[str]:
    """The words that start a server; the test is skipped, by the server's name, where none is installed."""
    if not INDEX.is_file():
        pytest.skip(f"the MCP server {name} is not installed: run packaging/bootstrap.py test")
    command: list[str] = json.loads(INDEX.read_text("utf-8"))["servers"][name]
    assert all(Path(word).exists() for word in command), f"{command} was installed and is gone"
    return command
