"""PullComments: comments on the request as a whole and reviews, in the order they were written; writing one of each."""

from datetime import UTC, datetime

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QMenu, QWidget

from desktop.domain.pulls.commands import PostPullComment, PostReview
from desktop.domain.pulls.pull_request import PullSnapshot, Review
from desktop.language import tr
from desktop.ui.pulls.fold import PullFold
from desktop.ui.pulls.page import PullPage
from desktop.ui.pulls.pages.conversation import PullConversation, SaidEntry, comment_entry, review_entry
from desktop.ui.pulls.pages.write_box import WriteBox
from desktop.ui.pulls.parts import column_in
from desktop.ui.pulls.pull_orders import Landed, same_words
from desktop.ui.pulls.shown import ShownPull
from desktop.ui.pulls.words import part_note
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.off import set_action_off
from desktop.ui.widgets.card_parts import BodyScroll, plain_label, say
from desktop.ui.widgets.layouts.gaps import set_gaps

NO_COMMENTS = tr("No comments.")
_OWN = tr("GitHub takes no such review of one's own request.")
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_VERDICTS = {
    "approve": (tr("Approve"), "approved", False),
    "request_changes": (tr("Request changes"), "changes_requested", True),
    "comment": (tr("Review without a verdict"), "commented", True),
}


class PullComments(PullPage):
    """Reviews that say nothing but a verdict are shown too."""

    key, label, letter = "comments", tr("Comments"), Qt.Key.Key_M

    def __init__(self, shown: ShownPull, parent: QWidget) -> None:
        super().__init__(shown, parent)
        self._scroll = BodyScroll(self, "canvas")
        self._scroll.setAccessibleName(tr("Comments and reviews"))
        self._note = plain_label(self, "caption", "pr_comments_note")
        self._nothing = plain_label(self, "muted", "pr_comments_nothing")
        self.conversation = PullConversation(shown, "pr_comments", tr("Comments and reviews"), self)
        self.box = WriteBox("pr_comment_field", tr("Comment"), tr("Write a comment"), self)
        self.send = self.box.add_button(tr("Comment"), "pr_comment_send", kind="primary")
        self.review = self.box.add_button(tr("Review…"), "pr_review", needs_text=False)
        self._number = 0
        for part in (self._note, self._nothing, self.conversation):
            self._scroll.column.addWidget(part)
        self._scroll.column.addStretch(1)
        set_gaps(self._scroll.column, (SPACE_3, SPACE_3, SPACE_3, SPACE_2), SPACE_2)
        below = QWidget(self)
        column_in(below, self.box, margins=(SPACE_3, SPACE_1, SPACE_3, SPACE_2))
        column = column_in(self, self._scroll, below, spacing=0)
        column.setStretch(0, 1)
        column.setStretch(1, 0)
        self.send.clicked.connect(self._comment)
        self.review.clicked.connect(self.show_menu)
        self.box.changed.connect(self._keep)
        self.box.left.connect(self._scroll.setFocus)
        shown.orders.changed.connect(self._refresh_buttons)

    @classmethod
    def number(cls, snapshot: PullSnapshot, fold: PullFold) -> int:
        """The comments and reviews."""
        return len(conversation(snapshot))

    def refresh(self) -> None:
        """Show what is known."""
        snapshot = self._shown.snapshot
        if snapshot is None or snapshot.pull is None:
            return
        entries = conversation(snapshot)
        again = snapshot.pull.number == self._number
        self._number = snapshot.pull.number
        self.conversation.show_entries(entries, again=again)
        known = "comments" in snapshot.known and "reviews" in snapshot.known
        unread = tr("Loading comments…") if self._shown.fold.loading else tr("The comments were not read yet.")
        say(self._nothing, "" if entries else NO_COMMENTS if known else unread)
        say(self._note, part_note(snapshot, "comments"))
        self.box.set_text(self._shown.drafts.get(self._key, ""))
        self._refresh_buttons()
        if not again:
            QTimer.singleShot(0, self, self._to_end)

    def show_menu(self) -> QMenu:
        """The verdicts of a review."""
        menu = QMenu(self)
        menu.setObjectName("pr_review_menu")
        menu.setToolTipsVisible(True)
        written = bool(self.box.text.strip())
        mine = self._shown.pull is not None and self._shown.pull.author.login == self._viewer
        for verdict, (words, _name, needs_text) in _VERDICTS.items():
            action = menu.addAction(words)
            action.setObjectName(f"pr_review_{verdict}")
            own = _OWN if mine and verdict != "comment" else ""
            set_action_off(action, own or ("" if written or not needs_text else tr("Write something.")))
            action.triggered.connect(lambda _checked=False, verdict=verdict: self._post(verdict))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.review.mapToGlobal(QPoint(0, self.review.height())))
        return menu

    def take_ages(self) -> None:
        """Bring the ages up to date, because time has passed."""
        self.conversation.refresh_ages()

    @property
    def _key(self) -> str:
        return f"comment:{self._shown.lane_id}"

    @property
    def _viewer(self) -> str:
        return self._shown.snapshot.viewer if self._shown.snapshot is not None else ""

    def _refresh_buttons(self) -> None:
        busy, why = self._shown.orders.is_busy(self._key), self._shown.hindrance()
        self.box.set_blocked(why, busy=busy, always=why)
        self.send.setText(tr("Sending…") if busy else tr("Comment"))

    def _comment(self) -> None:
        text, snapshot = self.box.text, self._shown.snapshot
        had = {one.id for one in snapshot.comments} if snapshot is not None else set()

        def landed(now: PullSnapshot) -> bool:
            return any(one.id not in had and same_words(one.body, text) for one in now.comments)

        self._give(PostPullComment(lane_id=self._shown.lane_id, body=text), text, landed)

    def _post(self, verdict: str) -> None:
        text, snapshot = self.box.text, self._shown.snapshot
        had = {one.id for one in snapshot.reviews} if snapshot is not None else set()
        command = PostReview.model_validate({"lane_id": self._shown.lane_id, "verdict": verdict, "body": text})

        def landed(now: PullSnapshot) -> bool:
            new = [one for one in now.reviews if one.id not in had]
            return any(one.verdict == _VERDICTS[verdict][1] and same_words(one.body, text) for one in new)

        self._give(command, text, landed)

    def _give(self, command: PostPullComment | PostReview, text: str, landed: Landed) -> None:
        key = self._key

        def finish(problem: str) -> None:
            if not problem and self._shown.drafts.get(key, "").strip() == text.strip():
                self._shown.drafts.pop(key, None)
            if key == self._key:
                self.box.set_text(self._shown.drafts.get(key, ""))
                self.box.fail(problem)

        self.box.fail("")
        self._shown.orders.give(command, key, landed, finish)

    def _keep(self, text: str) -> None:
        if text.strip():
            self._shown.drafts[self._key] = text
        else:
            self._shown.drafts.pop(self._key, None)

    def _to_end(self) -> None:
        bar = self._scroll.verticalScrollBar()
        bar.setValue(bar.maximum())


def conversation(snapshot: PullSnapshot) -> list[SaidEntry]:
    """Comments and reviews by the time they were written; a review without words or verdict only holds threads."""
    entries = [comment_entry(one) for one in snapshot.comments]
    entries += [review_entry(one) for one in snapshot.reviews if _says_something(one)]
    return sorted(entries, key=lambda entry: entry.at or _LONG_AGO)


def _says_something(review: Review) -> bool:
    return bool(review.body.strip()) or review.verdict in ("approved", "changes_requested", "dismissed")
