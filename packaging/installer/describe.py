"""What stands beside the installers: their checksums, and a manifest that says from what each was made."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

from installer.bill import BILL, NOTICES, PLACE
from installer.ground import MACHINE, SYSTEM, commit_time, out, version

SUMS, MANIFEST = "SHA256SUMS", "manifest.json"


def describe(made: list[Path], stage: Path, components: list[dict[str, Any]], dist: Path) -> None:
    """Write bill, notices, manifest and checksums beside what was made."""
    for file in (BILL, NOTICES):
        shutil.copyfile(stage / PLACE / file, dist / file)
    manifest = {
        "name": "banksman", "version": version(), "system": SYSTEM, "machine": MACHINE, "signed": False,
        "commit": out("git", "rev-parse", "HEAD"), "time": int(commit_time()), "components": len(components),
        "files": {file.name: {"bytes": file.stat().st_size, "sha256": sha256_hex(file)} for file in made},
    }  # fmt: skip
    dist.joinpath(MANIFEST).write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", "utf-8")
    names = sorted(file for file in dist.iterdir() if file.is_file() and file.name != SUMS)
    dist.joinpath(SUMS).write_text("".join(f"{sha256_hex(file)}  {file.name}\n" for file in names), "utf-8")


def sha256_hex(file: Path) -> str:
    """The SHA-256 of a file's bytes."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
