"""When two texts say the same, and what becomes of the entry that is there. Pure (memory-ME7, memory-ME8)."""

import hashlib
import re
import unicodedata

from desktop.domain.memory.values import IMPORTANCES, MOST_CHARS, MOST_CHATS, Entry

NEAR = 0.85
PROMOTED_AT = 70
_STATUSES = ("candidate", "promoted")
_WORD = re.compile(r"\w+")


def normal(text: str) -> str:
    """The text by which equal ones are known: NFKC, case folded, blanks joined, without a final full stop."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(folded.split()).removesuffix(".")


def normal_sha256(text: str) -> str:
    """64 hex digits over the normal form."""
    return hashlib.sha256(normal(text).encode("utf-8", "surrogatepass")).hexdigest()


def words_of(text: str) -> frozenset[str]:
    """The set of its words."""
    return frozenset(_WORD.findall(normal(text)))


def is_near(words: frozenset[str], others: frozenset[str]) -> bool:
    """Whether the sets share at least 85 % of what both hold."""
    both = len(words | others)
    return both > 0 and len(words & others) / both >= NEAR


def said_again(there: Entry, again: Entry) -> Entry | None:
    """The entry once more observed, None when the newer must be its own entry. A pinned one and one that a person wrote
    keep their text; what would be different is proposed. A procedure that waits for a person still does."""
    text = _joined(there.content, again.content)
    if text is None:
        return None
    keeps = there.tier == 1 or there.source.by == "person"
    confidence = min(100, max(there.confidence + 5, again.confidence))
    chats = tuple(dict.fromkeys((*there.chats, *again.chats)))[:MOST_CHATS]
    best = there if there.category == "procedure" and there.status == "candidate" else again
    merged = there.model_copy(
        update={
            "content": there.content if keeps else text,
            "proposal": text if keeps and normal(text) != normal(there.content) else there.proposal,
            "observations": there.observations + 1,
            "confidence": confidence,
            "chats": chats,
            "importance": max(there.importance, again.importance, key=IMPORTANCES.index),
            "status": max(there.status, best.status, key=_STATUSES.index),
            "tier": min(there.tier, best.tier),
            "files": again.files or there.files,
            "version": there.version + 1,
            "updated_at": again.updated_at,
        }
    )
    return promoted(merged)


def _joined(old: str, new: str) -> str | None:
    """The text of both, None if they do not fit into one entry (memory-ME7)."""
    if normal(new) in normal(old):
        return old
    if normal(old) in normal(new):
        return new
    both = f"{old}\n{new}"
    return both if len(both) <= MOST_CHARS else None


def promoted(entry: Entry) -> Entry:
    """The entry, promoted if it was said often enough, in two chats at least (memory-ME8)."""
    enough = entry.confidence >= PROMOTED_AT and len(entry.chats) > 1 and entry.category != "procedure"
    if entry.status != "candidate" or not enough:
        return entry
    return entry.model_copy(update={"status": "promoted", "tier": min(entry.tier, 2)})
