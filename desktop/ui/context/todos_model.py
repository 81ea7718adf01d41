"""The agent's todo list of the shown chat, grouped: in progress, to do, done."""

from collections.abc import Iterable, Sequence
from typing import Literal

from PySide6.QtCore import QObject, Qt

from desktop.domain.core.update import Update
from desktop.domain.core.work import Todo
from desktop.domain.core.work_events import TodosChanged
from desktop.domain.display.text import prose_text
from desktop.domain.events import Envelope
from desktop.domain.updates import SessionOpened
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.models.keyed_rows import Index, KeyedRows

Status = Literal["in_progress", "pending", "completed"]
_GROUPS: tuple[tuple[Status, str], ...] = (
    ("in_progress", tr("In progress")),
    ("pending", tr("To do")),
    ("completed", tr("Done", context="todos")),
)
_STATES: dict[Status, str] = {"in_progress": tr("in progress"), "pending": tr("to do"), "completed": tr("done")}


@dataclass(frozen=True)
class TodoRow:
    """A heading or an item. `text` may be shown as it is."""

    kind: Literal["heading", "item"]
    key: str
    text: str
    status: Status = "pending"


class TodoModel(KeyedRows[TodoRow]):
    """The list after the latest TodosChanged. Items without text are never shown."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session_id = ""
        self._seq = -1
        self._todos: tuple[Todo, ...] = ()

    def show_session(self, session_id: str) -> None:
        """Forget the former chat's list."""
        if session_id != self.session_id:
            self.session_id = session_id
            self._take(-1, ())

    def apply(self, updates: Sequence[Update]) -> None:
        """Take what concerns the shown chat."""
        for update in updates:
            if isinstance(update, SessionOpened) and update.session_id == self.session_id:
                if update.first:
                    self._take(-1, ())
                self._fold(update.envelopes)
            elif isinstance(update, Envelope) and update.session_id == self.session_id:
                self._fold((update,))

    @property
    def done_of(self) -> tuple[int, int]:
        """How many are done, of how many."""
        return sum(todo.status == "completed" for todo in self._todos), len(self._todos)

    def text_of(self, row: TodoRow, column: int) -> str:
        """Its words."""
        return row.text

    def sentence_of(self, row: TodoRow) -> str:
        """The todo with its state; a heading as it is."""
        return row.text if row.kind == "heading" else f"{row.text}, {_STATES[row.status]}"

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Headings cannot be selected."""
        if index.isValid() and self.row_at(index.row()).kind == "heading":
            return Qt.ItemFlag.ItemIsEnabled
        return super().flags(index)

    def _fold(self, envelopes: Iterable[Envelope]) -> None:
        for envelope in envelopes:
            if isinstance(envelope.event, TodosChanged) and envelope.seq > self._seq:
                self._take(envelope.seq, envelope.event.todos)

    def _take(self, seq: int, todos: tuple[Todo, ...]) -> None:
        self._seq = seq
        self._todos = tuple(todo for todo in todos if todo.content.strip())
        rows: list[TodoRow] = []
        for status, heading in _GROUPS:
            items = [(place, todo) for place, todo in enumerate(self._todos) if todo.status == status]
            if items:
                rows.append(TodoRow("heading", f"group:{status}", heading, status))
                rows += [
                    TodoRow("item", f"todo:{place}:{todo.id}", prose_text(todo.content.strip()), status)
                    for place, todo in items
                ]
        self.set_rows(rows)
