"""The decisions of a chat, folded from its events: what was asked, who decided on what evidence, what came of it; and
what left this computer."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal

from desktop.domain.core.permissions import Verdict
from desktop.domain.display.text import display_text, prose_text
from desktop.domain.egress.events import EgressRecorded
from desktop.domain.egress.updates import SeenTraffic
from desktop.domain.egress.values import Traffic
from desktop.domain.events import (
    Event,
    InputRequested,
    InputResolved,
    ToolCallDecided,
    ToolCallFinished,
    ToolCallStarted,
    TurnStarted,
)
from desktop.domain.gate.events import InputRevised, ReviewFlagged, ReviewReverted, SandboxProbed
from desktop.domain.gate.pending import ApprovalRequest, InputRequest, QuestionRequest, credential_title, picture_title
from desktop.domain.gate.sandbox import SandboxReport
from desktop.domain.gate.titles import title_of
from desktop.domain.hooks.events import HookRan
from desktop.domain.hooks.values import HookDecision, HookMoment
from desktop.domain.skills.review import SkillReview
from desktop.domain.web.events import VendorSearched
from desktop.language import said, tr
from desktop.records import dataclass
from desktop.ui.gate.cards.wording import request_title
from desktop.ui.text.call_titles import call_title
from desktop.ui.text.figures import figure_words
from desktop.ui.text.format import clock_time, count, duration, size

Word = Literal["allowed", "asked", "declined", "refused", "unasked", "noted"]
WORDS: tuple[Word, ...] = ("allowed", "asked", "declined", "refused", "unasked", "noted")
DECISIONS: dict[Word, str] = {
    "allowed": tr("allowed"),
    "asked": tr("asked"),
    "declined": tr("declined"),
    "refused": tr("refused"),
    "unasked": tr("not asked"),
    "noted": tr("noted"),
}
"""The words as they are shown. `unasked`: an agent of others did it by itself, so nobody decided."""
FOLDED = (
    ToolCallDecided,
    InputRequested,
    InputRevised,
    InputResolved,
    ToolCallStarted,
    ToolCallFinished,
    ReviewFlagged,
    ReviewReverted,
    SandboxProbed,
    TurnStarted,
    EgressRecorded,
    HookRan,
    VendorSearched,
)
"""The events that a row is made of."""

_VERDICTS: dict[Verdict, Word] = {Verdict.ALLOW: "allowed", Verdict.ASK: "asked", Verdict.DENY: "refused"}
_REASONS = {
    "rule": tr("rule"),
    "mode": tr("mode change"),
    "interrupted": tr("stopped"),
    "restart": tr("restart"),
    "superseded": tr("newer request"),
    "no_person": tr("nobody to ask"),
    "session_deleted": tr("chat deleted"),
    "withdrawn": tr("agent withdrew"),
}
_RESULTS = {
    "ok": tr("ok"),
    "error": tr("failed"),
    "refused": tr("refused"),
    "declined": tr("declined"),
    "cancelled": tr("cancelled"),
    "interrupted": tr("interrupted"),
    "not_executed": tr("not run"),
}
HOOK_WORDS = {
    "asked": tr("asked"),
    "denied": tr("denied"),
    "changed": tr("changed"),
    "noted": tr("noted"),
    "continued": tr("continued"),
    "failed": tr("failed"),
}
_HOOKS: dict[HookDecision, Word] = {"asked": "asked", "denied": "refused", "failed": "refused"}
_MOMENTS: dict[HookMoment, str] = {
    "before_call": tr("before a call"),
    "after_call": tr("after a call"),
    "on_stop": tr("at the end of a turn"),
    "on_card": tr("at a card"),
    "on_turn_start": tr("at the start of a turn"),
}
_CLIENTS = {
    "command": tr("command"),
    "web": tr("web"),
    "server": tr("MCP server"),
    "hook": tr("hook"),
    "guest": tr("agent"),
    "vendor": tr("model service"),
    "release": tr("look for updates"),
}


@dataclass(frozen=True)
class RecordedProof:
    """The events behind a row, as they were recorded; None: there is none, or not yet."""

    decided: ToolCallDecided | None = None
    request: InputRequest | None = None
    resolved: InputResolved | None = None
    started: ToolCallStarted | None = None
    finished: ToolCallFinished | None = None
    sandbox: SandboxReport | None = None


@dataclass(frozen=True)
class AuditRow:
    """One decision, one host that something reached or was kept from (`traffic`, counted since the chat began), one run
    of a hook that had a say, or one search of the model's own service. `key`: `call:` and the call's id, `host:` and
    the host with who reached it, `hook:` and the number of the run, or `vendor:` and what the search is called. Texts
    may be shown as they are. `turn`: from 1. `review`: the id of its open record to look back on, "" if there is none.
    `reverted`: a person took it back.
    """

    key: str
    at: datetime
    what: str
    decision: Word
    rule: str = ""
    by: str = ""
    result: str = ""
    digest: str = ""
    turn: int = 0
    review: str = ""
    reverted: bool = False
    proof: RecordedProof = RecordedProof()
    traffic: Traffic | None = None
    hook: HookRan | None = None

    @property
    def call_id(self) -> str:
        """The call it is about."""
        return self.key.removeprefix("call:")

    @property
    def came_of_it(self) -> str:
        """Whether a person still is to look back on it or took it back, and the result."""
        return " · ".join(part for part in (self._after, self.result) if part)

    @property
    def _after(self) -> str:
        if self.reverted or not self.review:
            return tr("reverted") if self.reverted else ""
        return tr("to review, with warnings") if self.warnings else tr("to review")

    @property
    def warnings(self) -> tuple[str, ...]:
        """What of its effects a person should know, when it is there to look back on."""
        request = self.proof.request
        return request.warnings if isinstance(request, ApprovalRequest) and not request.blocking else ()

    @property
    def cells(self) -> tuple[str, ...]:
        """The texts of the columns."""
        return clock_time(self.at), self.what, DECISIONS[self.decision], self.rule, self.by, self.came_of_it

    @property
    def outcome(self) -> str:
        """Who decided and what came of it, on one line."""
        return " · ".join(
            part for part in (self._after, tr("by {by}", by=self.by) if self.by else "", self.result) if part
        )

    @property
    def can_revert(self) -> bool:
        """Whether what it changed is recorded file by file, so that it can be put back."""
        finished = self.proof.finished
        touched = finished.touched if finished is not None else ()
        return bool(touched) and not self.reverted and all(file.kind != "delete" for file in touched)


class AuditFold:
    """The decisions in a chat's events, which come in order. `rows`: by call, the oldest first; `changed`: the calls
    whose rows are others since somebody emptied it, in the order in which they changed."""

    def __init__(self) -> None:
        self.rows: dict[str, AuditRow] = {}
        self.changed: dict[str, None] = {}
        self._calls: dict[str, str] = {}
        self._turn = self._hooks = 0
        self._sandbox: SandboxReport | None = None

    def add(self, event: Event, at: datetime) -> None:
        """One event more."""
        if isinstance(event, TurnStarted):
            self._turn += 1
        elif isinstance(event, SandboxProbed):
            self._sandbox = event.report
        elif isinstance(event, EgressRecorded):
            for traffic in event.traffic:
                self._went_out(traffic, at)
        elif isinstance(event, VendorSearched | HookRan):
            self._beside_calls(event, at)
        elif isinstance(event, ToolCallDecided):
            self._put(event.call_id, replace(_decided(event, at), turn=self._turn))
        elif isinstance(event, InputRequested):
            self._requested(event, at)
        elif isinstance(event, InputRevised):
            self._revised(event)
        elif isinstance(event, ToolCallStarted | ToolCallFinished):
            self._ran(event)
        else:
            self._answered(event)

    def _beside_calls(self, event: VendorSearched | HookRan, at: datetime) -> None:
        if isinstance(event, HookRan):
            self._hooks += 1
            key = f"hook:{self._hooks}"
            self._put(key, replace(_hook_row(event, key, at), turn=self._turn))
        else:
            key = f"vendor:{event.message_id}:{event.call_id}"
            self._put(key, replace(_searched_row(event, key, at), turn=self._turn))

    def _went_out(self, traffic: Traffic, at: datetime) -> None:
        key = f"host:{traffic.key}"
        before = self.rows[key].traffic if key in self.rows else None
        self._put(key, replace(_traffic_row(key, traffic.with_more(before), at), turn=self._turn))

    def beside(self, seen: Sequence[SeenTraffic]) -> None:
        """What went out for the repository outside of any chat, all of it together."""
        for one in seen:
            key = f"host:beside:{one.traffic.key}"
            row = _traffic_row(key, one.traffic, one.at)
            self._put(key, replace(row, by=tr("{by}, outside of chats", by=row.by)))

    def _requested(self, event: InputRequested, at: datetime) -> None:
        self._calls[event.input_id] = event.call_id
        if event.request.blocking and event.call_id not in self.rows:
            self._put(event.call_id, replace(_requested(event, at), turn=self._turn))
        row = self.rows.get(event.call_id)
        if row is not None:
            proof = replace(row.proof, request=event.request)
            review = row.review if event.request.blocking else event.input_id
            self._put(event.call_id, replace(row, proof=proof, review=review))

    def _revised(self, event: InputRevised) -> None:
        row = self.rows.get(event.request.call_id)
        if row is not None:
            self._put(event.request.call_id, replace(row, proof=replace(row.proof, request=event.request)))

    def _ran(self, event: ToolCallStarted | ToolCallFinished) -> None:
        row = self.rows.get(event.call_id)
        if row is None:
            return
        if isinstance(event, ToolCallStarted):
            proof = replace(row.proof, started=event, sandbox=self._sandbox)
            self._put(event.call_id, replace(row, proof=proof))
        else:
            done = replace(row, proof=replace(row.proof, finished=event), result=_result(event))
            alone = event.data.get("unasked") is True
            self._put(event.call_id, replace(done, decision="unasked", by=tr("agent")) if alone else done)

    def _answered(self, event: Event) -> None:
        if isinstance(event, InputResolved) and event.input_id in self._calls:
            call_id = self._calls[event.input_id]
            if call_id in self.rows:
                self._put(call_id, _resolved(self.rows[call_id], event))
        elif isinstance(event, ReviewFlagged):
            for input_id in event.input_ids:
                call_id = self._calls.get(input_id, "")
                if call_id in self.rows:
                    self._put(call_id, replace(self.rows[call_id], review=""))
        elif isinstance(event, ReviewReverted) and event.call_id in self.rows:
            self._put(event.call_id, replace(self.rows[event.call_id], review="", reverted=True))

    def _put(self, call_id: str, row: AuditRow) -> None:
        self.rows[call_id] = row
        self.changed[call_id] = None


def _decided(event: ToolCallDecided, at: datetime) -> AuditRow:
    title, verbatim = title_of(event)
    by = ""
    if event.verdict is Verdict.ALLOW:
        by = tr("rule") if event.lifted_by else tr("mode")
    elif event.verdict is Verdict.DENY:
        by = tr("rule")
    return AuditRow(
        key=f"call:{event.call_id}",
        at=at,
        what=display_text(title if verbatim else call_title(title)) or display_text(event.tool),
        decision=_VERDICTS[event.verdict],
        rule=display_text(event.lifted_by or event.rule),
        by=by,
        digest=event.digest,
        proof=RecordedProof(decided=event),
    )


def _traffic_row(key: str, traffic: Traffic, at: datetime) -> AuditRow:
    """A host with all that was exchanged with it so far."""
    parts = []
    if traffic.connections:
        parts += [count(traffic.connections, "connection"), tr("{size} up", size=size(traffic.bytes_up))]
        parts += [tr("{size} down", size=size(traffic.bytes_down))]
    if traffic.kind == "vendor":
        parts = [count(traffic.connections, "search", "searches")]
    if traffic.refused:
        parts.append(tr("refused {times}", times=count(traffic.refused, "time")))
    return AuditRow(
        key=key,
        at=at,
        what=tr("Reach {host}:{port}", host=display_text(traffic.host), port=traffic.port),
        decision="allowed" if traffic.connections else "refused",
        rule="hosts",
        by=" ".join(part for part in (_CLIENTS[traffic.kind], display_text(traffic.client)) if part),
        result=" · ".join(parts),
        traffic=traffic,
    )


def _searched_row(event: VendorSearched, key: str, at: datetime) -> AuditRow:
    """What a model's own service did by itself: nobody here judged it."""
    asked = prose_text(event.query) or display_text(event.tool)
    return AuditRow(
        key=key,
        at=at,
        what=tr("At the vendor: {asked}", asked=asked),
        decision="noted",
        rule="vendor_search",
        by=tr("your settings") if event.offered else tr("the service alone"),
        result=display_text(said(event.problem)) or count(len(event.results), "result"),
    )


