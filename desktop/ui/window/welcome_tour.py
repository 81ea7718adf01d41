"""TourStep: what stands last on the first page: a tour in this window, with a sample and a scripted model."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.language import tr
from desktop.ui.settings.listing.row_list import button_row
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.window.welcome_parts import WelcomeStep

TOUR_TASK = tr("The cart total is wrong with a discount code. Find the bug, fix it and show that the tests pass.")
_WORDS = tr(
    "A scripted model mends a bug of a small sample repository, in this window. It needs no key, and nothing leaves "
    "this computer; your own repository is opened afterwards as any other."
)


class TourStep(WelcomeStep):
    """`asked`: the person wants to take it."""

    asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(0, tr("Or take the tour first"), parent)
        self.sentence.setText(_WORDS)
        self.start = push_button(tr("Start the tour"), "welcome_tour", self)
        self.start.clicked.connect(self.asked)
        self.body.addLayout(button_row(self.start))
