"""Updates about results that are compared: passing state, never stored."""

from desktop.domain.compared.values import Comparison
from desktop.domain.core.update import Answer


class ComparisonsLoaded(Answer):
    """The newest first."""

    comparisons: tuple[Comparison, ...]


class ResultKept(Answer):
    """A result was kept, or what was archived with that is back (`session_id` ""). `text`: what came of it."""

    comparison_id: str
    session_id: str
    text: str
