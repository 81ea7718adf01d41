"""What a card is made from, and how assistive technology hears of it."""

from collections.abc import Callable

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from desktop.domain.gate.effects import EffectPreview
from desktop.domain.gate.pending import InputRequest
from desktop.domain.preview.events import CommandTried
from desktop.domain.updates import EditChecked
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.core.sink import Clock
from desktop.ui.gate.cards.drafts import CardDrafts
from desktop.ui.gate.cards.wording import chips_of, short_title
from desktop.ui.gate.input_fold import PendingItem


def announcement(request: InputRequest) -> str:
    """What a screen reader says when the card appears."""
    words = [short_title(request), *(text for text, _role in chips_of(request))]
    return tr("Waiting for you: {words}. Press F8.", words=", ".join(words))


def announce(widget: QWidget, request: InputRequest) -> None:
    """Tell assistive technology of a new card, without taking the focus."""
    event = QAccessibleAnnouncementEvent(widget, announcement(request))
    event.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
    QAccessible.updateAccessibility(event)


@dataclass(frozen=True)
class CardContext:
    """What a card is made from. `lane`: the shown chat's. `clock` is for ages, `monotonic` (seconds) for the guard.

    `edited`: a person's version of the call that was judged and can run in place of the agent's. `effect`: what a
    preview made after the asking found; `tried`: what came of trying the command in a copy.
    """

    item: PendingItem
    lane: str
    clock: Clock
    monotonic: Callable[[], float]
    drafts: CardDrafts
    edited: EditChecked | None = None
    effect: EffectPreview | None = None
    tried: CommandTried | None = None

    @property
    def request(self) -> InputRequest:
        """What the card shows: the person's version where there is one."""
        if self.edited is not None and self.edited.request is not None:
            return self.edited.request
        return self.item.request
