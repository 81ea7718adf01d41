"""SetupStrip: over a chat whose lane is being made ready, was not made ready, or waits to be reviewed (lanes-L20)."""

from PySide6.QtWidgets import QWidget

from desktop.language import tr
from desktop.ui.chats.book import ChatFacts
from desktop.ui.chats.strips import ChatStrip
from desktop.ui.widgets.buttons.icon_button import IconButton

_SAYS = {
    "pending": (tr("The setup of this lane waits for its turn."), "accent"),
    "running": (tr("The setup of this lane is running."), "accent"),
    "failed": (tr("The setup of this lane failed. The chat can be used."), "warning"),
    "needs_trust": (
        tr("This repository's lane file was not reviewed as it is now, so nothing of it was run."),
        "warning",
    ),
}


class SetupStrip(ChatStrip):
    """How the setup of the lane stands; one that failed can be put away."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("setup_strip", parent, role="warning")
        self._facts: ChatFacts | None = None
        self._dismissed: set[tuple[str, str]] = set()
        self._show = self.add_button(tr("Show log"), "setup_strip_show")
        self._show.clicked.connect(lambda: self._ask("setup"))
        self._stop = self.add_button(tr("Stop"), "setup_strip_stop")
        self._stop.clicked.connect(lambda: self._ask("stop_setup"))
        self._review = self.add_button(tr("Review file…"), "setup_strip_review")
        self._review.clicked.connect(lambda: self._ask("review_lane_file"))
        self._close = IconButton("x", tr("Hide this"), self)
        self._close.setObjectName("setup_strip_close")
        self._close.clicked.connect(self._dismiss)
        self.add(self._close)

    def show_facts(self, facts: ChatFacts | None) -> None:
        """The chat on screen, None for none."""
        self._facts = facts
        state = facts.setup if facts is not None and not facts.archived else "none"
        text, role = _SAYS.get(state, ("", "warning"))
        hidden = facts is not None and (facts.lane_id, state) in self._dismissed
        if state not in ("failed", "needs_trust"):
            self._dismissed = {one for one in self._dismissed if facts is None or one[0] != facts.lane_id}
        under_way = state in ("pending", "running")
        self._show.setVisible(state != "needs_trust")
        self._stop.setVisible(under_way)
        self._review.setVisible(state == "needs_trust")
        self._close.setVisible(not under_way)
        self.say("" if hidden else text, role)

    def _ask(self, action: str) -> None:
        if self._facts is not None:
            self.asked.emit(action, self._facts.lane_id)

    def _dismiss(self) -> None:
        if self._facts is not None:
            self._dismissed.add((self._facts.lane_id, self._facts.setup))
            self.show_facts(self._facts)
