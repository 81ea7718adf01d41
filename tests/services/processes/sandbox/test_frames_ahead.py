"""A frame that was made ready beforehand: it runs one command as a new one would, and none once anything differs."""

import asyncio
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from desktop.domain.core.ids import new_id
from desktop.services.processes.ahead import FrameAhead
from desktop.services.processes.output import CommandOutput
from desktop.services.processes.running import RunningCommand
from desktop.services.processes.sandbox.arena import short_name
from desktop.services.processes.sandbox.bubblewrap import find_bubblewrap
from desktop.services.processes.sandbox.frame import MAX_GIVEN_BYTES, shell_argv
from desktop.services.processes.sandbox.guard import Guard, Setting
from desktop.services.processes.sandbox.profile import HIDDEN_PLACES, SandboxProfile

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is a part of Linux"),
]
REAL = "/usr/local/bin:/usr/bin:/bin"
# A bwrap that swaps three of its words for what a file says, once.
CARELESS = """\
#!/bin/bash
words=("$@")
if [[ -e {once} ]]; then
  mapfile -t change < {once}; rm {once}
  for (( at = 0; at < ${{#words[@]}}; at++ )); do
    [[ ${{words[at]}} == "${{change[0]}}" && ${{words[at+1]}} == "${{change[0]}}" ]] || continue
    if [[ ${{change[1]}} ]]; then words[at]=${{change[1]}}; else words=("${{words[@]:0:at-1}}" "${{words[@]:at+2}}"); fi
    break
  done
fi
exec {real} "${{words[@]}}"
"""
# In a namespace of its own: whether a frame that waits is used after something was mounted out here.
MOUNTED = """\
import asyncio, subprocess, sys
from pathlib import Path
from tests.services.processes.sandbox.test_frames_ahead import Ground, made_ready, said

async def main(folder):
    async with made_ready(Ground.make(folder)) as (ground, ahead):
        for mount in sys.argv[2:]:
            subprocess.run(["mount", "-t", "tmpfs", "none", str(folder / mount)], check=True)
        running = ahead.take(ground.setting(), "echo used")
        print(await said(running) if running else "not used")

asyncio.run(main(Path(sys.argv[1])))
"""


@dataclass(frozen=True)
class Ground:
    """A lane with a pointer to Git's folder, a tool with a key below a hidden home folder, all of it real."""

    guard: Guard
    lane: Path
    profile: SandboxProfile
    language: str = "C.UTF-8"

    @classmethod
    def make(cls, folder: Path, programs: str = "") -> "Ground":
        wrap = find_bubblewrap(programs)
        if wrap is None:
            pytest.skip("bubblewrap is not installed")
        lane, tool, temp = folder / "home" / "lane", folder / "home" / ".tool", folder / "temp"
        for made in (lane / "sub", tool / "plugin", temp, folder / "other" / "plugin", folder / "wide"):
            made.mkdir(parents=True)
        (lane / ".git").write_text("gitdir: /nowhere\n")
        (tool / "key").write_text("secret\n")
        (folder / "other" / "key").write_text("another\n")
        profile = SandboxProfile(
            lane_root=lane, temp=temp, hidden=(*HIDDEN_PLACES, folder / "home", folder / "wide" / "late"),
            readonly=(tool, tool / "plugin", folder / "wide"), guarded=(lane / ".git",),
            masked=(tool / "key", tool / "new"),
        )  # fmt: skip
        return cls(Guard("bwrap", bubblewrap=wrap), lane, profile)

    def setting(self, cwd: str = "", **env: str) -> Setting:
        bash = shutil.which("bash") or ""
        environment = {"PATH": REAL, "LANG": self.language, **env}
        return self.guard.setting(bash=bash, cwd=self.lane / cwd, env=environment, profile=self.profile)


@asynccontextmanager
async def made_ready(ground: Ground, cwd: str = "") -> AsyncIterator[tuple[Ground, FrameAhead]]:
    async def start() -> tuple[Setting, RunningCommand]:
        setting = ground.setting(cwd)
        launch = setting.launch(shell_argv(setting.bash, "")[:-1], later=True)
        output = CommandOutput(ground.profile.temp / "output")
        mark = new_id("call_")
        return setting, await RunningCommand.start("", launch, cwd=setting.cwd, call_mark=mark, output=output)

    ahead = FrameAhead(start)
    try:
        assert await ahead.made()
        yield ground, ahead
    finally:
        await ahead.close()


