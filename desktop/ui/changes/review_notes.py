"""ReviewNotes: the comments on the changes of a lane, and the line that sends the drafts to the agent."""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget

from desktop.domain.changes.commands import LoadComments, ResolveComment, SaveComment, SendComments
from desktop.domain.changes.updates import CommentsChanged
from desktop.domain.changes.values import ChangeScope, FileDiff, ReviewComment
from desktop.domain.core.command import Command
from desktop.domain.core.ids import new_id
from desktop.domain.updates import CommandFailed
from desktop.language import tr, trn
from desktop.ui.changes.diff.rows import FieldPlace
from desktop.ui.changes.picks import lines_of
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.layouts.gaps import set_gaps

AROUND = 3
_FILES_NOW = ("lane", "uncommitted", "checkpoint")


class ReviewNotes(QObject):
    """`changed`: other comments now; `noted`: why one was not kept or sent, and that it is a failure."""

    changed = Signal()
    noted = Signal(str, bool)

    def __init__(self, requests: Requests, parent: QObject) -> None:
        super().__init__(parent)
        self._requests = requests
        self.hearing = Hearing().on(CommentsChanged, self._on_comments)
        self.lane_id = self.session_id = ""
        self.comments: tuple[ReviewComment, ...] = ()

    def show(self, lane_id: str, session_id: str) -> None:
        """The comments of this lane; those of another are forgotten and these asked for."""
        self.session_id = session_id
        if lane_id != self.lane_id:
            self.lane_id, self.comments = lane_id, ()
            self.changed.emit()
            if lane_id:
                self._requests.send(LoadComments(lane_id=lane_id))

    def order(self, command: Command) -> None:
        """Send a command about the lane; a note says why it is refused."""
        self._requests.ask(command, self, failed=self._on_failed)

    @property
    def drafts(self) -> int:
        """How many were not sent."""
        return sum(comment.state == "draft" for comment in self.comments)

    def of_file(self, path: str) -> tuple[ReviewComment, ...]:
        """The comments on a file, by line."""
        found = [comment for comment in self.comments if comment.path == path]
        return tuple(sorted(found, key=lambda comment: (comment.last, comment.comment_id)))

    def counts(self) -> dict[str, int]:
        """How many comments each file has that are not dealt with."""
        found: dict[str, int] = {}
        for comment in self.comments:
            if comment.state != "resolved":
                found[comment.path] = found.get(comment.path, 0) + 1
        return found

    def write(
        self, diff: FileDiff, place: FieldPlace, text: str, *, comment_id: str = "", scope: ChangeScope | None = None
    ) -> None:
        """Keep a comment on lines of a diff; `comment_id` names the draft it replaces, "" for none; `scope`: the change
        that is looked at."""
        former = next((one for one in self.comments if one.comment_id == comment_id), None)
        if former is not None:
            self._save(former.model_copy(update={"text": text}))
            return
        lines = lines_of(diff, place.side)

        def texts(first: int, last: int) -> tuple[str, ...]:
            return tuple(lines[at].text for at in range(first, last + 1) if at in lines)

        self._save(
            ReviewComment(
                comment_id=new_id("cmt_"),
                path=diff.path,
                side=place.side,
                first=place.first,
                last=place.last,
                text=text,
                quoted=texts(place.first, place.last),
                before=texts(place.first - AROUND, place.first - 1),
                after=texts(place.last + 1, place.last + AROUND),
                sha256=diff.base_sha256 if place.side == "old" else diff.sha256,
                scope=scope or ChangeScope(),
            )
        )

    def remove(self, comment_id: str) -> None:
        """Take a draft away."""
        former = next((one for one in self.comments if one.comment_id == comment_id), None)
        if former is not None:
            self._save(former.model_copy(update={"text": ""}))

    def resolve(self, comment_id: str, resolved: bool) -> None:
        """A sent comment is dealt with, or not after all."""
        self.order(ResolveComment(lane_id=self.lane_id, comment_id=comment_id, resolved=resolved))

    def send(self) -> None:
        """All drafts go to the chat as one message."""
        if self.lane_id and self.session_id and self.drafts:
            self.order(SendComments(lane_id=self.lane_id, session_id=self.session_id))

    def _on_comments(self, update: CommentsChanged) -> None:
        if update.lane_id == self.lane_id:
            self.comments = update.comments
            self.changed.emit()

    def _on_failed(self, failed: CommandFailed) -> None:
        self.noted.emit(failed.text, True)

    def _save(self, comment: ReviewComment) -> None:
        self.order(SaveComment(lane_id=self.lane_id, comment=comment))


def stands_in(comment: ReviewComment, scope: ChangeScope) -> bool:
    """Whether the lines of a comment are those of a scope: its own, or another one that shows the files as they are."""
    if comment.scope == scope:
        return True
    return comment.side == "new" and comment.scope.kind in _FILES_NOW and scope.kind in _FILES_NOW


class NotesBar(QFrame):
    """ "3 comments [Send to the agent]"; hidden while there is no draft."""

    def __init__(self, notes: ReviewNotes, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("kind", "banner")
        self.setProperty("role", "warning")
        self.setObjectName("changes_comments")
        self._notes = notes
        self.words = QLabel(self)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setProperty("kind", "strong")
        self.words.setObjectName("changes_comments_count")
        self.send = push_button(tr("Send to the agent"), "changes_comments_send", self)
        self.send.setProperty("compact", "true")
        self.send.clicked.connect(lambda: notes.send())
        row = QHBoxLayout(self)
        set_gaps(row, (SPACE_3, SPACE_1, SPACE_2, SPACE_1), SPACE_2)
        row.addWidget(self.words, 1)
        row.addWidget(self.send)
        notes.changed.connect(self._take)
        self._take()

    def _take(self) -> None:
        drafts = self._notes.drafts
        self.words.setText(trn(drafts, "{n} comment not sent", "{n} comments not sent"))
        self.setVisible(drafts > 0)
