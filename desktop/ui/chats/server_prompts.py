"""ServerPrompts: prompts of MCP servers as slash commands, whose text is put into the message before it is sent."""

import re

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.mcp.commands import LoadMcpPrompt
from desktop.domain.mcp.updates import McpPromptLoaded, McpPromptRow, McpServersListed
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.chats.composer.slash_commands import matching
from desktop.ui.chats.prompt_proposals import Proposals
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests, answer
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.widgets.pick_list import PickItem

_WIDTH = 480
_NAME = re.compile(r"[a-z][a-z0-9_:-]*")
_ABOUT = tr("What the server gives is put into the message. Nothing is sent before you send it.")


@dataclass(frozen=True)
class ServerPrompt:
    """A prompt, and whose it is."""

    server_id: str
    row: McpPromptRow

    @property
    def name(self) -> str:
        """How it is typed after the slash."""
        return f"{self.server_id}:{self.row.name}".lower()


class ServerPrompts:
    """The prompts of servers that a person accepted. One whose name cannot be typed is not among them."""

    def __init__(self) -> None:
        self._known: dict[str, ServerPrompt] = {}
        self.hearing = Hearing().on(McpServersListed, self._on_listed)

    def get(self, name: str) -> ServerPrompt | None:
        """The prompt of this name, None: there is none."""
        return self._known.get(name)

    def items(self, begun: str) -> list[PickItem]:
        """Those that fit what is typed."""
        return [_item(self._known[name]) for name in matching(begun, list(self._known))]

    def _on_listed(self, listed: McpServersListed) -> None:
        found = (ServerPrompt(row.id, one) for row in listed.servers if row.accepted for one in row.prompts)
        self._known = {one.name: one for one in found if _NAME.fullmatch(one.name)}


class PromptDialog(Dialog):
    """The arguments of a prompt as a form. `filled`: its text, fit to be shown; `pictured`: the id of its server, and
    its pictures, if it has any. Deletes itself when closed."""

    filled = Signal(str)
    pictured = Signal(str, object)

    def __init__(self, prompt: ServerPrompt, session_id: str, requests: Requests, parent: QWidget) -> None:
        super().__init__(parent)
        self._prompt, self._session_id, self._requests = prompt, session_id, requests
        self.setObjectName("mcp_prompt_dialog")
        self.setWindowTitle(tr("Prompt of an MCP server"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        title = plain_label(self, "title")
        title.setText(f"{display_text(prompt.server_id)} › {display_text(prompt.row.name)}")
        about = plain_label(self, "muted", "mcp_prompt_about")
        about.setText("\n".join(filter(None, (_ended(display_text(prompt.row.description)), _ABOUT))))
        layout.addWidget(title)
        layout.addWidget(about)
        self._fields = {name: self._field(name, text, needed, layout) for name, text, needed in prompt.row.arguments}
        proposals = Proposals(prompt.server_id, prompt.row.name, requests, self)
        proposals.watch(self._fields)
        layout.addWidget(proposals.list)
        self._problem = plain_label(self, "strong", "mcp_prompt_problem", role="danger")
        say(self._problem, "")
        layout.addWidget(self._problem)
        self._go = push_button(tr("Put into the message"), "mcp_prompt_go", self, self._on_go)
        self._go.setProperty("kind", "primary")
        self._go.setDefault(True)
        buttons = QHBoxLayout()
        set_gaps(buttons, spacing=SPACE_2)
        buttons.addStretch(1)
        buttons.addWidget(push_button(tr("Cancel"), "mcp_prompt_cancel", self, self.reject))
        buttons.addWidget(self._go)
        layout.addLayout(buttons)
        self.setMinimumWidth(theme().px(_WIDTH))
        next(iter(self._fields.values()), self._go).setFocus()

    def _field(self, name: str, about: str, needed: bool, layout: QVBoxLayout) -> QLineEdit:
        label = plain_label(self, "caption")
        words = f"{display_text(name)}: {display_text(about)}" if about else display_text(name)
        label.setText(words if needed else tr("{words} (may be empty)", words=words))
        edit = QLineEdit(self)
        edit.setObjectName(f"mcp_prompt_field_{len(self.findChildren(QLineEdit))}")
        edit.setAccessibleName(words)
        rows = QVBoxLayout()
        set_gaps(rows, spacing=SPACE_1)
        rows.addWidget(label)
        rows.addWidget(edit)
        layout.addLayout(rows)
        return edit

    def _on_go(self) -> None:
        given = {name: edit.text().strip() for name, edit in self._fields.items()}
        missing = [name for name, _, needed in self._prompt.row.arguments if needed and not given[name]]
        if missing:
            say(self._problem, tr("{missing} is needed.", missing=display_text(missing[0])))
            self._fields[missing[0]].setFocus()
            return
        set_off(self._go, UNDER_WAY)
        command = LoadMcpPrompt(
            session_id=self._session_id,
            server_id=self._prompt.server_id,
            prompt=self._prompt.row.name,
            arguments=tuple((name, text) for name, text in given.items() if text),
        )
        self._requests.ask(command, self, answer(McpPromptLoaded, self._on_loaded), failed=self._on_failed)

    def _on_loaded(self, loaded: McpPromptLoaded) -> None:
        head = tr(
            "From the prompt {prompt} of the MCP server {server_id}:",
            prompt=display_text(loaded.prompt),
            server_id=display_text(loaded.server_id),
        )
        self.accept()
        self.filled.emit(f"{head}\n\n{display_text(loaded.text, multiline=True)}")
        if loaded.pictures:
            self.pictured.emit(loaded.server_id, loaded.pictures)

    def _on_failed(self, failed: CommandFailed) -> None:
        set_off(self._go, "")
        say(self._problem, display_text(failed.text))


def _item(prompt: ServerPrompt) -> PickItem:
    about = display_text(prompt.row.description) or tr(
        "Prompt of {server_id}", server_id=display_text(prompt.server_id)
    )
    return PickItem(prompt.name, f"/{prompt.name}", about, icon="server")


def _ended(text: str) -> str:
    """With a full stop before our own sentence follows."""
    return f"{text}." if text and text[-1].isalnum() else text
