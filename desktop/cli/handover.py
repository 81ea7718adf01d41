"""`banksman handover`: what somebody who takes over needs to know, from the record alone, as a page."""

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from desktop.cli.export import redaction
from desktop.collecting import uncollected
from desktop.config.folders import product_folders
from desktop.domain.core.clock import utc_now
from desktop.domain.core.errors import StoreError
from desktop.domain.handover.fold import handover
from desktop.store.library.handover_page import handover_page, shown_page
from desktop.store.readings import readings_at

_PROG = "banksman handover"
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def main(argv: Sequence[str]) -> int:
    """Run `handover` with the words after it: 0 written, 2 the record cannot be read or wrong usage."""
    try:
        options = _parser().parse_args(argv)
    except SystemExit as done:  # argparse has printed its sentence
        return 0 if done.code in (None, 0) else 2
    now = utc_now()
    store: Path = options.store or product_folders().store
    try:
        since = _since(options.since, now)
        with uncollected():
            logs = readings_at(store).logs(options.project, since)
            page = handover_page(shown_page(handover(logs, since, now), redaction()), options.format)
        if options.out is None:
            sys.stdout.write(page)
        else:
            with options.out.open("x", encoding="utf-8") as file:
                file.write(page)
    except (StoreError, ValueError, OSError) as error:
        sys.stderr.write(f"{_PROG}: {error}\n")
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=_PROG, description="Write what happened, who decided, and what is open.")
    parser.add_argument(
        "--since", default="24h", help="30m, 8h, 2d, a time like 2026-03-01T08:00 (UTC), or all (default: 24h)"
    )
    parser.add_argument("--project", help="the id of a project (default: all)")
    parser.add_argument("--format", choices=["markdown", "html", "json"], default="markdown")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the file to make; it must not exist")
    parser.add_argument("--store", type=Path, help="the store's folder or its banksman.db (default: yours)")
    return parser


def _since(text: str, now: datetime) -> datetime | None:
    """The moment that a word names, None for `all`.

    Raises:
        ValueError: it names none.
    """
    if text == "all":
        return None
    number, unit = text[:-1], _UNITS.get(text[-1:])
    if unit and number.isdecimal() and len(number) < 6:
        return now - timedelta(**{unit: int(number)})
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is no time. Give 30m, 8h, 2d, 2026-03-01T08:00 or all.") from error
    return at if at.tzinfo else at.replace(tzinfo=UTC)
