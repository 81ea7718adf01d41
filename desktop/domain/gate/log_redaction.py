"""Our own log lines without secrets (gate-K4)."""

import logging

from desktop.domain.gate.redaction import Redactor


class RedactingFilter(logging.Filter):
    """Replaces secrets in a record's message and traceback. Put it on every handler, not on loggers: a logger's filter
    does not see what its children send."""

    def __init__(self, redactor: Redactor | None = None) -> None:
        super().__init__()
        self.redactor = redactor if redactor is not None else Redactor()

    def filter(self, record: logging.LogRecord) -> bool:
        """Lets every record through, cleaned."""
        message = self.redactor.redact(record.getMessage()).text
        if record.exc_info is not None and record.exc_text is None:
            record.exc_text = logging.Formatter().formatException(record.exc_info)  # kept, so that it is cleaned once
        if record.exc_text is not None:
            record.exc_text = self.redactor.redact(record.exc_text).text
        record.msg, record.args = message, None
        return True
