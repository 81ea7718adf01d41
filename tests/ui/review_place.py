"""An inspector with a chat in a lane, and lists and diffs as the engine makes them of real texts."""

from datetime import UTC, datetime

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget

from desktop.domain.changes.commands import LoadDiff, LoadLaneChanges
from desktop.domain.changes.updates import CommentsChanged, DiffLoaded, LaneChangesLoaded
from desktop.domain.changes.values import ReviewComment
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.work import ChangedFile, SessionSummary
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import LanesChanged
from desktop.domain.updates import SessionOpened, SessionsChanged
from desktop.services.changes.file_diff import Lines, diff_of
from desktop.services.changes.sides import FileState
from desktop.ui.changes.tab import ChangesTab
from desktop.ui.core.requests import Requests
from desktop.ui.window.build import PANELS
from desktop.ui.window.inspector import Inspector
from tests.ui.card_scenes import NOW, Sink

LANE = "lan_1"
BEFORE = (
    "def expire(request):\n    clear()\n    target = request.url\n    return redirect(target)\n\n\n\n\n\n\n\nEND = 1\n"
)
AFTER = (
    "def expire(request):\n    clear()\n    target = strip(request.url)\n    keep()\n    return redirect(target)\n"
    "\n\n\n\n\n\n\nEND = 2\n"
)


def lane(**fields):
    """A lane's record."""
    values = {"id": LANE, "project_id": "p", "name": "fix", "branch": "lane/fix", "worktree_path": "/lanes/fix",
              "base_ref": "main", "device": 1, "inode": 1, "created_at": NOW}  # fmt: skip
    return Lane(**{**values, **fields})


def diff(path="auth/middleware.py", before=BEFORE, after=AFTER, **options):
    """A file's diff, made as the engine makes it; None for no file."""
    states = [FileState("100644", len(text.encode()), text.encode()) if text is not None else None
              for text in (before, after)]  # fmt: skip
    return diff_of(*states, path, "", Lines(**options))


def changed(path="auth/middleware.py", of=None, **fields):
    """A file of a list, with the hashes of its diff."""
    made = of if of is not None else diff(path)
    values = {"status": "modified", "added": 3, "removed": 2, "base_sha256": made.base_sha256, "sha256": made.sha256}
    return ChangedFile(path=path, **{**values, **fields})


class Place:
    """A person at the Changes tab; `sink` is the engine's ear."""

    def __init__(self, qtbot, width=420, **lane_fields):
        self.qtbot, self.sink, self.now = qtbot, Sink(), NOW
        self.session = new_session_id()
        self.requests = Requests(self.sink)
        self.inspector = Inspector(PANELS, self.requests, lambda: self.now)
        qtbot.addWidget(self.inspector)
        self.inspector.resize(width, 800)
        with qtbot.waitExposed(self.inspector):
            self.inspector.show()
        self.panel = self.inspector.of(ChangesTab)
        self.review = self.panel.review
        self.view = self.panel.pane.view
        summary = SessionSummary(
            session_id=self.session, title="Fix", mode=PermissionMode.EDIT, lane_id=LANE, created_at=NOW,
            last_activity_at=NOW,
        )  # fmt: skip
        self.apply(SessionsChanged(sessions=(summary,)), LanesChanged(lanes=(lane(**lane_fields),)))
        self.inspector.show_session(self.session)
        self.apply(SessionOpened(session_id=self.session, envelopes=()))

    def apply(self, *updates):
        self.requests.deliver(list(updates), self.inspector.hearing)

    def sent(self, kind):
        return [command for command in self.sink.sent if isinstance(command, kind)]

    def get(self, name):
        found = self.inspector.window().findChild(QWidget, name)
        assert found is not None, f"no {name}"
        return found

    def listed(self, *files, problem="", **fields):
        """The engine answers the newest question for the list."""
        asked = self.sent(LoadLaneChanges)[-1]
        values = {"base": "main", "files": files, "at": NOW, "head": "h" * 40, "problem": problem}
        answer = {"command_id": asked.command_id, "lane_id": LANE, "session_id": self.session, "scope": asked.scope}
        self.apply(LaneChangesLoaded(**{**answer, **values, **fields}))

    def differs(self, made, problem=""):
        """The engine answers the newest question for a diff."""
        asked = self.sent(LoadDiff)[-1]
        self.apply(DiffLoaded(command_id=asked.command_id, lane_id=LANE, scope=asked.scope, diff=made, problem=problem))

    def show(self, made=None, **fields):
        """One file with its diff."""
        made = made if made is not None else diff()
        self.listed(changed(made.path, made, **fields))
        self.differs(made)

    def comments(self, *comments, **fields):
        self.apply(CommentsChanged(lane_id=LANE, comments=comments, **fields))

    def words(self):
        return [label.text() for label in self.inspector.findChildren(QLabel) if label.isVisible() and label.text()]

    def press(self, widget, key, modifiers=Qt.KeyboardModifier.NoModifier):
        widget.setFocus()
        QTest.keyClick(widget, key, modifiers)

    def click(self, name):
        QTest.mouseClick(self.get(name), Qt.MouseButton.LeftButton)

    def paths(self):
        return [row.path for row in self.panel.tree.rows if row.file is not None]

    def line_texts(self):
        """What the rows of the diff say, as they are read out."""
        return [self.view.head_words(row) if row.kind != "line" else
                self.view.line(row.hunk, row.line).kind + self.view.line(row.hunk, row.line).text
                for row in self.view.rows]  # fmt: skip


def comment(comment_id="cmt_1", **fields):
    """A comment on the new side."""
    values = {"path": "auth/middleware.py", "first": 3, "last": 3, "text": "keep the fragment"}
    return ReviewComment(comment_id=comment_id, created_at=datetime(2026, 11, 21, tzinfo=UTC), **{**values, **fields})
