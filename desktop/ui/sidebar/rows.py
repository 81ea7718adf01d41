"""The rows of the sidebar, computed from the lists of chats and lanes: Needs you, Pinned, Lanes, Recent chats,
Archived."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from desktop.domain.core.work import SessionSummary
from desktop.domain.display.text import display_text
from desktop.domain.lanes.lane import Lane
from desktop.language import tr
from desktop.ui.core.chat_state import oldest_wait
from desktop.ui.core.sidebar_row import Lists, SidebarRow, chat_row
from desktop.ui.sidebar.lane_rows import archived_lanes, lane_rows, shown_lanes

_BEGINNING = 14
"""Letters of a title that are read in the narrowest sidebar."""


def sidebar_rows(lists: Lists) -> tuple[SidebarRow, ...]:
    """The sections that have rows, in order."""
    chats = [chat for chat in lists.chats if lists.matches(chat)]
    live = [chat for chat in chats if not chat.archived]
    lanes, put_aside = shown_lanes(lists), archived_lanes(lists)
    above = {chat.session_id for chat in waiting_order(live)}
    rest = [chat for chat in live if chat.session_id not in above]
    sections = (
        SidebarRow("section:needs", "section", tr("Needs you"), children=_needs_rows(lists, live)),
        SidebarRow("section:pinned", "section", tr("Pinned"), children=_pinned_rows(lists, live)),
        SidebarRow(
            "section:lanes", "section", tr("Lanes"), children=lane_rows(lists, _unarchived(lists), lanes, above)
        ),
        SidebarRow(
            "section:recent", "section", tr("Recent chats"), children=_recent_rows(lists, rest, {**lanes, **put_aside})
        ),
        SidebarRow("section:archived", "section", tr("Archived"), children=_archived_rows(lists, chats, put_aside)),
    )
    return _told_apart(lists, (section for section in sections if section.children))


def _told_apart(lists: Lists, sections: Iterable[SidebarRow]) -> tuple[SidebarRow, ...]:
    """The sections; rows that begin with the same words show the whole of their titles, and those of one title in
    several lanes begin their second line with the lane."""
    found = tuple(sections)
    rows = [row for section in found for row in (*section.children, *_below(section))]
    begins = Counter(_beginning(row) for row in rows)
    lanes: dict[str, set[str]] = {}
    for row in rows:
        lanes.setdefault(row.title, set()).add(row.lane_id)

    def marked(row: SidebarRow) -> SidebarRow:
        crowded = len(row.title) > _BEGINNING and begins[_beginning(row)] > 1
        unnamed = len(lanes[row.title]) > 1 and (crowded or not row.suffix)
        lane = display_text(lists.lane_name(row.lane_id)) if unnamed else ""
        before = f"{lane} · {row.before}" if lane and row.before else lane or row.before
        return replace(row, crowded=crowded, before=before, children=tuple(marked(child) for child in row.children))

    return tuple(replace(one, children=tuple(marked(row) for row in one.children)) for one in found)


def _below(section: SidebarRow) -> list[SidebarRow]:
    return [child for row in section.children for child in row.children]


def _beginning(row: SidebarRow) -> str:
    return row.title[:_BEGINNING].casefold()


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
    colors = {lane.id: lane.color for lane in lists.lanes}
    rows = (chat_row(lists, chat) for chat in waiting_order(chats))
    return tuple(replace(row, color=colors.get(row.lane_id, "")) for row in rows)


def _pinned_rows(lists: Lists, chats: Sequence[SessionSummary]) -> tuple[SidebarRow, ...]:
    """Pinned chats also stand at their own place, as those that need a person do."""
    return tuple(chat_row(lists, chat) for chat in chats if chat.pinned)


def _recent_rows(lists: Lists, chats: Sequence[SessionSummary], lanes: Mapping[str, Lane]) -> tuple[SidebarRow, ...]:
    recent = sorted((c for c in chats if c.lane_id not in lanes), key=lambda c: c.last_activity_at, reverse=True)
    rows = [chat_row(lists, chat) for chat in recent[: lists.recent_limit]]
    if len(recent) > lists.recent_limit:
        rows.append(SidebarRow("more:recent", "more", tr("Show more")))
    return tuple(rows)


def _archived_rows(lists: Lists, chats: Sequence[SessionSummary], lanes: Mapping[str, Lane]) -> tuple[SidebarRow, ...]:
    """Lanes that were put aside, then chats that were."""
    return (
        *lane_rows(lists, _unarchived(lists), lanes),
        *(chat_row(lists, chat) for chat in chats if chat.archived),
    )
