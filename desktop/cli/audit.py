"""`banksman audit verify`: is every chat as it was recorded? Only reads; a running Banksman is no obstacle."""

import argparse
import json
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from desktop.config.folders import product_folders
from desktop.store.audit import Finding, verify_store
from desktop.store.connection import connect_reading
from desktop.store.database import DATABASE_NAME


def main(argv: Sequence[str]) -> int:
    """Run `audit` with the words after it. 0: whole, 1: something was changed, 2: cannot be read, or wrong usage."""
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as done:  # argparse has printed its sentence
        return 0 if done.code in (None, 0) else 2
    store: Path = arguments.store or product_folders().store
    file = store / DATABASE_NAME if store.is_dir() else store
    session: str | None = arguments.session
    try:
        with closing(connect_reading(file)) as connection:
            connection.execute("BEGIN")
            events, findings = verify_store(connection, file.parent, session)
    except sqlite3.Error as error:
        print(f"Cannot verify {file}: {error}.", file=sys.stderr)
        return 2
    if session and not events:
        print(f"Cannot verify {file}: there is no session {session}.", file=sys.stderr)
        return 2
    _report(events, findings, as_json=arguments.json)
    return 1 if findings else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="banksman audit", description="Check the record of what was done and allowed."
    )
    verify = parser.add_subparsers(required=True, metavar="COMMAND").add_parser(
        "verify", help="check that nothing in the record was changed, removed or exchanged"
    )
    verify.add_argument("store", nargs="?", type=Path, help="the store's folder or its banksman.db (default: yours)")
    verify.add_argument("--session", help="check this session only")
    verify.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _report(events: int, findings: list[Finding], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"events": events, "findings": [finding.model_dump() for finding in findings]}))
        return
    for found in findings:
        place = f"{found.session_id} entry {found.seq} ({found.type})"
        print(ascii(f"{place}: {found.kind}: {found.text}")[1:-1])
    print(f"{events} entries checked, {len(findings)} findings." if findings else f"{events} entries checked: whole.")
