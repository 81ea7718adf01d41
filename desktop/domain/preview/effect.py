"""The effect that a command had on a copy of the lane, and the digest that a person's yes to it is bound to."""

import hashlib
from typing import Literal

from pydantic import JsonValue

from desktop.domain.core.base import Frozen
from desktop.domain.gate.action import canonical_json

MOST_FILES = 500
MOST_BYTES = 50 * 1024 * 1024
MOST_SECONDS = 60

CopyTier = Literal["overlay", "copy"]


class EffectFile(Frozen):
    """One file that a command created, changed or deleted. Hashes are hex SHA-256 of the whole content (of a link, of
    where it leads), None where there is no file; modes are Git's, "" where there is no file. `size`: bytes it has then.
    """

    path: str
    kind: Literal["create", "modify", "delete"]
    before_sha256: str | None = None
    after_sha256: str | None = None
    before_mode: str = ""
    after_mode: str = ""
    size: int = 0
    added: int = 0
    removed: int = 0


class Effect(Frozen):
    """The difference that a command made in a copy. Files that Git ignores are counted (`ignored`) apart; those in
    `beside` are applied with the others where a person ticked them. `beside_stop`: why they cannot be ticked.

    `more`: files beyond those in `files`. `folders`: empty folders that it made; `kept_folders`: those that stay though
    their files went. `stops`: sentences on why it cannot be
    applied, none when it can. `asks`: about which of it rules want a person asked: applying it answers that. `notes`:
    what of it is not applied. `tree_before`, `tree_after`: ids of the lane's files
    as they were, and as they are once it is applied.
    """

    files: tuple[EffectFile, ...] = ()
    more: int = 0
    folders: tuple[str, ...] = ()
    kept_folders: tuple[str, ...] = ()
    ignored: int = 0
    beside: tuple[EffectFile, ...] = ()
    beside_stop: str = ""
    stops: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    tree_before: str = ""
    tree_after: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing would be different."""
        return not self.files and not self.folders and not self.more

    @property
    def can_be_applied(self) -> bool:
        """Whether a person may have exactly this done to the lane."""
        return not self.is_empty and not self.stops

    @property
    def can_be_ticked(self) -> bool:
        """Whether a person may have the files that Git ignores done as well, or alone."""
        return bool(self.beside) and not self.beside_stop and not self.stops

    @property
    def counts(self) -> str:
        """`3 changed · 1 new · 1 deleted`."""
        kinds = (("modify", "changed"), ("create", "new"), ("delete", "deleted"))
        counted = [(sum(file.kind == kind for file in self.files), word) for kind, word in kinds]
        words = [f"{count} {word}" for count, word in counted if count]
        words += [f"{self.more} more"] if self.more else []
        words += [f"{len(self.folders)} empty folder{'s' * (len(self.folders) > 1)}"] if self.folders else []
        return " · ".join(words) or "no file differs"


def effect_digest(call_digest: str, effect: Effect, *, ticked: bool = False) -> str:
    """64 hex digits over the call as it was judged and everything that its effect is. `ticked`: files that Git ignores
    are part of what is applied."""
    bound: JsonValue = {
        "v": 2,
        "kind": "effect",
        "call": call_digest,
        "effect": effect.model_dump(mode="json"),
        "ticked": ticked,
    }
    return hashlib.sha256(canonical_json(bound).encode("ascii")).hexdigest()


def not_shown(tier: CopyTier) -> tuple[str, ...]:
    """What a copy does not show, for the card."""
    told = (
        "The time, random numbers and other programs of this computer are not the same later.",
        "Servers, databases, other folders and the network are no part of a copy.",
    )
    if tier == "copy":
        return (*told, "Files that Git ignores were not in the copy.")
    return told
