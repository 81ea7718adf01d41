"""What `banksman run` costs: `python -m tests.bench.bench_run [RUNS]`.

Prints the time from the start of the process to its first request, against a bare start of the interpreter, and, for
a turn of 50 calls, the time of each call and the peak of memory.
"""

import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.agent.rig import make_repository
from tests.cli.running import environment
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

RUNS = 9
CALLS = 50


@dataclass(frozen=True)
class Process:
    """How one child ran: seconds on the clock and of processor time, peak of its memory in MiB."""

    began: float
    wall_s: float
    cpu_s: float
    peak_mib: float


def main() -> None:
    """Measure and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    with tempfile.TemporaryDirectory() as folder, FakeModelApi() as api:
        repository = make_repository(Path(folder) / "shop")
        env = environment(Path(folder) / "home")
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        bare, firsts, ones = [], [], []
        for _ in range(runs + 1):
            bare.append(child(["-c", "pass"], repository, env))
            api.script(text_turn("Hello."))
            before = len(api.requests)
            ones.append(child(task(api), repository, env))
            firsts.append(api.requests[before].at - ones[-1].began)
        calls = [tool_turn("bash", command=f"echo {number}") for number in range(CALLS // 2)]
        calls += [tool_turn("read_file", file_path="app.py", limit=number + 1) for number in range(CALLS - len(calls))]
        api.script(*calls, text_turn("Done."))
        before = len(api.requests)
        long = child(task(api), repository, env)
        asked = [request.at for request in api.requests[before:]]
    show("bare interpreter", [one.wall_s for one in bare[1:]], [one.cpu_s for one in bare[1:]])
    show("first request", firsts[1:])
    show("whole run of one answer", [one.wall_s for one in ones[1:]], [one.cpu_s for one in ones[1:]])
    ratio = statistics.median(firsts[1:]) / statistics.median(one.wall_s for one in bare[1:])
    print(f"first request / bare interpreter: {ratio:.1f}")
    steps = [(after - at) * 1000 for at, after in itertools.pairwise(asked)]
    print(f"{len(steps)} calls: median {statistics.median(steps):.1f} ms from request to request, max {max(steps):.1f}")
    print(f"{len(steps)} calls: peak memory {long.peak_mib:.0f} MiB, one answer {ones[-1].peak_mib:.0f} MiB")


def task(api: FakeModelApi) -> list[str]:
    """The words after `python`."""
    return ["-m", "desktop", "run", "Measure it", "--mode", "full-auto", "--endpoint", api.url]


def child(words: list[str], folder: Path, env: dict[str, str]) -> Process:
    """Run python to its end."""
    began = time.monotonic()
    null = subprocess.DEVNULL
    process = subprocess.Popen([sys.executable, *words], cwd=folder, env=env, stdin=null, stdout=null, stderr=null)
    _, status, used = os.wait4(process.pid, 0)
    wall_s = time.monotonic() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"the child ended with status {process.returncode}")
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return Process(began, wall_s, used.ru_utime + used.ru_stime, used.ru_maxrss / unit)


def show(name: str, wall_s: list[float], cpu_s: list[float] | None = None) -> None:
    """One line of figures in seconds."""
    text = f"{name}: median {statistics.median(wall_s):.3f} s, min {min(wall_s):.3f} s"
    cpu = f"; processor: median {statistics.median(cpu_s):.3f} s, min {min(cpu_s):.3f} s" if cpu_s else ""
    print(f"{text}{cpu}, {len(wall_s)} times")


if __name__ == "__main__":
    main()
