"""Updates about the undo ledger: passing state, never stored."""

from desktop.domain.core.update import Answer
from desktop.domain.ledger.effects import Effect


class LedgerLoaded(Answer):
    """The newest effects of a chat, newest first. `more`: how many older ones there are."""

    session_id: str
    effects: tuple[Effect, ...] = ()
    more: int = 0
