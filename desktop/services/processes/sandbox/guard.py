"""Guard: one tier of the sandbox, able to say what a command sees in it and to start one."""

import sys
from collections.abc import Mapping
from pathlib import Path

from desktop.domain.gate.sandbox import SandboxTier
from desktop.records import dataclass
from desktop.services.files.plain_paths import real_path
from desktop.services.processes.sandbox.bubblewrap import (
    EMPTY,
    Bubblewrap,
    Mount,
    bubblewrap_argv,
    bubblewrap_filter,
    mounts_of,
)
from desktop.services.processes.sandbox.frame import FrameEnds, Launch, frame_argv
from desktop.services.processes.sandbox.landlock import landlock_argv, own_program, supervised_argv
from desktop.services.processes.sandbox.limits import PRIVATE_BYTES
from desktop.services.processes.sandbox.profile import (
    HIDDEN_PLACES,
    PASSWORD_FILES,
    RELAY,
    SandboxProfile,
    bare_profile,
    is_below,
    shown_git,
)
from desktop.services.processes.sandbox.seatbelt import seatbelt_argv
from desktop.services.processes.sandbox.tool_folders import ToolFolders, tool_folders

_HOMES_OF_TOOLS = {"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup", "PYENV_ROOT": ".pyenv", "NVM_DIR": ".nvm"}


@dataclass(frozen=True)
class Places:
    """Folders that matter to every command: the home folder, what else is hidden, what the person chose to show."""

    home: Path | None = None
    hidden: tuple[Path, ...] = ()
    readonly: tuple[Path, ...] = ()

    @property
    def all_hidden(self) -> tuple[Path, ...]:
        """The hidden folders that exist, by their real paths, each once."""
        named = (*HIDDEN_PLACES, *self.hidden, *((self.home,) if self.home is not None else ()))
        return tuple(dict.fromkeys(folder.resolve() for folder in named if folder.is_dir()))

    def tools(self, path: str) -> ToolFolders:
        """The folders that programs of this PATH need of the hidden ones. Blocking (some milliseconds)."""
        return tool_folders(path, home=self.home, hidden=self.all_hidden)


def home_folder(env: Mapping[str, str]) -> Path | None:
    """The real home folder of this environment, None when it names none that could be hidden."""
    home = Path(env.get("HOME", "") or "/nonexistent").resolve()
    return home if home.is_dir() and home != Path("/") else None


