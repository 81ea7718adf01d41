"""The audit command as a process: `python -m tests.store.run_audit verify …`."""

import sys

from desktop.cli.audit import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
