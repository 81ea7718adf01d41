"""`banksman run` as a program to be forked: see tests/forking.py."""

from desktop.__main__ import main
from desktop.cli import run
from desktop.cli.headless import task, turn_taking
from tests.cli.loaded import load_for_turns

__all__ = ["main", "prepare"]


def prepare() -> None:
    """Load all that a turn needs."""
    assert run.main
    assert task.run_task
    assert turn_taking.run_lock
    load_for_turns()
