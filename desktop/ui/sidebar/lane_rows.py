"""The rows of lanes in the sidebar: their order, stacks, second lines and badges."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from desktop.domain.core.work import SessionSummary
from desktop.domain.display.text import display_text, prose_text
from desktop.domain.lanes.lane import Lane, LaneStatus
from desktop.domain.pulls.pull_request import PullSnapshot
from desktop.language import number as digits
from desktop.language import tr
from desktop.ui.core.chat_state import (
    AT_A_LIMIT,
    SHAPES,
    ChatState,
    Shape,
    failed_words,
    oldest_wait,
    state_word,
    waiting_words,
)
from desktop.ui.core.sidebar_row import LANE_ICON, UNTITLED, Lists, SidebarRow, chat_row
from desktop.ui.lanes.state import (
    BEHIND,
    DIRTY,
    MERGED,
    LaneFacts,
    lane_sentence,
    lane_words,
    size_words,
    unread_words,
    worst_overlap,
)
from desktop.ui.pulls.words import badge_sentence, badge_words
from desktop.ui.text import format as fmt

MARKS = {"star": "star", "flag": "flag", "bolt": "zap", "shield": "shield", "tag": "tag"}
"""The picture of each icon that a lane can have."""

DONE, ANSWERED = tr("done"), tr("new answer")
"""What a lane says whose last report is proved for its files as they are (lanes-E8), and one whose chat has merely
come to an end that nobody has seen."""
_SHOWN = ("creating", "active", "broken")
_PRESSING = (ChatState.APPROVAL, ChatState.QUESTION, ChatState.INTERRUPTED, ChatState.FAILED, ChatState.RUNNING)


def shown_lanes(lists: Lists) -> dict[str, Lane]:
    """The lanes that stand among the lanes, by id."""
    return {lane.id: lane for lane in lists.lanes if lane.type != "primary" and lane.state in _SHOWN}


def archived_lanes(lists: Lists) -> dict[str, Lane]:
    """The lanes that were put aside, by id."""
    return {lane.id: lane for lane in lists.lanes if lane.type != "primary" and lane.state == "archived"}


def lane_rows(
    lists: Lists, chats: Sequence[SessionSummary], lanes: Mapping[str, Lane], elsewhere: Collection[str] = ()
) -> tuple[SidebarRow, ...]:
    """These lanes with those of the chats that are theirs, as far as the filter lets them through: in the order that
    was chosen, each followed by the lanes that stack on it. `elsewhere`: the chats that stand above already. A lane
    that has no others is not listed again, unless lanes stack on it."""
    own: dict[str, list[SessionSummary]] = {}
    for chat in chats:
        own.setdefault(chat.lane_id, []).append(chat)
    below = {lane.parent_id for lane in lanes.values()}
    rows: dict[str, SidebarRow] = {}
    for lane in lanes.values():
        mine = own.get(lane.id, [])
        told = bool(mine) and all(chat.session_id in elsewhere for chat in mine)
        row = None if told and lane.id not in below else _lane_row(lists, lane, mine, elsewhere)
        if row is not None:
            rows[lane.id] = row
    return tuple(_stacked(lists, rows, lanes, own))


def _stacked(
    lists: Lists, rows: Mapping[str, SidebarRow], lanes: Mapping[str, Lane], own: Mapping[str, Sequence[SessionSummary]]
) -> list[SidebarRow]:
    below: dict[str, list[str]] = {}
    for lane_id in rows:
        parent = lanes[lane_id].parent_id
        below.setdefault(parent if parent in rows else "", []).append(lane_id)

    def latest(lane_id: str) -> datetime:
        times = [chat.last_activity_at for chat in own.get(lane_id, [])] or [lanes[lane_id].created_at]
        return max([*times, *(latest(child) for child in below.get(lane_id, []))])

    def worst(lane_id: str) -> int:
        return min([_rank(rows[lane_id]), *(worst(child) for child in below.get(lane_id, []))])

    def place(lane_id: str) -> tuple[object, ...]:
        name, newest = rows[lane_id].title.casefold(), -latest(lane_id).timestamp()
        return {"name": (name,), "need": (worst(lane_id), newest)}.get(lists.order, (newest,))

    def walk(parent: str, depth: int) -> list[SidebarRow]:
        found: list[SidebarRow] = []
        for lane_id in sorted(below.get(parent, []), key=place):
            row = replace(rows[lane_id], depth=depth) if depth else rows[lane_id]
            found += [row, *walk(lane_id, depth + 1)]
        return found

    return walk("", 0)


def _rank(row: SidebarRow) -> int:
    """How much a lane needs a person: waiting, failed, running, something to look after, nothing."""
    if row.state in (ChatState.APPROVAL, ChatState.QUESTION, ChatState.INTERRUPTED):
        return 0
    if row.badge < 0:
        return 1
    return 2 if row.state is ChatState.RUNNING else 3 if row.shape is not None else 4


def _lane_row(
    lists: Lists, lane: Lane, chats: Sequence[SessionSummary], elsewhere: Collection[str]
) -> SidebarRow | None:
    """None where the filter lets neither the lane nor one of its chats through."""
    facts = LaneFacts(lane, lists.statuses.get(lane.id), lists.findings.get(lane.id), _base_name(lists, lane))
    pull = lists.pulls.get(lane.id)
    number = badge_words(pull, lane.pr_number)
    whole = lists.passes(*_searched(facts), number)
    shown = [chat for chat in chats if whole or lists.matches(chat)]
    if not whole and not shown:
        return None
    worst = min(chats, key=lists.state, default=None)
    state = lists.state(worst) if worst is not None else ChatState.IDLE
    told = lane_words(facts)
    if told is not None and told.shape is BEHIND and _is_merged(pull):
        told = None  # there is nothing left to bring up to date
    pressing = state in _PRESSING
    shape = told.shape if told is not None and not pressing else None
    if shape is None and state in (ChatState.UNSEEN, ChatState.IDLE) and _is_merged(pull):
        shape = MERGED
    unread = unread_words(facts.status) if lane.state != "broken" else ""
    words = "" if pressing or told is None else told.text
    first = _first_words(state, worst, words or unread) or _maker(lists, lane)
    report = lists.reports.get(lane.id)
    done = report is not None and report.done and not pressing
    if done or first == DONE:
        first = DONE if done and not words else f"{DONE} · {words}" if done else ANSWERED
    aged = not words and not unread and worst is not None and not pressing
    overlap = worst_overlap(facts.status)
    other = display_text(lists.lane_name(overlap.lane_id)) if overlap is not None else ""
    more = sum(one.prediction == "conflict" for one in facts.status.overlaps) - 1 if facts.status is not None else 0
    failed = state is ChatState.FAILED or (shape is not None and told is not None and told.failed)
    alone = chats[0] if len(chats) == 1 else None
    title, suffix = _named(lane, alone)
    again = [chat for chat in chats if chat.session_id in elsewhere]
    if again and worst is not None and worst.session_id in elsewhere:
        first = tr("{again} of {chats} above", again=len(again), chats=len(chats)) if alone is None else tr("above")
    return SidebarRow(
        f"lane:{lane.id}",
        "lane",
        title,
        state=state,
        icon=LANE_ICON,
        shape=shape,
        before=" · ".join(dict.fromkeys(part for part in (first, unread) if part)),
        since=worst.last_activity_at if aged and worst is not None else None,
        after=" · ".join(_details(facts, shape, len(chats), number)),
        badge=-1 if failed else sum(len(chat.waiting) for chat in chats if chat.session_id not in elsewhere),
        session_id=_newest(chats),
        chat=worst,
        lane_id=lane.id,
        color=lane.color,
        mark=MARKS.get(lane.icon, ""),
        suffix=suffix,
        greyed=bool(unread),
        clash=f"{other} +{more}" if more > 0 else other,
        clashes=more + 1 if other else 0,
        sentence="\n".join(filter(None, (lane_sentence(facts, other), badge_sentence(pull)))),
        single=alone is not None,
        children=() if alone is not None else _below(lists, shown, elsewhere),
    )


def _below(lists: Lists, chats: Sequence[SessionSummary], elsewhere: Collection[str]) -> tuple[SidebarRow, ...]:
    return tuple(chat_row(lists, chat, in_lane=True) for chat in chats if chat.session_id not in elsewhere)


def _named(lane: Lane, alone: SessionSummary | None) -> tuple[str, str]:
    """What a lane is called, and what stands behind that: by the title of its one chat, which says more than a name
    that was made of its first words; the lane's own name where that says something else."""
    if alone is None or not alone.title:
        return display_text(lane.name), _suffix(lane)
    said = _letters(alone.title).startswith(_letters(lane.name))
    return prose_text(alone.title), "" if said else display_text(lane.name)


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _first_words(state: ChatState, worst: SessionSummary | None, words: str) -> str:
    first = oldest_wait(worst) if worst is not None else None
    if first is not None:
        return waiting_words(first)
    if words and state not in _PRESSING:
        return f"{AT_A_LIMIT} · {words}" if worst is not None and worst.limited else words
    if worst is None:
        return ""
    if state is ChatState.FAILED:
        return " · ".join(part for part in (SHAPES[state].word, failed_words(worst)) if part)
    return state_word(worst, state)


