"""The rows of the handover: its sections as headings, and their lines, each with the entry that it leads to."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from desktop.domain.handover.values import Apart, Handover, Line, Section
from desktop.language import tr, trn
from desktop.records import dataclass
from desktop.ui.pulls.rows import PullRow
from desktop.ui.text.format import clock_time, count, local_date
from desktop.ui.text.record_lines import line_text

ICONS = {
    "Asked": ("user", "muted"),
    "Decided": ("shield", "muted"),
    "Changed": ("file-diff", "muted"),
    "Tried and refused": ("shield-x", "danger"),
    "Open": ("circle-dot", "warning"),
    "Risks": ("triangle-alert", "warning"),
    "Undone": ("undo-2", "muted"),
    "Next": ("list-todo", "muted"),
}
SECTIONS = {
    "Asked": tr("Asked"),
    "Decided": tr("Decided"),
    "Changed": tr("Changed"),
    "Tried and refused": tr("Tried and refused"),
    "Open": tr("Open", context="section of a handover"),
    "Risks": tr("Risks"),
    "Undone": tr("Undone"),
    "Next": tr("Next", context="section of a handover"),
}
"""The headings as they are shown."""
_APART: dict[str, Callable[[int], str]] = {
    "imported": lambda n: count(n, "imported chat"),
    "damaged": lambda n: count(n, "damaged chat"),
}
SINCE = {
    "looked": tr("Since I last looked"),
    "today": tr("Today"),
    "shift": tr("Last 8 hours"),
    "day": tr("Last 24 hours"),
    "week": tr("Last 7 days"),
    "all": tr("From the beginning"),
}
_BACK = {"shift": timedelta(hours=8), "day": timedelta(days=1), "week": timedelta(days=7)}


@dataclass(frozen=True)
class HandoverRow(PullRow):
    """A row with the line that it shows; None: a heading, or words in place of lines."""

    line: Line | None = None

    @property
    def leads(self) -> bool:
        """Whether a chat shows the entry of the line."""
        return self.line is not None and bool(self.line.event_id)


def handover_rows(page: Handover) -> tuple[HandoverRow, ...]:
    """All rows of a page, from top to bottom."""
    return tuple(row for section in page.sections for row in _section(section))


def _section(section: Section) -> Iterator[HandoverRow]:
    number = len(section.lines) + section.more
    name = SECTIONS[section.title]
    title = f"{name} ({number})" if number else tr("{section}: nothing", section=name)
    yield HandoverRow(f"heading:{section.title}", title, heading=True, sentence=title)
    for at, line in enumerate(section.lines):
        yield _line(section.title, at, line)
    if section.more:
        words = tr("and {more} more that are not listed", more=section.more)
        yield HandoverRow(f"more:{section.title}", words, icon=("ellipsis", "muted"), muted=True)


def _line(title: str, at: int, line: Line) -> HandoverRow:
    when = f"{local_date(line.at)}, {clock_time(line.at)}"
    leads = bool(line.event_id)
    text = line_text(line)
    return HandoverRow(
        f"{title}:{at}:{line.session_id}:{line.seq}",
        text or tr("(no words)"),
        f"{when} · {line.chat}" if leads else tr("{when} · recorded outside of chats", when=when),
        ICONS.get(title, ("circle", "muted")),
        muted=not leads,
        sentence=f"{SECTIONS[title]}: {text}, {when}, {line.chat}",
        line=line,
    )


def figures(page: Handover) -> str:
    """How many of what, and whether the page fits the record."""
    decided = page.decided
    by = (
        (decided.people, tr("by people")), (decided.rules, tr("by rules")), (decided.modes, tr("by modes")),
        (decided.refused, tr("refused")), (decided.nobody, tr("by nobody")),
    )  # fmt: skip
    parts = ", ".join(f"{number} {words}" for number, words in by if number)
    calls = trn(decided.calls, "{n} call decided", "{n} calls decided") + (f" ({parts})" if parts else "")
    chats, changes = count(page.chats, "chat"), count(page.changes, "change")
    apart = "".join(
        tr(" · apart from them {kind}", kind=_apart_words(kind, found))
        for kind, found in (("imported", page.imported), ("damaged", page.damaged))
        if found.chats
    )
    return tr(
        "{chats} · {calls} · {changes}{apart} · difference to the record: {difference}",
        chats=chats,
        calls=calls,
        changes=changes,
        apart=apart,
        difference=page.difference,
    )


def _apart_words(kind: str, found: Apart) -> str:
    """What chats add that are in no other sum."""
    return tr(
        "{chats} with {calls} and {changes}",
        chats=_APART[kind](found.chats),
        calls=count(found.calls, "call"),
        changes=count(found.changes, "change"),
    )


def moment(since: str, now: datetime, looked: datetime | None) -> datetime | None:
    """The beginning of the time that a choice of SINCE names, None for the beginning of all. Without a last look: a day
    ago."""
    if since == "all":
        return None
    if since == "today":
        return now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    if since == "looked" and looked is not None:
        return looked
    return now - _BACK.get(since, _BACK["day"])
