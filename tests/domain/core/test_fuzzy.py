import pytest

from desktop.domain.core.fuzzy import best_weight


@pytest.mark.parametrize(
    ("wanted", "text", "weight"),
    [
        ("a", "a", 12),
        ("a", "ba", 0),
        ("a", "b-a", 8),
        ("ab", "ab", 17),
        ("ab", "a-b", 20),
        ("ab", "xab", 5),
        ("ab", "xa-ab", 13),
        ("ba", "ab", None),
        ("ab", "ab-a", 17),
        ("c", "ab", None),
        ("ab", "", None),
    ],
)
def test_starts_of_words_and_letters_in_a_row_weigh_more(wanted: str, text: str, weight: int | None) -> None:
    assert best_weight(wanted, text) == weight
