"""The rows of the inbox: requests that wait, chats that were cut off, calls to look back on; how they are ranked."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Literal

from desktop.domain.core.work import SessionSummary, WaitingInput
from desktop.domain.display.surfaces import whole_title
from desktop.domain.display.text import display_text, prose_text
from desktop.domain.gate.pending import (
    Answer,
    ApprovalRequest,
    InputRequest,
    PlanReview,
    QuestionRequest,
    input_title,
    is_command,
    is_verbatim_title,
)
from desktop.domain.inbox.alike import MOST_TOGETHER, alike_key
from desktop.domain.inbox.answered import AnsweredCard
from desktop.domain.inbox.ranking import Reach, Standing, Undoing, reach_of, undoing_of
from desktop.domain.inbox.updates import AnsweredLoaded, ChatPlace
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.chats.book import ChatBook
from desktop.ui.core.chat_state import waiting_words
from desktop.ui.core.sidebar_row import UNTITLED
from desktop.ui.gate.cards.wording import chips_of, icon_of, risk_of
from desktop.ui.gate.input_fold import PendingItem
from desktop.ui.inbox.open_inputs import OpenInputs
from desktop.ui.text import format as fmt

Kind = Literal["approvals", "questions", "plans", "interrupted", "review", "answered"]


@dataclass(frozen=True)
class InboxEntry:
    """One entry. `inputs`: the open requests that it stands for, several where they are equal but for their lane;
    `card`: what a person answered.
    Texts are display-safe; `facts` follow the age in the last line."""

    key: str
    kind: Kind
    session_id: str
    title: str
    where: str
    since: datetime
    icon: tuple[str, str]
    facts: tuple[str, ...] = ()
    inputs: tuple[PendingItem, ...] = ()
    blocks: int = 0
    card: AnsweredCard | None = None

    @property
    def number(self) -> int:
        """How many things wait here."""
        return max(1, len(self.inputs))

    @property
    def standing(self) -> Standing:
        """What its place in the order follows from."""
        if not self.inputs:
            return Standing(self.key, Undoing.WHOLLY, Reach.NOTHING, self.since, self.blocks)
        request = self.inputs[0].request
        return Standing(self.key, undoing_of(request), reach_of(request), self.since, self.blocks)


_AT_ONCE = 50
_Made = tuple[tuple[object, ...], InboxEntry]


class InboxEntries:
    """Makes the entries. What was made for requests that are the same values, at the same place, is made once."""

    def __init__(self, inputs: OpenInputs, book: ChatBook) -> None:
        self._inputs, self._book = inputs, book
        self._alike: dict[str, tuple[InputRequest, str]] = {}
        self._made: dict[str, _Made] = {}

    def all(self, project_id: str) -> list[InboxEntry]:
        """Everything that waits, in no order of weight. `project_id`: of the repository that is open."""
        items, alike = self._inputs.items(), dict[str, tuple[InputRequest, str]]()
        for item in items:
            alike[item.input_id] = self._alike_of(item)
        self._alike = alike
        before, self._made = self._made, {}
        for key, members in _together(items, self._alike_there):
            self._made[key] = self._entry_of(key, members, before, project_id)
        entries = [entry for _made_of, entry in self._made.values()]
        return [*entries, *_interrupted(self._book.chats), *_reviews(self._book)]

    def ahead(self, project_id: str) -> Iterator[None]:
        """Make what `all` will need, a few at each step."""
        items = self._inputs.items()
        for at, item in enumerate(items, start=1):
            self._alike[item.input_id] = self._alike_of(item)
            if at % _AT_ONCE == 0:
                yield
        known = [item for item in items if item.input_id in self._alike]
        for at, (key, members) in enumerate([*_together(known, self._alike_there)], start=1):
            self._made[key] = self._entry_of(key, members, self._made, project_id)
            if at % _AT_ONCE == 0:
                yield

    def _alike_of(self, item: PendingItem) -> tuple[InputRequest, str]:
        known = self._alike.get(item.input_id)
        return known if known is not None and known[0] is item.request else (item.request, alike_key(item.request))

    def _entry_of(
        self, key: str, members: Sequence[PendingItem], before: Mapping[str, _Made], project_id: str
    ) -> _Made:
        places = (self._inputs.place(item.session_id) for item in members)
        made_of: tuple[object, ...] = (project_id, *members, *places)
        there = before.get(key)
        if there is not None and _same(there[0], made_of):
            return there
        return made_of, _of_inputs((key, members), self._inputs, self._book, project_id)

    def _alike_there(self, item: PendingItem) -> str:
        """As `alike_key`, of one repository alone: lanes of another are not named where the answer counts for them."""
        alike, place = self._alike[item.input_id][1], self._inputs.place(item.session_id)
        return f"{place.project_id} {alike}" if alike and place is not None else ""


def answered_entries(loaded: AnsweredLoaded, book: ChatBook, project_id: str) -> list[InboxEntry]:
    """What was answered, newest first."""
    places = {place.session_id: place for place in loaded.places}
    found = []
    for card in loaded.answered:
        place = places.get(card.session_id)
        parts = place_words(place, card.session_id, book, project_id) if place is not None else (tr("a deleted chat"),)
        title = _title(card.request)
        icon = ("x", "danger") if card.answer.outcome == "reject" else ("check", "success")
        key, where = f"answered:{card.input_id}", " · ".join(part for part in parts if part)
        chat = place.chat_id if place is not None else card.session_id
        facts = (answer_words(card.answer),)
        found.append(InboxEntry(key, "answered", chat, title, where, card.at, icon, facts, card=card))
    return found


def answer_words(given: Answer) -> str:
    """What a person said, in a word or three."""
    if given.outcome == "allow_always":
        return tr("saved a rule") if given.scope == "project" else tr("allowed in this chat")
    edited = given.edited_input is not None or given.edited_plan is not None
    return {"allow_once": tr("edited and allowed") if edited else tr("allowed once"), "reject": tr("declined")}.get(
        given.outcome, tr("answered")
    )


def _title(request: InputRequest) -> str:
    words = input_title(request)
    return display_text(words) if is_command(request) else prose_text(words)


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Whether both name the same values. A chat whose place is not known (None) is named anew: it may have a title."""
    pairs = zip(one, other, strict=False)
    return len(one) == len(other) and all(
        right is not None and (left is right or (isinstance(left, str) and left == right)) for left, right in pairs
    )


