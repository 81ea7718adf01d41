"""What a step costs, as the model service sees it: `python -m tests.bench.bench_step`.

`banksman run --mode full-auto` is a real process on a repository of so many small files, in the best sandbox there is;
the service is a process of its own without latency. A step is the time from a call written by the service to the next
request at its door. The turn is 2,000 streamed words longer than its calls. The first call is left out of the steps:
it looks at the whole lane for the first time, whose cost stands as `first`. `--files 0,10000` and `--calls 20` say how
large the lanes and how long the turns are.

`--against PATH` alternates the runs with another checkout (and its own .venv), so that before and after stand side by
side under the same load: compare the least, the processor time and the ratio. `--runs N`: so many of each. `--cache
FOLDER`: where repositories are kept for the next time. For example:

    .venv/bin/python -m tests.bench.bench_step --files 0,10000 --calls 20 --runs 2 --against ../before --cache build
"""

import argparse
import itertools
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from desktop.services.settings.environment import VARIABLES as SERVICE_VARIABLES
from tests.bench.model_service import ROOT, Call, model_service, plan_of, served

FILES = (0, 10_000, 50_000)
CALLS = 50
WORDS = 2_000
IN_A_FOLDER = 50
VARIANTS = ("touch f{}", "echo {0} > n{0}", "mkdir -p d{0} && touch d{0}/f", "printf '%s\\n' {} >> all")
_UNSET = (*SERVICE_VARIABLES, "PYTHONWARNINGS", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV")


@dataclass(frozen=True)
class Figures:
    """One run. `steps_ms`: of each call but the first, `first_ms`. `begun_s`: start of the process to its first
    request; `turn_s`: from there to its end. `cpu_s` and `peak_mib`: of the process and its children."""

    steps_ms: tuple[float, ...]
    first_ms: float
    begun_s: float
    turn_s: float
    cpu_s: float
    peak_mib: float


@dataclass(frozen=True)
class Checkout:
    """A source tree and the interpreter of its environment."""

    root: Path
    python: Path


class Ground:
    """A repository and the program's own folders for the runs of one checkout, below `folder`. The first run makes the
    folders, without a lane; each later one finds them as that one left them, without the lane of another run."""

    def __init__(self, checkout: Checkout, template: Path, folder: Path) -> None:
        self._checkout = checkout
        self._folder = folder
        self.repository = folder / "shop"
        self._home, self._kept = folder / "home", folder / "kept"
        folder.mkdir(parents=True)
        _git(folder, "clone", "-q", str(template), str(self.repository))
        self.run([], words=1)
        shutil.copytree(self._home, self._kept, symlinks=True)

    def run(self, calls: list[Call], words: int = WORDS) -> Figures:
        """One task, from the start of the process to its end."""
        if self._kept.is_dir():
            self._cleared()
        log = self._folder / "requests"
        log.unlink(missing_ok=True)
        with model_service(log) as url:
            began = time.monotonic()
            used = self._run_to_end(url, plan_of(calls, words))
            ended = time.monotonic()
        requests = served(log)
        if len(requests) != len(calls) + 1 or any(request.failed for request in requests):
            raise RuntimeError(f"{len(requests)} requests for {len(calls)} calls, or a call failed")
        steps = [(after.at - before.sent) * 1000 for before, after in itertools.pairwise(requests)] or [0.0]
        return Figures(
            steps_ms=tuple(steps[1:]),
            first_ms=steps[0],
            begun_s=requests[0].at - began,
            turn_s=ended - requests[0].at,
            cpu_s=used.ru_utime + used.ru_stime,
            peak_mib=used.ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024),
        )

    def _run_to_end(self, url: str, task: str) -> "os.struct_rusage":
        own = {"BANKSMAN_HOME": str(self._home), "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}
        kept = {name: value for name, value in os.environ.items() if name not in _UNSET}
        words = ["-m", "desktop", "run", task, "--mode", "full-auto", "--endpoint", url]
        words += [] if self._kept.is_dir() else ["--in-checkout"]
        with (self._folder / "output").open("wb") as output:
            process = subprocess.Popen(
                [str(self._checkout.python), *words],
                cwd=self.repository,
                env={**kept, **own, "PYTHONPATH": str(self._checkout.root), "GIT_CONFIG_GLOBAL": os.devnull},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
            _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"status {process.returncode}: {(self._folder / 'output').read_text()[-2000:]}")
        return used

    def _cleared(self) -> None:
        shutil.rmtree(self._home)
        shutil.copytree(self._kept, self._home, symlinks=True)
        _git(self.repository, "worktree", "prune")
        refs = _git(self.repository, "for-each-ref", "--format=%(refname)", "refs/banksman", "refs/heads").split()
        gone = "".join(f"delete {ref}\n" for ref in refs if ref != "refs/heads/main")
        subprocess.run(["git", "update-ref", "--stdin"], cwd=self.repository, input=gone, text=True, check=True)


def repository_of(files: int, cache: Path) -> Path:
    """A bare repository whose one commit holds so many small files in folders of 50; made if it is not there."""
    place = cache / f"files-{files}.git"
    if place.is_dir():
        return place
    making = place.with_suffix(".part")
    shutil.rmtree(making, ignore_errors=True)
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(making)], check=True)
    subprocess.run(["git", "fast-import", "--quiet"], cwd=making, input=_history(files).encode(), check=True)
    return making.rename(place)


