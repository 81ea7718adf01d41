#!/usr/bin/env python3
"""Put the builds of one version for all systems into one folder, as people get them.

    python3 packaging/release.py DIST … --out release --downloads-address https://…/v{version} --page https://…

DIST: the dist/ of each system. The folder holds all forms, their checksums, and what winget, Homebrew and Flatpak are
told, which is why it must be known where the files will lie and which page people read. Where BANKSMAN_GPG_KEY or
BANKSMAN_MINISIGN_KEY names a key, the checksums are signed and the public key is there; with the former the folder is
a repository for apt too. Standard library only; needs dpkg-deb where packages are signed.
"""

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import Any

from installer.bill import BILL, NOTICES
from installer.describe import MANIFEST, SUMS, sha256_hex
from installer.ground import Problem
from installer.joined import joined
from installer.repository import write_repository
from installer.signing import Signer, public_keys, sign_beside, signer
from installer.stores import store_texts


def main(argv: list[str] | None = None) -> int:
    """0 when the folder is whole; else one sentence on stderr, and there is none."""
    given = arguments(argv)
    unfinished = given.out.with_name(f"{given.out.name}.unfinished")
    try:
        if given.out.exists():
            raise Problem(f"{given.out} is there already. Name a folder that is not.")
        manifest = joined([dist / MANIFEST for dist in given.dists])
        texts = store_texts(manifest, given.downloads_address, given.page)
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        gather(given.dists, unfinished)
        for name, text in texts.items():
            unfinished.joinpath(name).write_text(text, "utf-8")
        finish(unfinished, manifest, signer(system="linux"))
    except Problem as problem:
        shutil.rmtree(unfinished, ignore_errors=True)
        print(f"release: {problem}", file=sys.stderr)
        return 2
    unfinished.rename(given.out)
    for file in sorted(given.out.iterdir()):
        print(f"{file.stat().st_size / 1e6:8.1f} MB  {file.name}")
    return 0


def arguments(argv: list[str] | None) -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description="Put the builds of one version into one folder.")
    parser.add_argument("dists", nargs="+", type=Path, metavar="DIST")
    parser.add_argument("--out", type=Path, required=True, help="the folder, which must not be there yet")
    parser.add_argument("--downloads-address", default="", help="the folder that the files will be got from")
    parser.add_argument("--page", default="", help="the page of the program")
    return parser.parse_args(argv)


def gather(dists: list[Path], place: Path) -> None:
    """Copy the forms with their signatures, and what describes each build under a name of its own.

    Raises:
        Problem: a file is missing, or is not the one that its manifest names.
    """
    for dist in dists:
        manifest = json.loads(dist.joinpath(MANIFEST).read_text("utf-8"))
        system = f"{manifest['system']}-{manifest['machine']}"
        for name, entry in manifest["files"].items():
            if not dist.joinpath(name).is_file() or sha256_hex(dist / name) != entry["sha256"]:
                raise Problem(f"{dist / name} is not the file that its manifest names.")
            for file in (dist / name, *dist.glob(f"{name}.asc"), *dist.glob(f"{name}.minisig")):
                shutil.copyfile(file, place / file.name)
        for name in (MANIFEST, BILL, NOTICES):
            first, _, ending = name.partition(".")
            shutil.copyfile(dist / name, place / f"{first}-{system}.{ending}")


def finish(place: Path, manifest: dict[str, Any], by: Signer) -> None:
    """Checksums of all, and with keys their signatures and what apt reads."""
    public_keys(by, place)
    if by.gpg and list(place.glob("*.deb")):
        write_repository(place, by.gpg, manifest["time"])
    files = sorted(place.iterdir())
    place.joinpath(SUMS).write_text("".join(f"{sha256_hex(file)}  {file.name}\n" for file in files), "utf-8")
    sign_beside(by, place / SUMS)


if __name__ == "__main__":
    sys.exit(main())
