"""`banksman import FILE`: chats from a neutral log, taken in whole or not at all. Needs the store for itself."""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from desktop.config.folders import product_folders
from desktop.domain.core.errors import StoreError
from desktop.store.core.imports import ImportReport, Where
from desktop.store.core.store import Store
from desktop.store.database import open_store

_PROG = "banksman import"


def main(argv: Sequence[str]) -> int:
    """Run `import` with the words after it: 0 taken in, 1 its record was changed, 2 not taken in or wrong usage."""
    parser = argparse.ArgumentParser(prog=_PROG, description="Take in chats from a file in the neutral form.")
    parser.add_argument("file", type=Path, metavar="FILE", help="JSON lines, or one JSON list")
    parser.add_argument("--store", type=Path, help="the store's folder (default: yours)")
    parser.add_argument("--accept-changed", action="store_true", help="also when its record was changed")
    parser.add_argument("--project", default="", help="the id of the project to list the chats under")
    try:
        options = parser.parse_args(argv)
    except SystemExit as done:  # argparse has printed its sentence
        return 0 if done.code in (None, 0) else 2
    try:
        store = open_store(options.store or product_folders().store)
        try:
            report = _take_in(store, options)
        finally:
            store.close()
    except StoreError as error:
        sys.stderr.write(f"{_PROG}: {error}\n")
        return 2
    if report is None:
        sys.stderr.write(
            f"{_PROG}: The record in {options.file} was changed after it was exported. Nothing was imported. "
            "Add --accept-changed if you trust it; it stays marked.\n"
        )
        return 1
    print("\n".join([*report.sentences(), *report.sessions]))
    return 0


def _take_in(store: Store, options: argparse.Namespace) -> ImportReport | None:
    """What was found; None: the record was changed, and nobody accepted that."""
    where = Where(project_id=options.project, name=options.file.name)
    with tempfile.TemporaryDirectory(prefix=".import-", dir=store.folder) as folder:
        staging = Path(folder) / "log.db"
        now = datetime.now(UTC)
        report = store.readings.prepare_import(options.file, staging, where, now)
        if report.chain == "broken" and not options.accept_changed:
            return None
        for media_type, data in store.readings.staged_blobs(staging):
            store.blobs.put(data, media_type)
        store.events.adopt(staging, report)
    return report
