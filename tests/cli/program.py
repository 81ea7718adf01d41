"""`banksman run` as a program to be forked: see tests/forking.py."""

from desktop.__main__ import main
from desktop.cli import run
from desktop.cli.headless import task
from desktop.providers.builtin.anthropic import load_messages

__all__ = ["main", "prepare"]


def prepare() -> None:
    """Load all that a turn needs."""
    assert run.main
    task.prepare()
    load_messages()
