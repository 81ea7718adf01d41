"""MCP servers: which there are and how each stands, what waits for a person, and all that one can do with them."""

from functools import partial

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from desktop.domain.core.command import Command
from desktop.domain.display.text import display_text
from desktop.domain.mcp.commands import (
    AcceptMcpPin,
    FindMcpImports,
    ImportMcpServers,
    KeepMcpOff,
    LoadMcpLog,
    LoadMcpServers,
    RemoveMcpServer,
    RestartMcpServer,
    SaveMcpServer,
    SetMcpToolPolicy,
    SignOutOfMcpServer,
    TestMcpServer,
)
from desktop.domain.mcp.updates import McpImportsFound, McpLogLoaded, McpServerRow, McpServersListed, McpServerTested
from desktop.domain.mcp.values import McpServer
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.core.requests import Requests, answer
from desktop.ui.settings.listing.row_list import RowList, button_row
from desktop.ui.settings.listing.waiting import WaitingCards
from desktop.ui.settings.mcp.chosen import ChosenServer
from desktop.ui.settings.mcp.import_dialog import ImportDialog
from desktop.ui.settings.mcp.log_dialog import LogDialog
from desktop.ui.settings.mcp.server_dialog import ServerDialog
from desktop.ui.settings.mcp.server_form import ServerForm
from desktop.ui.settings.mcp.sign_in_dialog import SignInDialog
from desktop.ui.settings.mcp.waiting_card import McpWaitingCard
from desktop.ui.settings.mcp.words import ICONS, fault_line, server_line, waits
from desktop.ui.settings.page import SettingsPage
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.ask import Question, ask_first
from desktop.ui.widgets.fact_list import FactList

_NAME = "settings_mcp"
_ROWS = 5
_ABOUT = tr(
    "MCP servers give agents further tools. A server runs in a sandbox of its own, starts when it is first used, and "
    "none of its tools is offered before you have looked at it."
)
_NONE = tr("There is no MCP server yet.")
_Dialog = ServerDialog | ServerForm | ImportDialog


