"""PastRuns: the last runs of each hook, kept in a file of the data folder from one start to the next (guests-H8)."""

import contextlib
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from desktop.config.private_files import make_private_file
from desktop.domain.hooks.updates import PastRun

RUNS_FILE = "hook-runs.json"
RUNS_KEPT = 20
HOOKS_KEPT = 200
SLOW_MS = 1_000
SLOW_TIMES = 3

_KEPT = TypeAdapter(dict[str, list[PastRun]])


class PastRuns:
    """Engine thread. Hooks go by their `switch_name`; the file is read when it is first asked for."""

    def __init__(self, data: Path) -> None:
        self._file = data / RUNS_FILE
        self._runs: dict[str, list[PastRun]] | None = None
        self._changed = False

    def add(self, name: str, run: PastRun) -> None:
        """One run more."""
        runs = self._known()
        runs[name] = [*runs.pop(name, []), run][-RUNS_KEPT:]
        self._changed = True
        while len(runs) > HOOKS_KEPT:
            del runs[next(iter(runs))]

    def newest(self, name: str, most: int) -> tuple[PastRun, ...]:
        """The last runs of a hook, newest first."""
        return tuple(self._known().get(name, [])[: -most - 1 : -1])

    def is_slow(self, name: str) -> bool:
        """Whether it took over a second three times lately (guests-H7)."""
        return sum(run.duration_ms > SLOW_MS for run in self._known().get(name, ())) >= SLOW_TIMES

    def keep(self) -> None:
        """Write the file where something ran since the last time. Blocking (a moment); a disk that takes nothing costs
        these lines and nothing else."""
        if not self._changed:
            return
        self._changed = False
        part = self._file.with_name(f".part-{self._file.name}")
        with contextlib.suppress(OSError):
            make_private_file(part)
            part.write_bytes(_KEPT.dump_json(self._known()))
            part.replace(self._file)

    def _known(self) -> dict[str, list[PastRun]]:
        if self._runs is None:
            try:
                self._runs = _KEPT.validate_json(self._file.read_bytes())
            except (OSError, ValidationError):
                self._runs = {}
        return self._runs
