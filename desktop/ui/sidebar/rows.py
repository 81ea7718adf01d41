"""The rows of the sidebar, computed from the lists of chats and lanes: Needs you, Pinned, Lanes, Recent chats,
Archived."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from desktop.domain.core.work import SessionSummary
from desktop.domain.lanes.lane import Lane
from desktop.ui.core.chat_state import oldest_wait
from desktop.ui.core.sidebar_row import Lists, SidebarRow, chat_row
from desktop.ui.sidebar.lane_rows import archived_lanes, lane_rows, shown_lanes


def sidebar_rows(lists: Lists) -> tuple[SidebarRow, ...]:
    """The sections that have rows, in order."""
    chats = [chat for chat in lists.chats if lists.matches(chat)]
    live = [chat for chat in chats if not chat.archived]
    lanes, put_aside = shown_lanes(lists), archived_lanes(lists)
    sections = (
        SidebarRow("section:needs", "section", "Needs you", children=_needs_rows(lists, live)),
        SidebarRow("section:pinned", "section", "Pinned", children=_pinned_rows(lists, live)),
        SidebarRow("section:lanes", "section", "Lanes", children=lane_rows(lists, _unarchived(lists), lanes)),
        SidebarRow(
            "section:recent", "section", "Recent chats", children=_recent_rows(lists, live, {**lanes, **put_aside})
        ),
        SidebarRow("section:archived", "section", "Archived", children=_archived_rows(lists, chats, put_aside)),
    )
    return tuple(section for section in sections if section.children)


def waiting_order(chats: Sequence[SessionSummary]) -> list[SessionSummary]:
    """The chats that need a person, the one that waited longest first."""

    def since(chat: SessionSummary) -> datetime:
        waiting = oldest_wait(chat)
        return waiting.since if waiting is not None else chat.last_activity_at

    return sorted((c for c in chats if not c.archived and (c.waiting or c.interrupted)), key=since)


def _unarchived(lists: Lists) -> list[SessionSummary]:
    """Chats that can stand below their lane; the filter looks at them together with it."""
    return [chat for chat in lists.chats if not chat.archived]


def _needs_rows(lists: Lists, chats: Sequence[SessionSummary]) -> tuple[SidebarRow, ...]:
    return tuple(chat_row(lists, chat) for chat in waiting_order(chats))


def _pinned_rows(lists: Lists, chats: Sequence[SessionSummary]) -> tuple[SidebarRow, ...]:
    """Pinned chats also stand at their own place, as those that need a person do."""
    return tuple(chat_row(lists, chat) for chat in chats if chat.pinned)


def _recent_rows(lists: Lists, chats: Sequence[SessionSummary], lanes: Mapping[str, Lane]) -> tuple[SidebarRow, ...]:
    recent = sorted((c for c in chats if c.lane_id not in lanes), key=lambda c: c.last_activity_at, reverse=True)
    rows = [chat_row(lists, chat) for chat in recent[: lists.recent_limit]]
    if len(recent) > lists.recent_limit:
        rows.append(SidebarRow("more:recent", "more", "Show more"))
    return tuple(rows)


def _archived_rows(lists: Lists, chats: Sequence[SessionSummary], lanes: Mapping[str, Lane]) -> tuple[SidebarRow, ...]:
    """Lanes that were put aside, then chats that were."""
    return (
        *lane_rows(lists, _unarchived(lists), lanes),
        *(chat_row(lists, chat) for chat in chats if chat.archived),
    )
