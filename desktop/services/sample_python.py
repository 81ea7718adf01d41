"""`python3 -m unittest …` by the program itself, for the demo's sample where no Python is installed."""

import runpy
import sys
from pathlib import Path

MODULE = "unittest"


def main(argv: list[str]) -> int:
    """Run the tests below the current folder as `python3` would; nothing else is run. Ends by itself."""
    if argv[:2] != ["-m", MODULE]:
        sys.stderr.write(f"Only 'python3 -m {MODULE}' is to be had here: no Python is installed.\n")
        return 2
    sys.path.insert(0, str(Path.cwd()))
    sys.dont_write_bytecode = True
    sys.argv = [f"python3 -m {MODULE}", *argv[2:]]
    runpy.run_module(MODULE, run_name="__main__", alter_sys=True)
    return 0
