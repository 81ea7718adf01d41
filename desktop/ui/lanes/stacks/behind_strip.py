"""BehindStrip: over a chat whose lane lacks commits of its base: updating it, or not hearing of it for a while."""

from functools import partial

from PySide6.QtWidgets import QMenu, QWidget

from desktop.language import tr
from desktop.ui.chats.book import ChatFacts
from desktop.ui.chats.strips import ChatStrip
from desktop.ui.lanes.stacks.behind_notes import BehindNotes
from desktop.ui.text.format import count

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


class BehindStrip(ChatStrip):
    """How far the lane is behind its base. What a person puts off is kept in `notes`."""

    def __init__(self, notes: BehindNotes, parent: QWidget) -> None:
        super().__init__("behind_strip", parent, role="accent", icon="arrow-down")
        self._facts: ChatFacts | None = None
        self._notes = notes
        self._update = self.add_button(tr("Update…"), "behind_strip_update")
        self._update.setToolTip(tr("Shows the commits that would come, and puts the lane on top of them."))
        self._update.clicked.connect(self._on_update)
        later = self.add_button(tr("Later"), "behind_strip_later")
        menu = QMenu(later)
        menu.setObjectName("behind_strip_menu")
        for label, name, seconds in (
            (tr("In 5 minutes"), "behind_strip_minutes", 5 * _MINUTE),
            (tr("In an hour"), "behind_strip_hour", _HOUR),
            (tr("Tomorrow"), "behind_strip_day", _DAY),
            (tr("In 7 days"), "behind_strip_week", 7 * _DAY),
        ):
            action = menu.addAction(label)
            action.setObjectName(name)
            action.triggered.connect(partial(self._on_later, seconds))
        dismiss = menu.addAction(tr("When the base moves again"))
        dismiss.setObjectName("behind_strip_dismiss")
        dismiss.triggered.connect(self._on_dismiss)
        later.setMenu(menu)

    def show_facts(self, facts: ChatFacts | None) -> None:
        """The chat on screen, None for none."""
        self._facts = facts
        self.say(self._words(facts), "accent")

    def _words(self, facts: ChatFacts | None) -> str:
        if facts is None or not facts.behind or facts.lane_state != "active":
            return ""
        other = facts.primary or facts.archived or facts.imported or facts.operation or facts.finding is not None
        if other or self._notes.is_hidden(facts.lane_id, facts.base_oid):
            return ""
        return tr(
            "This lane is {commits} behind {base}.",
            commits=count(facts.behind, "commit"),
            base=facts.base or tr("its base", context="behind it"),
        )

    def _on_update(self) -> None:
        if self._facts is not None:
            self.asked.emit("update", self._facts.lane_id)

    def _on_later(self, seconds: int, _checked: bool = False) -> None:
        if self._facts is not None:
            self._notes.snooze(self._facts.lane_id, seconds)
            self.say("")
            self.hushed.emit()

    def _on_dismiss(self, _checked: bool = False) -> None:
        if self._facts is not None:
            self._notes.dismiss(self._facts.lane_id, self._facts.base_oid)
            self.say("")
            self.hushed.emit()
