"""`banksman run` on a clock that a test can put forward, as a program to be forked (tests/forking.py).

Its words: a file that holds by how many minutes, none while it is not there; then those of the run.
"""

from datetime import datetime, timedelta
from pathlib import Path

from desktop.cli import run
from desktop.domain.core.clock import utc_now
from tests.cli import program

prepare = program.prepare


def main(words: list[str]) -> int:
    """Run on that clock."""
    file, _run, *rest = words
    ahead = Path(file)

    def clock() -> datetime:
        return utc_now() + timedelta(minutes=int(ahead.read_text()) if ahead.exists() else 0)

    return run.main(rest, clock)
