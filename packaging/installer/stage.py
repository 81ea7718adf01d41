"""One tree for all forms: the frozen program without what the system brings, and the looks that a release must pass."""

import fnmatch
import re
import shutil
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from installer.freeze import ENVIRONMENT, PINS
from installer.ground import PACKAGING, ROOT, SYSTEM, WORK, Problem, environment_python, out

NEWEST_GLIBC = (2, 36)
FOR_WINDOW = "banksman"
FORBIDDEN = ("*libreadline*", "*/tests/*", "*.pyc", "*/__pycache__/*", "*/direct_url.json", "*.egg-link")
_OWN_COPY = re.compile(r"-[0-9a-f]{8}\.so")
_NEEDED, _GLIBC = re.compile(r"NEEDED\s+(\S+)"), re.compile(r"GLIBC_([\d.]+)")


@dataclass(frozen=True)
class SystemLibraries:
    """What Linux brings: `packages` by the names of their libraries, and patterns of what the freeze took along."""

    packages: dict[str, str]
    not_packed: tuple[str, ...]


def system_libraries() -> SystemLibraries:
    """As `packaging/linux/libraries.toml` declares them."""
    read = tomllib.loads((PACKAGING / "linux" / "libraries.toml").read_text("utf-8"))
    return SystemLibraries(read["packages"], tuple(read["not_packed"]))


def stage(frozen: Path) -> Path:
    """A fresh copy of the program's folder without the system's libraries; where it is."""
    place = WORK / "stage" / "banksman"
    shutil.rmtree(place.parent, ignore_errors=True)
    shutil.copytree(frozen, place, symlinks=True)
    if SYSTEM == "linux":
        for file in list(place.joinpath("_internal").iterdir()):
            if is_of_the_system(file.name):
                file.unlink()
    return place


def is_of_the_system(name: str) -> bool:
    """Whether a library is the system's to bring; copies that a package ships as its own have a hash in their name."""
    return not _OWN_COPY.search(name) and any(fnmatch.fnmatch(name, one) for one in system_libraries().not_packed)


def check_stage(place: Path) -> set[str]:
    """Look through the whole tree; the Debian packages that it needs, none on other systems.

    Raises:
        Problem: something may not be shipped, or is missing; every finding is named.
    """
    found = [*forbidden_files(place), *unlisted_files(place), *links_out(place), *machine_paths(place)]
    packages: set[str] = set()
    if SYSTEM == "linux":
        lacking, packages = linked(place)
        found += lacking
    if found:
        raise Problem("The stage may not be shipped:\n  " + "\n  ".join(found))
    return packages


def forbidden_files(place: Path) -> list[str]:
    """Files that no form may hold."""
    names = [f"/{file.relative_to(place).as_posix()}" for file in files(place)]
    return [f"{name[1:]} may not be shipped" for name in names if any(fnmatch.fnmatch(name, one) for one in FORBIDDEN)]


def unlisted_files(place: Path, system: str = SYSTEM) -> list[str]:
    """Files and links that fit no pattern of `allowed.toml` for a system."""
    read = tomllib.loads((PACKAGING / "installer" / "allowed.toml").read_text("utf-8"))
    allowed = re.compile("|".join(as_expression(one) for one in (*read["every"], *read[system])))
    names = [one.relative_to(place).as_posix() for one in sorted(place.rglob("*")) if one.is_symlink() or one.is_file()]
    return [f"{name} is not among what a form may hold (allowed.toml)" for name in names if not allowed.fullmatch(name)]


def as_expression(pattern: str) -> str:
    """A pattern of paths as a regular expression: `*` and `?` stay within a folder, `**` does not."""
    signs = {"**": ".+", "*": "[^/]*", "?": "[^/]"}
    return "".join(signs.get(part) or re.escape(part) for part in re.split(r"(\*\*|\*|\?)", pattern))


def links_out(place: Path) -> list[str]:
    """Links that lead out of the tree, or nowhere."""
    links = [file for file in sorted(place.rglob("*")) if file.is_symlink()]
    wrong = [one for one in links if not one.resolve().is_relative_to(place.resolve()) or not one.exists()]
    return [f"{one.relative_to(place)} leads out of the tree" for one in wrong]


def machine_paths(place: Path) -> list[str]:
    """Files that hold a path of this machine. Packages of others were made by root in containers."""
    python = environment_python(ENVIRONMENT, *PINS)
    prefix = out(str(python), "-c", "import sys; print(sys.base_prefix)")
    wanted = [str(ROOT), *([str(Path.home())] if str(Path.home()) != "/root" else [])]
    if not prefix.startswith(("/usr", "C:\\", "/Library", "/opt")):
        wanted.append(prefix)
    found = []
    for file in files(place):
        content = file.read_bytes()
        found += [f"{file.relative_to(place)} holds the path {one}" for one in wanted if one.encode() in content]
    return found


def linked(place: Path) -> tuple[list[str], set[str]]:
    """What libraries and programs want that neither the tree nor the system has, and the packages of what they find."""
    declared = system_libraries().packages
    there = {file.name for file in place.rglob("*")}
    lacking: list[str] = []
    packages: set[str] = set()
    for file in files(place):
        if file.read_bytes()[:4] != b"\x7fELF":
            continue
        said = out("objdump", "-p", str(file))
        for library in _NEEDED.findall(said):
            if library in declared:
                packages.add(declared[library])
            elif library not in there:
                lacking.append(f"{file.relative_to(place)} needs {library}, which nothing brings")
        newest = max((tuple(map(int, one.split("."))) for one in _GLIBC.findall(said)), default=(0,))
        if newest > NEWEST_GLIBC:
            lacking.append(f"{file.relative_to(place)} needs glibc {'.'.join(map(str, newest))}")
    return lacking, packages


def files(place: Path) -> Iterator[Path]:
    """Every plain file, in the order of their names."""
    return (file for file in sorted(place.rglob("*")) if file.is_file() and not file.is_symlink())
