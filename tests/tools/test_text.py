"""Cutting, counts and escapes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.tools.text import clip, count_words, duration_words, language_of, one_line, size_words, strip_escapes


def test_a_text_that_fits_is_untouched() -> None:
    assert clip("x" * 30_000) == "x" * 30_000


@pytest.mark.promise("tools-T30")
def test_a_cut_text_keeps_both_ends_and_says_what_is_missing() -> None:
    text = "".join(f"line {n}\n" for n in range(100_000))
    cut = clip(text, whole="whole text: blob:3fa9c1d2e4b5")
    assert len(cut) <= 30_000
    assert cut.startswith("line 0\nline 1\n")
    assert cut.endswith("line 99998\nline 99999\n")
    (mark,) = [line for line in cut.splitlines() if line.startswith("[…")]
    left_out = len(text) - (len(cut) - len(mark) - 1)
    assert mark.startswith(f"[… {left_out:,} characters, ")
    assert mark.endswith(" lines left out; whole text: blob:3fa9c1d2e4b5 …]")


@pytest.mark.promise("tools-T30")
@given(st.text(max_size=2_000), st.integers(400, 1_000))
def test_no_cut_is_longer_than_its_limit(text: str, limit: int) -> None:
    assert len(clip(text, limit)) <= max(limit, 0)


@pytest.mark.promise("tools-T33")
@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;https://x\x1b\\link\x1b]8;;\x07", "link"),
        ("10%\r50%\r100%\n", "100%\n"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("\x1b(Bplain\x1b=", "plain"),
        ("end\r", "end"),
    ],
)
def test_escapes_and_redraws_are_removed(raw: str, plain: str) -> None:
    assert strip_escapes(raw) == plain


def test_words_for_counts_sizes_and_times() -> None:
    assert [size_words(n) for n in (1, 84, 3482, 84 * 1024, 2_202_010)] == [
        "1 byte", "84 bytes", "3.4 KB", "84 KB", "2.1 MB",
    ]  # fmt: skip
    assert [duration_words(s) for s in (0.44, 12.2, 180, 9000)] == ["0.4 s", "12 s", "3 min", "2.5 h"]
    assert count_words(1, "entry", "entries") == "1 entry"
    assert count_words(1200, "entry", "entries") == "1,200 entries"
    assert one_line("\n  first \nsecond") == "first"
    assert len(one_line("x" * 500)) == 120
    assert (language_of("a.py"), language_of("x.unknown")) == ("python", "text")
