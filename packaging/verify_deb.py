#!/usr/bin/env python3
"""Try the Debian package in bare Debians without Python: install, start, demo, link, upgrade, purge; and the archive
and an AppImage with what the package depends on. Needs root.

    python3 packaging/verify_deb.py dist/banksman_0.1.0_amd64.deb [--release bookworm] [--previous OLD.deb]
        [--archive dist/banksman-0.1.0-linux-amd64.tar.zst] [--appimage dist/banksman-0.1.0-linux-amd64.AppImage]
        [--repository release]

Each release is made once by debootstrap, kept in build/installer/bare and copied for a run. Standard library only.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BARE = ROOT / "build" / "installer" / "bare"
RELEASES = ("bookworm", "trixie")
LIMIT_S = 900
PERSON = "person"
TOOLS = ("debootstrap", "lintian", "desktop-file-validate", "appstreamcli")
PACKAGES = "debootstrap lintian desktop-file-utils appstream"
USES = "{0} --version && {0} --selftest > tested.txt && {0} demo --auto"
USES_OF_IMAGE = USES.format("./banksman.AppImage")
KEPT = "export BANKSMAN_HOME=$HOME/kept && cd sample"
SAMPLE = "git init -q sample && git -C sample -c user.name=P -c user.email=p@localhost commit -q --allow-empty -m Begin"
REPOSITORY = ("InRelease", "Release", "Release.gpg", "Packages", "banksman.asc")
LEFT_ALONE = (
    "/home/",
    "/tmp/",
    "/proc/",
    "/dev/",
    "/sys/",
    "/run/",
    "/var/cache/",
    "/var/log/",
    "/var/lib/apt/",
    "/root/",
)
"""Where a purge leaves what is no file of the package: the person's data, and what apt and others keep."""


class Failed(Exception):
    """What did not work, with what was printed."""


def main() -> int:
    """0 when everything held in each release."""
    parser = argparse.ArgumentParser(description="Try the Debian package in bare Debians.")
    parser.add_argument("package", type=Path)
    parser.add_argument("--release", action="append", default=[], help=f"(default: {' and '.join(RELEASES)})")
    parser.add_argument("--previous", type=Path, help="an older package, which is installed first and upgraded")
    parser.add_argument("--archive", type=Path, help="the .tar.zst, tried in the same Debians once the package is gone")
    parser.add_argument("--appimage", type=Path, help="tried in the same Debians once the package is gone")
    parser.add_argument("--repository", type=Path, help="a folder of release.py that was signed by GPG; apt reads it")
    parser.add_argument("--pictures", type=Path, default=ROOT / "build" / "installer" / "pictures")
    given = parser.parse_args()
    if os.geteuid() != 0:
        print("verify_deb: this needs root, for debootstrap and chroot.", file=sys.stderr)
        return 2
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        print(f"verify_deb: {', '.join(missing)} not found: apt-get install {PACKAGES}", file=sys.stderr)
        return 2
    try:
        look_at(given.package)
        for release in given.release or RELEASES:
            with bare(release) as root:
                try_in(root, release, given)
    except Failed as failure:
        print(f"verify_deb: {failure}", file=sys.stderr)
        return 1
    print("the package holds")
    return 0


def look_at(package: Path) -> None:
    """What Debian's own checkers say of the package."""
    said = subprocess.run(
        ["lintian", "--fail-on", "error", "--allow-root", str(package)], capture_output=True, text=True, check=False
    )
    print(said.stdout.strip() or "lintian: nothing")
    if said.returncode != 0:
        raise Failed("lintian finds errors.")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["dpkg-deb", "--extract", str(package), folder], check=True)
        share = Path(folder) / "usr" / "share"
        for words in (
            ["desktop-file-validate", str(share / "applications" / "banksman.desktop")],
            ["appstreamcli", "validate", "--no-net", str(share / "metainfo" / "banksman.metainfo.xml")],
        ):
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise Failed(f"{words[0]}: {done.stdout}{done.stderr}")
            print(f"{words[0]}: passed")


@contextmanager
def bare(release: str) -> Iterator[Path]:
    """A fresh copy of a bare Debian, gone afterwards."""
    kept = BARE / release
    if not (kept / "etc" / "debian_version").exists():
        shutil.rmtree(kept, ignore_errors=True)
        print(f"making a bare {release} …", flush=True)
        subprocess.run(
            ["debootstrap", "--variant=minbase", release, str(kept), mirror()], check=True, stdout=subprocess.DEVNULL
        )
    with tempfile.TemporaryDirectory(prefix="bare-", dir=BARE) as folder:
        root = Path(folder) / "root"
        subprocess.run(["cp", "-a", "--reflink=auto", str(kept), str(root)], check=True)
        yield root