def _hook_row(event: HookRan, key: str, at: datetime) -> AuditRow:
    """A run that had a say. One that failed stops the call before which it ran, and nothing else."""
    stops = event.decision in ("asked", "denied") or event.event == "before_call"
    return AuditRow(
        key=key,
        at=at,
        what=tr("Hook {hook} {moments}", hook=display_text(event.hook), moments=_MOMENTS[event.event]),
        decision=_HOOKS.get(event.decision, "noted") if stops else "noted",
        rule="hook",
        by=tr("your hook") if event.scope == "person" else tr("hook of the repository"),
        result=" · ".join(
            part
            for part in (
                HOOK_WORDS.get(event.decision, event.decision),
                display_text(said(event.reason)),
                duration(event.duration_ms),
            )
            if part
        ),
        hook=event,
    )


def _requested(event: InputRequested, at: datetime) -> AuditRow:
    request = event.request
    rule, digest = (request.rule, request.digest) if isinstance(request, ApprovalRequest) else ("", "")
    return AuditRow(
        key=f"call:{event.call_id}", at=at, what=_request_words(request), decision="asked", rule=rule, digest=digest
    )


def _request_words(request: InputRequest) -> str:
    if isinstance(request, ApprovalRequest):
        return request_title(request)
    if isinstance(request, QuestionRequest):
        return tr("Question: {question}", question=prose_text(request.title or request.questions[0].text))
    if request.kind == "credential":
        return credential_title(request)
    if isinstance(request, SkillReview):
        return tr("Skill to install: {skill_id}", skill_id=display_text(request.skill_id))
    return tr("Plan review") if request.kind == "plan" else picture_title(request)


def _resolved(row: AuditRow, event: InputResolved) -> AuditRow:
    outcome = event.answer.outcome
    by = _REASONS.get(event.reason, tr("demo") if event.demo else tr("person"))
    answered = replace(row, by=by, proof=replace(row.proof, resolved=event))
    if outcome == "cancelled":
        return answered
    return replace(answered, decision="declined" if outcome == "reject" else "allowed")


def _result(event: ToolCallFinished) -> str:
    words = _RESULTS.get(event.outcome, event.outcome)
    parts = [words, display_text(figure_words(event.summary)), duration(event.duration_ms) if event.duration_ms else ""]
    return " · ".join(part for part in parts if part)
