"""The manifests of the builds of one version, one for each system, joined to one."""

import json
from pathlib import Path
from typing import Any

from installer.ground import Problem

SAME = ("format", "name", "version", "commit", "time", "notes")
TOLD = ("format", "name", "version", "time", "notes")


def joined(files: list[Path]) -> dict[str, Any]:
    """One manifest with the files of all. Raises Problem: they are not of one commit and version."""
    try:
        read = [json.loads(file.read_text("utf-8")) for file in files]
        first = {name: read[0][name] for name in SAME}
        different = [
            str(file) for file, one in zip(files, read, strict=True) if {name: one[name] for name in SAME} != first
        ]
        every = {name: entry for one in read for name, entry in sorted(one["files"].items())}
        twice = len(every) != sum(len(one["files"]) for one in read)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise Problem(f"A manifest cannot be read: {type(error).__name__} {error}.") from error
    if different:
        raise Problem(f"{different[0]} is of another version or commit than {files[0]}.")
    if twice:
        raise Problem("Two manifests name the same file.")
    return {name: first[name] for name in TOLD} | {"files": every}
