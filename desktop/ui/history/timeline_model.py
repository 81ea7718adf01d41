"""The checkpoints of the shown chat's lane, newest first."""

from PySide6.QtCore import QObject

from desktop.domain.chats.updates import CheckpointInfo, CheckpointsListed
from desktop.domain.display.text import display_text
from desktop.language import said, tr
from desktop.records import dataclass
from desktop.ui.models.keyed_rows import KeyedRows
from desktop.ui.text.call_titles import call_title
from desktop.ui.text.format import clock_time, count, local_date
from desktop.ui.widgets.elided_label import plain_tooltip

_REASONS = {
    "turn_start": ((tr("Before turn {turn}"), tr("Before a turn")), "play"),
    "turn_end": ((tr("After turn {turn}"), tr("After a turn")), "circle-check"),
    "call": ((tr("Before a call"),) * 2, "terminal"),
    "restore": ((tr("Before files were put back"),) * 2, "undo-2"),
    "revert": ((tr("Before a change was reverted"),) * 2, "rotate-ccw"),
    "manual": ((tr("Taken by you"),) * 2, "pencil"),
}
"""The words where the turn is known, and where not; the icon."""

_MARKS = {
    "passed": (("check", "success"), tr("Passed")),
    "failed": (("x", "danger"), tr("Failed")),
    "proof": (("image", "muted"), tr("Proof")),
}


@dataclass(frozen=True)
class CheckpointRow:
    """One checkpoint as it is listed."""

    info: CheckpointInfo

    @property
    def key(self) -> str:
        """Its id."""
        return self.info.checkpoint_id

    @property
    def title(self) -> str:
        """Its name, else why it was taken: "Before: Run pytest", "After turn 3"."""
        if self.info.name:
            return display_text(self.info.name)
        if self.info.reason == "call" and self.info.call_title:
            title = self.info.call_title if self.info.verbatim else call_title(self.info.call_title)
            return tr("Before: {call_title}", call_title=display_text(title))
        (words, some), _ = _REASONS[self.info.reason]
        return words.format(turn=self.info.turn) if self.info.turn else some

    @property
    def detail(self) -> str:
        """When, in which turn, how many files: "14:02 · turn 3 · 2 files"."""
        parts = [when(self.info)]
        parts += [tr("turn {turn}", turn=self.info.turn)] if self.info.turn and "turn" not in self.info.reason else []
        parts += [count(self.info.changed, "file")] if self.info.changed else [tr("no change")]
        parts += [tr("partial")] if self.info.partial else []
        return " · ".join(parts)

    @property
    def icon(self) -> tuple[str, str]:
        """By its reason."""
        return _REASONS[self.info.reason][1], "warning" if self.info.partial else "muted"

    @property
    def marks(self) -> tuple[tuple[str, str], ...]:
        """Icon and colour of each kind of thing that was proved for these files."""
        kinds = {mark.kind for mark in self.info.marks}
        return tuple(look for kind, (look, _) in _MARKS.items() if kind in kinds)

    @property
    def proved(self) -> tuple[str, ...]:
        """What was proved for these files, in words: "Passed: pytest -q (120 passed)"."""
        return tuple(f"{_MARKS[mark.kind][1]}: {display_text(mark.text)}" for mark in self.info.marks)

    @property
    def tip(self) -> str:
        """What is to be known of it beside that."""
        partial = tr("Not whole: {partial}", partial=display_text(said(self.info.partial))) if self.info.partial else ""
        return "\n".join(part for part in (self.title, self.detail, partial, *self.proved) if part)


def when(info: CheckpointInfo) -> str:
    """The day and the time of a checkpoint."""
    return f"{local_date(info.at)}, {clock_time(info.at)}"


class TimelineModel(KeyedRows[CheckpointRow]):
    """Filled by CheckpointsListed. `problem`: why there are none."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session_id = ""
        self.problem = ""
        self.loaded = False

    def show_session(self, session_id: str) -> None:
        """Forget the former chat's checkpoints."""
        if session_id != self.session_id:
            self.session_id = session_id
            self.problem, self.loaded = "", False
            self.set_rows(())

    def take(self, listed: CheckpointsListed) -> bool:
        """Show the list; False if it is another chat's."""
        if listed.session_id != self.session_id:
            return False
        self.loaded = True
        self.problem = listed.problem
        self.set_rows([CheckpointRow(info) for info in listed.checkpoints])
        return True

    def text_of(self, row: CheckpointRow, column: int) -> str:
        """Its title."""
        return row.title

    def sentence_of(self, row: CheckpointRow) -> str:
        """The row, read out."""
        return ", ".join((row.title, row.detail, *row.proved))

    def tip_of(self, row: CheckpointRow) -> str:
        """All that is known of it."""
        return plain_tooltip(row.tip)
