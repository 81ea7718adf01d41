"""Where agents of others are on this computer: looked for, never fetched (guests-A12)."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from desktop.domain.guests.registry import FoundGuest, GuestRow
from desktop.services.processes.environment import clean_path

LOGIN_LIMIT_S, MOST_TOLD = 5.0, 4_000
_MARK = "banksman-path:"


def login_path(env: Mapping[str, str]) -> str:
    """The PATH of the person's login shell; that of `env` where none can be asked. Blocking (up to 5 s)."""
    shell = env.get("SHELL", "")
    if not shell or not Path(shell).is_absolute():
        return env.get("PATH", "")
    words = [shell, "-l", "-c", f'printf "\\n{_MARK}%s\\n" "$PATH"']
    try:
        told = subprocess.run(
            words, env=dict(env), stdin=subprocess.DEVNULL, capture_output=True, timeout=LOGIN_LIMIT_S, check=False
        ).stdout.decode("utf-8", "surrogateescape")
    except (OSError, subprocess.TimeoutExpired):
        return env.get("PATH", "")
    found = [line.removeprefix(_MARK) for line in told.splitlines() if line.startswith(_MARK)]
    return found[-1] if found else env.get("PATH", "")


def search_path(login: str, env: Mapping[str, str], named: tuple[Path, ...] = ()) -> str:
    """Where agents are looked for, in order: folders that the person named, the login shell's PATH, npm's global
    folder. Blocking."""
    home = Path(env.get("HOME", "") or "/nonexistent")
    prefixes = (env.get("NPM_CONFIG_PREFIX", ""), _npm_prefix(home), str(home / ".npm-global"))
    npm = (str(Path(prefix) / "bin") for prefix in prefixes if prefix)
    return os.pathsep.join((*map(str, named), login, *npm))


def find_guest(row: GuestRow, path: str, lanes: tuple[Path, ...] = ()) -> FoundGuest | None:
    """The program of an agent, None where it is not there. Relative folders and those of `lanes` are left out, also
    where a link leads into them. Blocking; a program's digest is worked out once."""
    outside = path
    for lane in lanes:
        outside = clean_path(outside, lane)
    for name in row.programs:
        found = shutil.which(name, path=clean_path(outside, None))
        real = Path(found).resolve() if found is not None else None
        if found is None or real is None or any(real.is_relative_to(lane.resolve()) for lane in lanes):
            continue
        try:
            about = real.stat()
            digest = _sha256(str(real), about.st_ino, about.st_size, about.st_mtime_ns)
        except OSError:
            continue
        return FoundGuest(found, str(real), digest)
    return None


def seen_with(program: str, real: str) -> tuple[Path, ...]:
    """What a program needs of places that are hidden from it, beside its own folder: the packages it is one of, or the
    Python environment that it belongs to, with its interpreter (guests-A34). Blocking."""
    parts = Path(real).parts
    if "node_modules" in parts:
        return (Path(*parts[: parts.index("node_modules") + 1]),)
    return tuple(dict.fromkeys((Path(program), Path(real), *_environment(Path(real)))))


def _environment(program: Path) -> tuple[Path, ...]:
    """The environment that a program stands in, and of the Python below it its programs and its library alone: what is
    beside those may be anything, such as a home folder."""
    folder = program.parent.parent
    try:
        told = (folder / "pyvenv.cfg").read_text("utf-8", "replace")[:MOST_TOLD]
        lines = [line.partition("=") for line in told.splitlines()]
        home = next((Path(value.strip()) for name, _, value in lines if name.strip() == "home"), None)
        if home is None or not home.is_absolute() or home.name != "bin" or not any(home.glob("python3*")):
            return ()
        libraries = [one.parent for one in sorted(home.parent.glob("lib/python3*/os.py"))]
    except OSError:
        return ()
    return (folder, home, *libraries, *sorted(home.parent.glob("lib/libpython3*")))


@lru_cache(maxsize=64)
def _sha256(path: str, *_stamp: int) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _npm_prefix(home: Path) -> str:
    """Where the person's npm installs programs, as its settings say; "" where they do not."""
    try:
        lines = (home / ".npmrc").read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    settings = [line.partition("=") for line in lines]
    found = [value.strip().strip("\"'") for name, _, value in settings if name.strip() == "prefix"]
    return found[-1].replace("${HOME}", str(home)) if found else ""
