"""What the judgement of SQL costs: `python -m tests.bench.bench_sql [ROUNDS]`.

Prints the time of the first judgement (with the import of the parser), the median and the 99th percentile over the
ordinary reads of the tests, and the time of texts at the limits of length and depth.
"""

import statistics
import sys
import time
from pathlib import Path

from desktop.policy.sql.lazy import assess_sql

ROUNDS = 5
TEXTS = Path(__file__).parents[1] / "policy" / "sql"
LARGE = {
    "list of 4,900 numbers": "SELECT 1 WHERE a IN (" + ",".join("1" * 4_900) + ")",
    "3,000 unions": " UNION ALL ".join(["SELECT 1"] * 3_000)[: 64 * 1024 - 10].rpartition(" UNION")[0],
    "1,000 joins": "SELECT * FROM t " + " ".join(f"JOIN t a{i} ON a{i}.i = t.i" for i in range(830)),
    "3,300 statements": "SELECT 1;" * 3_300,
    "one literal of 60 KiB": "SELECT '" + "a" * 60_000 + "'",
    "brackets 190 deep": "SELECT " + "(" * 190 + "1" + ")" * 190,
    "queries 60 deep": "SELECT * FROM " + "(SELECT * FROM " * 60 + "t" + ") x" * 60,
    "4,900 commas": "SELECT 1 FROM " + ",".join("t" * 4_900),
}


def main() -> None:
    """Measure and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    print(f"first judgement            {_timed('SELECT 1', 'postgres') * 1000:8.1f} ms")
    for dialect in ("postgres", "sqlite", "mysql"):
        names = ("reads_common.txt", f"reads_{dialect}.txt")
        reads = [line for name in names for line in (TEXTS / name).read_text(encoding="utf-8").splitlines() if line]
        times = sorted(_timed(text, dialect) for text in reads for _ in range(rounds))
        middle, high = statistics.median(times) * 1000, times[int(len(times) * 0.99)] * 1000
        print(f"{dialect:10} {len(reads):4} reads      {middle:8.2f} ms median, {high:.2f} ms p99")
    for name, text in LARGE.items():
        print(f"{name:26} {_timed(text, 'postgres') * 1000:8.1f} ms")


def _timed(text: str, dialect: str) -> float:
    began = time.perf_counter()
    assess_sql(text, dialect)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
