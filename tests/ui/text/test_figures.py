"""The figures of calls: what is known is told in the language, the rest stays as the tool wrote it."""

from pathlib import Path

import pytest

from desktop.language import ENGLISH, GERMAN, wear
from desktop.ui.text.figures import figure_words

LANGUAGES = Path(__file__).resolve().parents[3] / "resources" / "languages"


@pytest.mark.parametrize(
    ("summary", "german"),
    [
        ("exit 0 · 251 ms", "Exit 0 · 251 ms"),
        ("1,204 lines", "1.204 Zeilen"),
        ("3 matches", "3 Treffer"),
        ("12 apples · v1.2", "12 apples · v1.2"),
    ],
)
def test_a_figure_is_told_in_the_language_that_is_worn(summary: str, german: str) -> None:
    assert figure_words(summary) == summary
    wear(GERMAN, LANGUAGES)
    try:
        assert figure_words(summary) == german
    finally:
        wear(ENGLISH, LANGUAGES)


def test_a_proof_that_was_attached_is_not_told_by_its_id() -> None:
    assert figure_words("pf_f3a613221d5c") == "attached"
    assert figure_words("stored as secret:sec_f3a613221d5c") == "stored"
    assert figure_words("pf_apples") == "pf_apples"


def test_what_a_try_changed_is_counted_in_words() -> None:
    assert figure_words("3 changed · 1 new · 2 empty folders · 1,200 more") == (
        "3 changed · 1 new · 2 empty folders · 1,200 more"
    )
    assert figure_words("no file differs") == "no file differs"
