#!/usr/bin/env python3
"""Build the installers that this system can build, from the commit that is checked out, into dist/.

    python3 packaging/build.py [--dirty] [--tag v1.2.3] [--again] [--appimage]
        [--releases-address URL --releases-page URL --releases-key KEY]

On Linux a .deb, a .tar.zst and with --appimage an AppImage, whose runtime is compiled of its sources at pinned commits
(fetched, or from clones in --sources DIR); on Windows a setup made with NSIS and a .zip; on macOS a .dmg. Beside them:
checksums, a manifest, the bill of materials and all licences. Packages are installed once, at the pins; after that
nothing is fetched. --again packs twice and compares the bytes. The three --releases options let the program look for
newer versions at one address where a person wants it; without them it looks nowhere and offers nothing of the kind.
Standard library only.
"""

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any

from installer import linux, macos, windows
from installer.bill import write_bill
from installer.describe import describe, sha256_hex
from installer.freeze import freeze
from installer.ground import DIST, SYSTEM, WORK, Problem, require
from installer.releases import Releases, put_releases, releases
from installer.runtime import compile_runtime
from installer.signing import Signer, mark, signer
from installer.stage import check_stage, files, stage
from installer.verify import verify


def main() -> int:
    """0 when dist/ holds a whole build; else one sentence on stderr, and dist/ holds nothing of it."""
    given = arguments()
    unfinished = WORK / "dist"
    try:
        asked = releases(given.releases_address, given.releases_page, given.releases_key)
        by = signer()
        require(dirty=given.dirty, tag=given.tag)
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        build(given, asked, by, unfinished)
    except Problem as problem:
        print(f"build: {problem}", file=sys.stderr)
        return 2
    shutil.rmtree(DIST, ignore_errors=True)
    unfinished.rename(DIST)
    for file in sorted(DIST.iterdir()):
        print(f"{file.stat().st_size / 1e6:8.1f} MB  {file.name}")
    return 0


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description="Build the installers of this system into dist/.")
    parser.add_argument("--dirty", action="store_true", help="also from files that differ from the commit")
    parser.add_argument("--tag", default="", help="what the commit is released as; it must fit the version")
    parser.add_argument("--again", action="store_true", help="freeze and pack twice; differences are listed and fail")
    parser.add_argument("--appimage", action="store_true", help="an AppImage too (Linux)")
    parser.add_argument("--sources", type=Path, help="a folder with clones of type2-runtime and squashfuse")
    parser.add_argument("--releases-address", default="", help="where the program asks for newer versions")
    parser.add_argument("--releases-page", default="", help="the page that it opens for people")
    parser.add_argument("--releases-key", default="", help="the public key that signs the list of versions")
    return parser.parse_args()


def build(given: argparse.Namespace, asked: Releases | None, by: Signer, dist: Path) -> None:
    """All steps, in order; each can be run alone."""
    place, components = staged(asked, by)
    packages = check_stage(place)
    if given.again:
        compare(sums(place), sums(second_stage(place, asked, by)))
    made = pack(place, packages, by, given, dist)
    verify(made, place)
    describe(made, place, components, by, dist)


def staged(asked: Releases | None, by: Signer) -> tuple[Path, list[dict[str, Any]]]:
    """A fresh freeze of the commit with all that a build adds to it; where it is, and what it is made of."""
    place = stage(freeze())
    put_releases(asked, place)
    components = write_bill(place)
    mark(by, place)
    return place, components


def pack(place: Path, packages: set[str], by: Signer, given: argparse.Namespace, dist: Path) -> list[Path]:
    """The forms of this system."""
    if SYSTEM == "windows":
        return windows.pack(place, by, dist)
    if SYSTEM == "macos":
        return [macos.pack_dmg(place, by, dist)]
    runtime = compile_runtime(given.sources) if given.appimage else None
    made = linux.pack(place, packages, runtime, by, dist)
    if given.again:
        again = WORK / "again"
        shutil.rmtree(again, ignore_errors=True)
        again.mkdir()
        linux.pack(place, packages, compile_runtime(given.sources) if given.appimage else None, by, again)
        compare(sums(dist), sums(again))
    return made


def second_stage(first: Path, asked: Releases | None, by: Signer) -> Path:
    """A second freeze of the same commit, staged beside the first."""
    kept = first.parent.with_name("first")
    shutil.rmtree(kept, ignore_errors=True)
    first.parent.rename(kept)
    again, _ = staged(asked, by)
    second = again.parent.with_name("second")
    shutil.rmtree(second, ignore_errors=True)
    again.parent.rename(second)
    kept.rename(first.parent)
    return second / first.name


def sums(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file by its path."""
    return {file.relative_to(folder).as_posix(): sha256_hex(file) for file in files(folder)}


def compare(first: dict[str, str], second: dict[str, str]) -> None:
    """Raises Problem with the names of what differs."""
    different = sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))
    if different:
        raise Problem("Two builds of one commit differ:\n  " + "\n  ".join(different))
    print(f"{len(first)} of {len(first)} files are equal in two builds")


if __name__ == "__main__":
    sys.exit(main())
