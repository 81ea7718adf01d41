"""The folders below the hidden ones that programs of the PATH need, so that they still run inside (gate-B2, gate-B7).

The home folder is hidden, but many tools live in it (pyenv, nvm, cargo, uv). The rule, for each folder of the PATH:

1. It counts by its real path; inside, the PATH names it so.
2. Below a hidden folder it is shown read-only, unless it lies in a folder that holds secrets (`.ssh`, `.config` …).
3. The tool's own folder, the one above `bin`, `sbin`, `shims`, `condabin`, is shown too when it is the tool's alone:
   below a folder whose name begins with a dot (`~/.pyenv`, `~/.nvm/versions/node/v22`), or one that holds `pyvenv.cfg`,
   `conda-meta` or `lib` and is no repository. Never the home folder itself and never a folder that many share
   (`~/.local`, `~/go`).
4. A link in a folder of the PATH that leads below a hidden folder (`~/.local/bin/ruff` into a tool's environment, a
   virtual environment's `python`) shows the folder of what it leads to by rules 2 and 3, or the file alone where that
   is no tool's folder.
5. In what is shown, files that usually hold keys read as empty.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from desktop.domain.core.base import Frozen
from desktop.services.processes.sandbox.profile import is_below, outermost

MAX_LINKS = 5_000
MAX_STEPS = 40
_PROGRAM_FOLDERS = {"bin", "sbin", "shims", "condabin", "Scripts"}
_SECRET_FOLDERS = {
    ".ssh",
    ".aws",
    ".gnupg",
    ".gpg",
    ".config",
    ".kube",
    ".docker",
    ".azure",
    ".gcloud",
    ".mozilla",
    ".thunderbird",
    ".password-store",
    ".pki",
    ".terraform.d",
    ".git",
    "keyrings",
    "Library",
    ".netrc",
    ".minikube",
    ".step",
    ".vault",
}
_SHARED = {"", ".local", ".local/share", ".local/lib", ".local/state", ".cache", "go", "snap", ".var"}
_COMPANIONS = {".cargo": (".rustup/toolchains", ".rustup/settings.toml"), ".local": (".local/lib",)}
_OWN_MARKS = ("pyvenv.cfg", "conda-meta", "lib")
_KEY_FILES = (
    "credentials",
    "credentials.toml",
    ".env",
    ".npmrc",
    ".netrc",
    ".pypirc",
    ".git-credentials",
    "auth.json",
    "gradle.properties",
    "config.json",
    "token",
    ".condarc",
)


class ToolFolders(Frozen):
    """The folders to show for tools: folders and files read-only, files among them that read as empty, and the PATH
    inside."""

    readonly: tuple[Path, ...] = ()
    masked: tuple[Path, ...] = ()
    path: str = ""


def tool_folders(path: str, *, home: Path | None, hidden: tuple[Path, ...]) -> ToolFolders:
    """The folders that programs of this PATH need below `hidden` (real paths). Blocking (some milliseconds)."""
    shown: set[Path] = set()
    entries: list[str] = []
    inside = tuple(f"{folder}/" for folder in hidden)
    known: dict[str, str] = {}
    for entry in path.split(os.pathsep):
        folder = _real(Path(entry)) if entry else None
        if folder is None or str(folder) in entries or not folder.is_dir():
            continue
        if is_below(folder, hidden) and not _shown_for(folder, home, hidden, shown):
            continue
        entries.append(str(folder))
        for program in set(_linked_programs(folder, inside, known)):
            _show_linked(Path(program), home, hidden, shown)
    readonly = outermost(tuple(shown))
    return ToolFolders(readonly=readonly, masked=_keys_in(readonly), path=os.pathsep.join(entries))


def _shown_for(folder: Path, home: Path | None, hidden: tuple[Path, ...], shown: set[Path]) -> bool:
    """Add what a folder of programs needs; False: it may not be shown."""
    if _holds_secrets(folder, home) or folder in hidden:
        return False
    shown.add(folder)
    tool = folder.parent
    below_home = str(tool.relative_to(home)) if home is not None and tool.is_relative_to(home) else ""
    if folder.name in _PROGRAM_FOLDERS and is_below(tool, hidden) and tool not in hidden:
        if _is_own(tool, home):
            shown.add(tool)
        for companion in _COMPANIONS.get(below_home, ()):
            if home is not None and (home / companion).exists():
                shown.add(home / companion)
    return True


def _show_linked(program: Path, home: Path | None, hidden: tuple[Path, ...], shown: set[Path]) -> None:
    """Add what a program needs that a link led to: its folder where that is a tool's, else the file alone."""
    below = program.parent.relative_to(home) if home is not None and program.is_relative_to(home) else program.parent
    if program.parent.name in _PROGRAM_FOLDERS or any(part.startswith(".") for part in below.parts):
        _shown_for(program.parent, home, hidden, shown)
    elif program.is_file() and not _holds_secrets(program, home):
        shown.add(program)


def _is_own(tool: Path, home: Path | None) -> bool:
    """Whether the folder above a `bin` belongs to one tool alone."""
    if home is None or not tool.is_relative_to(home):
        return any((tool / mark).exists() for mark in _OWN_MARKS)
    below = tool.relative_to(home)
    if (str(below) if below.parts else "") in _SHARED:
        return False
    if any(part.startswith(".") for part in below.parts):
        return True
    return not (tool / ".git").exists() and any((tool / mark).exists() for mark in _OWN_MARKS)


def _holds_secrets(folder: Path, home: Path | None) -> bool:
    below = folder.relative_to(home) if home is not None and folder.is_relative_to(home) else folder
    return any(part in _SECRET_FOLDERS for part in below.parts)


def _linked_programs(folder: Path, inside: tuple[str, ...], known: dict[str, str]) -> Iterator[str]:
    """Where the links of this folder lead, step by step, when that is below a hidden folder.

    `inside`: how paths below hidden folders begin. `known`: real folders found so far. Plain text throughout: there are
    thousands.
    """
    try:
        with os.scandir(folder) as found:
            links = [entry.path for entry in found if entry.is_symlink()][:MAX_LINKS]
    except OSError:
        return
    here = str(folder)
    for link in links:
        place = link
        for _ in range(MAX_STEPS):
            try:
                place = os.path.join(os.path.dirname(place), os.readlink(place))  # noqa: PTH115, PTH118, PTH120
            except OSError:
                break
            above, name = os.path.split(place)
            if above not in known:
                known[above] = os.path.realpath(above)
            place = f"{known[above]}/{name}"
            if known[above] != here and f"{place}/".startswith(inside):
                yield place


def _keys_in(folders: tuple[Path, ...]) -> tuple[Path, ...]:
    return tuple(folder / name for folder in folders for name in _KEY_FILES if (folder / name).is_file())


def _real(path: Path) -> Path | None:
    if not path.is_absolute():
        return None
    try:
        return path.resolve(strict=True)
    except (OSError, RuntimeError):
        return None
