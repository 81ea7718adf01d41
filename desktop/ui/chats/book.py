"""ChatBook: what the window knows of each chat, folded from updates; labels about a chat are made from its facts."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from desktop.domain.boundaries.values import ChatBoundary
from desktop.domain.chats.queue_events import Limits
from desktop.domain.chats.updates import ContextMeterChanged
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.update import Update
from desktop.domain.core.work import Activity, SessionSummary
from desktop.domain.display.surfaces import whole_title
from desktop.domain.display.text import display_text
from desktop.domain.events import Envelope, ThinkingLevel
from desktop.domain.gate.events import TaintReason
from desktop.domain.guests.updates import GuestChanged
from desktop.domain.guests.values import guest_of
from desktop.domain.history.state import QueuedMessage
from desktop.domain.history.state_of import SessionState, fold
from desktop.domain.lanes.lane import Lane, LaneFinding, LaneState, Operation, SetupState
from desktop.domain.lanes.updates import LaneRunChanged
from desktop.domain.updates import (
    ActivityChanged,
    ProjectOpened,
    RetryScheduled,
    SessionOpened,
    SessionsChanged,
    StreamDiscarded,
    TextDelta,
    ThinkingDelta,
    ToolInputDelta,
    ToolProgress,
)
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.chats.children import ChildFact, child_facts, waiting_below
from desktop.ui.core.chat_state import RUNNING_ACTIVITIES
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.lane_book import LaneBook

OF_ONE_CHAT = (
    Envelope, ActivityChanged, ContextMeterChanged, GuestChanged, RetryScheduled,
    StreamDiscarded, TextDelta, ThinkingDelta, ToolInputDelta, ToolProgress,
)  # fmt: skip


@dataclass(frozen=True)
class ChatFacts:
    """One chat as header and composer show it. Texts are display-safe. `waiting`: open blocking inputs; `reviews`:
    records to look back on; `setup`, `addresses`, `port_problem`: of its lane; `behind`: commits that the lane lacks of
    its `base`, which stands at `base_oid`; `tainted`: what it has read that must not leave or that nobody vouches for.
    `boundaries`: what a person forbade in words, as it was said.
    `queue`: what waits, as it was typed; `queue_paused`: why it is not delivered, "" if it is.
    `guest`: the agent of others that carries it out, None where there is none or nothing was told of it yet.
    `children`: its sub-agents; `parent_id`, `parent_title`: of a sub-agent, the chat that began it."""

    session_id: str
    title: str = ""
    mode: PermissionMode = PermissionMode.EDIT
    endpoint_id: str = ""
    model: str = ""
    thinking: ThinkingLevel = "off"
    lane_id: str = ""
    lane_name: str = ""
    lane_words: str = ""
    setup: SetupState = "none"
    addresses: tuple[str, ...] = ()
    port_problem: str = ""
    operation: Operation = ""
    conflicted: int = 0
    behind: int = 0
    base_oid: str = ""
    base: str = ""
    lane_state: LaneState | None = None
    finding: LaneFinding | None = None
    primary: bool = False
    demo: bool = False
    archived: bool = False
    imported: bool = False
    activity: Activity = Activity.IDLE
    since: datetime | None = None
    retry_at: datetime | None = None
    waiting: int = 0
    question: bool = False
    interrupted: bool = False
    failed: str = ""
    limited: bool = False
    without_sandbox: bool = False
    reviews: int = 0
    tainted: tuple[str, ...] = ()
    taint_reasons: tuple[TaintReason, ...] = ()
    boundaries: tuple[ChatBoundary, ...] = ()
    queue: tuple[QueuedMessage, ...] = ()
    queue_paused: str = ""
    limits: Limits | None = None
    guest: GuestChanged | None = None
    parent_id: str = ""
    parent_title: str = ""
    children: tuple[ChildFact, ...] = ()

    @property
    def guest_id(self) -> str:
        """The agent of others that carries it out, "" for none."""
        return guest_of(self.endpoint_id)

    @property
    def read_only(self) -> str:
        """Why nothing can be sent to it, "" if something can."""
        if self.imported:
            return tr("This chat came from a file. Continue it here first.")
        return tr("This chat is archived.") if self.archived else ""

    @property
    def queue_held(self) -> str:
        """Why what waits is not delivered: it was paused, the lane is being made ready, or Banksman ended between two
        turns, so that nothing goes on by itself."""
        if self.queue and not self.turn_running and not self.queue_paused and self.setup in ("pending", "running"):
            return "setup"
        return self.queue_paused or ("restart" if self.queue and not self.turn_running else "")

    @property
    def turn_running(self) -> bool:
        """A turn is under way: it works, waits for a person, or is being stopped."""
        return self.activity is not Activity.IDLE

    @property
    def raw_title(self) -> str:
        """The title, or the words for none."""
        return self.title or tr("New chat")


class ChatBook:
    """Answers with the facts of a chat and the lists of chats and lanes. `listed`: the chats of the
    repository that is open were told."""

    def __init__(self) -> None:
        self.listed = False
        self.chats: tuple[SessionSummary, ...] = ()
        self.lane_book = LaneBook()
        self._states: dict[str, SessionState] = {}
        self._activities: dict[str, ActivityChanged] = {}
        self._retries: dict[str, RetryScheduled] = {}
        self._meters: dict[str, ContextMeterChanged] = {}
        self._guests: dict[str, GuestChanged] = {}
        self._facts: dict[str, ChatFacts] = {}
        self._stirred: frozenset[str] | None = None
        self._told = frozenset[str]()
        self.hearing = self._hears()

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """All lanes that are not deleted, oldest first."""
        return self.lane_book.lanes

    def summary(self, session_id: str) -> SessionSummary | None:
        """The chat as the list has it, None while it is not listed."""
        return next((chat for chat in self.chats if chat.session_id == session_id), None)

    def title(self, session_id: str) -> str:
        """The display-safe title of a chat, "" while it is not listed."""
        return self.facts(session_id).title if self.summary(session_id) is not None else ""

    def lane_path(self, session_id: str) -> str:
        """The folder of the lane of a chat, "" for none."""
        lane = self.lane_book.lane(self.facts(session_id).lane_id) if session_id else None
        return lane.worktree_path if lane is not None else ""

    def facts(self, session_id: str) -> ChatFacts:
        """What is known of a chat: the fold where its events are here, the list's summary where not. Put together once
        for all who ask until more is heard."""
        facts = self._facts.get(session_id)
        if facts is None:
            facts = self._facts[session_id] = self._put_together(session_id)
        return facts

    def has_read(self, facts: ChatFacts) -> bool:
        """Whether the chat, or one above it that is known, has read what must not leave or nobody vouches for."""
        return bool(facts.tainted) or (bool(facts.parent_id) and self.has_read(self.facts(facts.parent_id)))

    def is_still(self, session_id: str) -> bool:
        """Whether the newest batch told of other chats alone, so that nothing of this one is to be shown anew; "" is
        the page of a new one."""
        return self._stirred is not None and session_id not in self._stirred

    def is_written(self, session_id: str) -> bool:
        """Whether a turn of this chat runs and the newest batch told of it."""
        return session_id in self._told and self.facts(session_id).turn_running

    def _put_together(self, session_id: str) -> ChatFacts:
        summary = self.summary(session_id)
        state = self._states.get(session_id)
        facts = _from_summary(session_id, summary)
        if state is not None:
            facts = self._with_family(_with_state(facts, state), state)
        facts = _with_lane(facts, lane := self.lane_book.lane(facts.lane_id), self.lane_book.runs.get(facts.lane_id))
        gone = lane is None and facts.lane_id and summary is not None
        now: dict[str, Any] = {"lane_state": lane.state if lane is not None else "deleted" if gone else None}
        now["finding"] = self.lane_book.finding(facts.lane_id)
        if (activity := self._activities.get(session_id)) is not None:
            now |= {"activity": activity.activity, "since": activity.since}
        if facts.guest_id:
            now["guest"] = self._guests.get(session_id)
        if (retry := self._retries.get(session_id)) is not None:
            now["retry_at"] = retry.retry_at
        if (status := self.lane_book.status(facts.lane_id)) is not None:
            above = self.lane_book.lane(lane.parent_id) if lane is not None else None
            base = above.name if above is not None else status.base_name or (lane.base_ref if lane is not None else "")
            now |= {"operation": status.operation, "conflicted": status.conflicted, "behind": status.behind or 0}
            now |= {"base_oid": status.base_oid, "base": display_text(base)}
        return replace(facts, **now)

    def _with_family(self, facts: ChatFacts, state: SessionState) -> ChatFacts:
        """With the chat above it, and those below it; what these wait for counts here too."""
        if state.parent_session_id:
            above = self._states.get(state.parent_session_id)
            title = above.title if above is not None else ""
            gone = facts.archived or (above is not None and above.archived)
            facts = replace(facts, parent_id=state.parent_session_id, parent_title=whole_title(title), archived=gone)
        if not state.children:
            return facts
        waiting = facts.waiting + waiting_below(state, self._states)
        return replace(
            facts,
            children=child_facts(state, self._states),
            waiting=waiting,
            question=facts.question and waiting == len(state.open_inputs),
        )

    def meter(self, session_id: str) -> ContextMeterChanged | None:
        """How full the model's window is, None while nobody has said."""
        return self._meters.get(session_id)

    def activity(self, session_id: str) -> Activity:
        """What the chat does now."""
        return self.facts(session_id).activity

    def running(self) -> list[str]:
        """The chats whose turn works now; those that only wait for a person are not among them."""
        return [c.session_id for c in self.chats if self.activity(c.session_id) in RUNNING_ACTIVITIES]

    def waiting_count(self) -> int:
        """Decisions that wait in the chats of the list, for which one can go there."""
        return sum(len(chat.waiting) for chat in self.chats if not chat.archived)

    def interrupted_count(self) -> int:
        """Chats of the list that a restart cut off, where a person says whether they go on."""
        return sum(chat.interrupted and not chat.archived for chat in self.chats)

    def _hears(self) -> Hearing:
        return (
            Hearing(self.lane_book.hearing)
            .on(Envelope, self._take_envelope)
            .on(SessionsChanged, self._on_list)
            .on(ProjectOpened, self._on_project)
            .on(SessionOpened, self._take_opened)
            .on(ActivityChanged, self._on_activity)
            .on(RetryScheduled, self._on_retry)
            .on(ContextMeterChanged, self._on_meter)
            .on(GuestChanged, self._on_guest)
            .every(self._forget_facts)
        )

    def _forget_facts(self, updates: Sequence[Update]) -> None:
        """Those that the batch may have changed: of the chats that it tells of, and of all with a chat above or below
        them; any other kind of update is for all."""
        self._told = told = frozenset(one.session_id for one in updates if isinstance(one, OF_ONE_CHAT))
        if not all(isinstance(one, OF_ONE_CHAT) for one in updates):
            self._stirred = None
            self._facts.clear()
            return
        families = (one.session_id for one in self._facts.values() if one.parent_id or one.children)
        self._stirred = told.union(families)
        for session_id in self._stirred:
            self._facts.pop(session_id, None)

    def _on_list(self, update: SessionsChanged) -> None:
        self.chats, self.listed = update.sessions, True

    def _on_project(self, _update: ProjectOpened) -> None:
        self.listed = False

    def _on_activity(self, update: ActivityChanged) -> None:
        self._activities[update.session_id] = update
        if update.activity is not Activity.RETRYING:
            self._retries.pop(update.session_id, None)

    def _on_retry(self, update: RetryScheduled) -> None:
        self._retries[update.session_id] = update

    def _on_meter(self, update: ContextMeterChanged) -> None:
        self._meters[update.session_id] = update

    def _on_guest(self, update: GuestChanged) -> None:
        self._guests[update.session_id] = update

    def _take_envelope(self, envelope: Envelope) -> None:
        state = self._states.get(envelope.session_id)
        if state is None and envelope.seq == 0:
            state = SessionState()
        if state is not None and envelope.seq > state.head_seq:
            self._states[envelope.session_id] = fold(state, envelope)

    def _take_opened(self, opened: SessionOpened) -> None:
        """Take the state that comes with the events, or fold them where all are here."""
        state = opened.state
        if state is None:
            if not (opened.first and opened.complete):
                return
            state = SessionState()
            for envelope in opened.envelopes:
                state = fold(state, envelope)
        known = self._states.get(opened.session_id)
        if known is None or known.head_seq <= state.head_seq:
            self._states[opened.session_id] = state


