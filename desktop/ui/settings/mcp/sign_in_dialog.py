"""SignInDialog: signing in to an MCP server: the whole address and what is asked for, before the browser opens."""

from pydantic import SecretStr
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.mcp.commands import AuthoriseMcpServer, CancelMcpSignIn
from desktop.domain.mcp.updates import McpSignInEnded, McpSignInWaits
from desktop.domain.updates import CommandFailed
from desktop.language import tr
from desktop.ui.core.requests import Requests, answer, progress
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_5
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.fact_list import FactList
from desktop.ui.widgets.layouts.gaps import set_gaps

_WIDTH, _ADDRESS_LINES = 620, 7
_ASKING = tr("Asking the server where people sign in…")
_WORDS = tr(
    "Your browser opens this address once you click. What comes back is heard on this computer alone, once, within "
    "five minutes. The password is typed there and never here."
)
_OPENED = tr("Go on in your browser. This closes once you are signed in.")
_CLIENT = tr(
    "Register a program there for Banksman, with this address to come back to (the port may be any), and type its id, "
    "and its secret if it has one. The address is for this authority alone."
)


class SignInDialog(Dialog):
    """It begins the sign-in when it is made, ends it when it is closed, and is accepted once the person is signed in.
    Deletes itself when closed."""

    def __init__(self, server_id: str, requests: Requests, parent: QWidget) -> None:
        super().__init__(parent)
        self.server_id = server_id
        self._requests = requests
        self._address = self._copied = ""
        self.setObjectName("mcp_sign_in_dialog")
        self.setWindowTitle(tr("Sign in to an MCP server"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = plain_label(self, "title")
        title.setText(tr("Sign in to {server}", server=display_text(server_id)))
        self._words = plain_label(self, "muted", "mcp_sign_in_words")
        self._facts = FactList("mcp_sign_in_facts", tr("What is asked for"), ("globe", "muted"), self)
        self._shown = QPlainTextEdit(self)
        self._shown.setObjectName("mcp_sign_in_address")
        self._shown.setReadOnly(True)
        self._shown.setTabChangesFocus(True)
        self._problem = plain_label(self, "strong", "mcp_sign_in_problem", role="danger")
        self._client = self._field("mcp_sign_in_client", tr("Id of the program"), QLineEdit.EchoMode.Normal)
        self._secret = self._field("mcp_sign_in_secret", tr("Its secret, if it has one"), QLineEdit.EchoMode.Password)
        self._column = layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        for part in (title, self._words, self._facts, self._shown, self._problem, self._client, self._secret):
            layout.addWidget(part)
        layout.addLayout(self._make_buttons())
        self.setMinimumWidth(min(theme().px(_WIDTH), self.screen().availableSize().width()))
        self.finished.connect(self._on_finished)
        self._begin()

    def _make_buttons(self) -> QHBoxLayout:
        self._close = push_button(tr("Cancel"), "mcp_sign_in_cancel", self, self.reject)
        self._copy = push_button(tr("Copy address"), "mcp_sign_in_copy", self, self._on_copy)
        self._again = push_button(tr("Try again"), "mcp_sign_in_again", self, self._begin)
        self._open = push_button(tr("Open in browser"), "mcp_sign_in_open", self, self._on_open)
        self._open.setProperty("kind", "primary")
        buttons = QHBoxLayout()
        set_gaps(buttons, spacing=SPACE_2)
        buttons.addStretch(1)
        for button in (self._close, self._copy, self._again, self._open):
            buttons.addWidget(button)
        return buttons

    def _field(self, name: str, label: str, echo: QLineEdit.EchoMode) -> QLineEdit:
        edit = QLineEdit(self)
        edit.setObjectName(name)
        edit.setAccessibleName(label)
        edit.setPlaceholderText(label)
        edit.setEchoMode(echo)
        edit.returnPressed.connect(self._begin)
        return edit

    def _begin(self) -> None:
        secret = self._secret.text().strip()
        command = AuthoriseMcpServer(
            server_id=self.server_id,
            client_id=self._client.text().strip(),
            client_secret=SecretStr(secret) if secret else None,
        )
        self._secret.clear()
        self._show(_ASKING)
        self._requests.ask(
            command,
            self,
            progress(McpSignInWaits, self._on_waits),
            answer(McpSignInEnded, self._on_ended),
            failed=self._on_failed,
        )

    def _on_waits(self, waits: McpSignInWaits) -> None:
        self._address = waits.address
        lines = [
            tr("Who signs you in: {host}", host=display_text(waits.authority)),
            tr("For: {address}", address=display_text(waits.resource)),
            tr("Asks to be allowed: {rights}", rights=display_text(", ".join(waits.scopes)) or tr("nothing is named")),
        ]
        if waits.sent_to:
            lines.append(
                tr(
                    "What you are given goes to {host}, not to the page that you will see.",
                    host=display_text(waits.sent_to),
                )
            )
        self._facts.show_lines(lines)
        self._show_address(waits.address, tr("The whole address"), _ADDRESS_LINES)
        self._show(_WORDS)
        self._open.setFocus()

    def _on_ended(self, ended: McpSignInEnded) -> None:
        if not ended.problem:
            self.accept()
            return
        self._address = ""
        if ended.needs_client:
            self._show_address(ended.returns_to, tr("The address to come back to"), 1)
            self._show(f"{ended.problem} {_CLIENT}", asks_client=True)
        else:
            self._show("", ended.problem)
        (self._client if ended.needs_client else self._again).setFocus()

    def _on_failed(self, failed: CommandFailed) -> None:
        self._address = ""
        self._show("", failed.text)

    def _show(self, words: str, problem: str = "", *, asks_client: bool = False) -> None:
        say(self._words, display_text(words))
        say(self._problem, display_text(problem))
        there = bool(self._address)
        self._facts.setVisible(there)
        self._open.setVisible(there)
        self._shown.setVisible(there or asks_client)
        self._copy.setVisible(there or asks_client)
        self._copy.setText(tr("Copy address"))
        for field in (self._client, self._secret):
            field.setVisible(asks_client)
        self._again.setText(tr("Go on") if asks_client else tr("Try again"))
        self._again.setVisible(bool(problem) or asks_client)
        restyle(self._again, kind="primary" if asks_client else "")
        self.adjustSize()
        self.resize(self.width(), self._column.totalHeightForWidth(self.width()))  # not as for words in narrow lines

    def _show_address(self, address: str, name: str, lines: int) -> None:
        self._copied = address
        self._shown.setAccessibleName(name)
        self._shown.setPlainText(display_text(address))
        no_bar, bar = Qt.ScrollBarPolicy.ScrollBarAlwaysOff, Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self._shown.setVerticalScrollBarPolicy(no_bar if lines == 1 else bar)
        self._shown.setFixedHeight(self._shown.fontMetrics().lineSpacing() * lines + theme().px(SPACE_3))

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._copied)
        self._copy.setText(tr("Copied"))

    def _on_open(self) -> None:
        if QDesktopServices.openUrl(QUrl(self._address)):
            say(self._words, _OPENED)
        else:
            say(self._problem, tr("No browser could be opened. Copy the address into one."))

    def _on_finished(self, _result: int) -> None:
        if self.result() != QDialog.DialogCode.Accepted:
            self._requests.send(CancelMcpSignIn(server_id=self.server_id))
