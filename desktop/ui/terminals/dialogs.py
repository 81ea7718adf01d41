"""What a terminal asks before it does something: pasting several lines, closing over a program, ending leftovers."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.terminals.updates import Leftover
from desktop.language import tr
from desktop.ui.text.format import count
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.dialogs.ask import AskDialog, Question
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.text_box import TextBox

_SHOWN_CHARS = 5_000
_PREVIEW_HEIGHT = 160


def needs_question(text: str) -> bool:
    """Whether pasting this may do more than it seems: several lines, a line break at the end, control characters."""
    return any(char != "\t" and (char < " " or "\x7f" <= char <= "\x9f") for char in text)


class PasteDialog(AskDialog):
    """`agreed`: paste it. What would not be seen is made visible."""

    def __init__(self, text: str, parent: QWidget, *, marked: bool) -> None:
        lines = text.rstrip("\r\n").count("\n") + 1
        odd = sum(char not in "\t\n\r" and (char < " " or "\x7f" <= char <= "\x9f") for char in text)
        title = tr("Paste {lines} into the terminal?", lines=count(lines, "line"))
        parts = [] if marked else [tr("Each line that ends with a line break runs at once.")]
        parts += (
            [tr("It holds {characters}, which can do what keys do.", characters=count(odd, "control character"))]
            if odd
            else []
        )
        parts += [tr("The program says that it takes pasted text as text.")] if marked and not odd else []
        super().__init__(
            Question(
                "terminal_paste_dialog",
                title,
                " ".join(parts),
                (tr("Cancel"), "terminal_paste_cancel"),
                (tr("Paste"), "terminal_paste_go"),
                dangerous=False,
            ),
            parent,
        )
        preview = TextBox("terminal_paste_preview", tr("What would be pasted"), self)
        preview.setFixedHeight(theme().px(_PREVIEW_HEIGHT))
        cut = len(text) > _SHOWN_CHARS
        shown = text.replace("\r\n", "\n")[:_SHOWN_CHARS]
        preview.setPlainText(display_text(shown, multiline=True) + ("\n…" if cut else ""))
        self.details.addWidget(preview)


class CloseTerminalDialog(AskDialog):
    """`agreed`: end it. `label`: what its tab says."""

    def __init__(self, label: str, parent: QWidget) -> None:
        super().__init__(
            Question(
                "terminal_close_dialog",
                tr("Close “{label}”?", label=label),
                tr("A program runs in this terminal. Closing ends it."),
                (tr("Keep open"), "terminal_close_keep"),
                (tr("End and close"), "terminal_close_end"),
            ),
            parent,
        )


class LeftoversDialog(AskDialog):
    """Programs that earlier terminals left running, each with End. `end_asked`: process id and when it began;
    `agreed`: all of them."""

    end_asked = Signal(int, float)

    def __init__(self, processes: Sequence[Leftover], lane_names: dict[str, str], parent: QWidget) -> None:
        super().__init__(
            Question(
                "terminal_leftovers_dialog",
                tr("Programs of earlier terminals"),
                tr("They went on when their terminal ended. Ending one may lose what it has not saved."),
                (tr("Close"), "terminal_leftovers_close"),
                (tr("End all"), "terminal_leftovers_end_all"),
            ),
            parent,
        )
        self._names = lane_names
        self._rows: list[QWidget] = []
        self.show_processes(processes)

    def show_processes(self, processes: Sequence[Leftover]) -> None:
        """Show these; without any the dialog closes."""
        for row in self._rows:
            row.deleteLater()
        self._rows = []
        for one in processes:
            self._rows.append(self._row(one))
            self.details.addWidget(self._rows[-1])
        if not processes:
            self.reject()

    def _row(self, one: Leftover) -> QWidget:
        row = QWidget(self)
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        set_gaps(layout, spacing=SPACE_2)
        lane = self._names.get(one.lane_id, "")
        text = f"{display_text(one.command or one.name)} · pid {one.pid}" + (f" · {display_text(lane)}" if lane else "")
        label = QLabel(text, row)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        end = push_button(tr("End"), f"terminal_leftover_end_{one.pid}", row)
        end.setAccessibleName(tr("End {name}, process {pid}", name=display_text(one.name), pid=one.pid))
        end.clicked.connect(lambda: self.end_asked.emit(one.pid, one.started))
        layout.addWidget(label, 1)
        layout.addWidget(end)
        return row
