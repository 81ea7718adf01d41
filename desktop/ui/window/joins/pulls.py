"""PullWindow: ties the PR tab to its window: palette, changes, message field, menus of lanes, notifications, proofs."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QMimeData, QObject
from PySide6.QtGui import QTextCursor

from desktop.domain.changes.values import ChangeScope
from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.changes.commit_actions import BROKEN
from desktop.ui.changes.place import ChangesPlace
from desktop.ui.changes.tab import ChangesTab
from desktop.ui.chats.book import ChatBook
from desktop.ui.chats.panes.panes import Panes
from desktop.ui.lanes.window import WindowLanes
from desktop.ui.pulls.actions import PullActions, PullDoors
from desktop.ui.pulls.panel import PullPanel
from desktop.ui.pulls.shown import ShownPull
from desktop.ui.window.inspector import Inspector
from desktop.ui.window.joins.proofs import ProofDoors

PULL_ACTIONS = ("open", "refresh", "merge", "list")


class PullWindow(QObject):
    """`doors`: show a tab of the inspector, open a chat, show a page of the settings. Without an inspector it does
    nothing. Notifications find their way through it."""

    def __init__(
        self,
        inspector: Inspector | None,
        lanes: WindowLanes,
        panes: Panes,
        book: ChatBook,
        doors: tuple[Callable[[str], object], Callable[[str], object], Callable[[str], object]],
    ) -> None:
        super().__init__(panes)
        self._lanes, self._panes, self._book = lanes, panes, book
        self._show_tab, self._open_chat, show_settings = doors
        self._inspector = inspector
        self.actions: PullActions | None = None
        if inspector is not None:
            links = panes.active.row_actions.links
            doors_of_tab = PullDoors(self._show_tab, show_settings, inspector.of(ChangesTab).review.commits.push)
            self.actions = PullActions(inspector.of(PullPanel), lanes, links, doors_of_tab)
            ProofDoors(inspector, lanes, panes, links, (self._show_tab, self._open_chat))
            self._connect(inspector)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """For each action of the window that this object carries out, what to call."""
        return {f"pr_{name}": partial(self._act, name) for name in PULL_ACTIONS}

    # what a notification asks

    @property
    def shown_lane(self) -> str:
        """The lane of the chat on screen, "" for none."""
        facts = self._panes.active.facts
        return facts.lane_id if facts is not None else ""

    def lane_title(self, lane_id: str) -> str:
        """The display-safe name of a lane, "" when it is not known."""
        lane = self._lanes.lane(lane_id)
        return display_text(lane.name) if lane is not None else ""

    def show_pull(self, lane_id: str) -> None:
        """Show the request of a lane: its newest chat with this tab; a lane without a chat is selected."""
        chats = [chat for chat in self._book.chats if chat.lane_id == lane_id and not chat.archived]
        if self.shown_lane != lane_id and not chats:
            self._lanes.show_lane(lane_id)
            return
        if self.shown_lane != lane_id:
            self._open_chat(max(chats, key=lambda chat: chat.last_activity_at).session_id)
        self._show_tab("pr")

    def act_on_lane(self, name: str, lane_id: str) -> None:
        """Carry out an entry of a lane's menu."""
        self.show_pull(lane_id)
        if self.shown_lane == lane_id and self.actions is not None:
            self.actions.act(name)

    def _act(self, name: str) -> None:
        self._show_tab("pr")
        if self.actions is not None:
            self.actions.act(name)

    def _connect(self, inspector: Inspector) -> None:
        changes, panel = inspector.of(ChangesTab), inspector.of(PullPanel)
        shown = panel.shown
        place = ChangesPlace(changes)

        def show_place(path: str, line: int) -> None:
            self._show_tab("changes")
            place.go(path, line)

        def tell_missing(path: str, line: int) -> None:
            text = tr("{path} is not among the changes of this lane.", path=display_text(path))
            self._lanes.offer(text, tr("Open in editor"), lambda: changes.review.open_editor(line, path))

        def show_commit(oid: str) -> None:
            self._show_tab("changes")
            changes.choose_scope(ChangeScope(kind="commit", reference=oid))

        shown.place_asked.connect(show_place)
        shown.commit_asked.connect(show_commit)
        shown.agent_asked.connect(self._put_in_composer)
        place.missing.connect(tell_missing)
        self._lanes.pull_wanted.connect(self.act_on_lane)
        changes.bar.pull.clicked.connect(lambda: self._act("open"))
        panel.told.connect(lambda: changes.bar.set_pull(pull_words(shown), pull_hindrance(shown)))

    def _put_in_composer(self, text: str) -> None:
        """As pasted text goes there; the person looks at it and sends it."""
        field = self._panes.active.composer.text
        before = "\n" if field.toPlainText() and not field.toPlainText().endswith("\n") else ""
        mime = QMimeData()
        mime.setText(f"{before}{text}")
        field.moveCursor(QTextCursor.MoveOperation.End)
        field.insertFromMimeData(mime)
        field.setFocus()


def pull_words(shown: ShownPull) -> str:
    """What leads from the changes of a lane to its pull request, "" where there can be none."""
    lane = shown.fold.lane
    if lane is None or lane.type == "primary":
        return ""
    return f"PR #{shown.pull.number}" if shown.pull is not None else tr("Open PR…", context="beside figures")


def pull_hindrance(shown: ShownPull) -> str:
    """Why no pull request of the lane can be opened yet, "" where one can or is, and while that is not known."""
    lane, status = shown.fold.lane, shown.fold.status
    if lane is None or shown.pull is not None:
        return ""
    if lane.state == "broken":
        return BROKEN
    empty = status is not None and not status.problem and not status.ahead and not status.changed_files
    return tr("There are no changes in this lane yet.") if empty else ""
