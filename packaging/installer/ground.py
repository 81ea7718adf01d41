"""What all steps of a build stand on: places, the version, running programs, and what must hold before the first."""

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "installer"
DIST = ROOT / "dist"
PACKAGING = ROOT / "packaging"
NEEDED_BYTES = 2_000_000_000
LIMIT_S = 1800
SYSTEM = {"Linux": "linux", "Windows": "windows", "Darwin": "macos"}[platform.system()]
MACHINE = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}[platform.machine().lower()]
BUILDERS = {
    "linux": {"objdump": "binutils", "dpkg-deb": "dpkg", "zstd": "zstd"},
    "windows": {"makensis": "NSIS 3"},
    "macos": {},
}
"""Programs that pack on each system, and what brings them."""
UNSIGNED = "-unsigned"
"""In the name of a form that nobody signed."""


class Problem(Exception):
    """One sentence: what kept the build from going on, and what to do."""


def version() -> str:
    """The version of the program, from its own source."""
    found = re.search(r'^__version__ = "([^"]+)"$', (ROOT / "desktop" / "__init__.py").read_text("utf-8"), re.MULTILINE)
    if found is None:
        raise Problem("desktop/__init__.py names no version.")
    return found[1]


def name(ending: str, *, signed: bool) -> str:
    """The file name of one form: `banksman-0.1.0-linux-amd64` and its ending. It says where nobody signed the form."""
    return f"banksman-{version()}-{SYSTEM}-{MACHINE}{'' if signed else UNSIGNED}{ending}"


def commit_time() -> str:
    """The time of the commit in seconds since 1970: it stands for every time in a build."""
    return out("git", "log", "-1", "--format=%ct")


def out(*command: str) -> str:
    """What a program prints, without the last line end."""
    return run(*command, quiet=True).stdout.strip()


def run(
    *command: str, cwd: Path = ROOT, environment: dict[str, str] | None = None, quiet: bool = False
) -> "subprocess.CompletedProcess[str]":
    """Run one program to its good end.

    Raises:
        Problem: it ended otherwise; its last lines are in the sentence.
    """
    stream = subprocess.PIPE if quiet else None
    done = subprocess.run(
        command, cwd=cwd, env=environment, text=True, stdout=stream, stderr=stream, timeout=LIMIT_S, check=False
    )
    if done.returncode != 0:
        said = " ".join(((done.stdout or "") + (done.stderr or "")).split()[-60:])
        raise Problem(f"{Path(command[0]).name} ended with {done.returncode}. {said}".strip())
    return done


def reproducible() -> dict[str, str]:
    """The environment of every step, in which the same commit gives the same bytes; of the caller's only the places."""
    kept = {key: os.environ[key] for key in ("PATH", "HOME", "TMPDIR", "SYSTEMROOT", "APPDATA") if key in os.environ}
    return {**kept, "SOURCE_DATE_EPOCH": commit_time(), "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def require(*, dirty: bool = False, tag: str = "") -> None:
    """Everything that a build needs, looked at before its first step. `tag`: what the commit is released as.

    Raises:
        Problem: something is missing.
    """
    for program, package in {**BUILDERS[SYSTEM], "git": "git"}.items():
        if shutil.which(program) is None:
            raise Problem(f"There is no {program} here. Install {package} and start again.")
    if tag and tag != f"v{version()}":
        raise Problem(f"The tag is {tag} and the version is {version()}. Make them equal and start again.")
    if not dirty and (changed := out("git", "status", "--porcelain")):
        raise Problem(f"These files differ from the commit: {changed.split()[1]} … Commit them, or build with --dirty.")
    free = shutil.disk_usage(ROOT).free
    if free < NEEDED_BYTES:
        raise Problem(f"There are {free / 1e9:.1f} GB free here; a build needs 2 GB.")


def system_python() -> str:
    """The Python to build with: on Linux the distribution's own, so that no path of a person's is in the libraries."""
    chosen = os.environ.get("BANKSMAN_BUILD_PYTHON") or ("/usr/bin/python3" if SYSTEM == "linux" else sys.executable)
    if not Path(chosen).exists():
        raise Problem(f"There is no {chosen}. Install python3 and python3-venv and start again.")
    return chosen


def environment_python(folder: str, *pins: str) -> Path:
    """The Python of an environment of its own that holds these pins and nothing else; made once for the same pins."""
    place = WORK / folder
    python = place / ("Scripts/python.exe" if SYSTEM == "windows" else "bin/python")
    wanted = "".join((PACKAGING / one).read_text("utf-8") for one in pins) + system_python()
    stamp = place / "pins"
    if not (python.exists() and stamp.is_file() and stamp.read_text("utf-8") == wanted):
        shutil.rmtree(place, ignore_errors=True)
        run(system_python(), "-m", "venv", str(place))
        options = [word for one in pins for word in ("--requirement", str(PACKAGING / one))]
        run(str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "--no-input", "install", *options)
        stamp.write_text(wanted, "utf-8")
    return python
