"""Probing a tier: the real profile, real escapes, and a verdict for each (gate-B4)."""

import asyncio
import itertools
import shutil
import time
from collections.abc import Mapping
from pathlib import Path

from desktop.domain.core.ids import new_id
from desktop.domain.gate.sandbox import ProbeOutcome, ProbeResult
from desktop.records import dataclass
from desktop.services.processes.environment import child_environment
from desktop.services.processes.output import CommandOutput
from desktop.services.processes.running import Completed, LaunchFailed, RunningCommand
from desktop.services.processes.sandbox.arena import Arena
from desktop.services.processes.sandbox.guard import Guard
from desktop.services.processes.sandbox.landlock import own_program
from desktop.services.processes.sandbox.profile import own_folders

LIMIT_S = 10.0
ESCAPES = ("--sandbox-escapes", "escapes.py")
GAPS = {
    "write_sibling": "A command can change files beside the lane.",
    "write_home": "A command can change files in your home folder.",
    "write_system": "A command can change files of the system.",
    "write_git_file": "A command can change the lane's .git file; it is put back afterwards.",
    "rename_over_git": "A command can put another file in the place of the lane's .git; it is put back afterwards.",
    "write_common_hooks": "A command can plant Git hooks, which run later with your rights.",
    "write_common_config": "A command can change the repository's Git settings.",
    "read_home_key": "A command can read key files in your home folder.",
    "write_through_link": "A command can write through a link that leads out of the lane.",
    "hard_link": "A command can change files outside the lane through a hard link.",
    "proc_root": "A command can see hidden files through the process folder.",
    "kernel_settings": "A command can change settings of the kernel, and so run programs as root outside the sandbox.",
    "tcp": "A command can reach servers on this computer and the network.",
    "udp": "A command can send datagrams to the network.",
    "unix_socket": "A command can talk to programs that listen on a socket file, such as a container service.",
    "abstract_socket": "A command can talk to programs that listen on a local socket without a file.",
    "signal_host": "A command can end other programs.",
    "read_environment": "A command can read the environment of other programs, which may hold keys.",
    "trace_host": "A command can look into other programs.",
    "nested_namespace": "A command can make itself a namespace with rights of its own.",
    "mount": "A command can mount file systems.",
    "inherited_variable": "A command can see the variables of Banksman.",
    "inherited_descriptor": "A command can use open files of Banksman.",
    "survivor": "A process can go on after its command was stopped.",
}


@dataclass(frozen=True)
class Findings:
    """The verdicts of one tier, or why it does not work at all."""

    probes: tuple[ProbeResult, ...] = ()
    reason: str = ""


async def probe_guard(guard: Guard, env: Mapping[str, str], *, scratch: Path | None = None) -> Findings:
    """Run every escape in this tier, at most 10 s, and let what they left begin, as long. What is planted is taken away
    again."""
    try:
        arena = await asyncio.to_thread(Arena, scratch, guard.places.home)
    except OSError as error:
        return Findings(reason=f"The sandbox could not be tried out: {error}.")
    try:
        return await _probe_in(arena, guard, env)
    finally:
        await asyncio.to_thread(arena.close)


async def _probe_in(arena: Arena, guard: Guard, env: Mapping[str, str]) -> Findings:
    bash = shutil.which("bash")
    if bash is None:
        return Findings(reason="bash was not found on this machine.")
    output = CommandOutput(arena.temp.parent / "output")
    try:
        running = await _start(arena, guard, env, bash, output)
        completed = await running.finish(LIMIT_S)
        if said := dict(_said(output.head())):
            await _wait_for_beat(arena)
        await running.end()
    except (LaunchFailed, OSError) as error:
        return Findings(reason=_reason(guard, str(error)))
    if completed.ending != "exited":
        return Findings(reason=_reason(guard, f"its probe did not end within {LIMIT_S:g} s"))
    if not said:
        return Findings(reason=_reason(guard, _last_words(completed, output)))
    happened = arena.happened()
    probes = [_verdict(name, said, happened) for name in GAPS if name != "survivor"]
    probes.append(await _survivor(arena))
    return Findings(tuple(probes))


async def _start(
    arena: Arena, guard: Guard, env: Mapping[str, str], bash: str, output: CommandOutput
) -> RunningCommand:
    child = child_environment(env, temp_folder=arena.temp, lane_root=arena.lane)
    tools = await asyncio.to_thread(guard.tools, child["PATH"])
    profile = guard.profile_for(arena.lane, temp=arena.temp, tools=tools)
    profile = profile.model_copy(update={"readonly": (*profile.readonly, *own_folders(ESCAPES[1]))})
    planted = (f"{name}={value}" for name, value in arena.planted.items())
    command = (*own_program(*ESCAPES), *planted)
    launch = guard.setting(bash=bash, cwd=arena.lane, env=child, profile=profile).launch(command)
    return await RunningCommand.start("probe", launch, cwd=arena.lane, call_mark=new_id("probe_"), output=output)


def _said(text: str) -> list[tuple[str, tuple[str, str]]]:
    words = (line.split(" ", 2) for line in text.splitlines())
    return [(one[0], (one[1], one[2] if len(one) > 2 else "")) for one in words if len(one) > 1 and one[0] in GAPS]


def _verdict(name: str, said: dict[str, tuple[str, str]], happened: dict[str, bool]) -> ProbeResult:
    if name not in said:
        return ProbeResult(name=name, outcome="skipped", gap=_not_tried(name))
    word, detail = said[name]
    escaped = happened.get(name, word == "open")
    outcome: ProbeOutcome = "failed" if escaped else "passed"
    return ProbeResult(name=name, outcome=outcome, gap=GAPS[name] if escaped else "", detail=detail)


def _not_tried(name: str) -> str:
    return f"Not tried: {GAPS[name].removesuffix('.')}."


async def _survivor(arena: Arena) -> ProbeResult:
    if not arena.began_to_beat():
        return ProbeResult(name="survivor", outcome="skipped", gap=_not_tried("survivor"))
    if await asyncio.to_thread(arena.still_beats):
        return ProbeResult(name="survivor", outcome="failed", gap=GAPS["survivor"])
    return ProbeResult(name="survivor", outcome="passed")


async def _wait_for_beat(arena: Arena) -> None:
    """A slow machine takes seconds to start a program; what did not begin would count as not tried."""
    deadline = time.monotonic() + LIMIT_S
    for pause_s in itertools.repeat(0.01):
        if arena.began_to_beat() or time.monotonic() > deadline:
            return
        await asyncio.sleep(pause_s)


def _last_words(completed: Completed, output: CommandOutput) -> str:
    lines = output.head().strip().splitlines()
    return lines[-1] if lines else f"the probe ended with exit code {completed.exit_code}"


def _reason(guard: Guard, words: str) -> str:
    tool = {"bwrap": "bubblewrap", "landlock": "Landlock", "seatbelt": "sandbox-exec"}.get(guard.tier, "It")
    return f"{tool} does not work here: {words.removeprefix('bwrap: ').rstrip('.')}."
