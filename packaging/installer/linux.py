"""The forms for Linux: a Debian package, the same tree as a folder in an archive, and as an AppImage."""

import gzip
import hashlib
import os
import shutil
import tarfile
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

from installer.bill import NOTICES, PLACE
from installer.ground import (
    MACHINE,
    PACKAGING,
    ROOT,
    UNSIGNED,
    WORK,
    commit_time,
    name,
    out,
    reproducible,
    run,
    version,
)  # fmt: skip
from installer.icons import PICTURE, SIZES, draw_icons
from installer.runtime import Runtime
from installer.signing import Signer
from installer.stage import files

LINUX = PACKAGING / "linux"
ALWAYS = ("git", "ca-certificates")
RECOMMENDED = ("bubblewrap", "xdg-utils", "gnome-keyring | kwalletmanager")
PROGRAMS = ("banksman/banksman", "bin/python3")
START = "AppRun"


def pack(stage: Path, packages: set[str], runtime: Runtime | None, by: Signer, dist: Path) -> list[Path]:
    """All forms; an AppImage where there is a runtime for it. Signatures are not among them: they lie beside a form."""
    made = [pack_deb(stage, packages, by, dist), pack_archive(stage, by, dist)]
    if runtime is not None:
        made.append(pack_app_image(stage, runtime, by, dist))
    return made


def pack_deb(stage: Path, packages: set[str], by: Signer, dist: Path) -> Path:
    """The Debian package; its file."""
    tree = WORK / "deb"
    lay_tree(stage, tree)
    documents(tree)
    control = tree / "DEBIAN"
    control.mkdir()
    size = sum(file.stat().st_size for file in files(tree / "usr")) // 1024
    depends = ", ".join(sorted({*packages, *ALWAYS}))
    control.joinpath("control").write_text(
        f"Package: banksman\nVersion: {version()}\nArchitecture: {MACHINE}\nMaintainer: {maintainer()}\n"
        f"Installed-Size: {size}\nDepends: {depends}\nRecommends: {', '.join(RECOMMENDED)}\nSection: devel\n"
        "Priority: optional\nDescription: supervise coding agents\n"
        " Agents read, edit, run commands and ask. You see what is about to happen,\n"
        " decide in one glance and one key, and can prove later what was done and who\n"
        " allowed it.\n",
        "utf-8",
    )
    sums = [
        f"{hashlib.md5(file.read_bytes()).hexdigest()}  {file.relative_to(tree).as_posix()}\n"
        for file in files(tree / "usr")
    ]
    control.joinpath("md5sums").write_text("".join(sums), "utf-8")
    plain_modes(tree)
    target = dist / f"banksman_{version()}_{MACHINE}{'' if by.by else UNSIGNED}.deb"
    packing = ["--root-owner-group", "-Zzstd", "-z19", "--no-uniform-compression", "--threads-max=2"]
    run("dpkg-deb", *packing, "--build", str(tree), str(target), environment=reproducible(), quiet=True)
    return target


def maintainer() -> str:
    """Who made the commit."""
    return out("git", "log", "-1", "--format=%an <%ae>")


def lay_tree(stage: Path, tree: Path) -> None:
    """The program below usr/lib and what a desktop wants of it, as Debian and an AppDir both have it."""
    shutil.rmtree(tree, ignore_errors=True)
    usr = tree / "usr"
    shutil.copytree(stage, usr / "lib" / "banksman", symlinks=True)
    usr.joinpath("bin").mkdir()
    usr.joinpath("bin", "banksman").symlink_to("../lib/banksman/banksman")
    share = usr / "share"
    put(LINUX / "banksman.desktop", share / "applications" / "banksman.desktop")
    put(LINUX / "banksman.metainfo.xml", share / "metainfo" / "banksman.metainfo.xml")
    icons = draw_icons(WORK / "icons")
    for size in SIZES:
        put(icons / f"{size}.png", share / "icons" / "hicolor" / f"{size}x{size}" / "apps" / "banksman.png")
    put(PICTURE, share / "icons" / "hicolor" / "scalable" / "apps" / "banksman.svg")
    put(LINUX / "completions" / "banksman.bash", share / "bash-completion" / "completions" / "banksman")
    put(LINUX / "completions" / "_banksman", share / "zsh" / "vendor-completions" / "_banksman")
    put(LINUX / "completions" / "banksman.fish", share / "fish" / "vendor_completions.d" / "banksman.fish")