def place_words(place: ChatPlace | None, session_id: str, book: ChatBook, project_id: str) -> tuple[str, str, str]:
    """The chat with those above it, the lane, and the repository where another one is open."""
    if place is None:
        facts = book.facts(session_id)
        return facts.title or UNTITLED, facts.lane_name, ""
    path = " › ".join(whole_title(title) or UNTITLED for title in place.path)
    other = display_text(place.project_name) if place.project_id != project_id else ""
    return path, display_text(place.lane), other


def _together(
    items: Sequence[PendingItem], alike_of: Callable[[PendingItem], str]
) -> Iterator[tuple[str, list[PendingItem]]]:
    """The requests, those that are equal but for their lane together, no more than one look may answer."""
    groups: dict[str, list[PendingItem]] = {}
    for item in items:
        alike = alike_of(item)
        key = f"alike:{sha256(alike.encode()).hexdigest()[:16]}" if alike else f"input:{item.input_id}"
        groups.setdefault(key, []).append(item)
    for key, members in groups.items():
        lanes: set[str] = set()
        one_each: list[PendingItem] = []
        for item in members:
            lane = item.request.lane if isinstance(item.request, ApprovalRequest) else ""
            if lane in lanes or len(one_each) == MOST_TOGETHER:
                yield f"input:{item.input_id}", [item]
            else:
                lanes.add(lane)
                one_each.append(item)
        yield key, one_each


def _of_inputs(
    alike: tuple[str, Sequence[PendingItem]], inputs: OpenInputs, book: ChatBook, project_id: str
) -> InboxEntry:
    key, items = alike
    first = items[0]
    request, place = first.request, inputs.place(first.session_id)
    path, lane, other = place_words(place, first.session_id, book, project_id)
    words = waiting_words(
        WaitingInput(
            input_id=first.input_id,
            kind=request.kind,
            title=input_title(request),
            since=first.asked_at,
            verbatim=is_verbatim_title(request),
        )
    )
    lanes = ", ".join(display_text(item.request.lane) for item in items if isinstance(item.request, ApprovalRequest))
    many = f"{fmt.count(len(items), 'lane')}: {lanes}"
    where = (path, lane, other) if len(items) == 1 else (many, other)
    risk = risk_of(request)
    kind: Kind = "approvals"
    if isinstance(request, QuestionRequest):
        kind = "questions"
    elif isinstance(request, PlanReview):
        kind = "plans"
    return InboxEntry(
        key=key,
        kind=kind,
        session_id=first.session_id,
        title=words,
        where=" · ".join(part for part in where if part),
        since=first.asked_at,
        icon=icon_of(request),
        facts=tuple([word for word, _role in chips_of(request)] + ([risk[0]] if risk[1] == "danger" else [])),
        inputs=tuple(items),
        blocks=sum(_blocks(inputs.place(item.session_id)) for item in items),
    )


def _blocks(place: ChatPlace | None) -> int:
    """The turns that stand still for a request of this chat: its own, and those that began it."""
    return len(place.path) if place is not None else 1


def _interrupted(chats: Iterable[SessionSummary]) -> Iterator[InboxEntry]:
    for chat in chats:
        if chat.interrupted and not chat.archived:
            title = whole_title(chat.title) or UNTITLED
            lane = display_text(chat.lane_name or chat.branch)
            at = chat.last_activity_at
            key = f"interrupted:{chat.session_id}"
            yield InboxEntry(
                key,
                "interrupted",
                chat.session_id,
                tr("Interrupted: {title}", title=title),
                lane,
                at,
                ("pause", "warning"),
            )


def _reviews(book: ChatBook) -> Iterator[InboxEntry]:
    for chat in book.chats:
        number = 0 if chat.archived else book.facts(chat.session_id).reviews
        if number:
            title = whole_title(chat.title) or UNTITLED
            words = tr("{count} to look back on", count=fmt.count(number, "call"))
            where = " · ".join(part for part in (title, display_text(chat.lane_name or chat.branch)) if part)
            key = f"review:{chat.session_id}"
            yield InboxEntry(key, "review", chat.session_id, words, where, chat.last_activity_at, ("eye", "muted"))
