"""The rows of the sidebar, computed from the lists of chats and lanes: Needs you, Pinned, Lanes, Recent chats,
Archived."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from desktop.domain.display import display_text
from desktop.domain.lane import Lane
from desktop.domain.work import SessionSummary
from desktop.ui.chat_state import SHAPES, ChatState, chat_state, failed_words, oldest_wait, waiting_words

RECENT_STEP = 20
UNTITLED = "New chat"
_HIDDEN = ("creating", "archived", "deleting", "deleted")
LANE_ICON, CHAT_ICON = "git-branch", "message-square"


@dataclass(frozen=True)
class Row:
    """One row. The second line reads `before · age of since · after`, empty parts left out. All texts are display-safe.

    `session_id`: the chat it opens ("" for none). `chat`: the chat whose state it shows.
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
    children: tuple["Row", ...] = ()

    @property
    def bold(self) -> bool:
        """Waiting, failed and unseen rows are semibold."""
        return self.state not in (ChatState.IDLE, ChatState.RUNNING) and self.kind != "section"


@dataclass(frozen=True)
class Lists:
    """What the rows are computed from. `seen`: per chat the last activity that was on screen; absent: all of it."""

    chats: Sequence[SessionSummary] = ()
    lanes: Sequence[Lane] = ()
    seen: Mapping[str, datetime] | None = None
    filter_text: str = ""
    recent_limit: int = RECENT_STEP

    def state(self, chat: SessionSummary) -> ChatState:
        """The state of one of the chats."""
        return chat_state(chat, (self.seen or {}).get(chat.session_id))

    def matches(self, chat: SessionSummary) -> bool:
        """Whether a chat passes the filter: substring over title, lane, branch and state word."""
        words = (chat.title or UNTITLED, chat.lane_name, chat.branch, SHAPES[self.state(chat)].word)
        return self.filter_text.casefold() in " ".join(words).casefold()


def sidebar_rows(lists: Lists) -> tuple[Row, ...]:
    """The sections that have rows, in order."""
    chats = [chat for chat in lists.chats if lists.matches(chat)]
    live = [chat for chat in chats if not chat.archived]
    lanes = {lane.id: lane for lane in lists.lanes if lane.type != "primary" and lane.state not in _HIDDEN}
    sections = (
        Row("section:needs", "section", "Needs you", children=_needs_rows(lists, live)),
        Row("section:pinned", "section", "Pinned", children=_pinned_rows(lists, live)),
        Row("section:lanes", "section", "Lanes", children=_lane_rows(lists, live, lanes)),
        Row("section:recent", "section", "Recent chats", children=_recent_rows(lists, live, lanes)),
        Row("section:archived", "section", "Archived", children=_archived_rows(lists, chats)),
    )
    return tuple(section for section in sections if section.children)


def waiting_order(chats: Sequence[SessionSummary]) -> list[SessionSummary]:
    """The chats that need a person, the one that waited longest first."""

    def since(chat: SessionSummary) -> datetime:
        waiting = oldest_wait(chat)
        return waiting.since if waiting is not None else chat.last_activity_at

    return sorted((c for c in chats if not c.archived and (c.waiting or c.interrupted)), key=since)


def _needs_rows(lists: Lists, chats: Sequence[SessionSummary]) -> tuple[Row, ...]:
    return tuple(_chat_row(lists, chat) for chat in waiting_order(chats))


def _pinned_rows(lists: Lists, chats: Sequence[SessionSummary]) -> tuple[Row, ...]:
    """Pinned chats also stand at their own place, as those that need a person do."""
    return tuple(_chat_row(lists, chat) for chat in chats if chat.pinned)


def _lane_rows(lists: Lists, chats: Sequence[SessionSummary], lanes: Mapping[str, Lane]) -> tuple[Row, ...]:
    rows = []
    for lane in lanes.values():
        own = [chat for chat in chats if chat.lane_id == lane.id]
        if own or (not lists.filter_text and not any(chat.lane_id == lane.id for chat in lists.chats)):
            rows.append((max((c.last_activity_at for c in own), default=lane.created_at), _lane_row(lists, lane, own)))
    rows.sort(key=lambda pair: pair[0], reverse=True)
    return tuple(row for _, row in rows)


def _lane_row(lists: Lists, lane: Lane, chats: Sequence[SessionSummary]) -> Row:
    worst = min(chats, key=lists.state, default=None)
    state = lists.state(worst) if worst is not None else ChatState.IDLE
    word = SHAPES[state].word if worst is not None else "no chat"
    if lane.state == "broken":
        state, word = ChatState.FAILED, "the lane folder is gone"
    return Row(
        f"lane:{lane.id}", "lane", f"lane/{display_text(lane.name)}".replace("lane/lane/", "lane/"),
        state=state, icon=LANE_ICON, before=word,
        since=worst.last_activity_at if worst is not None and state in (ChatState.IDLE, ChatState.UNSEEN) else None,
        after=_lane_detail(state, worst, len(chats)), session_id=chats[0].session_id if chats else "", chat=worst,
        badge=-1 if state is ChatState.FAILED else 0, lane_id=lane.id,
        children=tuple(_chat_row(lists, chat, in_lane=True) for chat in chats),
    )  # fmt: skip


def _lane_detail(state: ChatState, worst: SessionSummary | None, chats: int) -> str:
    if state is ChatState.FAILED and worst is not None:
        return failed_words(worst)
    if worst is not None and worst.waiting:
        first = oldest_wait(worst)
        return waiting_words(first) if first is not None else ""
    return f"{chats} chats" if chats > 1 else ""


def _recent_rows(lists: Lists, chats: Sequence[SessionSummary], lanes: Mapping[str, Lane]) -> tuple[Row, ...]:
    recent = sorted((c for c in chats if c.lane_id not in lanes), key=lambda c: c.last_activity_at, reverse=True)
    rows = [_chat_row(lists, chat) for chat in recent[: lists.recent_limit]]
    if len(recent) > lists.recent_limit:
        rows.append(Row("more:recent", "more", "Show more"))
    return tuple(rows)


def _archived_rows(lists: Lists, chats: Sequence[SessionSummary]) -> tuple[Row, ...]:
    return tuple(_chat_row(lists, chat) for chat in chats if chat.archived)


def _chat_row(lists: Lists, chat: SessionSummary, *, in_lane: bool = False) -> Row:
    branch = "" if in_lane else display_text(chat.branch)
    state = lists.state(chat)
    waiting = oldest_wait(chat)
    if waiting is not None:
        before, since, after = waiting_words(waiting), waiting.since, ""
    elif state in (ChatState.INTERRUPTED, ChatState.FAILED):
        before, since, after = SHAPES[state].word.capitalize(), chat.last_activity_at, ""
    elif state is ChatState.RUNNING:
        before, since, after = "Running", None, branch
    else:
        before, since, after = "", chat.last_activity_at, branch
    return Row(
        f"session:{chat.session_id}", "chat", display_text(chat.title) or UNTITLED, state=state,
        icon=LANE_ICON if chat.lane_id and not chat.primary else CHAT_ICON, before=before, since=since, after=after,
        badge=-1 if state is ChatState.FAILED else len(chat.waiting), session_id=chat.session_id, chat=chat,
    )  # fmt: skip
