"""ServerDialog: an MCP server that is new, or other than what was accepted, with every tool, to be accepted so."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.mcp.commands import AcceptMcpPin, KeepMcpOff
from desktop.domain.mcp.updates import McpServerRow
from desktop.language import said, tr
from desktop.ui.settings.mcp.tools_view import ToolsView
from desktop.ui.settings.mcp.words import acceptable, server_facts, undecided, unlisted, waits
from desktop.ui.text.format import count
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.fact_list import FactList
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDTH, _HEIGHT = 780, 640
_TEXT = tr(
    "What a server and its tools say of themselves is foreign text: it proves nothing and is never obeyed. Your yes "
    "holds for exactly what stands here; after any change they are off until you accept them again. Each call of a "
    "tool asks you until you say otherwise."
)
_TICK = tr("Tick the tools that you accept.")
_START = tr("It is started once you say yes. Then its tools are listed, and you decide about them.")


class ServerDialog(Dialog):
    """`accepted_as_shown` carries an AcceptMcpPin; `kept_off` a KeepMcpOff, and the dialog closes. Deletes itself."""

    accepted_as_shown = Signal(AcceptMcpPin)
    kept_off = Signal(KeepMcpOff)

    def __init__(self, row: McpServerRow, parent: QWidget) -> None:
        super().__init__(parent)
        self._row = row
        self._choosing = False
        self.setObjectName("mcp_server_dialog")
        self.setWindowTitle(tr("MCP server"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._title = plain_label(self, "title", "mcp_server_title")
        self._title.setText(_title(row))
        words = plain_label(self, "muted", "mcp_server_words")
        words.setText(f"{_START} {_TEXT}" if not row.tools and waits(row) else _TEXT)
        facts = FactList("mcp_server_facts", tr("What it is"), ("server", "muted"), self)
        why = [display_text(said(row.why))] if row.why else []
        differs = any(tool.state == "changed" for tool in row.tools) or row.state == "changed" or bool(row.difference)
        facts.show_lines([*server_facts(row.server, row.place), *(() if differs else why)])
        warning = FactList("mcp_server_warning", tr("What is not as it was"), ("triangle-alert", "warning"), self)
        warning.show_lines(why if differs else ())
        self.view = ToolsView(row, self)
        self._problem = plain_label(self, "strong", "mcp_server_problem", role="danger")
        say(self._problem, "")
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        for widget in (self._title, words, facts, warning):
            layout.addWidget(widget)
        layout.addWidget(self.view, 1)
        layout.addWidget(self._problem)
        layout.addLayout(self._make_buttons())
        room = self.screen().availableSize()
        self.resize(min(theme().px(_WIDTH), room.width()), min(theme().px(_HEIGHT), room.height()))

    def show_problem(self, text: str) -> None:
        """Say why it was not accepted; what is shown cannot be agreed to again."""
        say(self._problem, display_text(text))

    def _make_buttons(self) -> QHBoxLayout:
        row, able = self._row, acceptable(self._row)
        asks = (waits(row) or row.kept_off or bool(able) or any(tool.nameless for tool in row.tools)) and not unlisted(
            row
        )
        self._off = push_button(tr("Keep off") if _is_open(row) else tr("Close"), "mcp_keep_off", self, self._on_off)
        self._choose = push_button(tr("Choose…"), "mcp_choose", self, self._on_choose)
        self._choose.setVisible(asks and len(able) > 1)
        words = (
            tr("Accept all {tools}", tools=count(len(able), "tool"))
            if len(able) > 1
            else tr("Accept the tool")
            if able
            else tr("Accept")
        )
        self._accept = push_button(words, "mcp_accept", self, self._on_accept)
        self._accept.setProperty("kind", "primary")
        self._accept.setVisible(asks)
        buttons = QHBoxLayout()
        set_gaps(buttons, spacing=SPACE_2)
        buttons.addStretch(1)
        for button in (self._off, self._choose, self._accept):
            buttons.addWidget(button)
        self._off.setFocus()
        self.view.named_one.connect(self._on_ticked)
        return buttons

    def _on_off(self) -> None:
        row = self._row
        if _is_open(row):
            tools = tuple((tool.tool.name, tool.sha256) for tool in undecided(row))
            self.kept_off.emit(KeepMcpOff(server_id=row.id, sha256=row.sha256, tools=tools))
        self.reject()

    def _on_choose(self) -> None:
        self._choosing = True
        self._choose.hide()
        self._accept.setText(tr("Accept the ticked ones"))
        self.view.let_choose()
        self.view.list.itemChanged.connect(self._on_ticked)
        self._on_ticked()
        self._title.setText(
            tr(
                "Which of the {tools} of {name} may agents use?",
                tools=count(len(acceptable(self._row)), "tool"),
                name=display_text(self._row.id),
            )
        )

    def _on_ticked(self) -> None:
        ticked = not self._choosing or bool(self.view.ticked() or self.view.named())
        set_off(self._accept, "" if ticked else _TICK)

    def _on_accept(self) -> None:
        for button in (self._accept, self._choose):
            set_off(button, UNDER_WAY)
        all_of_them = tuple((tool.tool.name, tool.sha256) for tool in acceptable(self._row))
        named = self.view.named()
        tools = self.view.ticked() if self._choosing else all_of_them
        tools += tuple((tool.tool.name, tool.sha256) for tool, _ in named)
        names = tuple((tool.sha256, name) for tool, name in named)
        yes = AcceptMcpPin(server_id=self._row.id, sha256=self._row.sha256, tools=tools, names=names)
        self.accepted_as_shown.emit(yes)


def _is_open(row: McpServerRow) -> bool:
    """Whether something of it waits for a yes or a no."""
    return waits(row) and not unlisted(row)


def _title(row: McpServerRow) -> str:
    name = display_text(row.id)
    if not waits(row) or unlisted(row):
        return tr("The MCP server {name}", name=name)
    if row.state == "changed" or row.difference:
        return tr("The MCP server {name} is not what you accepted", name=name)
    able = acceptable(row)
    return (
        tr("Let agents use {tools} of {name}?", tools=count(len(able), "tool"), name=name)
        if able
        else tr("Let the MCP server {name} start?", name=name)
    )
