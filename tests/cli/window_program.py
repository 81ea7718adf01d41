"""`banksman` with its window as a program to be forked: see tests/forking.py."""

from desktop import app, program
from desktop.__main__ import main

__all__ = ["main", "prepare"]


def prepare() -> None:
    """Load all that a start needs until the window is made. No part of Qt runs yet."""
    assert app.main
    assert program.Program