def _from_summary(session_id: str, summary: SessionSummary | None) -> ChatFacts:
    if summary is None:
        return ChatFacts(session_id)
    return ChatFacts(
        session_id,
        whole_title(summary.title),
        summary.mode,
        summary.endpoint_id,
        summary.model,
        lane_id=summary.lane_id,
        lane_name=display_text(summary.lane_name),
        primary=summary.primary,
        demo=summary.demo,
        archived=summary.archived,
        activity=summary.activity,
        waiting=len(summary.waiting),
        question=bool(summary.waiting) and all(w.kind == "question" for w in summary.waiting),
        interrupted=summary.interrupted,
        failed=display_text(summary.failed),
        limited=summary.limited,
    )


def _with_state(facts: ChatFacts, state: SessionState) -> ChatFacts:
    requests = [opened.request for opened in state.open_inputs.values()]
    return replace(
        facts,
        title=whole_title(state.title) or facts.title,
        mode=state.mode,
        endpoint_id=state.endpoint_id,
        model=state.model,
        thinking=state.thinking,
        lane_id=state.lane_id or facts.lane_id,
        lane_name=facts.lane_name or display_text(state.branch),
        primary=state.primary or facts.primary,
        demo=facts.demo or state.endpoint_id == "demo",
        archived=state.archived,
        imported=state.imported,
        waiting=len(requests),
        interrupted=state.interrupted or facts.interrupted,
        question=bool(requests) and all(request.kind == "question" for request in requests),
        failed=display_text(state.failed),
        limited=state.limited,
        without_sandbox=state.without_sandbox,
        reviews=len(state.reviews),
        tainted=tuple(map(display_text, state.tainted)),
        taint_reasons=state.taint_reasons,
        boundaries=state.boundaries,
        queue=state.queue,
        queue_paused=state.queue_paused,
        limits=state.turn_limits or state.limits,
    )


def _with_lane(facts: ChatFacts, lane: Lane | None, run: LaneRunChanged | None) -> ChatFacts:
    if lane is None:
        return facts
    words = [display_text(lane.worktree_path), tr("Branch {branch}", branch=display_text(lane.branch))]
    if lane.base_ref:
        words.append(tr("From {base}", base=display_text(lane.base_ref)))
    return replace(
        facts,
        lane_name=display_text(lane.branch or lane.name),
        lane_words="\n".join(words),
        primary=facts.primary or lane.type == "primary",
        setup=lane.setup,
        addresses=run.addresses if run is not None else (),
        port_problem=display_text(run.port_problem) if run is not None else "",
    )
