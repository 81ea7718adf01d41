#!/usr/bin/env python3
"""Set up and start Banksman, or set up and run its tests, on a machine with only Python 3.11+ and git.

    python3 packaging/bootstrap.py run [ARGUMENTS]     the app; without a display and without arguments the demo plays
    python3 packaging/bootstrap.py test [ARGUMENTS]    lint, types, import contracts, tests, and the frozen program

Standard library only. A second start does nothing but compare a fingerprint.
"""

import ctypes.util
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import in_memory
from beside import Beside, ask_to_end, title
from mcp_servers import NOT_THERE, install_servers

ROOT = Path(__file__).resolve().parent.parent
VENV = Path(os.environ.get("BANKSMAN_VENV", str(ROOT / ".venv")))
RUN_PINS = ROOT / "packaging" / "requirements.txt"
TEST_PINS = ROOT / "packaging" / "requirements-dev.txt"
OLDEST_PYTHON = (3, 11)
LEAST_WORKERS = 4
"""Processes for the tests: on two processors, what one waits for is time for another."""

# What Qt loads at run time, by Debian package: proved on bare Debian 12 and 13.
OFFSCREEN_LIBRARIES = {
    "GL": "libgl1",
    "EGL": "libegl1",
    "glib-2.0": "libglib2.0-0",
    "dbus-1": "libdbus-1-3",
    "fontconfig": "libfontconfig1",
    "xkbcommon": "libxkbcommon0",
}
DISPLAY_LIBRARIES = {
    "xcb-cursor": "libxcb-cursor0",
    "xcb-icccm": "libxcb-icccm4",
    "xcb-image": "libxcb-image0",
    "xcb-keysyms": "libxcb-keysyms1",
    "xcb-randr": "libxcb-randr0",
    "xcb-render-util": "libxcb-render-util0",
    "xcb-shape": "libxcb-shape0",
    "xcb-xkb": "libxcb-xkb1",
    "xkbcommon-x11": "libxkbcommon-x11-0",
}

READ_PROGRAMS = {
    "bzcat": "bzip2",
    "column": "bsdextrautils",
    "fdfind": "fd-find",
    "file": "file",
    "free": "procps",
    "gawk": "gawk",
    "hexdump": "bsdextrautils",
    "jq": "jq",
    "less": "less",
    "nm": "binutils",
    "readelf": "binutils",
    "rg": "ripgrep",
    "shasum": "perl",
    "size": "binutils",
    "strings": "binutils",
    "tree": "tree",
    "unzip": "unzip",
    "uptime": "procps",
    "xxd": "xxd",
    "xzcat": "xz-utils",
    "zipinfo": "unzip",
}
"""Programs that the gate knows as readers and that not every Debian has, by package: tests try what it says of them."""

COMMANDS = {"curl": "curl", "make": "make"}
"""Programs that agents of tests run."""

SCREEN_READERS = {
    "/usr/libexec/at-spi-bus-launcher": "at-spi2-core",
    "dbus-daemon": "dbus-daemon",
    **DISPLAY_LIBRARIES,
}
"""What a window on X11 is read through by a screen reader."""

FONTS = {
    "/usr/share/fonts/truetype/noto/NotoSansDevanagari-Regular.ttf": "fonts-noto-core",
    "/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf": "fonts-droid-fallback",
}
"""Fonts of the scripts that tests look at, 14 MB; the second has Chinese, Japanese and Korean in 2 MB instead of 57."""


def main() -> int:
    """Set up what is missing, then run; the exit status."""
    command, *rest = sys.argv[1:] or ["run"]
    if command not in ("run", "test"):
        print(__doc__)
        return 2
    testing = command == "test"
    check_python()
    check_system(display=not testing and has_display(), building=testing)
    python = make_environment(testing)
    if testing:
        add_servers(python)
        return run_tests(python, rest)
    if not rest and not has_display():
        print("There is no display here: the demo plays by itself and saves its pictures in build/screens.")
        rest = ["demo", "--auto", "--screens", str(ROOT / "build" / "screens")]
    sys.stdout.flush()
    arguments = [str(python), "-m", "desktop", *rest]
    if os.name == "nt":
        return subprocess.call(arguments, cwd=ROOT)
    os.execv(arguments[0], arguments)
    return 0


def has_display() -> bool:
    """Whether a window can be shown."""
    if platform.system() != "Linux":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.environ.get("QT_QPA_PLATFORM"))


def check_python() -> None:
    """Stop with one sentence when this Python cannot be used."""
    if sys.version_info < OLDEST_PYTHON:
        found = platform.python_version()
        stop(f"Banksman needs Python 3.11 or newer; this is {found}. Install one and start again with it.")


def check_system(*, display: bool, building: bool) -> None:
    """git, venv and Qt's libraries: installed when this is Debian and root, else named in one line to run."""
    missing: list[str] = []
    if shutil.which("git") is None:
        missing.append("git")
    if importlib.util.find_spec("ensurepip") is None and not VENV.exists():
        missing.append(f"python{sys.version_info.major}.{sys.version_info.minor}-venv")
    if platform.system() == "Linux":
        wanted = {**OFFSCREEN_LIBRARIES, **(DISPLAY_LIBRARIES if display else {})}
        missing += [package for library, package in wanted.items() if not has_library(library)]
        if building:
            missing += missing_for_freezing()
    if missing:
        install(missing)
    if building or not VENV.exists():
        add({"bwrap": "bubblewrap"}, "commands of agents will run in a weaker sandbox, or in none")
    if building:
        add(COMMANDS, "tests whose agents run them fail")
        add({"Xvfb": "xvfb"}, "the tests of windows on X11 are skipped")
        add(SCREEN_READERS, "the test with a screen reader attached is skipped")
        add(FONTS, "letters of scripts that no font here draws are not looked at")
        add(READ_PROGRAMS, "what the gate knows of their options is compared with fewer programs")


