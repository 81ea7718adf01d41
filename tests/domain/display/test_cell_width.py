"""How many cells of a terminal a character takes."""

import pytest

from desktop.domain.display.cell_width import cell_width, narrow_runs


@pytest.mark.parametrize(
    ("char", "width"),
    [("a", 1), ("é", 1), ("\u00ad", 1), ("\u0301", 0), ("\u200b", 0), ("\u1160", 0), ("漢", 2), ("😀", 2), ("─", 1)],
)
def test_what_joins_takes_none_and_wide_ones_two(char: str, width: int) -> None:
    assert cell_width(char) == width


def test_runs_of_one_cell_each_are_told_apart_from_the_rest() -> None:
    assert list(narrow_runs("漢ab e\u0301😀")) == [
        ("漢", False), ("ab e", True), ("\u0301", False), ("😀", False),
    ]  # fmt: skip
    assert list(narrow_runs("")) == []
    assert all(cell_width(char) == 1 for run, narrow in narrow_runs("x─é…→漢") if narrow for char in run)
