"""The rows of the PR tab's lists: checks by group, threads by filter, files, commits, steps, annotations."""

from collections.abc import Sequence
from dataclasses import field
from datetime import datetime
from typing import Literal

from PySide6.QtCore import Qt

from desktop.domain.display.text import display_text, prose_text
from desktop.domain.pulls.pull_request import Annotation, Check, CheckStep, PullCommit, PullFile, ReviewThread
from desktop.domain.rounds.reading import headline_of, severity_of
from desktop.language import number, tr
from desktop.records import dataclass
from desktop.ui.models.keyed_rows import Index, KeyedRows
from desktop.ui.pulls.words import (
    THREAD_WORDS,
    author_name,
    check_look,
    check_words,
    first_words,
    length,
    place,
    severity_words,
    step_look,
    thread_state,
)
from desktop.ui.text.format import age, changed_lines, count

StateFilter = Literal["open", "outdated", "resolved", "all"]
_CHANGES: dict[str, tuple[str, str]] = {
    "added": ("file-plus", "success"),
    "removed": ("file-minus", "danger"),
    "renamed": ("file-pen", "warning"),
    "copied": ("copy", "muted"),
}
_LEVELS = {"failure": ("circle-x", "danger"), "warning": ("triangle-alert", "warning"), "notice": ("info", "muted")}


_LEVEL_WORDS = {
    "failure": tr("failure"),
    "warning": tr("warning"),
    "notice": tr("notice"),
}
_CHANGE_WORDS = {
    "added": tr("added"),
    "modified": tr("modified"),
    "removed": tr("removed"),
    "renamed": tr("renamed"),
    "copied": tr("copied"),
    "changed": tr("changed"),
    "unchanged": tr("unchanged"),
}


@dataclass(frozen=True)
class PullRow:
    """One row: an icon with its colour, a line, a small one under it, figures at the right; or a heading of a group.
    `role`: the colour of the figures. All texts are display-safe."""

    key: str
    title: str
    detail: str = ""
    icon: tuple[str, str] = ("circle", "muted")
    figures: str = ""
    role: str = "muted"
    heading: bool = False
    muted: bool = False
    sentence: str = ""


@dataclass(frozen=True)
class Groups:
    """Checks as they are listed: failing, running, passed, skipped."""

    failing: tuple[Check, ...] = ()
    running: tuple[Check, ...] = ()
    passed: tuple[Check, ...] = ()
    skipped: tuple[Check, ...] = ()

    def rows(self) -> list[PullRow]:
        """A heading for each group that has any, and its checks below."""
        found: list[PullRow] = []
        for key, words, group in (
            ("Failing", tr("Failing"), self.failing),
            ("Running", tr("Running"), self.running),
            ("Passed", tr("Passed"), self.passed),
            ("Skipped", tr("Skipped"), self.skipped),
        ):
            if group:
                heading = f"{words} ({number(len(group))})"
                found.append(PullRow(f"group:{key}", heading, heading=True, sentence=words))
                found += [check_row(check) for check in group]
        return found


def grouped(checks: Sequence[Check]) -> Groups:
    """Checks by how they stand, each group by workflow and name."""
    ordered = sorted(checks, key=lambda check: (check.workflow.casefold(), check.name.casefold(), check.id))
    skipped = [one for one in ordered if one.outcome == "ok" and one.conclusion in ("skipped", "neutral")]
    passed = [one for one in ordered if one.outcome == "ok" and one.conclusion not in ("skipped", "neutral")]
    failing = [one for one in ordered if one.outcome == "bad"]
    running = [one for one in ordered if one.outcome == "pending"]
    return Groups(tuple(failing), tuple(running), tuple(passed), tuple(skipped))


def check_row(check: Check) -> PullRow:
    """The row for a check: its name; how it stands, its workflow, that it is required; how long it took."""
    words = [check_words(check)]
    words += [tr("required")] if check.required else []
    words += [display_text(check.workflow or check.app)] if check.workflow or check.app else []
    words += [count(check.annotations, "annotation")] if check.annotations else []
    name, took = display_text(check.name), length(check.started_at, check.ended_at)
    sentence = ", ".join(part for part in (name, *words, took) if part)
    return PullRow(
        f"check:{check.kind}:{check.id}", name, " · ".join(words), check_look(check), figures=took, sentence=sentence
    )


def step_row(step: CheckStep) -> PullRow:
    """The row for a step of a job."""
    name, took = display_text(step.name), length(step.started_at, step.ended_at)
    look = step_look(step.state, step.conclusion)
    words = check_words(Check(id=0, name="", state=step.state, conclusion=step.conclusion))
    sentence = ", ".join(part for part in (name, words, took) if part)
    return PullRow(f"step:{step.number}", name, "", look, figures=took, sentence=sentence)


