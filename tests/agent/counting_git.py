"""A git first in PATH that writes down how it is started, then is git."""

import os
import shutil
from pathlib import Path

import pytest


def count_git(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that gets one line for each git that somebody starts by its name; git's own children do not count."""
    programs, written = folder / "programs", folder / "starts"
    programs.mkdir()
    written.touch()
    counting = programs / "git"
    counting.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> \'{written}\'\nexec \'{shutil.which("git")}\' "$@"\n')
    counting.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    return written
