"""The small program at the head of an AppImage, which mounts what follows it: compiled from its own sources."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from installer.ground import WORK, Problem, out, run

SOURCES = {
    "type2-runtime": ("https://github.com/AppImage/type2-runtime", "caf24f9f712084686bfc24a70b75e50df0aefb9c"),
    "squashfuse": ("https://github.com/vasi/squashfuse", "df85c4ddf1a079b10cfe39a2caf7d0cfdc504a6b"),
}
"""Where the sources are, and the commit of each that is built."""
TOOLS = {
    "gcc": "gcc", "make": "make", "autoreconf": "autoconf automake libtool", "pkg-config": "pkg-config",
    "strip": "binutils", "mksquashfs": "squashfs-tools",
}  # fmt: skip
LIBRARIES = ("fuse3", "libzstd", "zlib")
PACKAGES = "libfuse3-dev libzstd-dev zlib1g-dev"
MAGIC, MAGIC_AT = b"AI\x02", 8
"""What says in the header of the file that it is an AppImage of type 2."""
_SMALL = "-ffunction-sections -fdata-sections -Os"


@dataclass(frozen=True)
class Runtime:
    """The program, and by name the licences of what was linked into it."""

    program: Path
    licences: dict[str, Path]


def compile_runtime(copies: Path | None = None) -> Runtime:
    """The runtime of the pinned commits. `copies`: a folder with clones of both sources, so that nothing is fetched.

    Raises:
        Problem: a tool, a library or a source is missing, or does not compile.
    """
    for program, package in TOOLS.items():
        if shutil.which(program) is None:
            raise Problem(f"There is no {program} here. Install {package} and start again.")
    if subprocess.run(["pkg-config", "--exists", *LIBRARIES], check=False).returncode != 0:
        raise Problem(f"The runtime of AppImages needs {', '.join(LIBRARIES)}. Install {PACKAGES} and start again.")
    place = WORK / "runtime"
    shutil.rmtree(place, ignore_errors=True)
    for name, (address, commit) in SOURCES.items():
        fetch(str(copies / name) if copies else address, commit, place / name)
    licences = {name: place / name / "LICENSE" for name in SOURCES}
    licences |= {package: Path("/usr/share/doc", package, "copyright") for package in [*PACKAGES.split(), "libc6-dev"]}
    return Runtime(link(place / "type2-runtime" / "src" / "runtime", squashfuse(place)), licences)


def fetch(address: str, commit: str, place: Path) -> None:
    """One source at its commit; Git itself proves that the content is what the commit names."""
    run("git", "clone", "--quiet", "--no-checkout", address, str(place))
    run("git", "checkout", "--quiet", commit, cwd=place)


def squashfuse(place: Path) -> Path:
    """The library that reads the file system, with zstd and zlib alone; the folder it is installed in."""
    source, made = place / "squashfuse", place / "made"
    run("./autogen.sh", cwd=source, quiet=True)
    without = ["--without-xz", "--without-lzo", "--without-lz4"]
    run("./configure", f"CFLAGS={_SMALL}", f"--prefix={made}", "--disable-demo", *without, cwd=source, quiet=True)
    run("make", "-j2", "install", cwd=source, quiet=True)
    for header in source.glob("*.h"):
        shutil.copyfile(header, made / "include" / "squashfuse" / header.name)
    return made


def link(source: Path, made: Path) -> Path:
    """The program itself: static, so that it starts on every system, and marked as what it is."""
    include = ["-I" + str(made / "include"), "-I" + str(made / "include" / "squashfuse")]
    include += out("pkg-config", "--cflags", "fuse3").split()
    options = [*_SMALL.split(), "-std=gnu99", "-D_FILE_OFFSET_BITS=64", f'-DGIT_COMMIT="{SOURCES["type2-runtime"][1]}"']
    options += ["-T", "data_sections.ld", "-Wl,--gc-sections", "-static-pie", "-w"]
    libraries = [
        f"-L{made / 'lib'}",
        "-lsquashfuse_ll",
        "-lsquashfuse",
        "-lzstd",
        "-lz",
        "-lfuse3",
        "-lpthread",
        "-ldl",
    ]
    run("gcc", *include, *options, "runtime.c", *libraries, "-o", "runtime", cwd=source, quiet=True)
    run("strip", "runtime", cwd=source)
    program = source / "runtime"
    content = bytearray(program.read_bytes())
    content[MAGIC_AT : MAGIC_AT + len(MAGIC)] = MAGIC
    program.write_bytes(content)
    return program
