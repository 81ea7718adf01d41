"""How the review of changes reaches the rest of the window: its centre, its notes, what lanes offer."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from desktop.domain.display.text import prose_text
from desktop.language import tr
from desktop.ui.changes.large_review import LargeReview
from desktop.ui.changes.review_actions import ReviewActions
from desktop.ui.widgets.toast import ToastArea

UNDO_MS = 10_000


def connect_review(
    review: ReviewActions, centre: QWidget, toasts: ToastArea, act_on_lane: Callable[[str, str], object]
) -> None:
    """Lay a large diff over the centre, say what came of things in toasts, where a revert can be undone for ten
    seconds; `act_on_lane` (action, lane id) carries out an entry of the lane's menu."""

    def note(text: str, error: bool) -> None:
        toasts.show_toast(prose_text(text, multiline=True), error=error)

    def offer(text: str, undo: Callable[[], None]) -> None:
        toasts.show_toast(prose_text(text, multiline=True), shown_ms=UNDO_MS).add_action(tr("Undo"), undo)

    LargeReview(centre, review)
    review.noted.connect(note)
    review.undo_offered.connect(offer)
    review.lane_asked.connect(act_on_lane)
