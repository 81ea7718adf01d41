"""LaneWindow: ties what a person does to begin lanes to the window: its actions, its palette, its pages."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject

from desktop.domain.lanes.commands import RefreshLanes
from desktop.domain.lanes.lane import Lane
from desktop.domain.lanes.updates import HandoverChanged, LaneOperationChanged, LanesLaunched
from desktop.domain.reports.commands import LookAtReports
from desktop.ui.chats.book import ChatBook
from desktop.ui.chats.composer.drafts import Drafts
from desktop.ui.chats.page import ChatPage
from desktop.ui.chats.panes.panes import Panes
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.hearing import Hearing
from desktop.ui.lanes.begin import import_lane, new_lane, several_models, tell_of_launch
from desktop.ui.lanes.menu import LaneAction, offered
from desktop.ui.lanes.stacks.menu import show_going_on, tell_of_checkout
from desktop.ui.lanes.window import WindowLanes
from desktop.ui.sidebar.view import Sidebar


class LaneWindow(QObject):
    """`new_chat` shows the page of a new chat."""

    def __init__(
        self,
        host: WindowLanes,
        panes: Panes,
        sidebar: Sidebar,
        facts: tuple[ChatBook, EngineFacts, Drafts],
        new_chat: Callable[[], None],
    ) -> None:
        super().__init__(host)
        self._host, self._panes, self._sidebar = host, panes, sidebar
        self._book, self._engine, self._drafts = facts
        self._new_chat = new_chat
        self._lane_wanted = ""
        host.page_wanted.connect(self._on_page_wanted)
        host.lane_wanted.connect(self._on_lane_wanted)
        host.chat_wanted.connect(lambda lane_id, text: self._page.begin_in_lane(lane_id, text))
        sidebar.lane_menu_asked.connect(host.show_menu)
        sidebar.clash_asked.connect(partial(host.act, "overlaps"))
        sidebar.lane_action.connect(self._on_lane_action)
        self._looked_at = ""
        self.hearing = (
            Hearing()
            .on(LanesLaunched, partial(tell_of_launch, host))
            .on(HandoverChanged, partial(tell_of_checkout, host))
            .on(LaneOperationChanged, partial(show_going_on, host))
            .after(self._look)
        )
        host.window.installEventFilter(self)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """For each action that this object carries out, what to call."""
        return {
            "new_lane": lambda: new_lane(self._host),
            "import_lane": lambda: import_lane(self._host),
            **self._host.handlers(),
            "several_models": lambda: several_models(self._host, self._engine, self._drafts),
        }

    @property
    def _page(self) -> ChatPage:
        return self._panes.active

    def _look(self) -> None:
        """Once the lists show what came, look at the lane on screen, and show the one that is wanted."""
        self._look_at_lane()
        if self._lane_wanted and self._host.lane(self._lane_wanted) is not None:
            lane_id, self._lane_wanted = self._lane_wanted, ""
            self._sidebar.show_lane(lane_id)

    def entries(self) -> list[LaneAction]:
        """What can be done now with the lane of the chat on screen."""
        facts = self._page.facts
        lane = self._host.lane(facts.lane_id) if facts is not None and facts.lane_id else None
        if lane is None:
            return []
        status = self._host.status(lane.id)
        return [entry for entry in offered(lane, status) if not entry.hindrance(lane, status)]

    def act(self, action_id: str) -> None:
        """Carry out one of the entries."""
        facts = self._page.facts
        if facts is not None:
            self._host.act(action_id, facts.lane_id)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Lanes are read again when a person comes back to the window."""
        if event.type() is QEvent.Type.WindowActivate and self._host.lanes():
            self._host.send(RefreshLanes())
        if event.type() is QEvent.Type.WindowActivate and self._page.session_id:
            self._host.send(LookAtReports(session_id=self._page.session_id))
        return super().eventFilter(watched, event)

    def _look_at_lane(self) -> None:
        """The lane of the chat on screen is read at once and watched."""
        facts = self._page.facts
        lane_id = facts.lane_id if facts is not None else ""
        if lane_id != self._looked_at and (not lane_id or self._host.lane(lane_id) is not None):
            self._looked_at = lane_id
            if lane_id:
                self._host.send(RefreshLanes(lane_ids=(lane_id,)))

    def _on_lane_action(self, lane_id: str, action_id: str) -> None:
        """A key on the row of a lane: what its menu would do, if it offers that now."""
        lane, status = self._host.lane(lane_id), self._host.status(lane_id)
        entries = offered(lane, status) if lane is not None else []
        if any(one.id == action_id and lane is not None and not one.hindrance(lane, status) for one in entries):
            self._host.act(action_id, lane_id)

    def _on_page_wanted(self, lane: Lane) -> None:
        self._new_chat()
        self._page.choose_lane(lane)

    def _on_lane_wanted(self, lane_id: str) -> None:
        self._lane_wanted = lane_id
        self._look()