def annotation_row(at: int, note: Annotation) -> PullRow:
    """The row for a remark of a check about lines of a file."""
    where = f"{display_text(note.path)}:{note.start_line}"
    title = display_text(note.title) or first_words(note.message)
    said = first_words(note.message) if note.title else ""
    detail = f"{where} · {said}" if said else where
    return PullRow(
        f"note:{at}", title, detail, _LEVELS[note.level], sentence=f"{_LEVEL_WORDS[note.level]}: {title}, {where}"
    )


def thread_row(thread: ReviewThread) -> PullRow:
    """The row for a thread: what its first comment says, who wrote it, where, how severe, and how it stands."""
    first = thread.comments[0] if thread.comments else None
    state, _role = thread_state(thread)
    looks = {"open": ("message-square", "warning"), "outdated": ("history", "muted"), "resolved": ("check", "success")}
    body, parts = tr("No comment"), [place(thread)]
    if first is not None:
        body = display_text(headline_of(first.body, thread.path, first.author.login)) or first_words(first.body)
        parts = [severity_words(severity_of(first.body)), author_name(first.author), place(thread)]
    parts += [THREAD_WORDS[state]] if state != "open" else []
    replies = len(thread.comments) - 1
    said = count(replies, "reply", "replies") if replies > 0 else ""
    sentence = ", ".join(part for part in (body, *parts, THREAD_WORDS[state] if state == "open" else "", said) if part)
    return PullRow(
        f"thread:{thread.id}",
        body,
        " · ".join(part for part in parts if part),
        looks[state],
        figures=str(replies) if replies > 0 else "",
        muted=state != "open",
        sentence=sentence,
    )


def file_row(file: PullFile) -> PullRow:
    """The row for a file of the request."""
    path = display_text(file.path)
    folder, _, name = path.rpartition("/")
    words = _CHANGE_WORDS[file.change]
    words = tr("{changed} from {path}", changed=words, path=display_text(file.old_path)) if file.old_path else words
    detail = f"{folder} · {words}" if folder else words
    figures = changed_lines(file.added, file.removed)
    look = _CHANGES.get(file.change, ("file-diff", "muted"))
    return PullRow(f"file:{file.path}", name, detail, look, figures=figures, sentence=f"{path}, {words}, {figures}")


def commit_row(commit: PullCommit, now: datetime) -> PullRow:
    """The row for a commit of the request."""
    parts = [commit.oid[:7], display_text(commit.author), age(commit.at, now) if commit.at is not None else ""]
    detail, title = " · ".join(part for part in parts if part), prose_text(commit.subject)
    look = ("git-commit-vertical", "muted")
    return PullRow(f"commit:{commit.oid}", title, detail, look, sentence=f"{title}, {detail}")


@dataclass(frozen=True)
class ThreadFilter:
    """The choice of the threads that are listed. `author`: a login, "" for anybody; `source`: people or bots, "" for
    both."""

    state: StateFilter = "open"
    author: str = ""
    source: Literal["", "people", "bots"] = ""

    def passes(self, thread: ReviewThread) -> bool:
        """Whether a thread is listed."""
        if self.state != "all" and thread_state(thread)[0] != self.state:
            return False
        writers = [comment.author for comment in thread.comments]
        if self.author and self.author not in {writer.login for writer in writers}:
            return False
        begun_by_bot = bool(writers) and writers[0].bot
        return not self.source or begun_by_bot == (self.source == "bots")


@dataclass
class ThreadCounts:
    """The number of threads in each state."""

    numbers: dict[str, int] = field(default_factory=lambda: {"open": 0, "outdated": 0, "resolved": 0})

    @classmethod
    def of(cls, threads: Sequence[ReviewThread]) -> "ThreadCounts":
        """The numbers for these threads."""
        found = cls()
        for thread in threads:
            found.numbers[thread_state(thread)[0]] += 1
        return found


class PullRows(KeyedRows[PullRow]):
    """A list of the PR tab."""

    def index_of(self, key: str) -> int:
        """The row of a key, −1 for none."""
        return next((at for at, row in enumerate(self._rows) if row.key == key), -1)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Headings cannot be chosen."""
        if index.isValid() and self._rows[index.row()].heading:
            return Qt.ItemFlag.ItemIsEnabled
        return super().flags(index)

    def text_of(self, row: PullRow, column: int) -> str:
        """Its title."""
        return row.title

    def sentence_of(self, row: PullRow) -> str:
        """The row, read out."""
        return row.sentence or f"{row.title}, {row.detail}"
