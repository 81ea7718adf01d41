"""How figures read."""

from datetime import UTC, datetime, timedelta

import pytest

from desktop.language import number
from desktop.ui.text.format import (
    age,
    changed_lines,
    count,
    duration,
    interrupted_since,
    local_date,
    money,
    size,
    tokens,
    waiting_since,
)

NOW = datetime(2026, 11, 18, 15, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("ms", "text"),
    [(0, "0 ms"), (21, "21 ms"), (3_100, "3.1 s"), (6_000, "6.0 s"), (12_000, "12 s"), (59_960, "1 min"),
     (134_000, "2 min 14 s"), (3_900_000, "1 h 05 min"), (-5, "0 ms")],
)  # fmt: skip
def test_a_duration_reads_with_its_unit(ms: int, text: str) -> None:
    assert duration(ms) == text


@pytest.mark.parametrize(
    ("passed", "text"),
    [(timedelta(seconds=59), "just now"), (timedelta(minutes=2), "2 min"), (timedelta(hours=3), "3 h"),
     (timedelta(days=1), "yesterday"), (timedelta(days=3), "Sun"), (timedelta(days=40), "9 Oct 2026"),
     (timedelta(hours=-2), "just now")],
)  # fmt: skip
def test_an_age_reads_in_words_and_is_never_negative(passed: timedelta, text: str) -> None:
    assert age(NOW - passed, NOW) == text


@pytest.mark.parametrize(
    ("passed", "cut", "waits"),
    [(timedelta(seconds=3), "Interrupted just now", "Asked just now"),
     (timedelta(hours=3), "Interrupted 3 h ago", "Waiting for 3 h"),
     (timedelta(days=1), "Interrupted yesterday", "Waiting since yesterday"),
     (timedelta(days=40), f"Interrupted on {local_date(NOW - timedelta(days=40))}",
      f"Waiting since {local_date(NOW - timedelta(days=40))}")],
)  # fmt: skip
def test_what_was_cut_off_does_not_wait_any_more(passed: timedelta, cut: str, waits: str) -> None:
    assert interrupted_since(NOW - passed, NOW) == cut
    assert waiting_since(NOW - passed, NOW) == waits


@pytest.mark.parametrize(
    ("n", "text"), [(999, "999"), (1_200, "1.2k"), (18_200, "18.2k"), (142_000, "142k"), (1_250_000, "1.25M")]
)
def test_tokens_are_short(n: int, text: str) -> None:
    assert tokens(n) == text


@pytest.mark.parametrize(
    ("micro", "text"), [(None, "cost unknown"), (4_200, "$0.0042"), (210_000, "$0.21"), (0, "$0.00")]
)
def test_money_below_a_cent_has_four_decimals_and_unknown_is_said(micro: int | None, text: str) -> None:
    assert money(micro) == text


def test_sizes_use_base_one_thousand() -> None:
    assert [size(812), size(1_200), size(40_000_000)] == ["812 B", "1.2 KB", "40 MB"]


def test_plurals_and_signs() -> None:
    assert count(1, "file") == "1 file"
    assert count(1_204, "line") == "1,204 lines"
    assert changed_lines(6, 2) == "+6 −2"
    assert changed_lines(0, 0) == ""
    assert number(-3) == "−3"