async def said(running: RunningCommand | None) -> str:
    assert running is not None
    completed = await running.finish(20)
    await running.wait_gone(20)
    assert completed.ok, completed.output.head()
    return completed.output.head()


def renamed_over(place: Path, text: str = "other\n") -> None:
    new = place.with_name("a.new")
    new.write_text(text)
    new.rename(place)


def linked_anew(place: Path) -> None:
    """The same file under the same name, but not the entry that was mounted on."""
    place.with_name("a.link").hardlink_to(place)
    place.unlink()
    place.with_name("a.link").rename(place)


def folder_replaced(place: Path) -> None:
    place.rename(place.with_name("a.old"))
    shutil.copytree(place.with_name("a.old"), place)


def folder_linked(place: Path) -> None:
    place.rename(place.with_name("a.old"))
    place.symlink_to(place.parents[1] / "other")


async def test_a_frame_that_waits_runs_its_command_as_a_new_one_would(tmp_path: Path) -> None:
    look = "pwd; env | sort; ls -A ~+ /proc/self/fd | wc -l; echo $0 $#; cat ../.tool/key; touch .git || echo kept"
    ground = Ground.make(tmp_path)
    async with made_ready(ground) as (_, ahead):
        running = ahead.take(ground.setting(), look)
        assert ahead.take(ground.setting(), look) is None, "it is used once"
        waited = await said(running)
    setting = ground.setting()
    launch = setting.launch(shell_argv(setting.bash, look))
    output = CommandOutput(tmp_path / "output")
    mark = running.call_mark if running is not None else ""
    started = await RunningCommand.start(look, launch, cwd=setting.cwd, call_mark=mark, output=output)
    assert waited == await said(started)
    assert waited.endswith("Read-only file system\nkept\n")
    assert "secret" not in waited


@pytest.mark.promise("gate-S18")
@pytest.mark.parametrize("language", ["C", "C.UTF-8"])
async def test_a_command_comes_to_bash_byte_by_byte(tmp_path: Path, language: str) -> None:
    every = "".join(map(chr, range(1, 128))).replace("'", "") + os.fsdecode(bytes(range(128, 256))) + "é€\U0001f600 \n"
    ground = Ground.make(tmp_path)
    ground = replace(ground, language=language)
    async with made_ready(ground) as (_, ahead):
        running = ahead.take(ground.setting(), f" printf %s '{every}' > all \n ")
        await said(running)
    assert (ground.lane / "all").read_bytes() == every.encode("utf-8", "surrogateescape")


async def test_a_long_command_or_one_with_a_nul_is_not_given(tmp_path: Path) -> None:
    for command in ("#" * MAX_GIVEN_BYTES, "touch a\0touch b"):
        async with made_ready(Ground.make(tmp_path / new_id(""))) as (ground, ahead):
            assert ahead.take(ground.setting(), command) is None
        assert not (ground.lane / "a").exists()


DECEITS: dict[str, Callable[[Path], object]] = {
    "the pointer to Git is replaced": lambda lane: renamed_over(lane / ".git"),
    "the pointer to Git is the same file again": lambda lane: linked_anew(lane / ".git"),
    "the pointer to Git is gone": lambda lane: (lane / ".git").unlink(),
    "a masked file is replaced": lambda lane: renamed_over(lane.parent / ".tool" / "key", "secret"),
    "a masked file appears": lambda lane: renamed_over(lane.parent / ".tool" / "new", "secret"),
    "a folder that is shown is another": lambda lane: folder_replaced(lane.parent / ".tool"),
    "a folder that is shown is a link": lambda lane: folder_linked(lane.parent / ".tool"),
    "a folder that is shown is gone": lambda lane: (lane.parent / ".tool" / "plugin").rmdir(),
    "a folder that is hidden appears": lambda lane: (lane.parents[1] / "wide" / "late").mkdir(),
    "the home folder is another": lambda lane: folder_replaced(lane.parent),
    "the lane is another": lambda lane: folder_replaced(lane),
    "the lane is a link": lambda lane: folder_linked(lane),
}


