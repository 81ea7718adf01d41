"""`banksman acp` as a program to be forked: see tests/forking.py."""

from desktop.__main__ import main
from desktop.agent.acp import connection
from desktop.cli import acp, acp_engine
from desktop.services.acp import door
from desktop.services.git import reader
from tests.cli.loaded import load_for_turns

__all__ = ["main", "prepare"]


def prepare() -> None:
    """Load all that a turn needs."""
    assert acp.main
    assert acp_engine.serve
    assert connection.AcpConnection
    assert door.Door
    reader.load()
    load_for_turns()
