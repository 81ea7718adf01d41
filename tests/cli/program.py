"""`banksman run` as a program to be forked: see tests/forking.py."""

from desktop.__main__ import main
from desktop.cli import run, run_task
from desktop.providers.builtin.anthropic import load_messages

__all__ = ["main", "prepare"]


def prepare() -> None:
    """Load all that a turn needs."""
    assert run.main
    run_task.prepare()
    load_messages()
