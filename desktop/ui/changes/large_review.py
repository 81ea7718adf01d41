"""LargeReview: lays the diff over the whole centre of the window, and gives it back."""

from PySide6.QtWidgets import QWidget

from desktop.language import tr
from desktop.ui.changes.review_actions import ReviewActions
from desktop.ui.widgets.layouts.cover import Cover


class LargeReview(Cover):
    """Covers `region` while it holds the diff of a review, which takes it back when this is left."""

    def __init__(self, region: QWidget, review: ReviewActions) -> None:
        super().__init__(region, "changes_large_page", tr("Changes, large"))
        review.large_asked.connect(self.take)
        review.large_ended.connect(self.leave)
        self.left.connect(review.take_back)
