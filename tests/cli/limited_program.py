"""`banksman` in a process that first sets itself a limit, as a program to be forked (tests/forking.py).

Its words: `umask` and octal digits, or `files` and the soft limit of open ones; then those of the program.
"""

import os
import resource

from tests.cli import program

prepare = program.prepare


def main(words: list[str]) -> int:
    """Set the limit and run the program."""
    kind, value, *rest = words
    if kind == "umask":
        os.umask(int(value, 8))
    else:
        resource.setrlimit(resource.RLIMIT_NOFILE, (int(value), resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    return program.main(rest)
