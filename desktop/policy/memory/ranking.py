"""The order of what a search found, with its reasons, and what time takes away. Pure (memory-ME14, memory-ME17)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from statistics import median

from desktop.domain.memory.values import Entry, Importance, MemoryHit, ScoreParts
from desktop.records import dataclass

_IMPORTANCE: dict[Importance, float] = {"high": 1.0, "medium": 0.6, "low": 0.3}
_TIERS = {1: 150, 2: 50, 3: -50}
_HALF_LIFE_DAYS = 30.0
_DAY_S = 86_400.0
FADES_AFTER = timedelta(days=90)
ARCHIVED_AFTER = timedelta(days=180)
DOUBTED_AFTER = timedelta(days=30)


@dataclass(frozen=True)
class Candidate:
    """An entry that the words led to. `text`: how well, above 0. `phrase`: it holds the query word for word."""

    entry: Entry
    text: float
    phrase: bool = False


def ranked(
    candidates: Sequence[Candidate], now: datetime, stale: Callable[[Entry], tuple[str, ...]] = lambda entry: ()
) -> list[MemoryHit]:
    """Best first; of equal ones the newer, then by id. `stale`: the files of an entry that are not as they were."""
    if not candidates:
        return []
    middle = median(one.text for one in candidates)
    hits = [_hit(one, middle, now, stale(one.entry)) for one in candidates]
    return sorted(hits, key=_order)


def by_meaning(hits: Sequence[MemoryHit], close: Mapping[str, float]) -> list[MemoryHit]:
    """The hits in their order when `close`, by entry from -1 to 1, takes the place of how well their words fit
    (memory-ME12)."""
    told = [
        hit.model_copy(
            update={"parts": hit.parts.model_copy(update={"text": round(400 * max(0.0, close[hit.entry.id]))})}
        )
        for hit in hits
    ]
    return sorted(told, key=_order)


def _order(hit: MemoryHit) -> tuple[int, float, str]:
    return -hit.parts.total, -hit.entry.updated_at.timestamp(), hit.entry.id


def _hit(one: Candidate, middle: float, now: datetime, stale: tuple[str, ...]) -> MemoryHit:
    entry = one.entry
    text = one.text / (one.text + middle) + (0.15 if one.phrase else 0.0)
    parts = ScoreParts(
        text=round(400 * text),
        recency=round(200 * _recency(entry, now)),
        importance=round(150 * _IMPORTANCE[entry.importance]),
        confidence=round(1.5 * entry.confidence),
        uses=round(100 * min(1.0, entry.uses / 10)),
        tier=_TIERS[entry.tier],
        pinned=100 if entry.tier == 1 else 0,
        stale=-200 if stale else 0,
    )
    return MemoryHit(entry=entry, parts=parts, stale=stale)


def _recency(entry: Entry, now: datetime) -> float:
    days = max(0.0, (now - entry.last_at).total_seconds() / _DAY_S)
    return float(0.5 ** (days / _HALF_LIFE_DAYS))


def keep_score(entry: Entry, now: datetime) -> float:
    """How much an entry is worth keeping; only what was recorded of it and the time count, so that asking twice gives
    the same."""
    said = min(1.0, (entry.observations - 1 + entry.uses) / 10)
    return _recency(entry, now) + _IMPORTANCE[entry.importance] + entry.confidence / 100 + said


def swept(entry: Entry, now: datetime) -> Entry:
    """The entry as time leaves it: the same, fading, or archived. Sweeping twice is sweeping once (memory-ME17)."""
    idle = now - entry.last_at
    episode = entry.category == "episode" and now - entry.created_at >= ARCHIVED_AFTER
    doubted = entry.status == "candidate" and entry.confidence < 30 and now - entry.created_at >= DOUBTED_AFTER
    if entry.status in ("archived", "quarantined") or entry.is_kept:
        return entry
    if episode or doubted or (entry.tier == 3 and idle >= ARCHIVED_AFTER):
        return entry.model_copy(update={"status": "archived"})
    if entry.tier == 2 and idle >= ARCHIVED_AFTER:
        return entry.model_copy(update={"status": "archived", "tier": 3})
    return entry.model_copy(update={"tier": 3}) if entry.tier == 2 and idle >= FADES_AFTER else entry


def surplus(entries: Iterable[Entry], most: int, now: datetime) -> list[Entry]:
    """What must go so that at most `most` are left: the lowest of tier 3, as far as they may go."""
    there = list(entries)
    fading = [one for one in there if one.tier == 3 and not one.is_kept and one.status != "quarantined"]
    fading.sort(key=lambda one: (keep_score(one, now), one.id))
    return fading[: max(0, len(there) - most)]
