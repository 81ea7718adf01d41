"""The cards of the board: every chat by what it needs, with its lane, its state and its figures."""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from PySide6.QtCore import QObject

from desktop.domain.chats.updates import ContextMeterChanged
from desktop.domain.core.work import SessionSummary
from desktop.domain.display.text import display_text, prose_text
from desktop.domain.lanes.lane import LaneStatus
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.chats.book import ChatBook
from desktop.ui.core.chat_state import SHAPES, ChatState, chat_state, oldest_wait, state_sentence, waiting_words
from desktop.ui.models.keyed_rows import KeyedRows
from desktop.ui.text.format import age, changed_lines, count, money

Column = Literal["waiting", "working", "review", "idle"]
COLUMNS: tuple[tuple[Column, str, str], ...] = (
    ("waiting", tr("Waiting for you"), tr("Nothing waits for you.")),
    ("working", tr("Working"), tr("No agent works now.")),
    ("review", tr("To review"), tr("Nothing is done that you have not seen.")),
    ("idle", tr("Idle"), tr("No other chats.")),
)
_OF_STATE: dict[ChatState, Column] = {
    ChatState.APPROVAL: "waiting",
    ChatState.QUESTION: "waiting",
    ChatState.INTERRUPTED: "waiting",
    ChatState.FAILED: "waiting",
    ChatState.RUNNING: "working",
    ChatState.UNSEEN: "review",
    ChatState.IDLE: "idle",
}


@dataclass(frozen=True)
class BoardCard:
    """One chat. All texts may be shown. `words`: its state; `figures`: model, what its lane changes, what it cost."""

    key: str
    column: Column
    state: ChatState
    title: str
    words: str
    lane: str
    figures: str

    @property
    def sentence(self) -> str:
        """What a screen reader says of it."""
        return ", ".join(part for part in (self.title, self.words, self.lane, self.figures) if part)

    @property
    def icon(self) -> str:
        """The shape of its state."""
        return SHAPES[self.state].icon or "message-square"

    @property
    def token(self) -> str:
        """The colour of that shape."""
        return SHAPES[self.state].token


class BoardCards:
    """Makes the cards of a book's chats. One is made anew when its chat changed, or once a minute for its age."""

    def __init__(self, book: ChatBook) -> None:
        self._book = book
        self._made: dict[str, tuple[tuple[object, ...], BoardCard]] = {}

    def of(self, seen: Mapping[str, datetime], now: datetime, query: str = "") -> list[BoardCard]:
        """The chats that are not archived, the newest first; `query`: those alone whose title, lane or figures have
        it."""
        open_chats = [one for one in self._book.chats if not one.archived]
        cards = [
            self._card(chat, seen.get(chat.session_id), now)
            for chat in sorted(open_chats, key=lambda one: one.last_activity_at, reverse=True)
        ]
        wanted = query.casefold().strip()
        return [card for card in cards if wanted in card.sentence.casefold()] if wanted else cards

    def _card(self, chat: SessionSummary, seen_at: datetime | None, now: datetime) -> BoardCard:
        meter, status = self._book.meter(chat.session_id), self._book.lane_book.status(chat.lane_id)
        made_of = chat, seen_at, meter, status, now.replace(second=0, microsecond=0)
        known = self._made.get(chat.session_id)
        if known is None or known[0] != made_of:
            known = self._made[chat.session_id] = made_of, _card(chat, seen_at, now, meter, status)
        return known[1]


def _card(
    chat: SessionSummary,
    seen_at: datetime | None,
    now: datetime,
    meter: ContextMeterChanged | None,
    status: LaneStatus | None,
) -> BoardCard:
    state = chat_state(chat, seen_at)
    waiting = oldest_wait(chat)
    words = waiting_words(waiting) if waiting is not None else state_sentence(chat, state, now)
    when = age(waiting.since if waiting is not None else chat.last_activity_at, now)
    cost = money(meter.cost_microusd) if meter is not None and meter.cost_microusd else ""
    return BoardCard(
        key=f"session:{chat.session_id}",
        column=_OF_STATE[state],
        state=state,
        title=prose_text(chat.title) or tr("New chat"),
        words=words if state is ChatState.INTERRUPTED else f"{words} · {when}",
        lane=display_text(chat.lane_name or chat.branch),
        figures=" · ".join(part for part in (display_text(chat.model), _changed(status), cost) if part),
    )


def _changed(status: LaneStatus | None) -> str:
    if status is None or status.problem or not status.changed_files:
        return ""
    return f"{count(status.changed_files, 'file')} {changed_lines(status.added, status.removed)}".strip()


class BoardModel(KeyedRows[BoardCard]):
    """The cards of one column."""

    def __init__(self, column: Column, parent: QObject) -> None:
        super().__init__(parent)
        self.column = column

    def text_of(self, row: BoardCard, column: int) -> str:
        """Its title."""
        return row.title

    def sentence_of(self, row: BoardCard) -> str:
        """The row, read out."""
        return row.sentence

    def tip_of(self, row: BoardCard) -> str:
        """The same sentence."""
        return row.sentence
