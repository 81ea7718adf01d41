"""`banksman export SESSION|--all FILE`: chats as a file. A running Banksman is no obstacle; Ctrl+C leaves nothing."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from desktop.config.folders import product_folders
from desktop.domain.core.errors import StoreError
from desktop.domain.gate.redaction import Redactor
from desktop.services.settings.environment import keys_in
from desktop.store.core.library import ExportCancelled, ExportFormat, ExportOptions
from desktop.store.readings import readings_at

_PROG = "banksman export"
_ENDINGS: dict[str, ExportFormat] = {
    ".jsonl": "jsonl",
    ".json": "jsonl",
    ".md": "markdown",
    ".html": "html",
    ".htm": "html",
}


def main(argv: Sequence[str]) -> int:
    """Run `export` with the words after it: 0 written, 2 not written or wrong usage, 130 given up."""
    try:
        options = _parser().parse_intermixed_args(argv)
    except SystemExit as done:  # argparse has printed its sentence
        return 0 if done.code in (None, 0) else 2
    if (options.session is None) != options.all:
        sys.stderr.write("banksman export: name one chat, or give --all.\n")
        return 2
    store: Path = options.store or product_folders().store
    form: ExportFormat = options.format or _ENDINGS.get(options.file.suffix.lower(), "jsonl")
    export = ExportOptions(format=form, redact=None if options.full else redaction())
    before = signal.signal(signal.SIGINT, lambda _number, _frame: export.cancelled.set())
    try:
        size = readings_at(store).export(
            [options.session] if options.session else None, options.file.absolute(), export
        )
    except ExportCancelled:
        return 130
    except StoreError as error:
        sys.stderr.write(f"banksman export: {error}\n")
        return 2
    finally:
        signal.signal(signal.SIGINT, before)
    removed = "Nothing is removed from it." if options.full else "Secrets that were recognised are removed."
    print(f"{size:,} bytes written to {options.file}. {removed}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=_PROG, description="Write chats to a new file.")
    parser.add_argument("session", nargs="?", metavar="SESSION", help="the chat's id")
    parser.add_argument("file", type=Path, metavar="FILE", help="the file to make; it must not exist")
    parser.add_argument("--all", action="store_true", help="all chats")
    parser.add_argument("--format", choices=["jsonl", "markdown", "html"], help="(default: by the ending of FILE)")
    parser.add_argument("--full", action="store_true", help="remove no secrets; only such a copy can be imported whole")
    parser.add_argument("--store", type=Path, help="the store's folder or its banksman.db (default: yours)")
    return parser


def redaction() -> "Redaction":
    """What takes the keys that are known, and the home folder's name, out of texts."""
    return Redaction(Redactor(keys_in(os.environ)))


class Redaction:
    """Takes secrets and the home folder's name out of texts."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._home = str(Path.home())

    def __call__(self, text: str) -> str:
        """The text as it may leave."""
        clean = self._redactor.redact(text).text
        return clean.replace(self._home, "~") if len(self._home) > 1 else clean