def documents(tree: Path) -> None:
    """What only a Debian package has: the manual page, the change log, the copyright, and what lintian need not say."""
    share = tree / "usr" / "share"
    packed((LINUX / "banksman.1").read_bytes(), share / "man" / "man1" / "banksman.1.gz")
    packed((ROOT / "CHANGELOG.md").read_bytes(), share / "doc" / "banksman" / "NEWS.gz")
    day = format_datetime(datetime.fromtimestamp(int(commit_time()), UTC))
    entry = f"banksman ({version()}) stable; urgency=medium\n\n  * See NEWS.\n\n -- {maintainer()}  {day}\n"
    packed(entry.encode(), share / "doc" / "banksman" / "changelog.gz")
    put(LINUX / "copyright", share / "doc" / "banksman" / "copyright")
    put(tree / "usr" / "lib" / "banksman" / PLACE / NOTICES, share / "doc" / "banksman" / NOTICES)
    put(LINUX / "lintian-overrides", share / "lintian" / "overrides" / "banksman")


def put(source: Path, target: Path) -> None:
    """One file, with the folders above it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def packed(content: bytes, target: Path) -> None:
    """One file in gzip, without a name and a time."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as stream:
        stream.write(content)


def plain_modes(tree: Path) -> None:
    """Folders and programs 0755, all else 0644; every time that of the commit."""
    moment = int(commit_time())
    for file in sorted(tree.rglob("*"), reverse=True):
        if not file.is_symlink():
            program = f"{file.parent.name}/{file.name}" in PROGRAMS or file.name == START
            file.chmod(0o755 if file.is_dir() or program else 0o644)
        os.utime(file, (moment, moment), follow_symlinks=False)


def app_dir(stage: Path, place: Path) -> None:
    """The tree of the Debian package as a folder that starts wherever it lies: by its `AppRun`."""
    lay_tree(stage, place)
    put(LINUX / "banksman.desktop", place / "banksman.desktop")
    put(PICTURE, place / "banksman.svg")
    place.joinpath(".DirIcon").symlink_to("banksman.svg")
    put(LINUX / START, place / START)


def pack_archive(stage: Path, by: Signer, dist: Path) -> Path:
    """An AppDir as a .tar.zst; its file."""
    target = dist / name(".tar.zst", signed=bool(by.by))
    top = target.name.removesuffix(".tar.zst")
    place = WORK / "archive" / top
    app_dir(stage, place)
    plain_modes(place)
    plain = WORK / "archive.tar"
    with tarfile.open(plain, "w", format=tarfile.GNU_FORMAT) as archive:
        for file in sorted(place.rglob("*")):
            entry = archive.gettarinfo(str(file), f"{top}/{file.relative_to(place).as_posix()}")
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = "root"
            if entry.isfile():
                with file.open("rb") as content:
                    archive.addfile(entry, content)
            else:
                archive.addfile(entry)
    run("zstd", "-q", "-f", "-19", "-T2", "--rm", str(plain), "-o", str(target), quiet=True)
    return target


def pack_app_image(stage: Path, runtime: Runtime, by: Signer, dist: Path) -> Path:
    """An AppDir as squashfs behind the runtime, whose licences lie in it."""
    place = WORK / "Banksman.AppDir"
    app_dir(stage, place)
    for title, licence in runtime.licences.items():
        put(licence, place / "usr" / "share" / "doc" / "banksman" / "runtime" / title)
    plain_modes(place)
    target = dist / name(".AppImage", signed=bool(by.by))
    squashed = WORK / "app.squashfs"
    squashed.unlink(missing_ok=True)
    words = ["-root-owned", "-noappend", "-quiet", "-no-progress", "-comp", "zstd", "-processors", "2"]
    run("mksquashfs", str(place), str(squashed), *words, environment=reproducible(), quiet=True)
    target.write_bytes(runtime.program.read_bytes() + squashed.read_bytes())
    target.chmod(0o755)
    return target
