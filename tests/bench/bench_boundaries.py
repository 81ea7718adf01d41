"""How long it takes to read a message for what it forbids: `python -m tests.bench.bench_boundaries`."""

import statistics
import time

from desktop.policy.boundaries import lazy

TEXTS = {
    "20,000 characters without": "The parser reads one line and keeps what follows for the next call, as before. "
    * 256,
    "20,000 characters with a word of them": "The parser must not fail, and it never returns None for a line. " * 313,
    "20,000 characters of boundaries": "Never push. Don't touch the migrations, and ask before you commit. " * 299,
    "one line": "Fix the login. Don't touch the migrations, and never push.",
}


def main() -> None:
    """Print the median and the slowest of 20 readings of each text, in milliseconds of the processor."""
    lazy.detect("never push")
    for name, text in TEXTS.items():
        took = []
        for _ in range(20):
            began = time.process_time()
            lazy.detect(text[:20_000])
            took.append((time.process_time() - began) * 1000)
        print(f"{name}: median {statistics.median(took):.2f} ms, slowest {max(took):.2f} ms")


if __name__ == "__main__":
    main()
