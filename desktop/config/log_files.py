"""The program's own log: one small file in the log folder, turned over at a size, for its owner only, without secrets
(gate-K4). Nothing is written before there is something to say, and a log that cannot be written stops nothing."""

import logging
import os
import time
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from desktop.domain.gate.log_redaction import RedactingFilter
from desktop.domain.gate.redaction import Redactor

MAX_BYTES = 1024 * 1024
KEPT_FILES = 2
MAX_RECORD_CHARS = 16_000
HEAD = "Banksman's own log. Secrets that were recognised are removed.\n"
OWNER_ONLY = 0o600


class LogFile(RotatingFileHandler):
    """Warnings of all libraries and what the program itself says from INFO on; at most three files of 1 MiB.

    `redactor` may be exchanged at any time for one that knows more secrets.
    """

    def __init__(self, file: Path) -> None:
        super().__init__(file, maxBytes=MAX_BYTES, backupCount=KEPT_FILES, encoding="utf-8", delay=True)
        self._cleaner = RedactingFilter()
        self.addFilter(self._cleaner)
        lines = _Lines(
            "%(asctime)s.%(msecs)03dZ %(levelname)s %(threadName)s %(name)s: %(message)s", "%Y-%m-%dT%H:%M:%S"
        )
        lines.converter = time.gmtime
        self.setFormatter(lines)

    @property
    def redactor(self) -> Redactor:
        """The redactor that takes secrets out of each record."""
        return self._cleaner.redactor

    @redactor.setter
    def redactor(self, redactor: Redactor) -> None:
        self._cleaner.redactor = redactor

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # logging's name for it
        """A full disk or a folder that was taken away costs the line, not the work."""

    def _open(self) -> TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, OWNER_ONLY)
        Path(self.baseFilename).chmod(OWNER_ONLY)  # an older file may be open to others
        stream = os.fdopen(descriptor, "a", encoding=self.encoding, errors="backslashreplace")
        if os.fstat(descriptor).st_size == 0:
            stream.write(HEAD)
        return stream


class _Lines(logging.Formatter):
    """UTC times; a record of many lines is indented, so that no text can pose as a record of its own."""

    def format(self, record: logging.LogRecord) -> str:
        lines = super().format(record)[:MAX_RECORD_CHARS].splitlines()
        return "\n    ".join(
            "".join(char if char.isprintable() else ascii(char)[1:-1] for char in line) for line in lines
        )


def install_log_file(folder: Path, name: str = "window") -> LogFile | None:
    """Begin to log to `NAME.log` in the folder, which is made; None where that cannot be.

    May be called again: the file of an earlier call is closed. Call it after the first paint.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return None
    root = logging.getLogger()
    for former in [handler for handler in root.handlers if isinstance(handler, LogFile)]:
        root.removeHandler(former)
        former.close()
    log_file = LogFile(folder / f"{name}.log")
    root.addHandler(log_file)
    logging.getLogger("desktop").setLevel(logging.INFO)
    return log_file


def known_secrets() -> Redactor:
    """The redactor of what is logged now; one that knows no values where nothing is."""
    installed = (handler.redactor for handler in logging.getLogger().handlers if isinstance(handler, LogFile))
    return next(installed, Redactor())


def know_secrets(redactor: Redactor) -> None:
    """Take these secrets out of what is logged from now on."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, LogFile):
            handler.redactor = redactor
