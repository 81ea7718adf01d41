"""CredentialBook: the records of secrets in a file of the program's data. Their values stand in the keyring alone."""

import contextlib
import json
import logging
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from desktop.config.private_files import write_durably
from desktop.domain.credentials.values import Credential, Ended, why_ended

logger = logging.getLogger(__name__)

FILE_NAME = "credentials.json"
ASIDE = ".unreadable.json"
"""A file that cannot be read names secrets that are in the keyring, so it is not written over."""
MOST_ENDED = 200
"""How many records of secrets that are gone are kept, so that a later use is told why."""


class CredentialBook:
    """Records by id, the newest last. Those that last until Banksman closes ended with the process before this one.
    Blocking (a moment), when it is first asked and at each change."""

    def __init__(self, path: Path, clock: Callable[[], datetime]) -> None:
        self._path = path
        self._clock = clock
        self._records: dict[str, Credential] | None = None

    def get(self, secret_id: str) -> Credential | None:
        """The record of that id, as it is now; None: there never was one, or it ended long ago."""
        record = self._all().get(secret_id)
        return self._now(record) if record is not None else None

    def live(self) -> tuple[Credential, ...]:
        """The records of secrets that can be used now, the newest first."""
        records = [self._now(record) for record in self._all().values()]
        return tuple(record for record in reversed(records) if not record.ended)

    def expired(self) -> tuple[Credential, ...]:
        """The records of secrets whose time has passed, and that nobody ended yet."""
        now = self._clock()
        return tuple(one for one in self._all().values() if not one.ended and why_ended(one, now))

    def put(self, record: Credential) -> None:
        """Keep a record, in place of the former one of its id."""
        records = self._all()
        records[record.id] = record
        ended = [one.id for one in records.values() if one.ended]
        for old in ended[: max(len(ended) - MOST_ENDED, 0)]:
            del records[old]
        self._write(records)

    def end(self, record: Credential, why: Ended) -> None:
        """The secret cannot be used any more."""
        self.put(record.model_copy(update={"ended": why}))

    def _now(self, record: Credential) -> Credential:
        why = why_ended(record, self._clock())
        return record if record.ended == why else record.model_copy(update={"ended": why})

    def _all(self) -> dict[str, Credential]:
        if self._records is None:
            self._records = {record.id: _after_a_start(record) for record in self._read()}
        return self._records

    def _read(self) -> list[Credential]:
        try:
            stored = json.loads(self._path.read_bytes())
            return [Credential.model_validate(one) for one in stored["secrets"]]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
            logger.warning("%s could not be read and is put aside: %s", self._path, type(error).__name__)
            with contextlib.suppress(OSError):
                self._path.replace(self._path.with_suffix(ASIDE))
            return []

    def _write(self, records: dict[str, Credential]) -> None:
        text = json.dumps({"secrets": [one.model_dump(mode="json") for one in records.values()]}, indent=1)
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_durably(self._path, text.encode())


def _after_a_start(record: Credential) -> Credential:
    """A value that stood in memory alone is gone."""
    closed = not record.ended and record.place == "memory"
    return record.model_copy(update={"ended": "closed"}) if closed else record
