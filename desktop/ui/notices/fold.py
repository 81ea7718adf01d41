"""Notices: what of the engine's updates a person should hear of although they look elsewhere (ui-U162)."""

from collections.abc import Iterator, Sequence

from desktop.config.notification_settings import NoticeKind
from desktop.domain.chats.sounds import Sound
from desktop.domain.core.work import SessionSummary
from desktop.domain.display.surfaces import whole_title
from desktop.domain.display.text import display_text, prose_text
from desktop.domain.events import Envelope, InputRequested, TurnEnded, TurnStarted
from desktop.domain.gate.pending import ApprovalRequest, InputRequest, PlanReview, QuestionRequest
from desktop.domain.pulls.updates import PullTransition, TransitionKind
from desktop.domain.reports.events import CompletionReported
from desktop.domain.reports.values import STATUS_WORDS
from desktop.domain.updates import ProjectOpened, SessionsChanged
from desktop.language import tr, trn
from desktop.records import dataclass
from desktop.ui.core.chat_state import waiting_words
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.sidebar_row import UNTITLED
from desktop.ui.text.format import clock_time

LONG_TURN_MS = 30_000
_REMEMBERED, _MOST_DETAILS = 500, 200
_TELLING = ("command", "sql", "path", "url", "message")
_PULL_WORDS: dict[TransitionKind, str] = {
    "checks_failed": tr("checks failed"),
    "checks_passed": tr("checks passed"),
    "changes_requested": tr("changes requested"),
    "approved": tr("approved"),
    "review_asked": tr("your review is asked"),
    "ready_to_merge": tr("ready to merge"),
    "merged": tr("merged"),
    "closed": tr("closed"),
    "round_paused": tr("the round paused"),
}


@dataclass(frozen=True)
class Notification:
    """One thing to tell; texts are display-safe. `session_id` "": it is about the pull request of `lane_id`.
    `input_id`: what waits. `details`: what a person may want to see in place of `body`, "" for nothing more."""

    title: str
    body: str
    kind: NoticeKind
    session_id: str = ""
    lane_id: str = ""
    input_id: str = ""
    details: str = ""

    @property
    def sound(self) -> Sound:
        """How it sounds."""
        return "done" if self.kind in ("done", "pull") else "waiting"


class NoticeFold:
    """`chats`: as they were listed last. What waited already when the chats were listed
    for the first time is no news."""

    def __init__(self) -> None:
        self.chats: tuple[SessionSummary, ...] = ()
        self._waiting: frozenset[str] | None = None
        self._reports: dict[str, tuple[str, str]] = {}
        self._details: dict[str, str] = {}
        self._told: dict[tuple[str, int, str, str], None] = {}
        self._found: list[Notification] = []
        self._at_work: set[str] = set()
        self.hearing = self._hears()

    def chat(self, session_id: str) -> SessionSummary | None:
        """A chat that is listed and not put aside."""
        return next((one for one in self.chats if one.session_id == session_id and not one.archived), None)

    def waits(self, input_id: str) -> bool:
        """Whether this still waits for a person."""
        return self._waiting is not None and input_id in self._waiting

    def works(self, session_id: str) -> bool:
        """Whether a turn of the chat has begun since the last one ended."""
        return session_id in self._at_work

    def take_found(self) -> list[Notification]:
        """What is new since this was asked last, each thing once."""
        found, self._found = self._found, []
        return found

    def _hears(self) -> Hearing:
        hearing = Hearing().on(ProjectOpened, self._on_project).on(SessionsChanged, self._on_list)
        return hearing.on(Envelope, self._on_event).on(PullTransition, self._on_pull)

    def _on_project(self, _update: ProjectOpened) -> None:
        self._waiting = None

    def _on_list(self, update: SessionsChanged) -> None:
        self._found += self._listed(update.sessions)

    def _on_event(self, update: Envelope) -> None:
        self._found += self._happened(update)

    def _on_pull(self, update: PullTransition) -> None:
        if update.notify and self._is_news(update):
            title = f"PR #{update.number}: {_PULL_WORDS[update.kind]}"
            self._found.append(Notification(title, "", "pull", lane_id=update.lane_id))

    def _listed(self, chats: tuple[SessionSummary, ...]) -> Iterator[Notification]:
        self.chats = chats
        known, self._waiting = self._waiting, frozenset(one.input_id for chat in chats for one in chat.waiting)
        details, self._details = self._details, {}
        for chat in chats if known is not None else ():
            for one in chat.waiting:
                if one.input_id not in (known or ()) and not chat.archived:
                    title = tr("{chat} is waiting for you", chat=chat_title(chat))
                    place = (chat.session_id, chat.lane_id, one.input_id)
                    yield Notification(title, waiting_words(one), "waiting", *place, details.get(one.input_id, ""))

    def _happened(self, envelope: Envelope) -> Iterator[Notification]:
        event, session_id = envelope.event, envelope.session_id
        if isinstance(event, TurnStarted):
            self._reports.pop(session_id, None)
            self._at_work.add(session_id)
        elif isinstance(event, CompletionReported):
            self._reports[session_id] = (STATUS_WORDS[event.status], event.summary)
        elif isinstance(event, InputRequested):
            self._details[event.input_id] = _details(event.request)
        elif isinstance(event, TurnEnded):
            self._at_work.discard(session_id)
            report, chat = self._reports.pop(session_id, ("", "")), self.chat(session_id)
            if chat is not None:
                yield from _ended(event, chat, report)

    def _is_news(self, update: PullTransition) -> bool:
        key = (update.lane_id, update.number, update.kind, update.at.isoformat())
        if key in self._told:
            return False
        self._told[key] = None
        while len(self._told) > _REMEMBERED:
            del self._told[next(iter(self._told))]
        return True


