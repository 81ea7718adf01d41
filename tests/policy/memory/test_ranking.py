"""The order of what was found, and what time takes away."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.memory.values import Entry, Source
from desktop.policy.memory.ranking import Candidate, by_meaning, keep_score, ranked, surplus, swept

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def entry(name: str = "mem_1", days: float = 0, **changes: object) -> Entry:
    at = NOW - timedelta(days=days)
    values = {"status": "promoted", "tier": 2, **changes}
    return Entry(id=name, content=name, created_at=at, updated_at=at).model_copy(update=values)


@pytest.mark.promise("memory-ME14")
def test_each_hit_carries_what_its_score_is_made_of() -> None:
    pinned = entry("mem_2", 30, tier=1, importance="high", confidence=100, uses=20)
    stale = entry("mem_3", used_at=NOW)
    hits = ranked([Candidate(entry(), 3.0, phrase=True), Candidate(pinned, 1.0), Candidate(stale, 3.0)], NOW,
                  lambda one: ("a.py",) if one.id == "mem_3" else ())  # fmt: skip
    assert [hit.entry.id for hit in hits] == ["mem_2", "mem_1", "mem_3"]
    first, second, third = (hit.parts for hit in hits)
    assert first.model_dump() == {
        "text": 100, "recency": 100, "importance": 150, "confidence": 150, "uses": 100, "tier": 150, "pinned": 100,
        "stale": 0,
    }  # fmt: skip
    assert (second.text, second.recency, second.total) == (260, 200, 260 + 200 + 90 + 90 + 50)
    assert (third.stale, hits[2].stale) == (-200, ("a.py",))
    assert ranked([], NOW) == []


@pytest.mark.promise("memory-ME12")
def test_how_close_in_meaning_takes_the_place_of_the_words_and_of_nothing_else() -> None:
    hits = ranked([Candidate(entry("mem_1"), 9.0), Candidate(entry("mem_2"), 1.0), Candidate(entry("mem_3"), 1.0)], NOW)
    told = by_meaning(hits, {"mem_1": -0.5, "mem_2": 0.25, "mem_3": 1.0})
    assert [(hit.entry.id, hit.parts.text) for hit in told] == [("mem_3", 400), ("mem_2", 100), ("mem_1", 0)]
    assert {hit.parts.total - hit.parts.text for hit in told} == {hit.parts.total - hit.parts.text for hit in hits}


def test_of_equal_ones_the_newer_comes_first_then_the_id_decides() -> None:
    same = [Candidate(entry(name, days), 1.0) for name, days in (("mem_b", 0), ("mem_a", 0), ("mem_c", 0.001))]
    assert [hit.entry.id for hit in ranked(same, NOW)] == ["mem_a", "mem_b", "mem_c"]


@pytest.mark.promise("memory-ME17")
@pytest.mark.parametrize(
    ("one", "status", "tier"),
    [
        (entry(days=89), "promoted", 2), (entry(days=90), "promoted", 3), (entry(days=180), "archived", 3),
        (entry(days=181, tier=3), "archived", 3), (entry(days=179, tier=3), "promoted", 3),
        (entry(days=300, used_at=NOW), "promoted", 2), (entry(days=900, tier=1), "promoted", 1),
        (entry(days=900, source=Source(by="person")), "promoted", 2),
        (entry(days=900, category="preference", importance="high"), "promoted", 2),
        (entry(days=900, category="convention", importance="medium"), "archived", 3),
        (entry(days=31, status="candidate", tier=3, confidence=20), "archived", 3),
        (entry(days=29, status="candidate", tier=3, confidence=20), "candidate", 3),
        (entry(days=180, category="episode", tier=3, used_at=NOW), "archived", 3),
        (entry(days=900, status="quarantined"), "quarantined", 2), (entry(days=900, status="archived"), "archived", 2),
    ],
)  # fmt: skip
def test_what_nobody_uses_fades_and_is_archived(one: Entry, status: str, tier: int) -> None:
    after = swept(one, NOW)
    assert (after.status, after.tier) == (status, tier)


ENTRIES = st.builds(
    entry, days=st.floats(0, 400), tier=st.sampled_from([1, 2, 3]), confidence=st.integers(0, 100),
    status=st.sampled_from(["candidate", "promoted", "quarantined", "archived"]),
    category=st.sampled_from(["fact", "episode", "preference"]), importance=st.sampled_from(["low", "high"]),
)  # fmt: skip


@given(ENTRIES)
def test_sweeping_twice_is_sweeping_once(one: Entry) -> None:
    assert swept(swept(one, NOW), NOW) == swept(one, NOW)


def test_the_lowest_of_what_fades_goes_where_there_is_too_much() -> None:
    low, high = entry("mem_1", tier=3, importance="low"), entry("mem_2", tier=3, importance="high")
    there = [entry("mem_3"), high, low, entry("mem_4", tier=3, status="quarantined")]
    assert surplus(there, 4, NOW) == []
    assert surplus(there, 3, NOW) == [low]
    assert surplus(there, 1, NOW) == [low, high]
    assert keep_score(high, NOW) > keep_score(low, NOW)
