"""HookRuns: one run of a hook in the lane's sandbox, with nothing left of it when it is over (guests-H2)."""

import contextlib
import os
import sys
import uuid
from collections.abc import Mapping
from pathlib import Path

from desktop.policy.hooks.answers import MOST_OUTPUT, HookEnd
from desktop.services.processes.around import NOTHING_GIVEN, Place, ProcessError
from desktop.services.processes.given_secrets import LaidOut
from desktop.services.processes.running import Completed, LaunchFailed, RunningCommand
from desktop.services.processes.sandbox.sandbox import Sandbox
from desktop.services.processes.starting import CommandStarts

MOST_ERRORS = 2_000
LEFT_S = 2.0
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_READING = Place(reading=True, sandboxed=True)
_WRITING = Place(sandboxed=True)


class HookRuns:
    """Every method belongs to the engine's loop. `env`: what the environment of commands is picked from."""

    def __init__(self, sandbox: Sandbox, env: Mapping[str, str]) -> None:
        self._sandbox = sandbox
        self._env = env
        self._starts: dict[Path, CommandStarts] = {}

    async def run(
        self, lane_root: Path, line: str, given: bytes, *, timeout_s: float, reading: bool, shown: Path
    ) -> HookEnd:
        """Run `line` in the lane with `given` on its standard input, at most so long. `reading`: it cannot write the
        lane. `shown`: a folder that it may read beside. Without a sandbox it does not run. A stop of the waiting task
        ends it."""
        starts = self._starts.get(lane_root)
        if starts is None:
            name = f"hooks-{uuid.uuid4().hex}"
            starts = self._starts[lane_root] = CommandStarts(name, self._env, lane_root, self._sandbox, NOTHING_GIVEN)
        folder = starts.private_folder()
        mark = uuid.uuid4().hex
        said, errors = folder / f"{mark}.json", folder / f"{mark}.err"
        try:
            said.write_bytes(given)
            place = _READING if reading else _WRITING
            beside = LaidOut({}, shown if shown.is_dir() else None)
            running = await starts.start(_whole(line, said, errors), lane_root, place, beside)
            return _end(await _finished(running, starts, timeout_s), errors)
        except (ProcessError, OSError) as error:
            return HookEnd(None, "", problem=f"it could not be started: {error}")
        finally:
            for path in (said, errors):
                path.unlink(missing_ok=True)

    async def close(self) -> None:
        """Remove what hooks had for temporary files."""
        for starts in self._starts.values():
            await starts.close()
        self._starts.clear()


def _whole(line: str, said: Path, errors: Path) -> str:
    """The line with its standard input, and what it says of errors apart."""
    return f"exec < '{said}' 2> '{errors}'\n{line}"


async def _finished(running: RunningCommand, starts: CommandStarts, timeout_s: float) -> Completed:
    try:
        completed = await running.finish(timeout_s)
    except LaunchFailed as error:
        raise starts.lost(error) from error
    if left := await running.has_left():
        running.close()  # the frame ends at once whatever is in it, where signals would let a shell go on for a moment
        await running.wait_gone(LEFT_S)
    if sys.platform == "darwin" or (left and running.lingers):  # without a frame, or one that does not end
        await running.end()
    running.close()
    return completed


def _end(completed: Completed, errors: Path) -> HookEnd:
    problem = ""
    if completed.ending == "timed_out":
        problem = "it took too long"
    elif completed.limit:
        problem = f"it {completed.limit}"
    elif completed.exit_code is None:
        problem = f"it was ended by {completed.signal_name or 'a signal'}"
    output = _output(completed)
    completed.output.discard()
    return HookEnd(
        exit_status=completed.exit_code if not problem else None,
        output=output,
        errors=_head(errors),
        problem=problem,
        duration_ms=round(completed.duration_s * 1000),
    )


def _output(completed: Completed) -> str | None:
    raw = completed.output.read(0, MOST_OUTPUT + 1)
    with contextlib.suppress(UnicodeDecodeError):
        return raw.decode("utf-8") if len(raw) <= MOST_OUTPUT else None
    return None


def _head(path: Path) -> str:
    """The beginning of what it said of errors. The file is one that the hook could put something else in place of."""
    try:
        handle = os.open(path, _FLAGS)
    except OSError:
        return ""
    with os.fdopen(handle, "rb") as file:
        return file.read(MOST_ERRORS).decode("utf-8", "replace")
