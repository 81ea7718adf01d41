"""The rows of a transcript as frozen values: what is said, which calls ran, what a divider reads."""

from dataclasses import field
from datetime import datetime
from typing import Literal

from desktop.domain.chats.mentions import MentionGiven
from desktop.domain.children.values import ChildOutcome
from desktop.domain.core.content import BlobRef, Block, TouchedFile
from desktop.domain.core.permissions import Verdict
from desktop.domain.core.work import Todo
from desktop.domain.guests.values import HeldBy
from desktop.domain.reports.values import ReportView
from desktop.language import tr, trn
from desktop.records import dataclass
from desktop.ui.chats.folds.report_words import report_text
from desktop.ui.text.call_titles import call_title
from desktop.ui.text.format import changed_lines, clock_time, count

RowKind = Literal[
    "user",
    "agent_message",
    "assistant",
    "thinking",
    "calls",
    "resolved",
    "plan",
    "todos",
    "notice",
    "retry",
    "error",
    "interrupted",
    "recap",
    "compaction",
    "date",
    "unknown",
    "rewound",
    "report",
]
CallState = Literal[
    "decided",
    "waiting",
    "running",
    "ok",
    "error",
    "refused",
    "declined",
    "cancelled",
    "interrupted",
    "thought",
    "unknown",
    "not_run",
    "malformed",
]
OPEN_STATES: frozenset[CallState] = frozenset({"decided", "waiting", "running"})
BAD_STATES: frozenset[CallState] = frozenset({"error", "refused", "declined"})
ALWAYS_OPEN_CALLS = 4
DEEPEST = 4
"""Calls that are parts of others are drawn so far below them at most (guests-A33)."""
VENDOR_RULE = "vendor_search"
"""The rule of what a model's own service did by itself: nobody here judged it."""
WRITTEN = frozenset({"user", "agent_message", "assistant", "thinking"})
"""Kinds of rows that hold what somebody wrote to be read."""


