"""Seen: what was learnt of newer versions, and what the person was asked, kept from one start to the next."""

import logging
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from desktop.config.private_files import make_private_folder, write_durably
from desktop.domain.core.base import Frozen
from desktop.domain.releases.values import Release

logger = logging.getLogger(__name__)


class Seen(Frozen):
    """`starts`: of the window; `offered`: the person was asked whether to look every day; `looked_at`: when the last
    request began that was sent. `newest`: the last manifest that was believed, and `etag` what its server calls it.

    `built_in`: the key of the build that wrote the rest; `key`: the one in force, "" for that of the build; `next_key`:
    the one that was announced to follow it, "" for none.
    """

    starts: int = 0
    offered: bool = False
    looked_at: datetime | None = None
    etag: str = ""
    newest: Release | None = None
    built_in: str = ""
    key: str = ""
    next_key: str = ""

    def for_build(self, built_in: str) -> "Seen":
        """The same for a build with this key: what another one learnt of keys is void."""
        if built_in == self.built_in:
            return self
        return self.model_copy(update={"built_in": built_in, "key": "", "next_key": ""})

    @property
    def keys(self) -> tuple[str, ...]:
        """Whose signature is believed: the key in force, then the one that was announced."""
        return tuple(key for key in (self.key or self.built_in, self.next_key) if key)


def read_seen(file: Path) -> Seen:
    """What is kept there; nothing, where it cannot be read."""
    try:
        return Seen.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return Seen()
    except (OSError, ValidationError) as error:
        logger.warning("what was seen of newer versions cannot be read: %s", type(error).__name__)
        return Seen()


def write_seen(file: Path, seen: Seen) -> None:
    """Keep it. Raises OSError: the disk refused."""
    make_private_folder(file.parent)
    write_durably(file, seen.model_dump_json(indent=1).encode())
