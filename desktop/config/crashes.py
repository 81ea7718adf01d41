"""Reports of crashes: what went wrong and on what, as a text that its owner reads before anybody else does."""

import faulthandler
import logging
import platform
import traceback
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO

import desktop
from desktop.config.private_files import make_private_file, write_durably
from desktop.domain.gate.redaction import Redactor

FATAL = "fatal.txt"
KEPT = 10
_HEAD = "Read this before you share it: it names files and may hold words of errors. Nothing of it was sent anywhere.\n"
_FATAL_MARK = "Fatal Python error"
_kept_open: list[IO[str]] = []


def report_of(kind: type[BaseException], error: BaseException, trace: TracebackType | None, secrets: Redactor) -> str:
    """The text of a report: versions and the traceback, without values of variables and without what is a secret."""
    lines = "".join(traceback.format_exception(kind, error, trace))
    return f"{_HEAD}\n{_versions()}\n\n{secrets.redact(lines).text}"


def keep_report(folder: Path, text: str) -> Path | None:
    """Write the report for its owner alone, and let go of all but the ten newest; None where it cannot be written."""
    name = f"crash-{datetime.now(UTC):%Y%m%dT%H%M%S%f}.txt"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_durably(folder / name, text.encode("utf-8", "replace"))
        for old in sorted(folder.glob("crash-*.txt"))[:-KEPT]:
            old.unlink(missing_ok=True)
    except OSError as error:
        logging.getLogger(__name__).warning("the report of a crash could not be written: %s", error)
        return None
    return folder / name


def watch_for_fatal(folder: Path) -> Path | None:
    """Have the interpreter write where it stood when it is ended by a fault (a segmentation fault, say), and give the
    report of the last run that ended so; None: it did not."""
    file = folder / FATAL
    report: Path | None = None
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        said = file.read_text("utf-8", "replace") if file.exists() else ""
        if _FATAL_MARK in said:
            report = keep_report(folder, f"{_HEAD}\n{_versions()}\nThe program was ended by a fault.\n\n{said}")
        make_private_file(file)
        stream = file.open("w", encoding="utf-8")
    except OSError as error:
        logging.getLogger(__name__).warning("faults of the program cannot be recorded: %s", error)
        return None
    watch_no_more()
    _kept_open.append(stream)
    faulthandler.enable(stream)
    return report


def watch_no_more() -> bool:
    """End what `watch_for_fatal` began; whether it had begun."""
    if not _kept_open:
        return False
    faulthandler.disable()
    _kept_open.pop().close()
    return True


def _versions() -> str:
    return f"Banksman {desktop.__version__}, Python {platform.python_version()}, {platform.platform()}"