class McpPage(SettingsPage):
    """The servers are asked for when the page is shown first; changes are heard while the settings are open."""

    name, title, icon = "mcp", tr("MCP servers"), "server"

    def __init__(self, requests: Requests, parent: QWidget) -> None:
        super().__init__(parent)
        self._requests = requests
        self._listed = McpServersListed()
        self._asked = False
        self._log: LogDialog | None = None
        about = plain_label(self.contents, "muted")
        about.setText(_ABOUT)
        self._problem = plain_label(self.contents, "strong", f"{_NAME}_problem", role="danger")
        self._faults = FactList(f"{_NAME}_faults", tr("What is not used"), ("triangle-alert", "warning"), self.contents)
        self._waiting = WaitingCards(self.contents)
        self._none = plain_label(self.contents, "muted", f"{_NAME}_none")
        self.list = RowList(f"{_NAME}_list", tr("MCP servers"), _ROWS, self.contents)
        self.list.currentRowChanged.connect(self._show_chosen)
        self._chosen = ChosenServer(self.contents)
        self._chosen.asked.connect(self._on_asked)
        self._chosen.policy_set.connect(self._ask)
        add = push_button(tr("Add a server…"), f"{_NAME}_add", self.contents, self._on_add)
        bring = push_button(tr("Import…"), f"{_NAME}_import", self.contents, self._on_import)
        for widget in (about, self._problem, self._faults, self._waiting, self._none, self.list):
            self.column.addWidget(widget)
        self.column.addLayout(button_row(add, bring))
        self.column.addWidget(self._chosen)
        self.hearing.on(McpServersListed, self._show)
        self._waiting.hide()
        say(self._problem, "")
        self._show(self._listed)

    def showEvent(self, event: QShowEvent) -> None:
        """Ask how the servers stand, at the first time."""
        super().showEvent(event)
        if not self._asked:
            self._asked = True
            self._ask(LoadMcpServers())

    def _show(self, listed: McpServersListed) -> None:
        chosen = self._row.id if self._row is not None else ""
        if listed.servers != self._listed.servers:  # cards that stay keep the focus
            self._show_waiting([row for row in listed.servers if waits(row)])
        self._listed = listed
        self._faults.show_lines([fault_line(fault) for fault in listed.faults])
        say(self._none, "" if listed.servers else _NONE)
        self.list.show_rows((server_line(row), ICONS[row.state]) for row in listed.servers)
        ids = [row.id for row in listed.servers]
        self.list.setCurrentRow(ids.index(chosen) if chosen in ids else 0 if ids else -1)
        self._show_chosen()

    def _show_waiting(self, waiting: list[McpServerRow]) -> None:
        cards = [McpWaitingCard(row, self._waiting) for row in waiting]
        for card in cards:
            card.looked.connect(self._on_look)
            card.started.connect(self._on_start)
            card.sign_in_wanted.connect(self._on_sign_in)
        self._waiting.show_cards(cards)

    @property
    def _row(self) -> McpServerRow | None:
        at = self.list.currentRow()
        return self._listed.servers[at] if 0 <= at < len(self._listed.servers) else None

    def _show_chosen(self, _at: int = 0) -> None:
        self._chosen.show_row(self._row)

    # what a person does

    def _on_asked(self, what: str) -> None:
        row = self._row
        if row is not None:
            {
                "look": self._on_look,
                "test": self._on_test,
                "log": self._on_log,
                "restart": lambda server_id: self._ask(RestartMcpServer(server_id=server_id)),
                "sign_in": self._on_sign_in,
                "sign_out": lambda server_id: self._ask(SignOutOfMcpServer(server_id=server_id)),
                "switch": self._on_switch,
                "edit": self._on_edit,
                "remove": self._on_remove,
            }[what](row.id)

    def _on_look(self, server_id: str) -> None:
        row = next((one for one in self._listed.servers if one.id == server_id), None)
        if row is not None:
            dialog = ServerDialog(row, self.window())
            dialog.accepted_as_shown.connect(partial(self._ask_from, dialog))
            dialog.kept_off.connect(self._on_keep_off)
            if not row.tools:  # it could not be started before; now it lists them
                dialog.accepted.connect(partial(self._on_start, server_id))
            dialog.open()

    def _on_sign_in(self, server_id: str) -> None:
        SignInDialog(server_id, self._requests, self.window()).open()

    def _on_start(self, server_id: str) -> None:
        ids = self._ids()
        self.list.setCurrentRow(ids.index(server_id) if server_id in ids else 0)
        self._on_test(server_id)

    def _on_keep_off(self, no: KeepMcpOff) -> None:
        """A new server of the person's own is switched off; of others the no is kept."""
        row = next((one for one in self._listed.servers if one.id == no.server_id), None)
        if row is not None and row.scope == "person" and not row.person:
            self._switch(row.server, on=False)
        else:
            self._ask(no)

    def _on_test(self, server_id: str) -> None:
        self._chosen.show_testing()
        told = answer(McpServerTested, partial(self._on_tested, server_id))
        failed = partial(self._on_not_tested, server_id)
        self._requests.ask(TestMcpServer(server_id=server_id), self, told, failed=failed)

    def _on_tested(self, server_id: str, tested: McpServerTested) -> None:
        if self._row is not None and self._row.id == server_id:
            self._chosen.show_tested(tested)

    def _on_not_tested(self, server_id: str, failed: CommandFailed) -> None:
        if self._row is not None and self._row.id == server_id:
            self._chosen.show_test_end(display_text(failed.text), good=False)

    def _on_log(self, server_id: str) -> None:
        told = answer(McpLogLoaded, self._on_log_loaded)
        self._requests.ask(LoadMcpLog(server_id=server_id), self, told, failed=self._on_failed)

    def _on_log_loaded(self, loaded: McpLogLoaded) -> None:
        if self._log is not None:
            self._log.show_log(loaded)
            return
        self._log = LogDialog(loaded, self.window())
        self._log.again.connect(self._on_log)
        self._log.finished.connect(self._forget_log)
        self._log.open()

    def _forget_log(self) -> None:
        self._log = None

    def _on_switch(self, _server_id: str) -> None:
        if self._row is not None:
            self._switch(self._row.server, on=not self._row.server.enabled)

    def _switch(self, server: McpServer, *, on: bool) -> None:
        self._ask(SaveMcpServer(server=server.model_copy(update={"enabled": on}), replaces=server.id))

    def _on_edit(self, _server_id: str) -> None:
        if self._row is not None:
            self._open_form(ServerForm(self._row.server, self._ids(), self.window()))

    def _on_add(self) -> None:
        self._open_form(ServerForm(None, self._ids(), self.window()))

    def _open_form(self, form: ServerForm) -> None:
        form.offered.connect(partial(self._ask_from, form))
        form.open()

    def _ids(self) -> list[str]:
        return [row.id for row in self._listed.servers]

    def _on_remove(self, server_id: str) -> None:
        name = display_text(server_id)
        question = Question(
            f"{_NAME}_remove_dialog",
            tr("Remove {name}?", name=name),
            tr("It is ended, its entry is taken out of your file, and what you accepted of it is forgotten."),
            (tr("Keep"), f"{_NAME}_remove_keep"),
            (tr("Remove"), f"{_NAME}_remove_go"),
        )
        ask_first(question, self, lambda: self._ask(RemoveMcpServer(server_id=server_id)))

    def _on_import(self) -> None:
        self._requests.ask(FindMcpImports(), self, answer(McpImportsFound, self._on_found), failed=self._on_failed)

    def _on_found(self, found: McpImportsFound) -> None:
        dialog = ImportDialog(found, self.window())
        dialog.chosen.connect(lambda keys: self._ask_from(dialog, ImportMcpServers(keys=keys)))
        dialog.open()

    # what came of it

    def _ask(self, command: Command | SetMcpToolPolicy) -> None:
        """How the servers stand then is heard."""
        say(self._problem, "")
        self._requests.ask(command, self, failed=self._on_failed)

    def _ask_from(self, dialog: _Dialog, command: Command | AcceptMcpPin) -> None:
        """What a dialog wants: it closes once that is done, and says why it is not."""
        done = answer(McpServersListed, lambda _listed: dialog.accept())
        self._requests.ask(command, dialog, done, failed=lambda failed: dialog.show_problem(failed.text))

    def _on_failed(self, failed: CommandFailed) -> None:
        say(self._problem, display_text(failed.text))
        self.ensureWidgetVisible(self._problem)