def mirror() -> str:
    """Where this machine has its packages from."""
    lists = [*Path("/etc/apt").glob("sources.list*"), *Path("/etc/apt/sources.list.d").glob("*")]
    text = "\n".join(file.read_text() for file in lists if file.is_file())
    found = re.search(r"^(?:URIs: |deb (?:\[[^\]]*\] )?)(\S+/debian)/?(?:\s|$)", text, re.MULTILINE)
    if found is None:
        raise Failed("This machine's apt names no mirror of Debian.")
    return found[1]


def try_in(root: Path, release: str, given: argparse.Namespace) -> None:
    """All of it in one release."""
    print(f"— {release}", flush=True)
    before, kept = everything(root), 0
    inside(root, "apt-get update -qq")
    if inside(root, "command -v python3 || true").strip():
        raise Failed(f"{release} has Python; it is to be bare.")
    inside(root, f"useradd --create-home --shell /bin/bash {PERSON}")
    if given.previous is not None:
        install(root, given.previous)
        as_person(root, "banksman demo --auto > first.txt")
        as_person(root, f"{SAMPLE} && {KEPT} && banksman run Look --endpoint demo")
        kept = entries(root)
        print(f"the previous release is installed, has run and has kept a chat of {kept} entries")
    install(root, given.package)
    if given.previous is not None:
        go_on(root, kept)
    print(as_person(root, "banksman --version").strip())
    tested = as_person(root, "banksman --selftest")
    print("\n".join(line for line in tested.splitlines() if line.startswith(("missing", "FAILED", "ok sandbox"))))
    if "missing keyring" not in tested:
        raise Failed("A bare Debian has no keyring, and the self-test does not say so.")
    print(as_person(root, "banksman demo --auto").strip())
    under_x(root, given.pictures / release)
    purge(root, before)
    if given.repository is not None:
        from_repository(root, given.repository, before)
    if given.archive is not None:
        unpacked(root, given.archive)
    if given.appimage is not None:
        app_image(root, given.appimage)


def install(root: Path, package: Path) -> None:
    """The package with what it depends on, and nothing more."""
    shutil.copyfile(package, root / "tmp" / package.name)
    options = "-y -qq --no-install-recommends --reinstall"
    inside(root, f"DEBIAN_FRONTEND=noninteractive apt-get install {options} /tmp/{package.name}")
    inside(root, f"mkdir /tmp/new && dpkg-deb -x /tmp/{package.name} /tmp/new")
    if differs := inside(root, "diff -r /tmp/new/usr/lib/banksman /usr/lib/banksman || true; rm -r /tmp/new").strip():
        raise Failed(f"What is installed is not what is in {package}: {differs[:2000]}")
    if inside(root, "command -v python3 || true").strip():
        raise Failed("The package brought a Python with it.")


def entries(root: Path) -> int:
    """How many entries the store that was kept has; the program that is installed found each of them whole."""
    events = json.loads(as_person(root, f"{KEPT} && banksman audit verify --json"))["events"]
    assert isinstance(events, int)
    return events


def go_on(root: Path, kept: int) -> None:
    """The chat that the previous release has kept, in this one: nothing of it is gone, and it goes on."""
    if (found := entries(root)) != kept:
        raise Failed(f"The previous release kept {kept} entries, and after the upgrade there are {found}.")
    as_person(root, f"{KEPT} && banksman run Again --endpoint demo --resume last")
    if (now := entries(root)) <= kept:
        raise Failed(f"The chat of the previous release had {kept} entries and has {now} after a run in it.")
    print(f"upgraded: the chat is whole and goes on to {now} entries")


def under_x(root: Path, pictures: Path) -> None:
    """The demo and a window by a link on a real X server; the pictures are kept."""
    inside(root, "DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends xvfb xauth xdg-utils")
    print(as_person(root, "xvfb-run -a banksman demo --auto --screens $HOME/pictures").strip())
    shutil.rmtree(pictures, ignore_errors=True)
    shutil.copytree(root / "home" / PERSON / "pictures", pictures)
    print(f"{len(list(pictures.glob('*.png')))} pictures in {pictures}")
    handler = as_person(root, "xdg-mime query default x-scheme-handler/banksman").strip()
    if handler != "banksman.desktop":
        raise Failed(f"banksman:// is opened by {handler or 'nothing'}.")
    link = "banksman://chat/ses_" + "0" * 32
    said = as_person(
        root, f"xvfb-run -a sh -c 'banksman & first=$!; sleep 8; banksman {link}; echo status $?; kill $first'"
    )
    if "status 0" not in said:
        raise Failed(f"A link did not reach the window: {said}")
    print("a link reaches the window that is open")


