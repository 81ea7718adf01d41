"""Running one command in a copy of the lane: its own path, its own sandbox, no network, every write caught."""

import asyncio
import itertools
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from desktop.domain.core.errors import BanksmanError
from desktop.domain.preview.effect import CopyTier
from desktop.records import dataclass
from desktop.services.preview.copies import CopyFolder
from desktop.services.processes.around import find_bash
from desktop.services.processes.environment import child_environment
from desktop.services.processes.output import CommandOutput
from desktop.services.processes.running import Completed, RunningCommand
from desktop.services.processes.sandbox.blocked import limit_reached, what_was_blocked
from desktop.services.processes.sandbox.bubblewrap import Mount
from desktop.services.processes.sandbox.frame import Launch, shell_argv
from desktop.services.processes.sandbox.guard import Guard, Setting
from desktop.services.processes.sandbox.landlock import own_program
from desktop.services.processes.sandbox.limits import size_in_words
from desktop.services.processes.sandbox.profile import SandboxProfile, shown_git
from desktop.services.processes.sandbox.resource_watch import ResourceWatch

OVERLAY = ("--sandbox-overlay", "overlay.py")
LOOK_EVERY_S = 0.1
MOST_WRITTEN = 1024**3
MOST_NAMES = 200_000


class NoCopy(BanksmanError):
    """The command could not be started in a copy; a sentence for people. Nothing ran."""


@dataclass(frozen=True)
class Trial:
    """A command and the lane of which it gets a copy. `env`: the environment the allow-list picks from; `variables`:
    what commands of the lane get beside it. `most_written`: so many bytes end it."""

    command: str
    lane: Path
    cwd: Path
    env: Mapping[str, str]
    variables: Mapping[str, str]
    limit_s: float
    most_written: int = MOST_WRITTEN


@dataclass(frozen=True)
class Ran:
    """What came of it. `left_running`: something that it started went on when it had ended, and was ended then."""

    completed: Completed
    left_running: bool = False


async def run_in_copy(
    trial: Trial, tier: CopyTier, copy: CopyFolder, guard: Guard, watch: ResourceWatch, mark: str
) -> Ran:
    """Run it to its end; nothing that it started is left then, also when the waiting task is cancelled.

    Raises:
        NoCopy: it could not be started.
        LaunchFailed: the sandbox or the copy did not come up; the command did not run.
        OSError: a program is missing.
    """
    launch = await asyncio.to_thread(_launch, trial, tier, copy, guard)
    output = CommandOutput(copy.root / "output")
    running = await RunningCommand.start(trial.command, launch, cwd=trial.cwd, call_mark=mark, output=output)
    running.watch_use(watch, copy.files, lambda words: None)
    full: list[str] = []
    watching = asyncio.create_task(
        _watch_size(copy.files, running, trial.most_written, full.append), name="size of a copy"
    )
    try:
        completed = await running.finish(trial.limit_s)
        left = completed.ending == "exited" and (bool(completed.leftovers) or await running.has_left())
    finally:
        watching.cancel()
        _, survivors = await running.end()
    if survivors:  # what it writes later could not be told from what was looked at
        raise NoCopy("something that it started could not be ended.")
    if full:
        completed = replace(completed, ending="stopped", limit=full[0])
    blocked = what_was_blocked(completed.output, launch.profile, ok=completed.ok)
    limit = completed.limit or limit_reached(completed.output, launch.profile, ok=completed.ok)
    return Ran(replace(completed, blocked=blocked, limit=limit), left)


def _launch(trial: Trial, tier: CopyTier, copy: CopyFolder, guard: Guard) -> Launch:
    """How it is started. Blocking."""
    bash = find_bash()
    if bash is None:
        raise NoCopy("bash was not found on this machine.")
    env = child_environment(trial.env, temp_folder=copy.temp, lane_root=trial.lane)
    tools = guard.tools(env["PATH"])
    git = shown_git(trial.lane.resolve())
    profile = guard.profile_for(trial.lane, temp=copy.temp, tools=tools, git_dirs=git, network=False)
    inner = {**guard.inner_environment(env, tools), **trial.variables}
    setting = guard.setting(bash=bash, cwd=trial.cwd, env=inner, profile=profile)
    if tier == "copy":
        setting = _over(setting, profile, copy)
    launch = setting.launch(shell_argv(bash, trial.command))
    if tier == "overlay":
        named = (f"lane={profile.lane_root}", f"upper={copy.files}", f"work={copy.work}")
        launch = replace(launch, argv=(*own_program(*OVERLAY), *named, "--", *launch.argv))
    return launch


def _over(setting: Setting, profile: SandboxProfile, copy: CopyFolder) -> Setting:
    """The setting in which a whole copy stands at the lane's own place."""
    lane = str(profile.lane_root)
    mounts = tuple(
        Mount(one.option, str(copy.files), lane) if one.place == lane and one.source == lane else one
        for one in setting.mounts
    )
    return replace(setting, mounts=mounts)


async def _watch_size(folder: Path, running: RunningCommand, most: int, full: Callable[[str], object]) -> None:
    """End it when it wrote more than a copy may hold."""
    for pause_s in itertools.repeat(LOOK_EVERY_S):
        if await asyncio.to_thread(size_below, folder) > most:
            break
        await asyncio.sleep(pause_s)
    full(f"wrote more than {size_in_words(most)}")
    running.stop()


def size_below(folder: Path) -> int:
    """Bytes of the disk that the files below take; more than a copy may hold where there are too many names.
    Blocking."""
    total, names, waiting = 0, 0, [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as listed:
                for entry in listed:
                    facts = entry.stat(follow_symlinks=False)
                    total, names = total + facts.st_blocks * 512, names + 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:
            continue
        if names > MOST_NAMES:
            return 2 * MOST_WRITTEN
    return total
