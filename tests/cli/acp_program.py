"""`banksman acp` as a program to be forked: see tests/forking.py."""

from desktop.__main__ import main
from desktop.agent.acp import connection
from desktop.cli import acp, acp_engine
from desktop.providers.builtin.anthropic import load_messages
from desktop.services.acp import door
from desktop.tools.registry import builtin_tools

__all__ = ["main", "prepare"]


def prepare() -> None:
    """Load all that a turn needs."""
    assert acp.main
    assert acp_engine.serve
    assert connection.AcpConnection
    assert door.Door
    builtin_tools()
    load_messages()
