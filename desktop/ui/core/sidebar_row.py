"""A row of the sidebar, what rows are made of, and the row of a chat."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Literal

from desktop.domain.core.work import SessionSummary
from desktop.domain.display.text import display_text, prose_text
from desktop.domain.lanes.lane import Lane, LaneFinding, LaneStatus
from desktop.domain.pulls.pull_request import PullSnapshot
from desktop.domain.reports.values import ReportView
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.core.chat_state import (
    AT_A_LIMIT,
    SHAPES,
    ChatState,
    Shape,
    chat_state,
    oldest_wait,
    state_word,
    waiting_words,
)

RECENT_STEP = 20
UNTITLED = tr("New chat")
LANE_ICON, CHAT_ICON, MUTED_ICON = "git-branch", "message-square", "bell-off"

LaneOrder = Literal["latest", "need", "name"]
LANE_ORDERS: tuple[tuple[LaneOrder, str], ...] = (
    ("latest", tr("Latest first")),
    ("need", tr("By need")),
    ("name", tr("By name")),
)
"""How lanes can be ordered, with the words for it."""


@dataclass(frozen=True)
class SidebarRow:
    """One row. The second line reads `before · age of since · after`, empty parts left out. All texts are display-safe.

    `session_id`: the chat it opens ("" for none). `chat`: the chat whose state it shows. `mark`: an icon before the
    title, of a muted chat or that a person gave a lane. `sentence`: more words for the tooltip, line by line. Of lanes:
    `shape` instead of that of the state, `color` that a person gave it, `suffix` behind the title, `depth` in its
    stack, `greyed`: what is shown is not new, `clash`: the lane it would conflict with, `clashes`: with how many.
    `single`: it stands for the one chat of its lane too. `crowded`: another row begins with the same words, so that the
    whole title is shown, in two lines where one is not enough.
    """

    key: str
    kind: Literal["section", "lane", "chat", "more"]
    title: str
    state: ChatState = ChatState.IDLE
    icon: str = CHAT_ICON
    before: str = ""
    since: datetime | None = None
    after: str = ""
    badge: int = 0
    session_id: str = ""
    lane_id: str = ""
    chat: SessionSummary | None = None
    shape: Shape | None = None
    color: str = ""
    mark: str = ""
    suffix: str = ""
    depth: int = 0
    greyed: bool = False
    clash: str = ""
    clashes: int = 0
    sentence: str = ""
    single: bool = False
    crowded: bool = False
    children: tuple["SidebarRow", ...] = ()

    @property
    def bold(self) -> bool:
        """Waiting, failed and unseen rows are semibold."""
        return self.state not in (ChatState.IDLE, ChatState.RUNNING) and self.kind != "section"


@dataclass(frozen=True)
class Lists:
    """What the sidebar is made of. `seen`: per chat the last activity that was on screen; a chat without an entry
    counts as seen. `filter_text` "" lets everything through."""

    chats: Sequence[SessionSummary] = ()
    lanes: Sequence[Lane] = ()
    seen: Mapping[str, datetime] | None = None
    filter_text: str = ""
    recent_limit: int = RECENT_STEP
    statuses: Mapping[str, LaneStatus] = field(default_factory=dict)
    findings: Mapping[str, LaneFinding] = field(default_factory=dict)
    reports: Mapping[str, ReportView] = field(default_factory=dict)
    pulls: Mapping[str, PullSnapshot] = field(default_factory=dict)
    order: LaneOrder = "latest"

    def state(self, chat: SessionSummary) -> ChatState:
        """The state of one of the chats."""
        return chat_state(chat, (self.seen or {}).get(chat.session_id))

    def matches(self, chat: SessionSummary) -> bool:
        """Whether a chat passes the filter: substring over title, lane, branch and state word."""
        return self.passes(chat.title or UNTITLED, chat.lane_name, chat.branch, state_word(chat, self.state(chat)))

    def passes(self, *words: str) -> bool:
        """Whether something that these words describe passes the filter."""
        return self.filter_text.casefold() in " ".join(words).casefold()

    def lane_name(self, lane_id: str) -> str:
        """The name of a lane, "" for one that is gone. Not display-safe."""
        return next((lane.name for lane in self.lanes if lane.id == lane_id), "")


def chat_row(lists: Lists, chat: SessionSummary, *, in_lane: bool = False) -> SidebarRow:
    """The row of a chat; below its lane it does not name the branch again."""
    branch = "" if in_lane else display_text(chat.branch)
    state = lists.state(chat)
    waiting = oldest_wait(chat)
    if waiting is not None:
        before, since, after = waiting_words(waiting), waiting.since, ""
    elif state in (ChatState.INTERRUPTED, ChatState.FAILED):
        before, since, after = SHAPES[state].word.capitalize(), chat.last_activity_at, ""
    elif state is ChatState.RUNNING:
        before, since, after = state_word(chat, state).capitalize(), None, branch
    elif chat.limited:
        before, since, after = AT_A_LIMIT.capitalize(), chat.last_activity_at, branch
    else:
        before, since, after = "", chat.last_activity_at, branch
    return SidebarRow(
        f"session:{chat.session_id}",
        "chat",
        prose_text(chat.title) or UNTITLED,
        state=state,
        icon=LANE_ICON if chat.lane_id and not chat.primary else CHAT_ICON,
        before=before,
        since=since,
        after=after,
        badge=-1 if state is ChatState.FAILED else len(chat.waiting),
        session_id=chat.session_id,
        lane_id="" if chat.primary else chat.lane_id,
        chat=chat,
        mark=MUTED_ICON if chat.muted else "",
        sentence=tr("Notifications are muted") if chat.muted else "",
    )
