"""The page of promises that is shipped, as the program reads it."""

from pathlib import Path

import pytest

from desktop.config.promises import Promise, promises
from tests.promises import ROOT, read


def test_the_shipped_page_holds_every_promise_with_the_number_of_its_tests() -> None:
    told = read(ROOT)
    assert promises() == tuple(
        Promise(promise, title, sentence, len(told.proofs[promise]))
        for title, sentences in told.areas.items()
        for promise, sentence in sentences.items()
    )


def test_a_page_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        promises(tmp_path / "promises.md")
