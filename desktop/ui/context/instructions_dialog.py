"""InstructionsDialog: the instruction files and the commands from files that count for a chat (sessions-SP6,
sessions-SP7)."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from desktop.domain.chats.library_events import InstructionFile
from desktop.domain.chats.updates import InstructionsListed, SlashCommand
from desktop.domain.display.text import display_text
from desktop.language import said, tr
from desktop.ui.text import format as fmt
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.fact_list import FactList
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDTH, _HEIGHT = 620, 480
_ABOUT = tr(
    "These files are part of what the model is told, nearest last. They may be outdated, and they cannot allow "
    "anything."
)
_READ_ITSELF = tr("Read by the agent itself, as far as it knows them; Banksman does not pass them on.")
_NOTHING_TO_READ = tr("There is no AGENTS.md, CLAUDE.md or GEMINI.md at the top of the lane.")
_NO_FILES = tr("There is no AGENTS.md and no CLAUDE.md for this chat.")
_NO_COMMANDS = tr("No file offers a command.")
_TRUST = tr("Your word holds for exactly these files. When one of them changes you are asked again.")


class InstructionsDialog(Dialog):
    """`trust_asked` carries the digest of the repository's commands as they are shown. Deletes itself when closed."""

    trust_asked = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("instructions_dialog")
        self.setWindowTitle(tr("Instruction files"))
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._digest = ""
        self._body = QWidget(self)
        self._about = plain_label(self._body, "muted", "instructions_about")
        self._files_none = plain_label(self._body, "muted", "instructions_no_files")
        self._files = FactList("instructions_files", tr("Instruction files"), ("file-text", "muted"), self._body)
        self._problems = FactList("instructions_problems", tr("Problems"), ("triangle-alert", "warning"), self._body)
        self._commands_none = plain_label(self._body, "muted", "instructions_no_commands")
        self._usable = FactList(
            "instructions_commands", tr("Commands that can be used"), ("check", "success"), self._body
        )
        self._untrusted = FactList(
            "instructions_untrusted", tr("Commands that nobody trusted"), ("shield-alert", "warning"), self._body
        )
        self._trust_words = plain_label(self._body, "muted", "instructions_trust_words")
        self._trust = push_button(tr("Trust these commands"), "instructions_trust", self._body)
        self._trust.clicked.connect(self._on_trust)
        self._close = QPushButton(tr("Close"), self)
        self._close.setObjectName("instructions_close")
        self._close.clicked.connect(self.reject)
        self._lay_out()
        say(self._about, "")
        say(self._files_none, tr("Looking…"))
        for widget in (self._files, self._problems, self._commands_none, self._usable, self._untrusted):
            widget.hide()
        self._show_trust("")
        self.resize(theme().px(_WIDTH), theme().px(_HEIGHT))
        self._close.setFocus()

    def show_listed(self, listed: InstructionsListed) -> None:
        """Show what counts now."""
        none = _NOTHING_TO_READ if listed.read_by_agent else _NO_FILES
        say(self._about, _READ_ITSELF if listed.read_by_agent else _ABOUT)
        say(self._files_none, "" if listed.files else none)
        self._files.show_lines([_file_line(file) for file in listed.files])
        self._problems.show_lines([display_text(problem) for problem in listed.problems])
        say(self._commands_none, "" if listed.commands else _NO_COMMANDS)
        self._usable.show_lines(_command_lines(listed.commands, usable=True))
        self._untrusted.show_lines(_command_lines(listed.commands, usable=False))
        untrusted = sum(not command.usable for command in listed.commands)
        self._trust.setText(tr("Trust this command") if untrusted == 1 else tr("Trust these commands"))
        self._show_trust(listed.untrusted_sha256)

    def show_problem(self, text: str) -> None:
        """Say why nothing can be listed, or why the commands were not trusted."""
        set_off(self._trust, "")
        if self._files.isHidden():
            say(self._files_none, "")
        self._problems.show_lines([display_text(text)])

    def _show_trust(self, digest: str) -> None:
        self._digest = digest
        say(self._trust_words, _TRUST if digest else "")
        self._trust.setVisible(bool(digest))
        set_off(self._trust, "")

    def _on_trust(self) -> None:
        set_off(self._trust, UNDER_WAY)
        self.trust_asked.emit(self._digest)

    def _lay_out(self) -> None:
        inner = QVBoxLayout(self._body)
        set_gaps(inner, (0, 0, SPACE_3, 0), SPACE_2)
        inner.addWidget(_heading(tr("Instruction files"), self._body))
        inner.addWidget(self._about)
        for widget in (self._files_none, self._files, self._problems):
            inner.addWidget(widget)
        inner.addSpacing(SPACE_3)
        inner.addWidget(_heading(tr("Commands from files"), self._body))
        for widget in (self._commands_none, self._usable, self._untrusted, self._trust_words):
            inner.addWidget(widget)
        inner.addWidget(self._trust, 0, Qt.AlignmentFlag.AlignLeft)
        inner.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setProperty("kind", "plain")
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self._body)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self._close)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        layout.addWidget(scroll, 1)
        layout.addLayout(buttons)


def _heading(text: str, parent: QWidget) -> QWidget:
    label = plain_label(parent, "title")
    label.setText(text)
    return label


def _file_line(file: InstructionFile) -> str:
    parts = [display_text(file.path), fmt.size(file.bytes), *([tr("only its beginning is used")] if file.cut else [])]
    changed = [tr("Changed by {who}", who=display_text(said(file.changed_by)))] if file.changed_by else []
    return "\n".join([" · ".join(parts), *changed])


def _command_lines(commands: Sequence[SlashCommand], *, usable: bool) -> list[str]:
    return [_command_line(command) for command in commands if command.usable is usable]


def _command_line(command: SlashCommand) -> str:
    source = {"user": tr("your own"), "repository": tr("from the repository"), "skill": tr("a skill")}[command.source]
    refused = tr("not accepted") if command.source == "skill" else tr("not trusted")
    trust = "" if command.usable else f", {refused}"
    words = f": {display_text(command.description)}" if command.description else ""
    return f"/{display_text(command.name)}{words}\n{display_text(command.path)} · {source}{trust}"
