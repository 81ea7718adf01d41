"""What stands beside the installers: their checksums, and a manifest that says from what each was made.

`packaging/sign_releases.py` makes the list of versions that installed programs read of the manifests of all systems."""

import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

from installer.bill import BILL, NOTICES, PLACE
from installer.ground import MACHINE, ROOT, SYSTEM, commit_time, out, version
from installer.signing import Signer, sign_beside

SUMS, MANIFEST = "SHA256SUMS", "manifest.json"
FORMAT = 1
MOST_NOTES = 4_000


def describe(made: list[Path], stage: Path, components: list[dict[str, Any]], by: Signer, dist: Path) -> None:
    """Write bill, notices, manifest and checksums beside what was made, and the signatures of keys that sign files."""
    for file in (BILL, NOTICES):
        shutil.copyfile(stage / PLACE / file, dist / file)
    manifest = {
        "format": FORMAT, "name": "banksman", "version": version(), "notes": notes(version()),
        "system": SYSTEM, "machine": MACHINE, "signed": bool(by.by), "signed_by": by.by,
        "commit": out("git", "rev-parse", "HEAD"), "time": int(commit_time()), "components": len(components),
        "files": {file.name: {"bytes": file.stat().st_size, "sha256": sha256_hex(file)} for file in made},
    }  # fmt: skip
    dist.joinpath(MANIFEST).write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", "utf-8")
    for file in made:
        sign_beside(by, file)
    names = sorted(file for file in dist.iterdir() if file.is_file() and file.name != SUMS)
    dist.joinpath(SUMS).write_text("".join(f"{sha256_hex(file)}  {file.name}\n" for file in names), "utf-8")
    sign_beside(by, dist / SUMS)


def notes(of: str) -> str:
    """What the changelog says of this version, "" where it has no part of that name."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    found = re.search(rf"^## \[?{re.escape(of)}\]?(?: [^\n]*)?\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1].strip()[:MOST_NOTES] if found else ""


def sha256_hex(file: Path) -> str:
    """The SHA-256 of a file's bytes."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
