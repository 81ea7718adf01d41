"""Episodes: what a turn came to, remembered by the app when its agent reported that it is done."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from typing import Protocol

from desktop.agent.core.session import Session
from desktop.agent.memory.book import MemoryBook, Written, new_memory_id
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope, ToolCallFinished
from desktop.domain.memory.values import Entry, Source
from desktop.domain.reports.events import CompletionReported
from desktop.domain.reports.values import VERDICT_WORDS, ReportView
from desktop.policy.memory.writes import secret_problem, speaks_of_permission

logger = logging.getLogger(__name__)

MOST_CHARS = 600
MOST_FILES = 8


class Reported(Protocol):
    """Knows the reports of chats."""

    async def of_session(self, session_id: str) -> tuple[ReportView, ...]:
        """The reports of a chat with their verdicts as they are now, oldest first."""


class Episodes:
    """Engine thread only. `find`: the open session of an id; `is_on`: whether agents remember."""

    def __init__(
        self, book: MemoryBook, reports: Reported, find: Callable[[str], Session], is_on: Callable[[], bool]
    ) -> None:
        self._book = book
        self._reports = reports
        self._find = find
        self._is_on = is_on
        self._reported: dict[str, CompletionReported] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def saw(self, update: Update) -> None:
        """A report, and then the end of its turn."""
        if not isinstance(update, Envelope) or update.kind not in ("completion_reported", "turn_ended"):
            return
        event = update.event
        if isinstance(event, CompletionReported):
            self._reported[update.session_id] = event
            return
        report = self._reported.pop(update.session_id, None)
        if report is not None and self._is_on():
            session = self._find(update.session_id)
            task = asyncio.create_task(self._write(session, report, _files(session)), name="episode")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """What is being written ends."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _write(self, session: Session, report: CompletionReported, files: list[str]) -> None:
        try:
            views = await self._reports.of_session(session.session_id)
            view = next((one for one in views if one.report_id == report.call_id), None)
            if view is None or not session.state.project_id:
                return
            text = episode_text(session.state.title, view, files, report.head)
            if secret_problem(text, self._book.redactor()):
                return
            self._book.add(self._entry(session, text, report), Written("app", session, report.call_id))
        except (BanksmanError, OSError) as error:
            logger.warning("what a turn came to is not remembered: %s", error)

    def _entry(self, session: Session, text: str, report: CompletionReported) -> Entry:
        """Its words are partly the agent's, so what waits of those waits here too (memory-ME9)."""
        now, (tainted, _reasons) = self._book.now(), session.taint
        waits = bool(tainted) or speaks_of_permission(text)
        source = Source(
            by="app", session_id=session.session_id, call_id=report.call_id, lane_id=session.state.lane_id,
            commit=report.head, tainted=tainted,
        )  # fmt: skip
        return Entry(
            id=new_memory_id(),
            owner=session.state.project_id,
            content=text,
            category="episode",
            status="quarantined" if waits else "promoted",
            confidence=100,
            importance="low",
            source=source,
            chats=(session.session_id,),
            created_at=now,
            updated_at=now,
        )


def episode_text(title: str, view: ReportView, files: list[str], head: str) -> str:
    """Title, files, the verdict of each claim, commit: at most 600 characters."""
    lines = [f"{title or 'A chat'}: {view.title.lower()}."]
    if files:
        more = f" and {len(files) - MOST_FILES} more" if len(files) > MOST_FILES else ""
        lines.append(f"Files: {', '.join(files[:MOST_FILES])}{more}.")
    lines += [f"- {claim.text}: {VERDICT_WORDS[claim.verdict]}" for claim in view.claims]
    lines += [f"Commit {head[:12]}."] if head else []
    text = "\n".join(lines)
    return text if len(text) <= MOST_CHARS else f"{text[: MOST_CHARS - 1]}…"


def _files(session: Session) -> list[str]:
    """What the calls of the last turn changed, each once."""
    return list(dict.fromkeys(_touched(session)))


def _touched(session: Session) -> Iterator[str]:
    for envelope in reversed(session.log):
        if envelope.kind == "turn_started":
            return
        if isinstance(event := envelope.event, ToolCallFinished):
            yield from (one.path for one in event.touched)