def purge(root: Path, before: set[str]) -> None:
    """Nothing of the package is left but the person's data."""
    files = inside(root, "dpkg -L banksman").splitlines()
    inside(root, "DEBIAN_FRONTEND=noninteractive apt-get purge -y -qq banksman")
    named = {name for name in everything(root) - before if "banksman" in name and not name.startswith(LEFT_ALONE)}
    left = sorted(named | {name for name in files if (root / name.lstrip("/")).is_file()})
    if left:
        raise Failed("A purge leaves these:\n  " + "\n  ".join(left))
    if not (root / "home" / PERSON / "pictures").is_dir():
        raise Failed("A purge took data of the person.")
    print("purged: nothing is left but the person's data")


def from_repository(root: Path, repository: Path, before: set[str]) -> None:
    """The package as apt gets it from a signed repository, and not from one in which a byte differs."""
    place = root / "srv" / "banksman"
    place.mkdir()
    for file in [*repository.glob("*.deb"), *(repository / name for name in REPOSITORY)]:
        shutil.copyfile(file, place / file.name)
    source = root / "etc" / "apt" / "sources.list.d" / "banksman.list"
    source.write_text("deb [signed-by=/srv/banksman/banksman.asc] file:/srv/banksman ./\n", "utf-8")
    lists = "-o Dir::Etc::sourcelist=/etc/apt/sources.list.d/banksman.list -o Dir::Etc::sourceparts=-"
    release = place / "InRelease"
    whole = release.read_text("utf-8")
    release.write_text(whole.replace("Origin: Banksman", "Origin: Bankswoman"), "utf-8")
    if "refused" not in inside(root, f"apt-get update -qq --error-on=any {lists} 2>&1 || echo refused"):
        raise Failed("apt takes a repository whose signature does not fit.")
    release.write_text(whole, "utf-8")
    inside(root, f"apt-get update -qq --error-on=any {lists} -o APT::Get::List-Cleanup=0")
    inside(root, "DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends banksman")
    print(as_person(root, "banksman --version").strip())
    shutil.rmtree(place)
    source.unlink()
    purge(root, before)
    print("apt installs it from the signed repository, and refuses a changed one")


def unpacked(root: Path, archive: Path) -> None:
    """The archive as a person unpacks it, started where it lies."""
    home = root / "home" / PERSON
    subprocess.run(["tar", "--zstd", "-C", str(home), "-xf", str(archive)], check=True)
    start = f"./{archive.name.removesuffix('.tar.zst')}/AppRun"
    print(as_person(root, USES.format(start)).strip())
    shutil.rmtree(home / start[2:].partition("/")[0])
    print("the unpacked archive works")


def app_image(root: Path, image: Path) -> None:
    """One file that a person starts: unpacked by itself, as where there is no FUSE, and mounted."""
    place = root / "home" / PERSON / "banksman.AppImage"
    shutil.copyfile(image, place)
    place.chmod(0o755)
    print(as_person(root, f"APPIMAGE_EXTRACT_AND_RUN=1; export APPIMAGE_EXTRACT_AND_RUN; {USES_OF_IMAGE}").strip())
    inside(root, "DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends fuse3")
    inside(root, "mknod -m 666 /tmp/fuse c 10 229")  # as a Debian that has booted gives it to everyone
    print(inside(root, f"mount --bind /tmp/fuse /dev/fuse && su - {PERSON} -c {quoted(USES_OF_IMAGE)}").strip())
    place.unlink()
    print("the AppImage works unpacked and mounted")


def everything(root: Path) -> set[str]:
    """Every path in it."""
    return {f"/{Path(folder, name).relative_to(root)}" for folder, _, names in os.walk(root) for name in names}


def as_person(root: Path, words: str) -> str:
    """Run as an ordinary user without a display; what it printed."""
    return inside(root, f"su - {PERSON} -c {quoted(words)}")


def quoted(words: str) -> str:
    """For the shell, as one word."""
    return "'" + words.replace("'", "'\\''") + "'"


def inside(root: Path, words: str) -> str:
    """Run as root in it, with its own processes, mounts and devices; what it printed."""
    script = (
        f'mount -t proc proc "{root}/proc" && mount --rbind /dev "{root}/dev" && '
        f'mount -t tmpfs tmpfs "{root}/dev/shm" && '
        f'mount --rbind /sys "{root}/sys" && exec chroot "{root}" /bin/sh -c {quoted(words)}'
    )
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/root"}
    done = subprocess.run(
        ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script],
        capture_output=True, text=True, env=environment, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise Failed(f"{words}\nended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-3000:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