@pytest.mark.promise("gate-B2")
@pytest.mark.parametrize("deceit", DECEITS.values(), ids=DECEITS.keys())
async def test_a_frame_is_not_used_once_what_it_shows_or_hides_is_not_what_it_was(
    tmp_path: Path, deceit: Callable[[Path], object]
) -> None:
    async with made_ready(Ground.make(tmp_path)) as (ground, ahead):
        deceit(ground.lane)
        assert ahead.take(ground.setting(), "touch ran") is None
    assert not (ground.lane / "ran").exists()


async def test_a_socket_that_was_opened_since_is_another_setting(tmp_path: Path) -> None:
    ground = Ground.make(tmp_path)
    ground = replace(ground, profile=ground.profile.model_copy(update={"hidden": ()}))
    before = ground.setting()
    with socket.socket(socket.AF_UNIX) as server, short_name(tmp_path / "s") as name:
        server.bind(name)
        now = {mount.place for mount in ground.setting().mounts}
    assert now - {mount.place for mount in before.mounts} == {str(tmp_path / "s")}


async def test_a_frame_is_not_used_for_another_place_or_environment(tmp_path: Path) -> None:
    ground = Ground.make(tmp_path)
    reading = replace(ground, profile=ground.profile.reading())
    others = (
        ground.setting("sub"), ground.setting(PORT="1"), reading.setting(), replace(ground.setting(), bash="/bin/sh")
    )  # fmt: skip
    for other in others:
        async with made_ready(ground) as (_, ahead):
            assert ahead.take(other, "true") is None
            assert await said(ahead.take(ground.setting(), "echo ran")) == "ran\n"


async def test_a_frame_is_not_used_in_a_folder_that_was_made_anew(tmp_path: Path) -> None:
    async with made_ready(Ground.make(tmp_path), "sub") as (ground, ahead):
        folder_replaced(ground.lane / "sub")
        assert ahead.take(ground.setting("sub"), "true") is None


async def test_a_frame_of_another_bwrap_is_not_used(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    shutil.copy2(shutil.which("bwrap", path=REAL) or "", tools / "bwrap")
    async with made_ready(Ground.make(tmp_path, str(tools))) as (ground, ahead):
        shutil.copy2(tools / "bwrap", tools / "new")
        (tools / "new").rename(tools / "bwrap")
        assert ahead.take(ground.setting(), "true") is None


@pytest.mark.parametrize("instead", ["", "other"])
async def test_a_frame_that_stood_with_a_mount_too_few_or_of_another_place_is_not_used(
    tmp_path: Path, instead: str
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    once, lane = tools / "once", tmp_path / "home" / "lane"
    place = lane.parent / ".tool" if instead else lane / ".git"
    (tools / "bwrap").write_text(CARELESS.format(once=once, real=shutil.which("bwrap", path=REAL)))
    (tools / "bwrap").chmod(0o755)
    ground = Ground.make(tmp_path, str(tools))
    once.write_text(f"{place}\n{tmp_path / instead if instead else ''}\n")
    async with made_ready(ground) as (_, ahead):
        assert not once.exists()
        assert ahead.take(ground.setting(), "true") is None
    async with made_ready(ground) as (_, ahead):
        assert await said(ahead.take(ground.setting(), "echo ran")) == "ran\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
@pytest.mark.parametrize(("mounts", "word"), [((), "used"), (("other",), "not used"), (("home/lane",), "not used")])
async def test_a_frame_is_not_used_once_something_was_mounted(
    tmp_path: Path, mounts: tuple[str, ...], word: str
) -> None:
    program = ["unshare", "--mount", "--propagation", "shared", sys.executable, "-c", MOUNTED, str(tmp_path), *mounts]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = await asyncio.to_thread(
        subprocess.run, program, env=environment, capture_output=True, text=True, timeout=25, check=False
    )
    if "unshare failed" in done.stderr:
        pytest.skip(done.stderr)
    assert (done.stdout.strip(), done.stderr) == (word, "")


async def test_a_frame_that_ended_meanwhile_is_not_used(tmp_path: Path) -> None:
    async with made_ready(Ground.make(tmp_path)) as (ground, ahead):
        children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
        (first,) = Path(f"/proc/{children[-1]}/task/{children[-1]}/children").read_text().split()
        os.kill(int(children[-1]), 9)
        while Path(f"/proc/{first}/cwd").exists():
            await asyncio.sleep(0.01)
        assert ahead.take(ground.setting(), "true") is None
