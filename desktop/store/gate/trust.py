"""ContentTrust: which contents of files of a repository a person trusted, by digest."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from desktop.config.private_files import make_private_folder, write_durably
from desktop.domain.core.errors import StoreWriteFailed
from desktop.store.gate.rule_file import FileFault, read_bytes

TrustKind = Literal["commands", "lane", "skills", "agents", "hooks", "own-hooks"]
MOST_KEPT = 50
_PROJECT_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")


def content_sha256(contents: Mapping[str, bytes]) -> str:
    """The digest of files with their names, in whatever order they come; "" of none."""
    if not contents:
        return ""
    digest = hashlib.sha256()
    for name in sorted(contents):
        digest.update(f"{name}\0{len(contents[name])}\0".encode("utf-8", "surrogateescape"))
        digest.update(contents[name])
    return digest.hexdigest()


class ContentTrust:
    """The contents that people trust, in one file per project beside its rules. Trust is for exactly one content: any
    change asks anew. `kind`: of what is trusted; trust in one kind says nothing of the others."""

    def __init__(self, data_folder: Path, kind: TrustKind) -> None:
        self._folder = data_folder / "rules"
        self._kind = kind

    def is_trusted(self, project_id: str, sha256: str) -> bool:
        """Whether a person trusted this content in this project."""
        return bool(sha256) and sha256 in self._known(project_id)

    def last(self, project_id: str) -> str:
        """The content that was trusted last in this project, "" for none: what a later one is compared with."""
        known = self._known(project_id)
        return known[-1] if known else ""

    def trust(self, project_id: str, sha256: str) -> None:
        """Keep that a person trusts this content.

        Raises:
            StoreWriteFailed: it could not be kept.
        """
        path = self._path(project_id)
        known = self._known(project_id)
        if path is None or known[-1:] == [sha256]:
            return
        kept = [*(one for one in known if one != sha256), sha256][-MOST_KEPT:]
        try:
            make_private_folder(path.parent)
            write_durably(path, json.dumps({"sha256": kept}).encode())
        except OSError as error:
            reason = error.strerror or str(error)
            raise StoreWriteFailed(f"It was not trusted: {path}: {reason}. Try again.") from error

    def _known(self, project_id: str) -> list[str]:
        path = self._path(project_id)
        try:
            record = json.loads((read_bytes(path) if path is not None else None) or b"{}")
        except (FileFault, ValueError):
            return []
        kept = record.get("sha256") if isinstance(record, dict) else None
        return [one for one in kept if isinstance(one, str)] if isinstance(kept, list) else []

    def _path(self, project_id: str) -> Path | None:
        return self._folder / f"{project_id}.{self._kind}.json" if _PROJECT_ID.fullmatch(project_id) else None
