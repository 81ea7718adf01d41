"""Rows of the Issues page: items of the inventory through a filter, and rounds of work on them."""

from collections.abc import Iterable, Sequence

from desktop.domain.display.text import display_text
from desktop.domain.rounds.items import ITEM_STATES, IssueItem, PipelineRun, RoundRecord
from desktop.language import said, tr, trn
from desktop.records import dataclass
from desktop.ui.models.keyed_rows import KeyedRows
from desktop.ui.pulls.rows import PullRow
from desktop.ui.pulls.words import severity_words
from desktop.ui.text.format import count, duration, tokens

STATE_WORDS = {
    "new": tr("New"),
    "sent_to_agent": tr("With the agent"),
    "fixed": tr("Fixed"),
    "dismissed": tr("Ignored"),
    "escalated": tr("Needs a person"),
}
COLUMNS = (
    tr("Round"),
    tr("State"),
    tr("Given"),
    tr("Fixed"),
    tr("Ignored"),
    tr("Back"),
    tr("Files"),
    tr("Tokens"),
    tr("Time"),
)
ROUND_WORDS = {
    "launching": tr("beginning"),
    "running": tr("at work"),
    "waiting": tr("waiting"),
    "done": tr("done"),
    "failed": tr("failed"),
    "stopped": tr("stopped"),
}
_TYPES = {
    "check": tr("check", context="type of an item"),
    "thread": tr("thread", context="type of an item"),
    "comment": tr("comment", context="type of an item"),
}
_LOOKS = {"check": "circle-x", "thread": "message-square", "comment": "at-sign"}
_ROLES_OF = {
    "new": "warning",
    "sent_to_agent": "accent",
    "fixed": "success",
    "dismissed": "muted",
    "escalated": "danger",
}
_STATE_ICONS = {"fixed": "check", "dismissed": "minus", "escalated": "user"}


@dataclass(frozen=True)
class IssueFilter:
    """The choice of the items that are listed; "" for any."""

    state: str = "new"
    source: str = ""
    severity: str = ""

    def passes(self, item: IssueItem) -> bool:
        """Whether an item is listed."""
        return (
            self.state in ("", item.state) and self.source in ("", item.source) and self.severity in ("", item.severity)
        )


def issue_row(item: IssueItem) -> PullRow:
    """The row for an item: what it says; how bad, by whom, where; which round it is in or was in."""
    title = display_text(item.headline)
    place = f"{display_text(item.path)}:{item.line}" if item.path and item.line else display_text(item.path)
    kind = _TYPES[item.type]
    state = STATE_WORDS[item.state]
    parts = [
        severity_words(item.severity),
        kind if item.type == "check" else source_words(item.source),
        place,
        f"{state[:1].lower()}{state[1:]}" if item.state != "new" else "",
        tr("seen in round {number}", number=item.seen_in)
        if item.seen_in and item.state in ("new", "escalated")
        else "",
    ]
    detail = " · ".join(part for part in parts if part)
    icon = (_STATE_ICONS.get(item.state, _LOOKS[item.type]), _ROLES_OF[item.state])
    figures = tr("round {number}", number=item.round) if item.round else ""
    sentence = ", ".join(part for part in (title, state, kind, *parts[:3], figures) if part)
    muted = item.state in ("fixed", "dismissed")
    return PullRow(item.id, title, detail, icon, figures=figures, muted=muted, sentence=sentence)


def source_words(source: str) -> str:
    """The source of an item by its name, or that a person wrote it."""
    return tr("human", context="who wrote it") if source == "human" else display_text(source)


def counted_states(items: Iterable[IssueItem]) -> dict[str, int]:
    """The number of items in each state."""
    found = dict.fromkeys(ITEM_STATES, 0)
    for item in items:
        found[item.state] += 1
    return {str(state): number for state, number in found.items()}


def run_words(run: PipelineRun, rounds: Sequence[RoundRecord]) -> tuple[str, str]:
    """The sentence on where the rounds stand, and its role. "" while none ever began."""
    if run.state == "idle":
        return "", ""
    reason = display_text(said(run.reason)).rstrip(".")
    number = rounds[-1].number if rounds else run.round
    words = {
        "launching": (tr("Round {number} is beginning…", number=number), "accent"),
        "running": (tr("Round {number} is at work.", number=number), "accent"),
        "polling": (
            display_text(run.waits_for) or tr("Round {number} is done. Waiting for GitHub.", number=number),
            "accent",
        ),
        "paused": (tr("Paused: {reason}.", reason=reason), "warning"),
        "converged": (tr("Converged: nothing is left to fix."), "success"),
        "merged": (tr("Merged."), "success"),
        "failed": (tr("Round {number} could not begin: {reason}.", number=number, reason=reason), "danger"),
        "cancelled": (tr("Cancelled: {reason}.", reason=reason), ""),
        "stopped": (tr("Stopped: {reason}.", reason=reason), ""),
    }
    return words[run.state]


@dataclass(frozen=True)
class RoundRow:
    """One round as its cells; `words` say a figure whose column is not shown, "" where there is nothing to say."""

    key: str
    cells: tuple[str, ...]
    words: tuple[str, ...]
    session_id: str
    state: str
    sentence: str


def round_row(record: RoundRecord) -> RoundRow:
    """A round's cells, in the order of COLUMNS."""
    ms = int((record.ended_at - record.started_at).total_seconds() * 1000) if record.ended_at is not None else 0
    took = duration(ms) if ms > 0 else ""
    figures = (record.sent, record.fixed, record.dismissed, record.returned, record.files)
    state = ROUND_WORDS[record.state]
    cells = (str(record.number), state, *(str(one) for one in figures), tokens(record.tokens), took)
    told = [
        tr("Round {number}, {state}", number=record.number, state=state),
        count(record.sent, "item"),
        trn(record.fixed, "{n} fixed", "{n} fixed"),
        trn(record.dismissed, "{n} ignored", "{n} ignored"),
        trn(record.returned, "{n} came back", "{n} came back"),
        count(record.files, "file"),
    ]
    words = [said if figure else "" for figure, said in zip(figures, told[1:], strict=True)]
    words = ["", "", *words, tr("{figure} tokens", figure=cells[-2]) if record.tokens else "", took]
    reason = display_text(said(record.reason))
    sentence = ", ".join([*told, *([reason] if reason else [])])
    return RoundRow(str(record.number), cells, tuple(words), record.session_id, record.state, sentence)


class RoundRows(KeyedRows[RoundRow]):
    """The rounds of a request, newest first."""

    columns = COLUMNS

    def text_of(self, row: RoundRow, column: int) -> str:
        """A cell."""
        return row.cells[column]

    def sentence_of(self, row: RoundRow) -> str:
        """The row, read out."""
        return row.sentence
