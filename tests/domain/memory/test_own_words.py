"""The words that a project adds to those that say what a prompt asks of the memory."""

import pytest
from pydantic import ValidationError

from desktop.domain.memory.values import MOST_OWN_WORDS, OwnWords


@pytest.mark.promise("memory-ME18")
def test_a_project_has_at_most_fifty_words_of_its_own() -> None:
    letters = [f"{first}{second}" for first in "abcdefgh" for second in "abcdefgh"]
    full = OwnWords(project="/p", changes=(*letters[:40], "", " ab "), asks=tuple(letters[40:MOST_OWN_WORDS]))
    assert (len(full.changes), len(full.asks)) == (40, 10)
    with pytest.raises(ValidationError, match="at most 50 words"):
        OwnWords(project="/p", changes=tuple(letters[:40]), asks=tuple(letters[40 : MOST_OWN_WORDS + 1]))


@pytest.mark.parametrize("word", ["two words", "fix2", "a-b", "x" * 41, "."])
def test_a_word_is_one_word_of_letters(word: str) -> None:
    with pytest.raises(ValidationError, match="no single word of letters"):
        OwnWords(project="/p", asks=(word,))