def chat_title(chat: SessionSummary) -> str:
    """The display-safe title of a chat, or the words for none."""
    return whole_title(chat.title) or UNTITLED


def chat_place(chat: SessionSummary, chats: Sequence[SessionSummary]) -> str:
    """Where a chat is, display-safe: its lane, else its branch; and when it began where another of its title is there
    too."""
    where = display_text(chat.lane_name or chat.branch)
    alike = [one for one in chats if not one.archived and (one.title, one.lane_id) == (chat.title, chat.lane_id)]
    begun = tr("begun {time}", time=clock_time(chat.created_at)) if len(alike) > 1 else ""
    return " · ".join(filter(None, (where, begun)))


def summed_up(notices: Sequence[Notification]) -> str:
    """What several notices have in common: "3 chats are waiting for you"."""
    waiting = {one.session_id for one in notices if one.input_id}
    if all(one.input_id for one in notices):
        many = trn(len(waiting), "{n} chat is waiting for you", "{n} chats are waiting for you")
        return many if len(waiting) > 1 else notices[0].title
    if not any(one.session_id for one in notices):
        return trn(len(notices), "{n} pull request needs a look", "{n} pull requests need a look")
    rest = len(notices) - sum(bool(one.input_id) for one in notices)
    if not waiting:
        return trn(rest, "{n} thing to look at", "{n} things to look at")
    parts = (
        trn(len(waiting), "{n} waiting for you", "{n} waiting for you"),
        trn(rest, "{n} more thing to look at", "{n} more things to look at"),
    )
    return ", ".join(parts)


def _details(request: InputRequest) -> str:
    """What a card is about, in one line: a command, SQL, a path, a question, the beginning of a plan."""
    if isinstance(request, ApprovalRequest):
        found = (request.arguments.get(name) for name in _TELLING)
        told = next((one for one in found if isinstance(one, str) and one.strip()), "")
        return _one_line(display_text(told, multiline=True))
    if isinstance(request, QuestionRequest):
        return _one_line(prose_text(request.questions[0].text, multiline=True))
    return _one_line(prose_text(request.plan, multiline=True)) if isinstance(request, PlanReview) else ""


def _one_line(shown: str) -> str:
    """Text that was made fit to show, in one line that is not too long."""
    shown = " ".join(word for word in shown.replace("\n", " ").split(" ") if word)
    return shown if len(shown) <= _MOST_DETAILS else f"{shown[: _MOST_DETAILS - 1]}…"


def _ended(event: TurnEnded, chat: SessionSummary, report: tuple[str, str]) -> Iterator[Notification]:
    """A turn that took a while or ended with a report, one that failed, one that reached a limit."""
    title, place = chat_title(chat), (chat.session_id, chat.lane_id)
    status, summary = report
    if event.status == "completed" and (status or event.duration_ms >= LONG_TURN_MS):
        lane = display_text(chat.lane_name)
        body = " · ".join(part for part in (status, lane) if part)
        more = " · ".join(part for part in (body, _one_line(prose_text(summary, multiline=True))) if part)
        yield Notification(tr("{chat} is done", chat=title), body, "done", *place, details=more)
    elif event.status == "failed":
        yield Notification(tr("{chat} stopped with an error", chat=title), display_text(event.detail), "failed", *place)
    elif event.status == "limit":
        yield Notification(tr("{chat} reached its budget", chat=title), display_text(event.detail), "budget", *place)
