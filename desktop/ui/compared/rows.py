"""What is shown of each that works on a task: made from the comparison, what is known of its chat, and of its lane."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from desktop.domain.changes.updates import LaneChangesLoaded
from desktop.domain.compared.values import ComparedRun, Comparison
from desktop.domain.core.work import Activity
from desktop.domain.display.surfaces import cut_title
from desktop.domain.display.text import display_text, prose_text
from desktop.domain.guests.values import guest_of
from desktop.domain.reports.values import ReportView
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.chats.book import ChatBook
from desktop.ui.core.chat_state import SHAPES, ChatState, chat_state, oldest_wait, state_sentence, waiting_words
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.text.format import changed_lines, count, duration, money

_ENDED = {
    "completed": tr("Done"),
    "interrupted": tr("Stopped"),
    "failed": tr("Failed"),
    "limit": tr("Stopped at a limit"),
    "loop": tr("Stopped in a loop"),
}
_NO_REPORT = tr("No report of it")


@dataclass(frozen=True)
class RunRow:
    """One result; all texts may be shown. `icon`: shape and colour of its state; `verdict`: what is known of its
    claims, with the colour of that."""

    session_id: str
    lane_id: str
    title: str
    model: str
    words: str
    icon: tuple[str, str]
    figures: str
    changed: str
    verdict: tuple[str, str]
    waits: bool = False
    works: bool = False
    archived: bool = False
    kept: bool = False

    @property
    def sentence(self) -> str:
        """What a screen reader says of it."""
        parts = (self.title, self.model, self.words, self.figures, self.changed, self.verdict[0])
        return ", ".join(part for part in parts if part)


def task_title(comparison: Comparison) -> str:
    """The task in one line."""
    return cut_title(prose_text(comparison.text)) or tr("One task for several")


def run_rows(
    comparison: Comparison,
    book: ChatBook,
    engine: EngineFacts,
    changes: Mapping[str, LaneChangesLoaded],
    now: datetime,
) -> tuple[RunRow, ...]:
    """In the order in which they were begun. `changes`: by lane, what it changed, as far as that is known."""
    return tuple(
        replace(_row(run, comparison, book, engine, now), changed=_changed(changes.get(run.slot.lane_id)))
        for run in comparison.runs
    )


def _row(run: ComparedRun, comparison: Comparison, book: ChatBook, engine: EngineFacts, now: datetime) -> RunRow:
    slot, figures = run.slot, run.figures
    chat = book.summary(slot.session_id)
    state = chat_state(chat, None) if chat is not None else ChatState.IDLE
    kept = comparison.kept is not None and comparison.kept.session_id == slot.session_id
    waiting = oldest_wait(chat) if chat is not None else None
    if run.archived:
        words, icon = tr("Archived"), ("archive", "muted")
    elif kept and state is ChatState.IDLE:
        words, icon = tr("Kept"), ("check", "success")
    elif chat is not None and waiting is not None:
        words, icon = waiting_words(waiting), (SHAPES[state].icon, SHAPES[state].token)
    elif chat is not None and state in (ChatState.RUNNING, ChatState.FAILED, ChatState.INTERRUPTED):
        words, icon = state_sentence(chat, state, now), (SHAPES[state].icon, SHAPES[state].token)
    else:
        done = figures.status == "completed" and not figures.declined
        words, icon = (
            _ENDED.get(figures.status, tr("Not begun")),
            ("check" if done else "circle", "success" if done else "muted"),
        )
        if figures.status == "completed" and figures.declined:
            words = tr("Ended, {declined}", declined=count(figures.declined, "call declined", "calls declined"))
    worked = tr("Worked {worked_ms}", worked_ms=duration(figures.worked_ms)) if figures.worked_ms else ""
    steps = count(figures.steps, "step") if figures.steps else ""
    cost = tr("cost unknown") if figures.cost_unknown else money(figures.cost_microusd) if figures.cost_microusd else ""
    guest = guest_of(slot.endpoint_id)
    return RunRow(
        session_id=slot.session_id,
        lane_id=slot.lane_id,
        title=display_text(slot.name),
        model=engine.guest_label(guest) if guest else display_text(slot.model),
        words=words,
        icon=icon,
        figures=" · ".join(part for part in (worked, steps, cost) if part),
        changed="",
        verdict=_verdict(book.lane_book.reports.get(slot.lane_id), ended=bool(figures.status)),
        waits=waiting is not None and not run.archived,
        works=chat is not None and chat.activity is not Activity.IDLE,
        archived=run.archived,
        kept=kept,
    )


def _changed(loaded: LaneChangesLoaded | None) -> str:
    if loaded is None or loaded.problem:
        return ""
    files = [file for file in loaded.files if not file.by_setup]
    if not files:
        return tr("No file changed")
    lines = changed_lines(sum(file.added for file in files), sum(file.removed for file in files))
    return f"{count(len(files) + loaded.more, 'file')} {lines}".strip()


def _verdict(report: ReportView | None, *, ended: bool) -> tuple[str, str]:
    """A report is what its agent says; what a command bears out of it is told beside."""
    if report is None:
        return (_NO_REPORT if ended else ""), "muted"
    words = " · ".join(part for part in (report.title, report.count) if part)
    return words, "success" if report.done else "warning" if report.checkable else "muted"
