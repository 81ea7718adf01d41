"""What a mention brought to a message, in the language of the window."""

from desktop.language import tr
from desktop.ui.text.figures import figure_words

_BRANCH = "branch "
_WORDS = {
    "a digest of that chat": tr("a digest of that chat"),
    "it cannot be read": tr("it cannot be read"),
    "its content is gone": tr("its content is gone"),
    "its picture cannot be read": tr("its picture cannot be read"),
    "named only: it is no text": tr("named only: it is no text"),
    "named only: it may not be read": tr("named only: it may not be read"),
    "named only: reading it asks": tr("named only: reading it asks"),
    "named only: this chat begins no sub-agents": tr("named only: this chat begins no sub-agents"),
    "named only: too long": tr("named only: too long"),
    "no branch": tr("no branch"),
    "the picture": tr("the picture"),
    "the sub-agent": tr("the sub-agent"),
}


def mention_words(words: str) -> str:
    """The recorded words about a mention; what they name stays as it is."""
    if words.startswith(_BRANCH):
        return tr("branch {branch}", branch=words.removeprefix(_BRANCH))
    return _WORDS.get(words) or figure_words(words)