@dataclass(frozen=True, slots=True)
class Child:
    """A sub-agent as the row of the call that began it shows it. `figure`: what it used, in words; `now`: the title of
    its newest call while it runs. `below`: its own newest rows, None until a person opens it and they are here;
    `earlier`: there are more before them."""

    child_id: str
    state: Literal["running", "waiting", "queued"] | ChildOutcome = "running"
    figure: str = ""
    now: str = ""
    below: tuple["Row", ...] | None = None
    earlier: bool = False

    @property
    def runs(self) -> bool:
        """No end of it is on record."""
        return self.state in ("running", "waiting", "queued")


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call, or (`state` thought) thinking between two calls. `evidence`: the card's blocks; `result`: its own.

    `order`: its place in the answer that made it. `tail`: the newest output while it runs. `verdict`, `rule`, `why`:
    the gate's; `lifted_by`: the grant that lifted its asking; `asks`: what it waits for; `answer`: how that was
    answered, as words. `reason`: why it was refused, or the beginning of its output when it failed. `started`: its
    effect may have begun; `start_id`, `result_id`: the events of its start and its result; `unkept`: why no whole
    checkpoint was taken before it; `removed`: its result no longer goes to the model;
    `child`: the sub-agent that it began. Of a call of another's agent: `held_by`: what really stops it; `part_of`: the
    call that it is a part of, `depth`: how many stand above it. `verbatim`: no letter of its title may differ.
    """

    call_id: str
    title: str
    category: str = ""
    state: CallState = "decided"
    order: int = 0
    evidence: tuple[Block, ...] = ()
    result: tuple[Block, ...] = ()
    output: str = ""
    summary: str = ""
    verdict: Verdict = Verdict.ALLOW
    why: str = ""
    reason: str = ""
    rule: str = ""
    lifted_by: str = ""
    asks: Literal["", "approval", "question", "plan", "picture", "credential", "skill"] = ""
    answer: str = ""
    review_after: bool = False
    taken_back: bool = False
    duration_ms: int = 0
    touched: tuple[TouchedFile, ...] = ()
    full: BlobRef | None = None
    tail: str = ""
    tail_bytes: int = 0
    started: bool = False
    start_id: str = ""
    result_id: str = ""
    unkept: str = ""
    removed: bool = False
    child: Child | None = None
    held_by: HeldBy | Literal[""] = ""
    part_of: str = ""
    depth: int = 0
    verbatim: bool = False

    @property
    def name(self) -> str:
        """Its title as people read it: in the language of the window."""
        return self.title if self.verbatim else call_title(self.title)

    @property
    def child_id(self) -> str:
        """The sub-agent that it began, "" for none."""
        return self.child.child_id if self.child is not None else ""

    @property
    def shape(self) -> CallState:
        """The state that its line shows: of a sub-agent that of its work."""
        return _CHILD_SHAPES[self.child.state] if self.child is not None else self.state

    @property
    def figure(self) -> str:
        """The short figure at the right of its line: what came of it."""
        if self.child is not None:
            return self.child.figure or _STATE_WORDS[self.shape]
        if self.state in ("running", "waiting"):
            return _STATE_WORDS[self.state]
        if self.state in ("refused", "declined", "cancelled", "interrupted", "unknown", "not_run", "malformed"):
            return _STATE_WORDS[self.state]
        return self.summary


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file that went with a message. `sha256` "": nothing more than its name is known here."""

    name: str
    sha256: str = ""
    mime_type: str = ""
    size_bytes: int = 0
    width_px: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One row. `key` stays the same while the row lives; `aliases` are other keys it answers to.

    `text` is the original text (Markdown for assistant and plan rows). `detail`: what an expanded row adds, or the
    status word of a plan. `level`: the shape and colour of notices and resolved lines. `actions`: (name, label) of its
    buttons. `head`: it shows its author and time. `live`: it is still being written. `muted`: it is not part of what
    the model sees; `left`: because the conversation went back to before it. `before_id`: the entry after which it
    began; `last_id`: the last entry that belongs to it. `files`: what was attached to a message; `mentions`: what
    became of what it names.
    `report`: what an agent reported, with the verdicts as they are known.
    """

    key: str
    kind: RowKind
    seq: int
    at: datetime | None = None
    turn_id: str = ""
    text: str = ""
    detail: str = ""
    author: str = ""
    level: str = "info"
    icon: str = ""
    head: bool = True
    live: bool = False
    muted: bool = False
    calls: tuple[Call, ...] = ()
    todos: tuple[Todo, ...] = ()
    lines: tuple[str, ...] = ()
    actions: tuple[tuple[str, str], ...] = ()
    aliases: tuple[str, ...] = ()
    message_id: str = ""
    event_id: str = ""
    before_id: str = ""
    last_id: str = ""
    left: bool = False
    files: tuple[SentFile, ...] = ()
    mentions: tuple[MentionGiven, ...] = ()
    report: ReportView | None = None
    revision: int = field(default=0, compare=False)

    @property
    def is_group(self) -> bool:
        """Whether it stands for more than one entry, so that it has a head line of its own."""
        return self.kind == "calls" and len(self.calls) > 1

    @property
    def running(self) -> bool:
        """Whether a call of it is not finished."""
        return any(call.state in OPEN_STATES for call in reversed(self.calls))


def holds(row: Row, event_id: str) -> bool:
    """Whether an entry is shown by this row."""
    return event_id in (row.event_id, row.last_id) or any(
        event_id in (call.start_id, call.result_id) for call in row.calls
    )


def default_expanded(row: Row, name: str) -> bool:
    """Whether a part is open before a person touched it: short groups, those of sub-agents, failed calls and their
    groups are, and groups with refused ones, whose reasons say the way out."""
    if name == "row":
        if row.kind == "report":
            return True
        if row.is_group:
            shown = any(call.state in ("error", "refused") or call.child is not None for call in row.calls)
            return shown or len(row.calls) <= ALWAYS_OPEN_CALLS
        return row.kind == "calls" and row.calls[0].state == "error"
    return any(call.call_id == name and call.state == "error" for call in row.calls)


_STATE_WORDS: dict[CallState, str] = {
    "decided": tr("not started"),
    "waiting": tr("waiting for you"),
    "running": tr("running"),
    "ok": tr("done"),
    "error": tr("failed"),
    "refused": tr("refused"),
    "declined": tr("declined"),
    "cancelled": tr("cancelled"),
    "interrupted": tr("interrupted"),
    "thought": "",
    "unknown": tr("outcome unknown"),
    "not_run": tr("not run"),
    "malformed": "",
}


_CHILD_SHAPES: dict[Literal["running", "waiting", "queued"] | ChildOutcome, CallState] = {
    "running": "running",
    "waiting": "waiting",
    "queued": "decided",
    "completed": "ok",
    "failed": "error",
    "limit": "error",
    "stopped": "interrupted",
    "interrupted": "interrupted",
    "not_begun": "not_run",
}


def call_sentence(call: Call) -> str:
    """A call in words, for copying and for screen readers: "Edit auth/middleware.py, +6 −2"; of a refused one also
    why."""
    if call.child is not None:
        return ", ".join(word for word in (call.name, call.figure, call.child.now) if word)
    words = [call.name, call.summary or _STATE_WORDS[call.state]]
    if call.summary and call.state not in ("ok", "thought"):
        words.append(_STATE_WORDS[call.state])
    if call.state == "refused":
        words.append(call.reason)
    return ", ".join(word for word in words if word)


def _author(row: Row) -> str:
    names = {
        "user": tr("You"),
        **dict.fromkeys(("assistant", "thinking", "calls", "plan", "report"), tr("Agent")),
    }
    return row.author or names.get(row.kind, "")


def head_line(row: Row) -> str:
    """Who and when, as copied rows are headed: "You, 14:02"; "" for rows that nobody wrote."""
    author = _author(row)
    if not author:
        return ""
    return f"{author}, {clock_time(row.at)}" if row.at else author


def plain_text(row: Row) -> str:
    """The row's original text, whole, as copying gives it."""
    if row.kind == "calls":
        return "\n".join(call_sentence(call) for call in row.calls)
    if row.kind == "todos":
        marks = {"completed": "[x]", "in_progress": "[~]", "pending": "[ ]"}
        return "\n".join([row.text, *(f"{marks[todo.status]} {todo.content}" for todo in row.todos)])
    if row.report is not None:
        return report_text(row.report)
    return "\n".join(part for part in (row.text, *row.lines) if part)


def changed_figures(calls: list[Call], files_changed: int | None) -> str:
    """Files and lines that a turn changed: "3 files +14 −4", or "5 files (3 edited +14 −4)" where `files_changed`, what
    commands did included, are more than its calls name; "" for none."""
    by_path: dict[str, tuple[int, int]] = {}
    for call in calls:
        for file in call.touched:
            added, removed = by_path.get(file.path, (0, 0))
            by_path[file.path] = (added + file.added, removed + file.removed)
    lines = changed_lines(sum(a for a, _ in by_path.values()), sum(r for _, r in by_path.values()))
    if (files_changed or 0) > len(by_path):
        edited = " ".join([trn(len(by_path), "{n} edited", "{n} edited"), lines]).rstrip()
        return count(files_changed or 0, "file") + (f" ({edited})" if by_path else "")
    return f"{count(len(by_path), 'file')} {lines}".rstrip() if by_path else ""
