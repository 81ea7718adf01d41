"""The calls of the last answer of a chat and how far each came: what a continued turn does with them (sessions-SR4)."""

from collections.abc import Sequence
from dataclasses import field

from pydantic import JsonValue

from desktop.domain.chats.library_events import Imported
from desktop.domain.core.content import ToolUse
from desktop.domain.core.permissions import Category
from desktop.domain.events import (
    AssistantMessage,
    Envelope,
    InputRequested,
    InputResolved,
    Notice,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnStarted,
    UserMessage,
)
from desktop.domain.gate.pending import InputRequest, PlanReview, QuestionRequest
from desktop.domain.history.path_state import back
from desktop.records import dataclass
from desktop.tools.text import command_title

RUN_AGAIN = "run_again"
"""The kind of the notice by which a person has a call run again; its detail is the call's id."""


@dataclass
class LastCalls:
    """`uses`: the calls, in order. The sets hold call ids. `reads`: judged to change nothing; `again`: a person wants
    it run again; `asked`: it did nothing but ask a person, who had not answered; `titles`: what people saw of it;
    `passed`: somebody spoke since, so nothing of it goes on."""

    uses: tuple[ToolUse, ...] = ()
    finished: set[str] = field(default_factory=set)
    started: set[str] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)
    again: set[str] = field(default_factory=set)
    closed_inputs: list[str] = field(default_factory=list)
    answered_inputs: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    titles: dict[str, str] = field(default_factory=dict)
    passed: bool = False

    @property
    def to_run(self) -> list[ToolUse]:
        """What a continued turn carries out: calls that never began, reads, questions that nobody answered, and what a
        person wants again."""
        if self.passed:
            return []
        known = self.started - self.reads - self.again - self.asked
        return [use for use in self.uses if use.id not in self.finished | known]

    @property
    def unknown(self) -> list[ToolUse]:
        """Calls that began and whose result nobody recorded."""
        return [use for use in self.uses if use.id in self.started - self.finished - self.asked]

    @property
    def unanswered(self) -> list[ToolUse]:
        """Calls that did nothing but ask a person, who had not answered."""
        return [use for use in self.uses if use.id in (self.started & self.asked) - self.finished]

    @property
    def not_run(self) -> list[ToolUse]:
        """Calls that never began."""
        return [use for use in self.uses if use.id not in self.started | self.finished]

    def described(self, *, to_people: bool = False) -> str:
        """What is not known of them, in words: `Outcome unknown: bash (make). Not run: sql_query.` "" if all is. People
        read the titles alone, as they stand in the rows of the chat."""
        lines = []
        if self.unknown:
            lines.append(f"Outcome unknown: {self._named(self.unknown, to_people)}.")
        if self.unanswered:
            lines.append(f"Not answered: {self._named(self.unanswered, to_people)}.")
        if self.not_run:
            lines.append(f"Not run: {self._named(self.not_run, to_people)}.")
        return " ".join(lines)

    def _named(self, uses: list[ToolUse], to_people: bool) -> str:
        if to_people:
            return "; ".join(self.titles.get(use.id) or _unjudged(use) for use in uses)
        titles = ((use.name, self.titles.get(use.id) or use.name) for use in uses)
        return "; ".join(title if title == name else f"{name} ({title})" for name, title in titles)


def _unjudged(use: ToolUse) -> str:
    """What people read of a call that never got a title: its command, else the name of its tool."""
    command = use.input.get("command") if isinstance(use.input, dict) else None
    return command_title(command) if isinstance(command, str) and command.strip() else use.name


def last_calls(log: Sequence[Envelope]) -> LastCalls:
    """Those of the last whole answer on the path; none when there is no such answer."""
    found = LastCalls()
    said = False
    for envelope in back(log):
        event = envelope.event
        if isinstance(event, AssistantMessage) and not event.interrupted:
            found.uses = tuple(tool_uses(event))
            found.passed = said
            return found
        if isinstance(event, Imported):  # what a file says was called is never carried out here
            break
        if isinstance(event, UserMessage):
            said = True
        elif isinstance(event, TurnStarted) and event.kind == "continue":
            said = False  # what was said in a turn that continues this answer stands behind its results
        else:
            _add(found, event)
    return LastCalls()


def _add(found: LastCalls, event: object) -> None:
    if isinstance(event, ToolCallFinished):
        found.finished.add(event.call_id)
    elif isinstance(event, ToolCallStarted):
        found.started.add(event.call_id)
    elif isinstance(event, ToolCallDecided):
        if _only_reads(event):
            found.reads.add(event.call_id)
        found.titles.setdefault(event.call_id, event.card.title if event.card is not None else "")
    elif isinstance(event, InputResolved) and event.reason == "restart":
        found.closed_inputs.insert(0, event.input_id)
    elif isinstance(event, InputResolved):
        found.answered_inputs.add(event.input_id)
    elif isinstance(event, InputRequested) and event.input_id not in found.answered_inputs:
        found.asked.add(_asking(event.request))
    elif isinstance(event, Notice) and event.kind == RUN_AGAIN:
        found.again.add(event.detail)


def _asking(request: InputRequest) -> str:
    """The call that does nothing but ask this, "" for one that does more."""
    asks = isinstance(request, PlanReview) or (isinstance(request, QuestionRequest) and not request.during)
    return request.call_id if asks else ""


def _only_reads(event: ToolCallDecided) -> bool:
    """By its tool and by what this very call was judged to do."""
    call = event.facts.get("call")
    assessment: JsonValue = call.get("assessment") if isinstance(call, dict) else None
    judged = assessment.get("category") if isinstance(assessment, dict) else None
    return event.category == Category.READ and judged == Category.READ


def tool_uses(message: AssistantMessage) -> list[ToolUse]:
    """The calls of an answer, in order."""
    parts = [part for part in message.parts if isinstance(part, dict) and part.get("type") == "tool_use"]
    return [ToolUse(id=str(part.get("id")), name=str(part.get("name")), input=part.get("input")) for part in parts]
