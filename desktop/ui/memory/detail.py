"""The chosen entry below the list: all of its text, where it comes from, and what can be done with it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from desktop.domain.display.text import prose_text
from desktop.domain.memory.values import CATEGORIES, Entry
from desktop.language import tr
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.card_parts import BodyScroll, plain_label, say
from desktop.ui.widgets.layouts.flow_layout import FlowLayout
from desktop.ui.widgets.layouts.gaps import set_gaps

_ACTS = {
    "accept": tr("Accept"), "still_true": tr("Still true"), "edit": tr("Edit…"), "pin": tr("Pin"), "unpin": tr("Unpin"),
    "archive": tr("Archive"), "restore": tr("Take out of the archive"), "undo": tr("Undo the last change"),
    "source": tr("Show where it came from"), "delete": tr("Delete"),
}  # fmt: skip


class EntryDetail(QWidget):
    """`asked` carries what is to be done, as `memory_<act>` names its button."""

    asked = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("memory_detail")
        scroll = BodyScroll(self, "canvas")
        scroll.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        scroll.setAccessibleName(tr("The entry"))
        self.text = plain_label(scroll.contents, name="memory_text")
        self.proposal = plain_label(scroll.contents, name="memory_proposal", role="warning")
        self.facts = plain_label(scroll.contents, "muted", "memory_facts")
        for label in (self.text, self.proposal, self.facts):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            scroll.column.addWidget(label)
        scroll.column.addStretch(1)
        self._buttons: dict[str, QPushButton] = {}
        row = QWidget(self)
        flow = FlowLayout(row, gap_x=theme().px(SPACE_1), gap_y=theme().px(SPACE_1))
        for act, words in _ACTS.items():
            button = small_button(words, f"memory_{act}", row, "primary" if act == "accept" else "")
            button.clicked.connect(lambda _checked=False, act=act: self.asked.emit(act))
            flow.addWidget(button)
            self._buttons[act] = button
        column = QVBoxLayout(self)
        set_gaps(column, (SPACE_3, SPACE_2, SPACE_3, SPACE_3), SPACE_2)
        column.addWidget(scroll, 1)
        column.addWidget(row)

    def show_entry(self, entry: Entry, facts: str, *, stale: bool, gone: bool = False) -> None:
        """Show this entry; `facts` must have passed display_text(). `gone`: the chat that it comes from was deleted."""
        say(self.text, prose_text(entry.content, multiline=True))
        proposal = tr("Proposed instead: {proposal}", proposal=entry.proposal) if entry.proposal else ""
        say(self.proposal, prose_text(proposal, multiline=True))
        say(self.facts, facts)
        waits, archived = entry.status == "quarantined", entry.status == "archived"
        shown = {
            "accept": waits or bool(entry.proposal) or (entry.status == "candidate"),
            "still_true": stale,
            "edit": entry.category in CATEGORIES,
            "pin": entry.tier != 1 and not waits and not archived,
            "unpin": entry.tier == 1 and not waits and not archived,
            "archive": not archived,
            "restore": archived,
            "undo": entry.version > 1,
            "source": bool(entry.source.session_id) and not gone,
            "delete": True,
        }
        for act, button in self._buttons.items():
            button.setVisible(shown[act])
        restyle(self._buttons["accept"], kind="" if waits else "primary")  # what waits is suspicious

    def show_given(self, text: str, facts: str) -> None:
        """Show a text that a model was given; nothing is done with it here."""
        say(self.text, prose_text(text, multiline=True))
        say(self.proposal, "")
        say(self.facts, facts)
        for button in self._buttons.values():
            button.setVisible(False)
