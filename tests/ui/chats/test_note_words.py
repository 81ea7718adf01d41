"""What people read of the notes that the app writes for the model."""

import pytest

from desktop.ui.chats.folds.note_words import note_words


def framed(kind, text):
    return f'<banksman-note kind="{kind}">{text}</banksman-note>'


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("stopped", "The user stopped this turn. Do not go on with its task unless asked.",
         "You stopped the agent here."),
        ("stream_cut", "The connection broke while you were answering. Continue exactly where you stopped; do not "
         "repeat.", "The connection broke. The agent was asked to go on where it stopped."),
        ("continued", "The user asks you to go on where you stopped.",
         "You asked the agent to go on where it stopped."),
        ("restarted", "Banksman closed while the last turn was running. The user goes on with a new message.",
         "Banksman closed while the last turn was running."),
        ("review", "The user took back your change to a.py. Read before you change it again.\n"
         "The user looked back on your calls and says: too much", "You took back the change to a.py. "
         "You looked back on calls: too much"),
        ("reverted", "The user put files back to an earlier state: a.py. Read them before you rely on them.",
         "You put files back to an earlier state: a.py."),
        ("reverted", "The person reverted: 2 lines of a.py.", "You reverted: 2 lines of a.py."),
        ("reverted", "The user took back: Edit a.py; git mv a b and 3 more. These files changed: a.py. Read them "
         "before you rely on them.", "You took back: Edit a.py; git mv a b and 3 more. These files changed: a.py."),
        ("reverted", "The user took back: Edit a.py.", "You took back: Edit a.py."),
        ("mode_changed", "The user switched to Plan mode.", "You switched to Plan mode."),
        ("setup", "Setup ended with 1; log: blob:abc.", "Setup ended with 1."),
        ("todos", "Your todo list still has open items:\n- a\nGo on with them.",
         "The agent was reminded of its open todos."),
        ("skills_changed", "These skills can be loaded now:\n- notes: How",
         "Skills have changed. The agent was told which of them it can load now."),
        ("later_kind", "a &lt;b> c", "a <b> c"),
    ],
)  # fmt: skip
def test_a_note_says_what_happened_and_not_what_the_model_is_to_do(kind, text, words):
    assert note_words(kind, framed(kind, text)) == words
