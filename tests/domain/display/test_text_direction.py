"""Where a text begins: by its first letter."""

import pytest

from desktop.domain.display.direction import first_direction, has_right_to_left


@pytest.mark.parametrize(
    ("text", "first", "has"),
    [
        ("", "", False), ("12 - 3.", "", False), ("abc שלום", "L", True), ("3. שלום abc", "R", True),
        ("«مرحبا» x", "R", True), ("中文", "L", False), ("١٢", "", False), ("🎉 Привет", "L", False),
    ],
)  # fmt: skip
def test_the_first_letter_says_where_a_text_begins(text, first, has):
    assert first_direction(text) == first
    assert has_right_to_left(text) is has
