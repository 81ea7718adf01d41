"""McpWaitingCard: an MCP server that a person has to look at before it, or what changed of it, is used."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.display.text import display_text
from desktop.domain.mcp.updates import McpServerRow
from desktop.language import tr
from desktop.ui.settings.listing.waiting import WaitingFrame
from desktop.ui.settings.mcp.words import target, undecided, unlisted
from desktop.ui.text.format import count
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label


class McpWaitingCard(WaitingFrame):
    """The signals carry the id of the server that the person wants to see, to start so that it lists its tools, or to
    sign in to."""

    looked = Signal(str)
    started = Signal(str)
    sign_in_wanted = Signal(str)

    def __init__(self, row: McpServerRow, parent: QWidget) -> None:
        name = f"settings_mcp_waiting_{row.id}"
        super().__init__(name, _title(row), parent)
        what = plain_label(self, "muted")
        what.setText(target(row.server))
        server = display_text(row.id)
        words, about, signal = tr("Look at it…"), tr("Look at {server}", server=server), self.looked
        if row.signs_in:
            words, about, signal = tr("Sign in…"), tr("Sign in to {server}", server=server), self.sign_in_wanted
        elif unlisted(row):
            words, about, signal = tr("Start it"), tr("Start {server}", server=server), self.started
        look = push_button(words, f"{name}_look", self, lambda: signal.emit(row.id))
        look.setAccessibleName(about)
        self.lay_out(foot=(what, look))


def _title(row: McpServerRow) -> str:
    name = display_text(row.id)
    if row.signs_in:
        return tr("{name} wants you to sign in", name=name)
    if unlisted(row):
        return tr("{name} was not started yet, so nobody knows its tools", name=name)
    if row.state == "changed":
        return tr("{name} is not what you accepted: what changed is off", name=name)
    able = undecided(row)
    return (
        tr("{name} has {tools}", name=name, tools=count(len(able), "new tool"))
        if able
        else tr("{name} wants to start", name=name)
    )
