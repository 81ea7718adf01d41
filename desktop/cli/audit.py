"""`banksman audit`: is every chat as it was recorded, and its record as a file. A running Banksman is no obstacle."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from desktop.config.folders import product_folders
from desktop.domain.core.errors import StoreError
from desktop.domain.gate.redaction import Redactor
from desktop.services.settings.environment import keys_in
from desktop.store.audit.anchors import ANCHORS_NAME
from desktop.store.core import verify_audit
from desktop.store.readings import readings_at

_PROG = "banksman audit"


def main(argv: Sequence[str]) -> int:
    """Run `audit` with the words after it.

    verify: 0 whole, 1 something was changed, 2 cannot be read, 3 whole as far as can be seen without anchors. export:
    0 written, 2 not written. 2: wrong usage.
    """
    try:
        options = _parser().parse_args(argv)
    except SystemExit as done:  # argparse has printed its sentence
        return 0 if done.code in (None, 0) else 2
    return _export(options) if options.command == "export" else _verify(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=_PROG, description="Check or export the record of what was done and allowed.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    verify = commands.add_parser("verify", help="check that nothing in the record was changed, removed or exchanged")
    verify.add_argument(
        "store", nargs="?", type=Path, help="a store's folder, its banksman.db, or an export (default: your store)"
    )
    verify.add_argument("--anchors", type=Path, help="anchors.jsonl of a log folder (default, for your store: yours)")
    verify.add_argument("--session", help="check this session only")
    verify.add_argument("--json", action="store_true", help="print one JSON object")
    export = commands.add_parser("export", help="write the record of one chat as JSON lines, secrets removed")
    export.add_argument("--session", required=True, help="the chat's id")
    export.add_argument("--out", required=True, type=Path, help="the file to make; it must not exist")
    export.add_argument("--store", type=Path, help="the store's folder or its banksman.db (default: yours)")
    return parser


def _verify(options: argparse.Namespace) -> int:
    folders = product_folders()
    anchors: Path | None = options.anchors
    own = folders.logs / ANCHORS_NAME
    if anchors is None and options.store is None and own.is_file():
        anchors = own
    words = [str(options.store or folders.store)]
    words += ["--anchors", str(anchors)] if anchors is not None else []
    words += ["--session", options.session] if options.session else []
    words += ["--json"] if options.json else []
    return verify_audit.main(words, prog=f"{_PROG} verify")


def _export(options: argparse.Namespace) -> int:
    store: Path = options.store or product_folders().store
    redactor = Redactor(keys_in(os.environ))
    try:
        records = readings_at(store).export_record(
            options.session, options.out.absolute(), lambda text: redactor.redact(text).text
        )
    except StoreError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    print(f"{records:,} records written to {options.out}. Secrets that were recognised are removed.")
    return 0
