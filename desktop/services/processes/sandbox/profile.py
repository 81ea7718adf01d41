"""SandboxProfile: what one command may see, write and reach, as a value that every tier turns into its own terms."""

import sys
from pathlib import Path
from typing import Literal

from desktop.domain.core.base import Frozen
from desktop.services.files.plain_paths import leads_to_file, leads_to_folder, real_path
from desktop.services.files.pointers import pointed
from desktop.services.processes.sandbox.limits import PRIVATE_BYTES

ProfileName = Literal["lane-off", "lane-hosts", "lane-open", "bare", "mcp", "guest"]

RELAY = ("--sandbox-relay", "../../egress/relay.py")
"""The program that makes the proxy's port in a sandbox, as `own_program` takes it."""
HIDDEN_PLACES = (Path("/tmp"), Path("/var/tmp"), Path("/run"), Path("/home"), Path("/root"))  # noqa: S108
PASSWORD_FILES = tuple(Path("/etc") / name for name in ("shadow", "shadow-", "gshadow", "gshadow-", "sudoers"))


class SandboxProfile(Frozen):
    """The view and the rights of one command in the sandbox. All paths are absolute and real; of two that lie in each
    other the deeper one holds.

    `hidden`: folders that are empty inside. `readonly`: what can be seen again below them, never written. `writable`:
    the lane and the session's temporary folder. `guarded`: places below a writable one that are read-only (Git's own).
    `masked`: files that read as empty. `network`: whether the network of the machine is there. `egress`: the socket of
    the one way out to named hosts, None for none; it takes bubblewrap.
    `private_bytes`: what each hidden folder can hold at most.
    """

    name: ProfileName = "lane-off"
    lane_root: Path
    temp: Path
    hidden: tuple[Path, ...] = ()
    readonly: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    guarded: tuple[Path, ...] = ()
    masked: tuple[Path, ...] = ()
    network: bool = False
    egress: Path | None = None
    lane_writable: bool = True
    private_bytes: int = PRIVATE_BYTES

    def reading(self) -> "SandboxProfile":
        """The profile for a command that only reads: the lane cannot be written."""
        return self.model_copy(update={"lane_writable": False})

    def reaching(self, egress: Path) -> "SandboxProfile":
        """The profile for a command that may reach named hosts, by the socket of its client of the proxy."""
        shown = (*self.readonly, egress.parent.resolve(), *own_folders(RELAY[1]))
        name = "lane-hosts" if self.name == "lane-off" else self.name
        return self.model_copy(update={"name": name, "egress": egress.resolve(), "readonly": shown})


def own_folders(program: str) -> tuple[Path, ...]:
    """What a program of ours, by its path from this folder, needs of hidden folders: itself, and the interpreter."""
    if getattr(sys, "frozen", False):
        return (Path(sys.executable).resolve().parent,)
    interpreter = Path(sys.executable)
    named = (Path(__file__).parent / program, Path(sys.base_prefix), Path(sys.prefix), interpreter.parent)
    return tuple(dict.fromkeys(path.resolve() for path in named if path.resolve() != Path("/usr")))


def bare_profile(lane_root: Path, temp: Path) -> SandboxProfile:
    """No sandbox: the person's own rights. Limits on processes and their end still hold."""
    return SandboxProfile(name="bare", lane_root=lane_root, temp=temp, network=True)


def shown_git(lane_root: Path) -> tuple[Path, ...]:
    """The parts of Git that must be visible and may not be written: the lane's `.git` and, for a worktree, the common
    folder.

    A `.git` file is believed only when the folder it names is a worktree's own in a repository (`…/worktrees/NAME`
    with a pointer back to this lane), so that a changed file cannot make another folder visible. A link in its place
    gives nothing.
    """
    pointer = lane_root / ".git"
    if pointer.is_symlink():
        return ()
    if leads_to_folder(str(pointer)):
        return (pointer,)
    own = pointed(pointer, prefix="gitdir:")
    if own is None or own.parent.name != "worktrees":
        return (pointer,) if leads_to_file(str(pointer)) else ()
    common = own.parent.parent
    points_back = str(pointed(own / "gitdir")) == real_path(str(pointer))
    believed = points_back and leads_to_file(f"{common}/HEAD") and leads_to_folder(f"{common}/objects")
    return (pointer, common) if believed else (pointer,)


def is_below(path: Path, folders: tuple[Path, ...]) -> bool:
    """Whether the path is one of the folders or lies in one."""
    return any(path.is_relative_to(folder) for folder in folders)


def outermost(folders: tuple[Path, ...]) -> tuple[Path, ...]:
    """The folders that lie in none of the others, each once, sorted."""
    ordered = sorted(set(folders))
    kept: list[Path] = []
    for folder in ordered:
        if not is_below(folder, tuple(kept)):
            kept.append(folder)
    return tuple(kept)
