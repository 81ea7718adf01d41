"""ChildrenBelow: the rows of those sub-agents that a person opened in the transcript of their chat."""

from collections.abc import Callable

from desktop.domain.events import Envelope
from desktop.domain.updates import SessionOpened
from desktop.records import dataclass
from desktop.ui.chats.folds.fold import TranscriptFold
from desktop.ui.chats.folds.row_store import RowStore
from desktop.ui.core.hearing import Hearing

MOST_ROWS = 200


@dataclass
class _Below:
    """A sub-agent that is followed. `fold` None: its events are not here yet; `seq`: of the newest of them."""

    fold: TranscriptFold | None = None
    seq: int = -1
    whole: bool = True


class ChildrenBelow:
    """`fold`: that of the chat on screen. Of each sub-agent the newest 200 rows (memory-SU12)."""

    def __init__(self, fold: Callable[[], TranscriptFold]) -> None:
        self._fold = fold
        self._followed: dict[str, _Below] = {}
        self._changed: set[str] = set()
        self.hearing = Hearing().on(SessionOpened, self._on_opened).on(Envelope, self._on_envelope).then(self._show)

    def clear(self) -> None:
        """Another chat is shown."""
        self._followed.clear()
        self._changed.clear()

    def follow(self, child_id: str) -> bool:
        """Show the rows of this sub-agent from now on; False if they are."""
        if child_id in self._followed:
            return False
        self._followed[child_id] = _Below()
        return True

    def _on_opened(self, update: SessionOpened) -> None:
        below = self._followed.get(update.session_id)
        if below is None or not update.first:
            return
        below.fold, below.whole = TranscriptFold(RowStore()), update.complete
        for envelope in update.envelopes:
            below.fold.apply(envelope)
        below.seq = update.envelopes[-1].seq if update.envelopes else -1
        self._changed.add(update.session_id)

    def _on_envelope(self, envelope: Envelope) -> None:
        below = self._followed.get(envelope.session_id)
        if below is None or below.fold is None or envelope.seq <= below.seq:
            return
        below.seq = envelope.seq
        below.fold.apply(envelope)
        self._changed.add(envelope.session_id)

    def _show(self) -> None:
        changed, self._changed = self._changed, set()
        for child_id in changed:
            below = self._followed[child_id]
            rows = below.fold.store.rows if below.fold is not None else []
            earlier = not below.whole or len(rows) > MOST_ROWS
            self._fold().calls.show_below(child_id, tuple(rows[-MOST_ROWS:]), earlier=earlier)
