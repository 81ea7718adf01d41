"""SkillDialog: a skill as a whole, with every file, to be installed or accepted exactly as it is shown."""

from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.skills.review import SkillReview
from desktop.language import said, tr
from desktop.ui.gate.cards.evidence.skill_view import SkillView
from desktop.ui.gate.cards.kinds.skill import WORDS
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDTH, _HEIGHT = 780, 640
_SINGLE = {
    "agent": tr(
        "Chats can begin it from then on, and it never gets more than the chat that begins it. It allows nothing."
    ),
    "command": tr("You call it by / and its name; its text is sent as your message. It allows nothing."),
}
Verb = Literal["", "install", "accept"]
_VERBS: dict[Verb, str] = {"": tr("Install"), "install": tr("Install"), "accept": tr("Accept")}
_WHAT = {"skill": tr("Skill"), "agent": tr("Agent"), "command": tr("Command")}
_TITLES: dict[tuple[Verb, str], str] = {
    ("install", "skill"): tr("Install the skill {name}?"),
    ("install", "agent"): tr("Install the agent {name}?"),
    ("install", "command"): tr("Install the command {name}?"),
    ("accept", "skill"): tr("Accept the skill {name}?"),
    ("accept", "agent"): tr("Accept the agent {name}?"),
    ("accept", "command"): tr("Accept the command {name}?"),
    ("", "skill"): tr("The skill {name}"),
    ("", "agent"): tr("The agent {name}"),
    ("", "command"): tr("The command {name}"),
}
_LOOK = tr("It comes with the repository. It counts once you trust the skills of the repository as they are.")


class SkillDialog(Dialog):
    """`agreed` carries the review whose bytes a person accepts. `verb`: what is agreed to, "" for one that is only
    looked at. Deletes itself when closed."""

    agreed = Signal(SkillReview)

    def __init__(self, review: SkillReview, verb: Verb, parent: QWidget) -> None:
        super().__init__(parent)
        self._review = review
        self.setObjectName("skill_dialog")
        self.setWindowTitle(_WHAT[review.what])
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        skill_id = display_text(review.skill_id)
        title = plain_label(self, "title", "skill_title")
        title.setText(_TITLES[verb, review.what].format(name=skill_id))
        words = plain_label(self, "muted", "skill_dialog_words")
        words.setText(_SINGLE.get(review.what, WORDS) if verb else _LOOK)
        self.view = SkillView(review, self)
        self._problem = plain_label(self, "strong", "skill_dialog_problem", role="danger")
        say(self._problem, "")
        self._close = push_button(tr("Cancel") if verb else tr("Close"), "skill_cancel", self, self.reject)
        self._agree = push_button(_VERBS[verb], "skill_agree", self, self._on_agree)
        self._agree.setProperty("kind", "primary")
        self._agree.setVisible(bool(verb))
        set_off(self._agree, display_text(said(review.problem)))
        buttons = QHBoxLayout()
        set_gaps(buttons, spacing=SPACE_2)
        buttons.addStretch(1)
        buttons.addWidget(self._close)
        buttons.addWidget(self._agree)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        layout.addWidget(title)
        layout.addWidget(words)
        layout.addWidget(self.view, 1)
        layout.addWidget(self._problem)
        layout.addLayout(buttons)
        room = self.screen().availableSize()
        self.resize(min(theme().px(_WIDTH), room.width()), min(theme().px(_HEIGHT), room.height()))
        self._close.setFocus()

    def show_problem(self, text: str) -> None:
        """Say why it was not installed; what is shown cannot be agreed to again."""
        say(self._problem, display_text(text))

    def _on_agree(self) -> None:
        set_off(self._agree, UNDER_WAY)
        self.agreed.emit(self._review)