def _is_merged(snapshot: PullSnapshot | None) -> bool:
    return snapshot is not None and snapshot.pull is not None and snapshot.pull.state == "merged"


def _maker(lists: Lists, lane: Lane) -> str:
    """Of a lane without a chat of its own, the chat that made it, for a sub-agent or for work to come."""
    maker = next((chat for chat in lists.chats if chat.session_id == lane.created_by), None)
    return tr("made by {chat}", chat=display_text(maker.title or UNTITLED)) if maker is not None else tr("no chat")


def _details(facts: LaneFacts, shape: Shape | None, chats: int, pull: str) -> list[str]:
    status = facts.status
    parts = [
        _files(status, dirty=shape is DIRTY) if status is not None else "",
        pull,
        fmt.count(chats, "chat") if chats > 1 else "",
        size_words(facts.lane),
    ]
    return [part for part in parts if part]


def _files(status: LaneStatus, *, dirty: bool) -> str:
    """How many files the lane changes; behind the words that something is not committed, how many of these are not."""
    loose, changed = status.uncommitted if dirty else 0, status.changed_files
    if 0 < loose < changed:
        return tr("{number} of {files}", number=digits(loose), files=fmt.count(changed, "file"))
    return fmt.count(max(loose, changed), "file") if loose or changed else ""


def _searched(facts: LaneFacts) -> list[str]:
    words = lane_words(facts)
    state = f"{words.text} {words.shape.word}" if words is not None else ""
    dirty = tr("dirty not committed") if facts.status is not None and facts.status.dirty else ""
    return [facts.lane.name, facts.lane.branch, *(f"#{tag}" for tag in facts.lane.tags), state, dirty]


def _base_name(lists: Lists, lane: Lane) -> str:
    """What a lane is measured against, in words."""
    status = lists.statuses.get(lane.id)
    base = (status.base_name if status is not None else "") or lane.base_ref
    return display_text(lists.lane_name(lane.parent_id) if lane.parent_id else base) or tr("its base")


def _suffix(lane: Lane) -> str:
    """The branch, where the name does not say it already."""
    tail = lane.branch.rpartition("/")[2]
    return "" if _letters(tail) == _letters(lane.name) else display_text(lane.branch)


def _newest(chats: Sequence[SessionSummary]) -> str:
    return chats[0].session_id if chats else ""


def shape_of(row: SidebarRow) -> Shape:
    """How the state of a row is drawn."""
    return row.shape or SHAPES[row.state]
