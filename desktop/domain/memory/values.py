"""Entries of the memory: what is remembered, where it comes from, and what a search finds."""

import re
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, Field, field_validator, model_validator

from desktop.domain.core.base import Frozen

Scope = Literal["person", "project", "agent", "mission"]
AgentCategory = Literal["fact", "convention", "pattern", "decision", "gotcha", "preference", "procedure"]
Category = Literal[
    "fact", "convention", "pattern", "decision", "gotcha", "preference", "procedure", "episode", "digest", "handoff"
]
Status = Literal["candidate", "promoted", "quarantined", "archived"]
Importance = Literal["low", "medium", "high"]
GuardClass = Literal["none", "soft", "required"]

CATEGORIES: tuple[AgentCategory, ...] = (
    "fact", "convention", "pattern", "decision", "gotcha", "preference", "procedure",
)  # fmt: skip
IMPORTANCES: tuple[Importance, ...] = ("low", "medium", "high")
GUARDS: tuple[GuardClass, ...] = ("none", "soft", "required")
"""From the mildest to the strictest."""

MOST_ENTRIES: dict[Scope, int] = {"person": 500, "project": 2_000, "agent": 500, "mission": 200}
"""Entries that are not archived."""

MOST_CHARS = 2_000
MOST_FILES = 10
MOST_PINNED = 20
MOST_PINNED_CHARS = 4_000
MOST_CHATS = 20


MOST_OWN_WORDS = 50
_OWN_WORD = re.compile(r"[^\W\d_]{1,40}")


class OwnWords(Frozen):
    """The words of one project that say what a prompt asks of the memory (memory-ME18), beside those that always do.
    `project`: its whole path. `changes`: a turn with one of them changes something; `asks`: it is about the project."""

    project: str = ""
    changes: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()

    @field_validator("changes", "asks")
    @classmethod
    def _plain_words(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        words = tuple(dict.fromkeys(word.strip().lower() for word in value if word.strip()))
        for word in words:
            if not _OWN_WORD.fullmatch(word):
                raise ValueError(f"'{word[:60]}' is no single word of letters, at most 40 of them.")
        return words

    @model_validator(mode="after")
    def _not_too_many(self) -> Self:
        if len(self.changes) + len(self.asks) > MOST_OWN_WORDS:
            raise ValueError(f"A project has at most {MOST_OWN_WORDS} words of its own.")
        return self


NO_WORDS = OwnWords()

Count = Annotated[int, Field(ge=0, le=1_000_000_000)]


class FileMark(Frozen):
    """A file that an entry is about: its path in the lane, and the SHA-256 of its content then ("": there was none)."""

    path: str
    sha256: str = ""


class Source(Frozen):
    """Where an entry comes from. `by`: a person, an agent, the app, or a file that was read in. `tainted`: what the
    chat had read by then."""

    by: Literal["person", "agent", "app", "file"] = "agent"
    session_id: str = ""
    call_id: str = ""
    lane_id: str = ""
    commit: str = ""
    tainted: tuple[str, ...] = ()


class Entry(Frozen):
    """One remembered statement. `tier`: 1 pinned, 2 active, 3 fading. `confidence`: percent. `observations`: how often
    it was said, in `chats`. `proposal`: what an agent would have it say instead, "" for nothing."""

    id: str
    version: Annotated[Count, Field(ge=1)] = 1
    scope: Scope = "project"
    owner: str = ""
    content: str
    category: Category = "fact"
    tier: int = Field(default=3, ge=1, le=3)
    status: Status = "candidate"
    importance: Importance = "medium"
    confidence: int = Field(default=60, ge=0, le=100)
    observations: Count = 1
    uses: Count = 0
    used_at: AwareDatetime | None = None
    files: tuple[FileMark, ...] = Field(default=(), max_length=MOST_FILES)
    source: Source = Source()
    chats: tuple[str, ...] = Field(default=(), max_length=MOST_CHATS)
    proposal: str = Field(default="", max_length=MOST_CHARS)
    created_at: AwareDatetime
    updated_at: AwareDatetime

    @property
    def last_at(self) -> datetime:
        """When it was last used or changed."""
        return max(self.used_at, self.updated_at) if self.used_at is not None else self.updated_at

    @property
    def is_kept(self) -> bool:
        """Whether no sweep may touch it (memory-ME17)."""
        wish = self.category in ("preference", "convention") and self.importance == "high"
        return self.tier == 1 or self.source.by == "person" or wish


class ScoreParts(Frozen):
    """What the score of a hit is made of, in thousandths (memory-ME14)."""

    text: int = 0
    recency: int = 0
    importance: int = 0
    confidence: int = 0
    uses: int = 0
    tier: int = 0
    pinned: int = 0
    stale: int = 0

    @property
    def total(self) -> int:
        """The score, in thousandths."""
        early = self.text + self.recency + self.importance + self.confidence
        return early + self.uses + self.tier + self.pinned + self.stale


class MemoryHit(Frozen):
    """An entry that was found. `stale`: the files it names that differ from what it was said about."""

    entry: Entry
    parts: ScoreParts
    stale: tuple[str, ...] = ()


class MemoryUse(Frozen):
    """An entry that was given to a model, in this version, and why it was chosen."""

    memory_id: str
    version: int
    parts: ScoreParts = ScoreParts()
