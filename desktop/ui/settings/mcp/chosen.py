"""ChosenServer: what can be done with the chosen MCP server, how it stands, and what becomes of calls of its tools."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.mcp.commands import SetMcpToolPolicy
from desktop.domain.mcp.updates import McpServerRow, McpServerTested, McpToolRow
from desktop.domain.mcp.values import ToolPolicy
from desktop.language import said, separated, tr
from desktop.ui.settings.listing.row_list import RowList
from desktop.ui.settings.mcp.words import POLICIES, standing_lines, tool_line
from desktop.ui.text.format import count
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.buttons.segmented import Segmented
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.layouts.flow_layout import FlowLayout
from desktop.ui.widgets.layouts.gaps import set_gaps

_NAME = "settings_mcp"
_ROWS = 7
_ICONS = {
    "on": "check",
    "new": "shield-alert",
    "changed": "shield-alert",
    "gone": "minus",
    "never": "minus",
    "kept_off": "minus",
}
_ACTS = (
    ("look", tr("Look at it…")),
    ("test", tr("Test")),
    ("log", tr("Log…")),
    ("restart", tr("Start again")),
    ("sign_in", tr("Sign in…")),
    ("sign_out", tr("Sign out")),
    ("switch", tr("Switch off")),
    ("edit", tr("Edit…")),
    ("remove", tr("Remove…")),
)
_TOLD = tr("What it says of itself, which agents are told as the words of a stranger:")
_NOT_TOLD = tr("What it says of itself, which agents are not told:")
_RAN_S = 0.05
"""A start takes longer: one that was ready sooner ran already."""
_TESTING = tr("Starting it and listing its tools…")


class ChosenServer(QWidget):
    """`asked`: what is to be done, of `_ACTS`. `policy_set` carries a SetMcpToolPolicy."""

    asked = Signal(str)
    policy_set = Signal(SetMcpToolPolicy)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._row: McpServerRow | None = None
        self._name = plain_label(self, "strong", f"{_NAME}_name")
        self._why = plain_label(self, "muted", f"{_NAME}_why")
        self._instructions = plain_label(self, "muted", f"{_NAME}_instructions")
        buttons = QWidget(self)
        flow = FlowLayout(buttons, gap_x=theme().px(SPACE_2), gap_y=theme().px(SPACE_2))
        self._buttons = {key: self._button(key, words, buttons) for key, words in _ACTS}
        for button in self._buttons.values():
            flow.addWidget(button)
        self._tested = plain_label(self, "muted", f"{_NAME}_tested")
        self._title = plain_label(self, "heading")
        self._tools = RowList(f"{_NAME}_tools", tr("Tools of the server"), _ROWS, self)
        self._tools.currentRowChanged.connect(self._show_tool)
        self._policy = Segmented(f"{_NAME}_policy", tr("What becomes of calls"), list(POLICIES.items()), self)
        self._policy.chosen.connect(self._on_policy)
        self._read = self._tick("treat_as_read", tr("Counts as a read"), tr("You say that this tool only reads."))
        self._always = self._tick("always", tr("Always offered"), tr("Also where agents have to search for tools."))
        self._read.clicked.connect(lambda on: self._set(treat_as_read=on))
        self._always.clicked.connect(lambda on: self._set(always=on))
        row = QHBoxLayout()
        set_gaps(row, spacing=SPACE_3)
        for part in (self._policy, self._read, self._always):
            row.addWidget(part)
        row.addStretch(1)
        column = QVBoxLayout(self)
        set_gaps(column, (0, 0, 0, 0), SPACE_3)
        for widget in (self._name, self._why, buttons, self._tested, self._instructions, self._title, self._tools):
            column.addWidget(widget)
        column.addLayout(row)
        say(self._tested, "")

    def show_row(self, row: McpServerRow | None) -> None:
        """Show this server; None: there is none."""
        if row is None or self._row is None or row.id != self._row.id:
            say(self._tested, "")
        chosen = self._tool.tool.name if self._tool is not None else ""
        self._row = row
        self.setVisible(row is not None)
        if row is None:
            return
        self._name.setText(display_text(row.id))
        say(self._why, "\n".join(standing_lines(row)))
        told = display_text(row.instructions, multiline=True)
        say(
            self._instructions,
            f"{_TOLD if row.server.instructs else _NOT_TOLD}\n{told}" if told else "",
        )
        self._show_buttons(row)
        self._fill(row, chosen)

    def show_testing(self) -> None:
        """A test has begun."""
        set_off(self._buttons["test"], _TESTING)
        restyle(self._tested, kind="muted", role="")
        say(self._tested, _TESTING)

    def show_tested(self, tested: McpServerTested) -> None:
        """How the test went."""
        seconds = separated(f"{tested.ready_s:.1f}")
        figures = tr(
            "{start}, {tools}, answered a ping in {ms} ms.",
            start=tr("Ready after {seconds} s", seconds=seconds) if tested.ready_s >= _RAN_S else tr("It runs"),
            tools=count(tested.tools, "tool"),
            ms=f"{tested.ping_s * 1000:.0f}",
        )
        self.show_test_end(display_text(said(tested.problem)) or figures, good=not tested.problem)

    def show_test_end(self, text: str, *, good: bool) -> None:
        """What came of a test. The text must have passed display_text()."""
        set_off(self._buttons["test"], "")
        restyle(self._tested, kind="", role="success" if good else "danger")
        say(self._tested, text)

    def _show_buttons(self, row: McpServerRow) -> None:
        own, on = row.scope == "person", row.server.enabled
        set_off(
            self._buttons["test"],
            _TESTING if self._tested.text() == _TESTING else "" if on else tr("The server is off."),
        )
        set_off(self._buttons["restart"], "" if on else tr("The server is off."))
        self._buttons["restart"].setText(tr("Start") if row.state in ("failed", "off") else tr("Start again"))
        self._buttons["sign_in"].setVisible(row.signs_in)
        self._buttons["sign_out"].setVisible(row.signed_in)
        self._buttons["switch"].setText(tr("Switch off") if on else tr("Switch on"))
        for key in ("switch", "edit", "remove"):
            self._buttons[key].setVisible(own)
        for key, words in _ACTS:
            self._buttons[key].setAccessibleName(f"{words.rstrip('…')} {display_text(row.id)}")

    def _fill(self, row: McpServerRow, chosen: str) -> None:
        self._title.setText(tr("Tools"))
        self._title.setVisible(bool(row.tools))
        self._tools.show_rows((tool_line(tool), _ICONS.get(tool.state, "circle-x")) for tool in row.tools)
        names = [tool.tool.name for tool in row.tools]
        self._tools.setCurrentRow(names.index(chosen) if chosen in names else 0)
        self._show_tool()

    @property
    def _tool(self) -> McpToolRow | None:
        at = self._tools.currentRow()
        return self._row.tools[at] if self._row is not None and 0 <= at < len(self._row.tools) else None

    def _show_tool(self, _at: int = 0) -> None:
        tool = self._tool
        can = tool is not None and tool.state in ("on", "never")
        parts: tuple[QWidget, ...] = (self._policy, self._read, self._always)
        for widget in parts:
            widget.setVisible(tool is not None and can)
        if tool is not None:
            self._policy.set_value(tool.policy)
            self._read.setChecked(tool.treat_as_read)
            self._always.setChecked(tool.always)

    def _on_policy(self, value: str) -> None:
        self._set(policy=next(one for one in POLICIES if one == value))

    def _set(
        self, *, policy: ToolPolicy | None = None, treat_as_read: bool | None = None, always: bool | None = None
    ) -> None:
        if self._row is not None and self._tool is not None:
            self.policy_set.emit(
                SetMcpToolPolicy(
                    server_id=self._row.id, tool=self._tool.tool.name, sha256=self._tool.sha256, policy=policy,
                    treat_as_read=treat_as_read, always=always,
                )
            )  # fmt: skip

    def _button(self, key: str, words: str, parent: QWidget) -> QPushButton:
        return push_button(words, f"{_NAME}_{key}", parent, lambda: self.asked.emit(key))

    def _tick(self, name: str, label: str, about: str) -> QCheckBox:
        tick = QCheckBox(label, self)
        tick.setObjectName(f"{_NAME}_{name}")
        tick.setToolTip(about)
        tick.setAccessibleDescription(about)
        return tick
