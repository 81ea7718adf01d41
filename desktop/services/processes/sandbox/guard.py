"""Guard: one tier of the sandbox, able to say what a command sees in it and to start one."""

import sys
from collections.abc import Mapping
from pathlib import Path

from desktop.domain.gate.sandbox import SandboxTier
from desktop.records import dataclass
from desktop.services.processes.sandbox.bubblewrap import (
    SHARED_MEMORY,
    Bubblewrap,
    bubblewrap_argv,
    bubblewrap_filter,
    emptied,
)
from desktop.services.processes.sandbox.frame import FrameEnds, Launch
from desktop.services.processes.sandbox.landlock import landlock_argv, supervised_argv
from desktop.services.processes.sandbox.limits import PRIVATE_BYTES
from desktop.services.processes.sandbox.profile import (
    HIDDEN_PLACES,
    PASSWORD_FILES,
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

    def profile_for(
        self, lane_root: Path, *, temp: Path, git_dirs: tuple[Path, ...] | None = None, network: bool = False, path: str
    ) -> SandboxProfile:
        """The profile of a command in this lane: what it may see and write (gate-B1, gate-B2). Blocking (some
        milliseconds).

        `temp`: the session's temporary folder. `git_dirs` None: found in the lane. `path`: the PATH of the command.
        """
        if self.tier == "none":
            return bare_profile(lane_root, temp)
        lane_root, temp = lane_root.resolve(), temp.resolve()
        tools = self.places.tools(path)
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

    def inner_environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """The environment as it holds inside: the PATH without folders that are not shown, and where Landlock leaves
        the home folder closed another one in the temporary folder. Blocking (some milliseconds)."""
        if self.tier == "none":
            return dict(env)
        inner = {**env, "PATH": self.places.tools(env["PATH"]).path or env["PATH"]}
        if self.tier == "landlock" and self.places.home is not None:
            home = Path(env["TMPDIR"]) / "home"
            home.mkdir(mode=0o700, exist_ok=True)
            inner["HOME"] = str(home)
            named = ((name, self.places.home / folder) for name, folder in _HOMES_OF_TOOLS.items())
            inner |= {name: str(folder) for name, folder in named if folder.is_dir()}
        return inner

    def wrap(
        self, command: tuple[str, ...], *, bash: str, cwd: Path, env: Mapping[str, str], profile: SandboxProfile
    ) -> Launch:
        """The launch of `command` in `profile`. The caller starts it at once and closes the launch's ends. Blocking
        (about a millisecond)."""
        if self.tier == "seatbelt":
            return Launch(seatbelt_argv(profile, command), dict(env), profile)
        if self.tier == "none" and sys.platform != "linux":
            return Launch(command, dict(env), profile)
        if self.tier == "bwrap" and self.bubblewrap is not None:
            ends = FrameEnds(bubblewrap_filter())
            argv = bubblewrap_argv(self.bubblewrap, profile, command, bash=bash, cwd=cwd.resolve(), fds=ends.fds)
            private = (*emptied(profile.hidden), SHARED_MEMORY)
            return Launch(argv, dict(env), profile, ends, private=private, contained=True)
        if self.tier == "landlock":
            ends = FrameEnds()
            argv = landlock_argv(profile, command, ends.fds, abi=self.abi)
        else:
            ends = FrameEnds()
            argv = supervised_argv(command, ends.fds)
        return Launch(argv, dict(env), profile, ends)


BARE = Guard("none")
