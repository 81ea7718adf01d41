"""What a chat's state is called."""

import pytest

from desktop.ui.core.chat_state import failed_words, waiting_words
from tests.ui.shell_samples import make_chat, waits


@pytest.mark.parametrize(
    ("reason", "words"),
    [("", ""), ("auth", "the key was refused"), ("network", "no connection"), ("a\u202eb", "a\u27e6U+202E\u27e7b")],
)
def test_a_failure_is_told_in_words_and_unknown_ones_as_they_are(reason, words):
    assert failed_words(make_chat(1, "x", failed=reason)) == words


def test_a_command_that_waits_keeps_its_letters_and_a_title_of_ours_goes_on_small():
    command = waits(title="PYTHONPATH=src pytest").model_copy(update={"verbatim": True})
    assert waiting_words(command) == "Approve: PYTHONPATH=src pytest"
    assert waiting_words(waits(title="Run SQL on staging")) == "Approve: run SQL on staging"
