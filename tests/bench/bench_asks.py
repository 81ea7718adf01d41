"""How many of the harmless commands that agents issued run without a question.

Run: python -m tests.bench.bench_asks
"""

import sys

from tests.policy.shell.agent_commands import ISSUED, share


def main() -> None:
    """Print the shares: of all, of each half and of each source."""
    sources = sorted({issued.source for issued in ISSUED})
    for half, source in (("", ""), ("tuned", ""), ("held_out", ""), *(("", name) for name in sources)):
        chosen = [row for row in ISSUED if row.harmless and half in ("", row.half) and source in ("", row.source)]
        sys.stdout.write(f"{half or source or 'all':12} {share(half, source):6.1%} of {len(chosen)}\n")


if __name__ == "__main__":
    main()
