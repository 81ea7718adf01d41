"""ExportDialog: in which form a chat is written to a file, and whether secrets stay in it."""

from typing import Literal, get_args

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QLabel, QWidget

from desktop.language import tr
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.dialogs.ask import AskDialog, Question
from desktop.ui.widgets.dialogs.new_file import ask_new_file

Format = Literal["markdown", "html", "jsonl"]
_FORMATS: dict[Format, tuple[str, str, str]] = {
    "markdown": ("Markdown", "md", tr("For reading and pasting. Pictures go to a folder beside the file.")),
    "html": (tr("Web page"), "html", tr("One file that any browser shows, without scripts and without the network.")),
    "jsonl": (
        tr("Full record"),
        "jsonl",
        tr("Every entry, one a line; can be verified, and imported if nothing was removed."),
    ),
}
_REMOVED = tr("Secrets are removed and the home folder reads ~.")
_WHOLE = tr("Nothing is removed: keys and passwords that the chat holds will be in the file.")


class ExportDialog(AskDialog):
    """`export_asked`: path, format, and whether secrets are removed."""

    export_asked = Signal(str, str, bool)

    def __init__(self, title: str, parent: QWidget) -> None:
        """`title`: the chat's, display-safe."""
        question = Question(
            "export_dialog",
            tr("Export chat"),
            tr("“{title}” is written to a new file.", title=title),
            (tr("Cancel"), "export_cancel"),
            (tr("Choose file…"), "export_choose"),
            dangerous=False,
        )
        super().__init__(question, parent)
        self._title = title
        self._format: Format = "markdown"
        self.format = Segmented(
            "export_format", tr("Format"), [(name, words[0]) for name, words in _FORMATS.items()], self
        )
        self.format.chosen.connect(self._on_format)
        self.whole = QCheckBox(tr("Full copy, not redacted"), self)
        self.whole.setObjectName("export_whole")
        self.whole.toggled.connect(self._say)
        self._said = QLabel(self)
        self._said.setObjectName("export_said")
        self._said.setTextFormat(Qt.TextFormat.PlainText)
        self._said.setWordWrap(True)
        self._said.setProperty("kind", "muted")
        for widget in (self.format, self.whole, self._said):
            self.details.addWidget(widget)
        self.go.setProperty("kind", "primary")
        self.agreed.connect(self._choose_file)
        self._on_format("markdown")

    def _on_format(self, name: str) -> None:
        self._format = next(one for one in get_args(Format) if one == name)
        self.format.set_value(name)
        self._say()

    def _say(self) -> None:
        secrets = _WHOLE if self.whole.isChecked() else _REMOVED
        self._said.setText(f"{_FORMATS[self._format][2]}\n{secrets}")

    def _choose_file(self) -> None:
        form, redacted = self._format, not self.whole.isChecked()
        ending = _FORMATS[form][1]
        name = f"{_file_name(self._title)}.{ending}"

        def chosen(path: str) -> None:
            self.export_asked.emit(path, form, redacted)

        ask_new_file(tr("Export chat"), "export_file_dialog", name, self.parentWidget(), chosen)


def _file_name(title: str) -> str:
    plain = "".join(char if char.isalnum() or char in " -_" else " " for char in title)
    return " ".join(plain.split())[:60] or "chat"