def add(packages: dict[str, str], without: str) -> None:
    """Programs and libraries that nothing depends on, and their packages: that they cannot be had stops nothing."""
    missing = lacking(packages)
    if platform.system() != "Linux" or not missing:
        return
    apt = shutil.which("apt-get")
    if apt is not None and os.geteuid() == 0:
        quiet = {"env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, "stdout": subprocess.DEVNULL}
        subprocess.run([apt, "update", "-qq"], check=False, **quiet)
        subprocess.run([apt, "install", "-y", "--no-install-recommends", *missing], check=False, **quiet)
    if absent := lacking(packages):
        print(f"Not installed: {', '.join(absent)}: {without}.")


def lacking(packages: dict[str, str]) -> list[str]:
    """The packages of the programs, libraries and files that are not here."""
    return sorted({package for name, package in packages.items() if not is_here(name)})


def is_here(name: str) -> bool:
    """Whether a file, a program or a library is there."""
    return Path(name).exists() if name.startswith("/") else bool(shutil.which(name)) or has_library(name)


def install(missing: list[str]) -> None:
    """Install Debian packages as root, else stop with the line that does."""
    apt = shutil.which("apt-get")
    line = f"apt-get install -y --no-install-recommends {' '.join(missing)}"
    if apt is None:
        stop(f"These are missing: {', '.join(missing)} (names of Debian packages). Install them and start again.")
    if os.geteuid() != 0:
        stop(f"These are missing: {', '.join(missing)}. Run this line and start again:\n\n    sudo {line}")
    print(f"Installing {', '.join(missing)} …", flush=True)
    quiet = {"env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, "stdout": subprocess.DEVNULL}
    subprocess.run([apt, "update", "-qq"], check=False, **quiet)
    if subprocess.run([apt, *line.split()[1:]], check=False, **quiet).returncode != 0:
        stop(f"They could not be installed. Run this line and read what it says:\n\n    {line}")


def missing_for_freezing() -> list[str]:
    """Debian packages that PyInstaller needs and this machine lacks."""
    missing = [] if shutil.which("objdump") else ["binutils"]
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    if sys.base_prefix == "/usr" and not has_library(name):
        missing.append(f"lib{name}")
    return missing


def has_library(name: str) -> bool:
    """Whether the loader finds a shared library of that name."""
    if ctypes.util.find_library(name) is not None:
        return True
    folders = [
        Path("/usr/lib"),
        Path("/lib"),
        *Path("/usr/lib").glob("*-linux-gnu*"),
        *Path("/lib").glob("*-linux-gnu*"),
    ]
    return any(next(folder.glob(f"lib{name}.so.*"), None) for folder in folders)


def make_environment(testing: bool) -> Path:
    """The environment with the pinned packages; its Python. Built anew only when the pins changed."""
    python = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pins = TEST_PINS if testing else RUN_PINS
    stamp = VENV / f".banksman-{'test' if testing else 'run'}"
    fingerprint = hashlib.sha256(
        RUN_PINS.read_bytes() + (TEST_PINS.read_bytes() if testing else b"") + platform.python_version().encode()
    ).hexdigest()
    if stamp.is_file() and stamp.read_text() == fingerprint and python.exists():
        return python
    if not python.exists():
        print(f"Making the environment in {VENV} …", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
    print("Installing the pinned packages (once) …", flush=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "--no-input"]
    if subprocess.run([*pip, "install", "--requirement", str(pins)], check=False).returncode != 0:
        stop("The packages could not be installed. Is a package registry reachable from here?")
    if subprocess.run([*pip, "install", "--no-deps", "--editable", str(ROOT)], check=False).returncode != 0:
        stop("Banksman itself could not be installed into its environment.")
    stamp.write_text(fingerprint)
    return python


def add_servers(python: Path) -> None:
    """MCP servers that people run, beside the packages; without a registry their tests are skipped."""
    lacking_why = install_servers(VENV / "mcp-servers", python)
    if lacking_why == NOT_THERE:
        print(f"Not installed: MCP servers: {lacking_why}: the tests with real servers are skipped.")
    elif lacking_why:
        stop(f"The MCP servers of the tests could not be installed: {lacking_why}.")


def run_tests(python: Path, rest: list[str]) -> int:
    """Every check, in the order of what fails fastest; the first failure ends it. Types and the frozen program are
    looked at beside the tests, which do not use two processors all the time."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def start(command: list[str]) -> "subprocess.Popen[bytes]":
        print(title(command), flush=True)
        return subprocess.Popen(command, cwd=ROOT, env=environment)

    pytest = [str(python), "-m", "pytest"]
    if rest:
        return start([*pytest, *rest]).wait()
    programs = python.parent
    for words in (["ruff", "check", "."], ["ruff", "format", "--check", "."], ["lint-imports"]):
        if status := start([str(programs / words[0]), *words[1:]]).wait():
            return status
    others = [[str(programs / "mypy")], [str(python), str(ROOT / "packaging" / "selftest.py")]]
    with Beside(others, ROOT, environment) as beside:
        workers = ["-n", str(max(LEAST_WORKERS, os.cpu_count() or 1)), "--dist", "worksteal"]
        tests = start([*in_memory.begin_with(), *pytest, *workers])
        beside.start(lambda: ask_to_end(tests))
        status = tests.wait()
        return beside.wait() if beside.status or not status else status


def stop(sentence: str) -> None:
    """End with a sentence on stderr and status 2."""
    print(sentence, file=sys.stderr)
    raise SystemExit(2)


if __name__ == "__main__":
    sys.exit(main())
