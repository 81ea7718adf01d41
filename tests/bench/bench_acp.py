"""`banksman acp`, start to answered initialize, and its memory then: `python -m tests.bench.bench_acp [RUNS]`.

Each start is a process of its own with an engine of its own, on pipes; memory is its resident set after the answer.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from tests.cli.running import ROOT, environment

RUNS = 7
MIB = 1024 * 1024


def main() -> None:
    """Measure and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    with tempfile.TemporaryDirectory() as folder:
        env = environment(Path(folder) / "home")
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        measured = [answered(env) for _ in range(runs + 1)][1:]
    took, memory = zip(*measured, strict=True)
    print(f"start to answered initialize: median {statistics.median(took):.2f} s, most {max(took):.2f} s")
    print(f"resident then: median {statistics.median(memory):.0f} MiB, most {max(memory):.0f} MiB")


def answered(env: dict[str, str]) -> tuple[float, float]:
    """Seconds until the answer came, and MiB then."""
    begun = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-m", "desktop", "acp"], cwd=ROOT, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        ask = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}
        child.stdin.write(json.dumps(ask).encode() + b"\n")
        child.stdin.flush()
        answer = json.loads(child.stdout.readline())
        took = time.monotonic() - begun
        assert answer["result"]["protocolVersion"] == 1
        memory = psutil.Process(child.pid).memory_info().rss / MIB
        child.stdin.close()
    return took, memory


if __name__ == "__main__":
    main()
