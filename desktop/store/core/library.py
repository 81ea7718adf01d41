"""SearchIndex, and the values of search, copies and attachments."""

import threading
from collections.abc import Callable
from dataclasses import field
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

from desktop.domain.core.base import Frozen
from desktop.domain.core.errors import StoreError
from desktop.records import dataclass

ExportFormat = Literal["jsonl", "markdown", "html"]
Redact = Callable[[str], str]


class SearchIndex(Protocol):
    """Fills the index that `Readings.search` asks. Engine thread; a step is short and is never part of an append."""

    def step(self, budget_s: float = 0.01) -> bool:
        """Take in what was recorded since, for about `budget_s`; whether all is in. A damaged index is thrown away.

        Raises:
            StoreError: the store cannot be read or written.
        """

    def forget(self, session_id: str, most: int = 200) -> bool:
        """Take entries of a chat out before it is removed; whether none is left in."""

    def rebuild(self) -> None:
        """Throw the index away; steps fill it again."""


class Hit(NamedTuple):
    """One entry of a chat that matches a search; `mark` says whether the model no longer gets it. `title`: of a
    sub-agent's chat after those above it; `root_id`: the chat of a person that it stands in or below."""

    session_id: str
    event_id: str
    seq: int
    title: str
    kind: str
    snippet: str
    at: str
    mark: Literal["", "rewound", "removed"]
    root_id: str = ""


class Page(NamedTuple):
    """At most 50 hits. `problem`: why there is no search; `damaged`: only a new index helps."""

    hits: tuple[Hit, ...]
    more: bool = False
    problem: str = ""
    damaged: bool = False


class ExportCancelled(StoreError):
    """The copy was given up; nothing of it is left."""


@dataclass(frozen=True)
class ExportOptions:
    """`redact` takes secrets out of a text, None: a full copy. `cancelled`: set it to give up."""

    format: ExportFormat = "jsonl"
    redact: Redact | None = None
    cancelled: threading.Event = field(default_factory=threading.Event)


class Attachment(Frozen):
    """One attachment in the manifest. `logical_name` is what people and the model call it; sides in pixels, 0: no
    image."""

    logical_name: str
    original_name: str
    stored_file_name: str
    mime_type: str
    size_bytes: int
    created_at: datetime
    width_px: int = 0
    height_px: int = 0

    @property
    def sha256(self) -> str:
        """The digest of the bytes."""
        return self.stored_file_name[:64]

    @property
    def is_image(self) -> bool:
        """Whether the attachment can be shown to a model as a picture."""
        return self.width_px > 0 and self.mime_type.startswith("image/")
