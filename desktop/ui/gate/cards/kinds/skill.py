"""The skill card: an agent proposes a skill; every file of it is shown before it is installed."""

from PySide6.QtWidgets import QWidget

from desktop.domain.gate.pending import Answer
from desktop.domain.skills.review import SkillReview
from desktop.language import tr
from desktop.ui.gate.cards.card import InputCard
from desktop.ui.gate.cards.context import CardContext
from desktop.ui.gate.cards.evidence.skill_view import SkillView
from desktop.ui.gate.cards.footer import ButtonRow, Footer
from desktop.ui.gate.cards.kinds.decline import DeclineRow
from desktop.ui.gate.cards.look import CardLook
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.card_parts import plain_label, say

_KEYS = tr("Ctrl+⏎ install  ·  Ctrl+⌫ decline")
WORDS = tr(
    "A skill is read by agents in all your chats. Installing it takes exactly these files; it allows nothing, and its "
    "scripts are asked about like any command."
)
UNSEEN = tr("Scroll to the list of files first")


class SkillCard(InputCard):
    """Installing binds the bytes that are shown, and needs the list of files seen."""

    prefix = "skill"

    def __init__(self, context: CardContext, parent: QWidget) -> None:
        request = context.item.request
        if not isinstance(request, SkillReview):
            raise TypeError(f"A skill card cannot show a {request.kind}.")
        super().__init__(context, parent)
        self._painted = self._seen = False
        words = plain_label(self.body.contents, "muted", "skill_words")
        words.setText(WORDS)
        self.body.column.addWidget(words)
        self.view = SkillView(request, self.body.contents)
        self.body.column.addWidget(self.view, 1)
        self._install = self.button(tr("Install"), "install", "primary")
        self._install.clicked.connect(self.approve)
        decline = self.button(tr("Decline…"), "decline", "danger")
        self._row_buttons = [self._install, decline]
        self._footer = Footer(self, ButtonRow(self, self._row_buttons, _KEYS))
        self._decline_row = DeclineRow(self, self)
        self._decline_row.closed.connect(self._footer.close)
        self._footer.add(self._decline_row)
        decline.clicked.connect(lambda: self._footer.open(self._decline_row, self._decline_row.reason))
        self.body.verticalScrollBar().valueChanged.connect(self._look_if_seen)
        self.refresh_enabled()

    def refresh_enabled(self) -> None:
        """Installing needs the end of the list of files seen."""
        super().refresh_enabled()
        set_off(
            self._install, self.why_not or ("" if self._seen else tr("Look at the list of files to its end first."))
        )

    def first_painted(self) -> None:
        """Say what is missing, if the files do not fit."""
        self._painted = True
        self._look_if_seen()
        if not self._seen:
            say(self.hint, UNSEEN)
            self.reshaped.emit()

    def approve(self) -> None:
        """Install what is shown."""
        if self.can_answer and self._seen and self._footer.opened < 0:
            self.submit(Answer(outcome="allow_once"), self._install)

    def go_back(self) -> bool:
        """Close the decline row."""
        return self._footer.close()

    def make_fit(self, width: int, height: int) -> None:
        """The text of the file gives way."""
        super().make_fit(width, height)
        self.view.give_way(0)
        over = self.height_at(width) - height
        if over > 0:
            self.view.give_way(over)

    def look(self) -> CardLook:
        """The chosen file, and which row is open."""
        return CardLook(page=self.view.files.currentRow(), seen=(self._seen,), row=self._footer.opened)

    def restore(self, look: CardLook) -> None:
        """The same file again; files that were seen count as seen."""
        self._seen = look.seen[0]
        self.view.files.setCurrentRow(look.page)
        self._footer.reopen(look.row)
        self.refresh_enabled()

    def tab_chain(self) -> list[QWidget]:
        """Files, text, buttons."""
        return [self.view.files, self.view.text, *self._row_buttons, self._decline_row.reason]

    def _look_if_seen(self) -> None:
        files, body = self.view.files, self.body
        end = files.mapTo(body.contents, files.rect().bottomLeft()).y()
        if self._painted and not self._seen and end <= body.verticalScrollBar().value() + body.viewport().height():
            self._seen = True
            if self.hint.text() == UNSEEN:
                say(self.hint, "")
                self.reshaped.emit()
            self.refresh_enabled()