def _history(files: int) -> str:
    """What git fast-import reads."""
    parts = ["commit refs/heads/main\ncommitter A <a@example.org> 1700000000 +0000\ndata 5\nfirst\n"]
    for number in range(max(files, 1)):
        text = f"VALUE = {number}\n" + "# a line of text that stands in every file\n" * 8
        name = f"pkg{number // 1000}/mod{number // IN_A_FOLDER}/file{number}.py"
        parts.append(f"M 100644 inline {name}\ndata {len(text)}\n{text}\n")
    return "".join(parts)


def shell_calls(count: int) -> list[Call]:
    """Small commands that change the lane, none like another."""
    return [("bash", {"command": VARIANTS[number % len(VARIANTS)].format(number)}) for number in range(count)]


def here() -> Checkout:
    """The tree that this module is of."""
    return Checkout(ROOT, Path(sys.executable))


def measure(checkouts: list[Checkout], files: int, calls: int, runs: int, cache: Path) -> list[list[Figures]]:
    """The runs of each checkout, taken in turn."""
    template = repository_of(files, cache)
    with tempfile.TemporaryDirectory(prefix="bench-step-") as folder:
        grounds = [Ground(one, template, Path(folder) / str(number)) for number, one in enumerate(checkouts)]
        taken = [[ground.run(shell_calls(calls)) for ground in grounds] for _ in range(runs)]
    return [list(of_one) for of_one in zip(*taken, strict=True)]


def row(runs: list[Figures]) -> dict[str, float]:
    """The figures of some runs in one: all steps together, of everything else the median; the peak of memory."""
    steps = [step for run in runs for step in run.steps_ms]
    return {
        "step p50 ms": statistics.median(steps),
        "step min ms": min(steps),
        "first ms": statistics.median(run.first_ms for run in runs),
        "cpu s": statistics.median(run.cpu_s for run in runs),
        "first request s": statistics.median(run.begun_s for run in runs),
        "turn s": statistics.median(run.turn_s for run in runs),
        "MiB": max(run.peak_mib for run in runs),
    }


def _git(folder: Path, *words: str) -> str:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    return subprocess.run(["git", *words], cwd=folder, env=env, check=True, capture_output=True, text=True).stdout


def _show(name: str, cells: dict[str, float]) -> None:
    print(f"{name:<10}" + "".join(f"{value:>{_width(head)}.2f}" for head, value in cells.items()), flush=True)


def _width(head: str) -> int:
    return max(len(head), 7) + 2


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The cost of a step of `banksman run`.")
    parser.add_argument("--files", default=",".join(str(files) for files in FILES), help="sizes of lanes")
    parser.add_argument("--calls", type=int, default=CALLS)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--against", type=Path, help="another checkout")
    parser.add_argument("--cache", type=Path, help="keeps the repositories")
    given = parser.parse_args()
    checkouts = [here()]
    if given.against is not None:
        other = given.against.absolute()
        checkouts.append(Checkout(other, other / ".venv" / "bin" / "python"))
    with tempfile.TemporaryDirectory(prefix="bench-step-") as folder:
        cache = given.cache or Path(folder)
        cache.mkdir(parents=True, exist_ok=True)
        for files in (int(word) for word in given.files.split(",")):
            rows = [row(runs) for runs in measure(checkouts, files, given.calls, given.runs, cache.absolute())]
            print(f"{files:,} files, {given.calls} calls, load {os.getloadavg()[0]:.1f}")
            print(" " * 10 + "".join(f"{head:>{_width(head)}}" for head in rows[0]))
            for name, cells in zip(("here", "against"), rows, strict=False):
                _show(name, cells)
            if len(rows) > 1:
                _show("ratio", {head: rows[0][head] / (rows[1][head] or 1) for head in rows[0]})


if __name__ == "__main__":
    main()
