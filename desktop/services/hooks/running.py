"""HookRuns: one run of a hook in the lane's sandbox, with nothing left of it when it is over (guests-H2)."""

import contextlib
import os
import sys
import uuid
from collections.abc import Mapping
from pathlib import Path

from desktop.policy.hooks.answers import MOST_OUTPUT, HookEnd
from desktop.policy.network.hosts import AllowedHost, check_allowed
from desktop.records import dataclass
from desktop.services.egress.egress import Egress, Way
from desktop.services.processes.around import NOTHING_GIVEN, Place, ProcessError
from desktop.services.processes.given_secrets import LaidOut
from desktop.services.processes.running import Completed, LaunchFailed, RunningCommand
from desktop.services.processes.sandbox.sandbox import Sandbox
from desktop.services.processes.starting import CommandStarts

MOST_ERRORS = 2_000
LEFT_S = 2.0
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
NO_HOSTS = "it reaches named hosts, which takes bubblewrap, and there is none here"


@dataclass(frozen=True)
class HookRun:
    """One run: the line for the shell, and what it gets on its standard input. `reading`: it cannot write the lane.
    `shown`: a folder that it may read beside. `hosts`: what the hook of this id may reach, on record for `owner`."""

    line: str
    given: bytes
    timeout_s: float
    reading: bool
    shown: Path
    hook: str = ""
    hosts: tuple[str, ...] = ()
    owner: str = ""


class HookRuns:
    """Every method belongs to the engine's loop. `env`: what the environment of commands is picked from; `egress`: the
    way out to hosts that hooks name."""

    def __init__(self, sandbox: Sandbox, env: Mapping[str, str], egress: Egress) -> None:
        self._sandbox = sandbox
        self._env = env
        self._egress = egress
        self._starts: dict[Path, CommandStarts] = {}

    async def run(self, lane_root: Path, hook: HookRun) -> HookEnd:
        """Run it in the lane. Without a sandbox it does not run, and one that reaches hosts in bubblewrap alone, which
        keeps it from others. A stop of the waiting task ends it."""
        hosts = tuple(one for one in map(check_allowed, hook.hosts) if isinstance(one, AllowedHost))
        if hosts and (await self._sandbox.ready()).tier != "bwrap":
            return HookEnd(None, "", problem=NO_HOSTS)
        try:
            way = self._egress.client("hook", hook.hook, hosts, owner=hook.owner) if hosts else None
        except OSError as error:
            return HookEnd(None, "", problem=f"there is no way to its hosts: {error.strerror or error}")
        with contextlib.closing(way) if way is not None else contextlib.nullcontext():
            return await self._run(lane_root, hook, Place(reading=hook.reading, sandboxed=True, hosts=hosts), way)

    async def _run(self, lane_root: Path, hook: HookRun, place: Place, way: Way | None) -> HookEnd:
        starts = self._starts.get(lane_root)
        if starts is None:
            name = f"hooks-{uuid.uuid4().hex}"
            starts = self._starts[lane_root] = CommandStarts(name, self._env, lane_root, self._sandbox, NOTHING_GIVEN)
        folder = starts.private_folder()
        mark = uuid.uuid4().hex
        said, errors = folder / f"{mark}.json", folder / f"{mark}.err"
        try:
            said.write_bytes(hook.given)
            beside = LaidOut({}, hook.shown if hook.shown.is_dir() else None, way)
            running = await starts.start(_whole(hook.line, said, errors), lane_root, place, beside)
            return _end(await _finished(running, starts, hook.timeout_s), errors)
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