@dataclass(frozen=True)
class Guard:
    """The guard of one tier, which puts a sandbox around commands. `bubblewrap`, `abi`: what the tiers of these names
    need. `private_bytes`: room in a hidden folder."""

    tier: SandboxTier
    places: Places = Places()
    bubblewrap: Bubblewrap | None = None
    abi: int = 0
    private_bytes: int = PRIVATE_BYTES

    def tools(self, path: str) -> ToolFolders:
        """The folders that programs of this PATH need, for `profile_for` and `inner_environment`. Blocking (some
        milliseconds)."""
        return self.places.tools(path) if self.tier != "none" else ToolFolders()

    def shows(self, folder: Path, path: str) -> bool:
        """Whether commands see this folder, wherever their lane is; `path`: the PATH. Blocking (some milliseconds)."""
        real = folder.resolve()
        chosen = tuple(one.resolve() for one in self.places.readonly)
        shown = is_below(real, (*self.tools(path).readonly, *chosen))
        return self.tier == "none" or shown or not is_below(real, self.places.all_hidden)

    def profile_for(
        self,
        lane_root: Path,
        *,
        temp: Path,
        tools: ToolFolders,
        git_dirs: tuple[Path, ...] | None = None,
        network: bool = False,
    ) -> SandboxProfile:
        """The profile of a command in this lane: what it may see and write (gate-B1, gate-B2). Blocking (a moment).

        `temp`: the session's temporary folder. `git_dirs` None: found in the lane.
        """
        if self.tier == "none":
            return bare_profile(lane_root, temp)
        lane_root, temp = lane_root.resolve(), temp.resolve()
        chosen = tuple(folder.resolve() for folder in self.places.readonly if folder.exists())
        return SandboxProfile(
            name="lane-open" if network else "lane-off",
            lane_root=lane_root,
            temp=temp,
            hidden=self.places.all_hidden,
            readonly=tuple(one for one in (*tools.readonly, *chosen) if not is_below(one, (lane_root,))),
            guarded=shown_git(lane_root) if git_dirs is None else git_dirs,
            masked=(*PASSWORD_FILES, *tools.masked),
            network=network,
            private_bytes=self.private_bytes,
        )

    def inner_environment(self, env: Mapping[str, str], tools: ToolFolders) -> dict[str, str]:
        """The environment as it holds inside: the PATH without folders that are not shown, and where Landlock leaves
        the home folder closed another one in the temporary folder. Blocking (a moment)."""
        if self.tier == "none":
            return dict(env)
        inner = {**env, "PATH": tools.path or env["PATH"]}
        if self.tier == "landlock" and self.places.home is not None:
            home = Path(env["TMPDIR"]) / "home"
            home.mkdir(mode=0o700, exist_ok=True)
            inner["HOME"] = str(home)
            named = ((name, self.places.home / folder) for name, folder in _HOMES_OF_TOOLS.items())
            inner |= {name: str(folder) for name, folder in named if folder.is_dir()}
        return inner

    def setting(self, *, bash: str, cwd: Path, env: Mapping[str, str], profile: SandboxProfile) -> "Setting":
        """Where a command runs, as it is now. Blocking (some tenths of a millisecond)."""
        if self.tier != "bwrap" or self.bubblewrap is None:
            return Setting(self, bash, cwd, dict(env), profile)
        mounts = mounts_of(profile, sized=self.bubblewrap.sized)
        return Setting(self, bash, Path(real_path(str(cwd))), dict(env), profile, mounts, self.bubblewrap.stamp())


@dataclass(frozen=True)
class Setting:
    """All that a command's frame is made of but the command itself: frames of equal settings are alike, as long as what
    is mounted in them stands. In bubblewrap `mounts` say what that is, and `program` which bwrap there is."""

    guard: Guard
    bash: str
    cwd: Path
    env: dict[str, str]
    profile: SandboxProfile
    mounts: tuple[Mount, ...] = ()
    program: tuple[int, ...] = ()

    def launch(self, command: tuple[str, ...], *, later: bool = False) -> Launch:
        """The launch of `command`, which the caller starts at once, and closes its ends. `later`, in bubblewrap only:
        the frame is made ready and waits for the last word of the command."""
        tier, wrap = self.guard.tier, self.guard.bubblewrap
        if tier == "seatbelt":
            return Launch(seatbelt_argv(self.profile, command), self.env, self.profile)
        if tier == "none" and sys.platform != "linux":
            return Launch(command, self.env, self.profile)
        if tier == "bwrap" and wrap is not None:
            ends = FrameEnds(bubblewrap_filter())
            frame = frame_argv(self.bash, ends.fds, command, later=later)
            if self.profile.egress is not None:
                frame = (*own_program(*RELAY), str(self.profile.egress), *frame)
            argv = bubblewrap_argv(wrap, self.profile.network, self.mounts, frame, cwd=self.cwd, fds=ends.fds)
            private = tuple(Path(mount.place) for mount in self.mounts if mount.option == EMPTY)
            return Launch(argv, self.env, self.profile, ends, private=private, contained=True)
        ends = FrameEnds()
        if tier == "landlock":
            argv = landlock_argv(self.profile, command, ends.fds, abi=self.guard.abi)
        else:
            argv = supervised_argv(command, ends.fds)
        return Launch(argv, self.env, self.profile, ends)


BARE = Guard("none")
