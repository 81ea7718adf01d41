"""PullConversation: comments one under the other, a page at a time, so that a thousand cost no more than a few."""

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.domain.pulls.pull_request import Author, Comment, Review
from desktop.language import number, tr
from desktop.records import dataclass
from desktop.ui.pulls.pages.body import PullProse
from desktop.ui.pulls.pages.pictures import PictureRows
from desktop.ui.pulls.shown import ShownPull
from desktop.ui.pulls.words import VERDICTS, author_name
from desktop.ui.text.format import age, full_time
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.push_button import small_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.chip import Chip
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.layouts.gaps import set_gaps

PAGE = 20


@dataclass(frozen=True)
class SaidEntry:
    """Something that somebody wrote. `verdict`: of a review, as the forge names it, with its colour."""

    key: str
    author: Author
    body: str
    at: datetime | None = None
    edited: bool = False
    verdict: tuple[str, str] = ("", "neutral")


def comment_entry(comment: Comment) -> SaidEntry:
    """A comment as it is shown."""
    return SaidEntry(comment.id, comment.author, comment.body, comment.created_at, comment.edited_at is not None)


def review_entry(review: Review) -> SaidEntry:
    """A review as it is shown."""
    return SaidEntry(review.id, review.author, review.body, review.at, verdict=VERDICTS[review.verdict])


class _Bubble(QFrame):
    """One entry."""

    def __init__(self, shown: ShownPull, parent: QWidget) -> None:
        super().__init__(parent)
        self._clock = shown.clock
        self.entry: SaidEntry | None = None
        self.setProperty("kind", "card")
        self.setObjectName("pr_comment")
        self._author = ElidedLabel("", self)
        self._author.setProperty("kind", "strong")
        self._bot, self._verdict = Chip(tr("bot"), "neutral", self), Chip("", "neutral", self)
        self._age = plain_label(self, "caption", wrap=False)
        self.body = PullProse(self, "pr_comment_body", tr("Comment"))
        self.body.link_asked.connect(shown.link_asked)
        self._pictures = PictureRows(shown.pictures, self)
        self._pictures.link_asked.connect(shown.link_asked)
        top = QHBoxLayout()
        set_gaps(top, spacing=SPACE_2)
        for part in (self._author, self._bot, self._verdict):
            top.addWidget(part)
        top.addStretch(1)
        top.addWidget(self._age)
        column = QVBoxLayout(self)
        set_gaps(column, (SPACE_3, SPACE_2, SPACE_3, SPACE_2), SPACE_1)
        column.addLayout(top)
        column.addWidget(self.body)
        column.addWidget(self._pictures)

    def show_entry(self, entry: SaidEntry) -> None:
        """Show this entry."""
        self.entry = entry
        name = author_name(entry.author)
        self._author.set_full_text(name)
        self._bot.setVisible(entry.author.bot)
        self._verdict.set_chip(*entry.verdict)
        self._verdict.setVisible(bool(entry.verdict[0]))
        self.body.show_text(entry.body)
        self._pictures.show_text(entry.body)
        self.body.setVisible(bool(entry.body.strip()))
        self.body.setAccessibleName(tr("Comment by {name}", name=name))
        self.setProperty("item_id", entry.key)
        restyle(self, role="")
        self.take_age()

    def take_age(self) -> None:
        """Say how long ago."""
        entry = self.entry
        if entry is None or entry.at is None:
            say(self._age, "")
            return
        words = age(entry.at, self._clock())
        say(self._age, tr("{age} · edited", age=words) if entry.edited else words)
        self._age.setToolTip(full_time(entry.at))


class PullConversation(QWidget):
    """Shows the last page of entries; buttons above and below lead to the others."""

    def __init__(self, shown: ShownPull, name: str, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self._shown = shown
        self._entries: tuple[SaidEntry, ...] = ()
        self._end = 0
        self._bubbles: list[_Bubble] = []
        self._earlier = small_button("", f"{name}_earlier", self, "ghost")
        self._later = small_button("", f"{name}_later", self, "ghost")
        self._earlier.clicked.connect(lambda: self._turn(-1))
        self._later.clicked.connect(lambda: self._turn(1))
        self._column = QVBoxLayout(self)
        set_gaps(self._column, (0, 0, 0, 0), SPACE_2)
        self._column.addWidget(self._earlier, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addWidget(self._later, 0, Qt.AlignmentFlag.AlignLeft)

    def show_entries(self, entries: Sequence[SaidEntry], *, again: bool = False) -> None:
        """Show these, oldest first. `again`: more of the same, so an earlier page stays where it is."""
        at_end = self._end >= len(self._entries)
        self._entries = tuple(entries)
        if not again or at_end:
            self._end = len(self._entries)
        self._end = min(self._end, len(self._entries))
        self._show()

    def refresh_ages(self) -> None:
        """Bring the ages of the comments up to date, because time has passed."""
        for bubble in self._bubbles:
            bubble.take_age()

    def _turn(self, step: int) -> None:
        last = len(self._entries)
        self._end = min(last, max(min(PAGE, last), self._end + step * PAGE))
        self._show()

    def _show(self) -> None:
        start = max(0, self._end - PAGE)
        shown = self._entries[start : self._end]
        while len(self._bubbles) < len(shown):
            bubble = _Bubble(self._shown, self)
            self._column.insertWidget(len(self._bubbles) + 1, bubble)
            self._bubbles.append(bubble)
        for at, bubble in enumerate(self._bubbles):
            if at < len(shown):
                if bubble.entry != shown[at]:
                    bubble.show_entry(shown[at])
                bubble.take_age()
            bubble.setVisible(at < len(shown))
        after = len(self._entries) - self._end
        self._earlier.setText(tr("{start} earlier", start=number(start)))
        self._earlier.setVisible(start > 0)
        self._later.setText(tr("{after} later", after=number(after)))
        self._later.setVisible(after > 0)
