"""Updates about the handover: passing state, never stored."""

from desktop.domain.core.update import Answer
from desktop.domain.handover.recap import Recap
from desktop.domain.handover.values import Handover


class HandoverLoaded(Answer):
    """The page as people may see it: secrets are removed. `markdown`: the same as a text. `session_id`: the chat that
    it is about, "" for the repository."""

    page: Handover
    markdown: str
    session_id: str = ""


class RecapLoaded(Answer):
    """What happened in the time that was asked for; secrets are removed."""

    recap: Recap


class HandoverSaved(Answer):
    """The page is in this file."""

    path: str
