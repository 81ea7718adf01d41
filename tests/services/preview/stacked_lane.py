"""Run in a mount namespace of its own: a lane over which the kernel lays nothing more. Prints the kind of copy that a
command ran in, what it wrote there, and whether the lane is as it was. Arguments: a folder, which may be anything."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

from desktop.services.git.trees.listing import FILE, LaneTree, TreeEntry
from desktop.services.preview.tiers import find_tier, kinds_from, run_in_first
from desktop.services.preview.trial import Trial
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions


def stacked(folder: Path) -> Path:
    """A folder that is an overlay of an overlay already, as deep as the kernel goes."""
    below = folder / "below"
    below.mkdir()
    (below / "kept").write_text("kept")
    for level in ("one", "two"):
        made = [folder / f"{level}-{part}" for part in ("upper", "work", "merged")]
        for part in made:
            part.mkdir()
        named = f"lowerdir={below},upperdir={made[0]},workdir={made[1]}"
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", named, str(made[2])], check=True)
        below = made[2]
    return below


async def main(folder: Path) -> None:
    """Try a command there."""
    subprocess.run(["mount", "-t", "tmpfs", "none", str(folder)], check=True)
    lane, copies = stacked(folder), folder / "copies"
    sandbox = Sandbox(os.environ, SandboxOptions(hidden=(copies,)))
    guard = await sandbox.ready()
    tier = await find_tier(copies, guard, sandbox.watch, os.environ)
    print(f"found {tier.kind}")
    kinds = kinds_from(tier.kind or "copy", guard, ("overlay", "copy"))
    trial = Trial("echo more >> kept; echo new > made", lane, lane, os.environ, {}, 30.0)
    tree = LaneTree({"kept": TreeEntry(FILE, "")})
    copying, ran = await run_in_first(trial, kinds, copies, tree, guard, sandbox.watch)
    print(f"ran in {copying.kind}", ran.completed.ending, ran.completed.exit_code)
    print(sorted((one.path, one.kind) for one in copying.written(lane)))
    print(sorted(path.name for path in lane.iterdir()), (lane / "kept").read_text())
    copying.folder.remove()
    print("left", len(list(copies.iterdir())))
    await sandbox.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
