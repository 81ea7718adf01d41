"""`banksman run`, start to the first request at the model service: `python -m tests.bench.bench_run [RUNS]`.

Each start is a process of its own, with a lane of its own in one repository, against a service without latency in
another process. The first start of all, which makes the folders and the store, is not counted.

Target (guests 8): 0.6 s.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.agent.rig import make_repository
from tests.bench.model_service import model_service, plan_of, served
from tests.cli.running import ROOT, environment

RUNS = 7


def main(folder: Path) -> None:
    """Measure and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    repository, log = make_repository(folder / "shop"), folder / "served"
    env = environment(folder / "home", ANTHROPIC_API_KEY="sk-bench")
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    with model_service(log) as address:
        run = ["run", plan_of([]), "--repo", str(repository), "--endpoint", address]
        command = [sys.executable, "-m", "desktop", *run]
        took = [asked(command, env, log) for _ in range(runs + 1)][1:]
    print(f"start to first request: median {statistics.median(took):.2f} s, most {max(took):.2f} s")


def asked(command: list[str], env: dict[str, str], log: Path) -> float:
    """Seconds until its first request came."""
    before, begun = len(served(log)) if log.exists() else 0, time.monotonic()
    subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True)
    return served(log)[before].at - begun


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        main(Path(name))
