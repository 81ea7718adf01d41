"""A job's log as rows: steps that fold, lines without their time stamps; only what is unfolded is a row."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import field
from datetime import datetime
from typing import Literal

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, Qt

from desktop.domain.pulls.pull_request import CheckStep, Conclusion
from desktop.language import number, tr
from desktop.records import dataclass
from desktop.ui.models.keyed_rows import ROW_ROLE, Index
from desktop.ui.text.ansi import parse, plain
from desktop.ui.text.safe_text import safe_text

LineKind = Literal["", "error", "warning", "command", "group"]
_STAMP = re.compile(r"^﻿?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z ?")
_MARK = re.compile(r"^##\[(group|endgroup|error|warning|command|section|debug|notice)\]")
_KINDS: dict[str, LineKind] = {
    "error": "error",
    "warning": "warning",
    "command": "command",
    "group": "group",
    "section": "group",
}
_LONGEST = 4_000


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line: its text with colour codes and without its time stamp. `at`: in seconds since 1970, 0 for unknown."""

    text: str
    kind: LineKind = ""
    at: float = 0.0

    @property
    def words(self) -> str:
        """The text without its colours, display-safe."""
        return safe_text(plain(parse(self.text)))


@dataclass
class Section:
    """The lines of a step, and whether they are shown."""

    title: str
    lines: list[LogLine] = field(default_factory=list)
    conclusion: Conclusion = ""
    failed: bool = False
    open: bool = False


@dataclass(frozen=True)
class LogRow:
    """A heading of a section (`line` −1) or one of its lines."""

    section: int
    line: int = -1


def read_line(raw: str) -> LogLine | None:
    """A line of the log as the forge sends it, None for one that only ends a group."""
    stamp = _STAMP.match(raw)
    text = raw[stamp.end() :] if stamp is not None else raw
    at = datetime.fromisoformat(f"{stamp[1]}+00:00").timestamp() if stamp is not None else 0.0
    mark = _MARK.match(text)
    if mark is not None and mark[1] == "endgroup":
        return None
    kind = _KINDS.get(mark[1], "") if mark is not None else ""
    text = text[mark.end() :] if mark is not None else text
    if len(text) > _LONGEST:
        text = tr(
            "{line}… ({characters} more characters)", line=text[:_LONGEST], characters=number(len(text) - _LONGEST)
        )
    return LogLine(text, kind, at)


def sections(lines: Sequence[str], steps: Sequence[CheckStep] = ()) -> list[Section]:
    """The lines by step. What stands before the first known step has a section of its own; without steps that say when
    they began there is one section for all. The one that failed is open; if none did, the last."""
    found = _by_step(lines, [step for step in steps if step.started_at is not None])
    bad = [one for one in found if one.conclusion not in ("", "success", "neutral", "skipped")]
    bad = bad or [one for one in found if any(line.kind == "error" for line in one.lines)]
    for one in bad:
        one.failed = True
    for one in bad[:1] or found[-1:]:
        one.open = True
    return found


def _by_step(lines: Sequence[str], steps: Sequence[CheckStep]) -> list[Section]:
    here = Section(tr("Log") if not steps else tr("Before the first step"))
    found, following = [here], 0
    for raw in lines:
        line = read_line(raw)
        if line is None:
            continue
        while following < len(steps) and _begins(line, steps, following):
            here = Section(steps[following].name, conclusion=steps[following].conclusion)
            found.append(here)
            following += 1
        here.lines.append(line)
    return [one for one in found if one.lines]


def _begins(line: LogLine, steps: Sequence[CheckStep], at: int) -> bool:
    """Whether a line is the first of a step: its time has come, and what was before has ended or a group begins."""
    began = steps[at].started_at
    if began is None or not line.at or line.at < began.timestamp():
        return False
    before = steps[at - 1].ended_at if at else None
    over = before is None or line.at > before.timestamp()
    later = steps[at + 1].started_at if at + 1 < len(steps) else None
    return (
        over
        or line.kind == "group"
        or line.text.startswith("Post job")
        or (later is not None and line.at > later.timestamp())
    )


class LogModel(QAbstractListModel):
    """Rows of a log. `longest`: how many characters the longest line has."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.sections: list[Section] = []
        self.longest = 0
        self._starts: list[int] = []
        self._count = 0

    def show(self, found: Sequence[Section]) -> None:
        """Show these sections and no others."""
        if self._count:
            self.beginRemoveRows(QModelIndex(), 0, self._count - 1)
            self.sections, self._starts, self._count = [], [], 0
            self.endRemoveRows()
        self.longest = max((len(line.text) for one in found for line in one.lines), default=0)
        number = sum(1 + len(one.lines) * one.open for one in found)
        if number:
            self.beginInsertRows(QModelIndex(), 0, number - 1)
            self.sections = list(found)
            self._measure()
            self.endInsertRows()

    def fold(self, section: int, *, shown: bool) -> None:
        """Show or hide the lines of a section."""
        one = self.sections[section]
        if one.open == shown or not one.lines:
            return
        first = self._starts[section] + 1
        last = first + len(one.lines) - 1
        if shown:
            self.beginInsertRows(QModelIndex(), first, last)
        else:
            self.beginRemoveRows(QModelIndex(), first, last)
        one.open = shown
        self._measure()
        if shown:
            self.endInsertRows()
        else:
            self.endRemoveRows()
        head = self.index(first - 1, 0)
        self.dataChanged.emit(head, head)

    def row_of(self, section: int, line: int = -1) -> int:
        """The place of a line, or (−1) of the heading, in the list; of a folded line its heading's."""
        start = self._starts[section]
        return start + 1 + line if line >= 0 and self.sections[section].open else start

    def at(self, row: int) -> LogRow:
        """The row of the log at a place of the list."""
        section = bisect_right(self._starts, row) - 1
        return LogRow(section, row - self._starts[section] - 1)

    def line(self, row: LogRow) -> LogLine:
        """The line of the log at a row."""
        return self.sections[row.section].lines[row.line]

    def find(self, text: str) -> list[LogRow]:
        """The rows in which a text stands, also in folded sections, from top to bottom; letters in either case."""
        wanted = text.casefold()
        return (
            [
                LogRow(at, number)
                for at, one in enumerate(self.sections)
                for number, line in enumerate(one.lines)
                if wanted in line.text.casefold() and wanted in line.words.casefold()
            ]
            if wanted
            else []
        )

    def rowCount(self, parent: Index | None = None) -> int:
        """The rows; none below a row."""
        return 0 if parent is not None and parent.isValid() else self._count

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The words of a row, and the row itself."""
        if not index.isValid():
            return None
        row = self.at(index.row())
        if role == ROW_ROLE:
            return row
        one = self.sections[row.section]
        if role == Qt.ItemDataRole.DisplayRole:
            return safe_text(one.title) if row.line < 0 else self.line(row).words
        if role == Qt.ItemDataRole.AccessibleTextRole:
            parts = [
                safe_text(one.title),
                tr("open", context="of a fold") if one.open else tr("closed", context="of a fold"),
            ]
            words = ", ".join([*parts, tr("failed")] if one.failed else parts)
            return words if row.line < 0 else self.line(row).words
        return None

    def _measure(self) -> None:
        self._starts, self._count = [], 0
        for one in self.sections:
            self._starts.append(self._count)
            self._count += 1 + len(one.lines) * one.open
