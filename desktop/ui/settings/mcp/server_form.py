"""ServerForm: an MCP server of the person's own: what is started or reached, what it sees, and what it may ask for."""

import shlex
from collections.abc import Collection, Sequence
from typing import Literal

from pydantic import SecretStr
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from desktop.domain.display.text import display_text
from desktop.domain.mcp.commands import SaveMcpServer
from desktop.domain.mcp.values import LONGEST_TIME_LIMIT_S, SECRET_MARK, SERVER_ID, McpServer
from desktop.language import tr
from desktop.ui.settings.fields import ChoiceField, Field, TextField
from desktop.ui.settings.mcp.words import command_text
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_4, SPACE_5
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.dialogs.dialog import Dialog
from desktop.ui.widgets.layouts.edge_fade import EdgeFade
from desktop.ui.widgets.layouts.gaps import set_gaps

_NAME = "mcp_form"
_WIDTH, _HEIGHT, _LINES = 720, 640, 3
_KINDS = [("command", tr("A program here")), ("url", tr("An address"))]
_FOLDERS = [("none", tr("None", context="a folder")), ("read", tr("Read")), ("write", tr("Read and write"))]
_NETWORKS = [
    ("off", tr("None", context="the network")),
    ("hosts", tr("These hosts")),
    ("open", tr("All", context="the network")),
]
_SHARES = [("project", tr("One for the project")), ("lane", tr("One for each lane"))]
_LEVELS = [("debug", tr("Debug")), ("info", tr("Info")), ("warning", tr("Warnings")), ("error", tr("Errors"))]
_SWITCHES = (
    ("parallel", tr("Several calls at once"), tr("It says that it can; otherwise its calls run one after the other.")),
    (
        "elicits",
        tr("It may ask you questions"),
        tr("While a call of it is under way, on a card that names it. No passwords."),
    ),
    (
        "samples",
        tr("It may use your model"),
        tr("Each chat asks you first. Its own words alone, in bounds, never with tools."),
    ),
    ("instructs", tr("Tell agents what it says of itself"), tr("Once in each chat, as the words of a stranger.")),
    ("guests", tr("Offer its tools to external agents"), tr("By way of Banksman, so that each call passes the gate.")),
    ("private_host", tr("The address is in your own network"), tr("Otherwise only public addresses are reached.")),
)
_VALUES = tr("One NAME=value a line. Write ${secret:NAME} for a value that is kept in the system keyring.")


class LinesField(Field):
    """A few lines of text, each NAME=value."""

    def __init__(self, label: str, name: str, parent: QWidget, help_text: str) -> None:
        super().__init__(label, name, parent, help_text)
        self.edit = QPlainTextEdit(self)
        self.edit.setObjectName(name)
        self.edit.setAccessibleName(label)
        self.edit.setTabChangesFocus(True)
        self.edit.setFixedHeight(_LINES * self.edit.fontMetrics().lineSpacing() + theme().px(SPACE_4))
        self.row.addWidget(self.edit, 1)

    def set_pairs(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Show these, a line each."""
        self.edit.setPlainText("\n".join(f"{name}={value}" for name, value in pairs))

    def pairs(self) -> tuple[tuple[str, str], ...] | None:
        """What stands there, None if a line is not NAME=value; that is said below then."""
        lines = [line.strip() for line in self.edit.toPlainText().splitlines() if line.strip()]
        found = [line.partition("=") for line in lines]
        wrong = next((name for name, equals, _ in found if not equals or not name.strip()), None)
        self.set_problem("" if wrong is None else tr("Each line is NAME=value."))
        return tuple((name.strip(), value.strip()) for name, _, value in found) if wrong is None else None


class ServerForm(Dialog):
    """`offered` carries a SaveMcpServer. Whoever saved it closes it; it deletes itself then."""

    offered = Signal(SaveMcpServer)

    def __init__(self, server: McpServer | None, taken: Collection[str], parent: QWidget) -> None:
        """`server` None: a new one; `taken`: ids that are in use."""
        super().__init__(parent)
        self._before, self._taken = server, taken
        self.setObjectName(_NAME)
        self.setWindowTitle(tr("MCP server"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = plain_label(self, "title")
        title.setText(
            tr("Edit {server}", server=display_text(server.id)) if server is not None else tr("Add an MCP server")
        )
        self._contents = QWidget(self)
        self._id = self._text(tr("Name"), "id", tr("Small letters, digits and -, such as files or issue-tracker."))
        self._kind = self._choice(tr("It is"), "kind", _KINDS)
        self._command = self._text(
            tr("Command"), "command", tr("As in a shell; ${lane} stands for the folder of the lane.")
        )
        self._url = self._text(tr("Address"), "url", tr("Begins with https://."))
        self._env = LinesField(tr("Variables"), f"{_NAME}_env", self._contents, _VALUES)
        self._headers = LinesField(tr("Headers"), f"{_NAME}_headers", self._contents, _VALUES)
        self._secrets = QWidget(self._contents)
        self._secret_rows = QVBoxLayout(self._secrets)
        self._secret_fields: dict[str, TextField] = {}
        self._folder = self._choice(tr("Folder"), "folder", _FOLDERS, tr("What its process sees of your project."))
        self._read = self._text(tr("Also reads"), "read", tr("Further folders and files, separated by blanks."))
        self._network = self._choice(tr("Network"), "network", _NETWORKS)
        self._hosts = self._text(tr("Hosts"), "hosts", tr("Separated by blanks, such as api.example.com."))
        self._share = self._choice(tr("Processes"), "share", _SHARES)
        self._limit = self._text(
            tr("Time limit"),
            "time_limit",
            tr("Of a call, in seconds, 1 to {most}.", most=LONGEST_TIME_LIMIT_S),
        )
        self._level = self._choice(tr("Its log keeps"), "log_level", _LEVELS)
        self._dialect = self._text(
            tr("SQL dialect"), "dialect", tr("Of the SQL that it takes, such as sqlite or postgres.")
        )
        self._sql = self._text(tr("SQL arguments"), "sql", tr("Names of arguments that hold SQL, separated by blanks."))
        self._ticks = {name: self._tick(name, label, about) for name, label, about in _SWITCHES}
        self._problem = plain_label(self, "strong", f"{_NAME}_problem", role="danger")
        say(self._problem, "")
        self._lay_out(title)
        self._show(server or McpServer(id=""))
        for lines in (self._env, self._headers):
            lines.edit.textChanged.connect(self._show_secrets)
        for choice in (self._kind, self._folder, self._network, self._share, self._level):
            choice.chosen.connect(choice.set_value)
            choice.chosen.connect(self._show_parts)

    def show_problem(self, text: str) -> None:
        """Say why it was not saved; the person can try again."""
        say(self._problem, display_text(text))
        set_off(self._save, "")

    def _show(self, server: McpServer) -> None:
        self._id.set_value(server.id)
        self._kind.set_value("url" if server.url else "command")
        self._command.set_value(command_text(server.command))
        self._url.set_value(server.url)
        self._env.set_pairs(server.env)
        self._headers.set_pairs(server.headers)
        self._folder.set_value(server.folder)
        self._read.set_value(command_text(server.read))
        network = server.network
        self._network.set_value("hosts" if isinstance(network, tuple) else network)
        self._hosts.set_value(" ".join(network) if isinstance(network, tuple) else "")
        self._share.set_value(server.share)
        self._limit.set_value(str(server.time_limit_s))
        self._level.set_value(server.log_level)
        self._dialect.set_value(server.dialect)
        self._sql.set_value(" ".join(server.sql))
        on = {"parallel": server.parallel, "elicits": server.elicits}
        on |= {"samples": server.samples, "instructs": server.instructs, "private_host": server.private_host}
        on["guests"] = server.guests
        for name, tick in self._ticks.items():
            tick.setChecked(on[name])
        self._show_parts()
        self._show_secrets()

    def _show_parts(self) -> None:
        """A program has a folder, a network and processes; an address has headers."""
        local = self._kind.value == "command"
        for part in (self._command, self._env, self._folder, self._read, self._network, self._share):
            part.setVisible(local)
        self._hosts.setVisible(local and self._network.value == "hosts")
        for other in (self._url, self._headers, self._ticks["private_host"]):
            other.setVisible(not local)
        self._show_secrets()

    def _show_secrets(self) -> None:
        """A field for each secret that a value names; what was typed stays."""
        lines = self._env if self._kind.value == "command" else self._headers
        names = list(dict.fromkeys(SECRET_MARK.findall(lines.edit.toPlainText())))
        for name in names:
            if name not in self._secret_fields:
                field = TextField(
                    name, f"{_NAME}_secret_{name}", self._secrets, tr("Empty: the value that is kept stays.")
                )
                field.edit.setEchoMode(QLineEdit.EchoMode.Password)
                self._secret_fields[name] = field
                self._secret_rows.addWidget(field)
        for name, field in self._secret_fields.items():
            field.setVisible(name in names)
        self._secrets.setVisible(bool(names))

    def _on_save(self) -> None:
        server = self._server()
        if server is None:
            return
        set_off(self._save, UNDER_WAY)
        say(self._problem, "")
        typed = [(name, field.edit.text()) for name, field in self._secret_fields.items() if not field.isHidden()]
        secrets = tuple((name, SecretStr(value)) for name, value in typed if value)
        replaces = self._before.id if self._before is not None else ""
        self.offered.emit(SaveMcpServer(server=server, replaces=replaces, secrets=secrets))

    def _server(self) -> McpServer | None:
        """What stands in the form, None when something in it is not valid; that is said below the field then."""
        local = self._kind.value == "command"
        pairs = (self._env if local else self._headers).pairs()
        words = self._words(self._command, tr("Write a program with its words; quotes close.")) if local else ()
        read = self._words(self._read, tr("Quotes close."), empty=True) if local else ()
        limit = self._limit.edit.text().strip()
        good = [
            self._check_id(),
            self._check(self._limit, _is_limit(limit), tr("A whole number of seconds, 1 to 600.")),
        ]
        if not local:
            address = self._url.edit.text().strip()
            good.append(self._check(self._url, address.startswith(("https://", "http://")), tr("Write an address.")))
        if pairs is None or words is None or read is None or not all(good):
            return None
        before = self._before or McpServer(id="")
        changed: dict[str, object] = {
            "id": self._id.edit.text().strip(), "command": words, "time_limit_s": int(limit),
            "url": "" if local else self._url.edit.text().strip(),
            "env": pairs if local else (), "headers": () if local else pairs,
            "folder": self._folder.value, "read": read, "network": self._reach(), "share": self._share.value,
            "log_level": self._level.value,
            "dialect": self._dialect.edit.text().strip(), "sql": tuple(self._sql.edit.text().split()),
            **{name: tick.isChecked() for name, tick in self._ticks.items()},
        }  # fmt: skip
        return McpServer.model_validate({**before.model_dump(), **changed})

    def _reach(self) -> Literal["off", "open"] | tuple[str, ...]:
        hosts = tuple(self._hosts.edit.text().split())
        return hosts or "off" if self._network.value == "hosts" else "open" if self._network.value == "open" else "off"

    def _words(self, field: TextField, problem: str, *, empty: bool = False) -> tuple[str, ...] | None:
        try:
            words = tuple(shlex.split(field.edit.text()))
        except ValueError:
            words, empty = (), False
        return words if self._check(field, empty or bool(words), problem) else None

    def _check_id(self) -> bool:
        server_id = self._id.edit.text().strip()
        fits = SERVER_ID.fullmatch(server_id) is not None
        if not self._check(self._id, fits, tr("Small letters, digits and -, at most 24.")):
            return False
        own = self._before is not None and self._before.id == server_id
        return self._check(self._id, own or server_id not in self._taken, tr("Each server needs a name of its own."))

    def _check(self, field: TextField, good: bool, problem: str) -> bool:
        field.set_problem("" if good else problem)
        return good

    def _text(self, label: str, part: str, about: str) -> TextField:
        return TextField(label, f"{_NAME}_{part}", self._contents, about)

    def _choice(self, label: str, part: str, choices: list[tuple[str, str]], about: str = "") -> ChoiceField:
        return ChoiceField(label, f"{_NAME}_{part}", choices, self._contents, about)

    def _tick(self, name: str, label: str, about: str) -> QCheckBox:
        tick = QCheckBox(label, self._contents)
        tick.setObjectName(f"{_NAME}_{name}")
        tick.setToolTip(about)
        tick.setAccessibleDescription(about)
        return tick

    def _lay_out(self, title: QWidget) -> None:
        inside = QVBoxLayout(self._contents)
        set_gaps(inside, (0, 0, SPACE_3, 0), SPACE_3)
        set_gaps(self._secret_rows, (0, 0, 0, 0), SPACE_3)
        fields = (self._id, self._kind, self._command, self._url, self._env, self._headers, self._secrets)
        choices = (self._folder, self._read, self._network, self._hosts, self._share, self._limit, self._level)
        for part in (*fields, *choices, self._dialect, self._sql, *self._ticks.values()):
            inside.addWidget(part)
        inside.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setProperty("kind", "plain")
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setAccessibleName(tr("What the server is"))
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self._contents)
        EdgeFade(scroll, "raised")
        cancel = push_button(tr("Cancel"), f"{_NAME}_cancel", self, self.reject)
        self._save = push_button(tr("Save"), f"{_NAME}_save", self, self._on_save)
        self._save.setProperty("kind", "primary")
        buttons = QHBoxLayout()
        set_gaps(buttons, spacing=SPACE_2)
        buttons.addWidget(self._problem, 1)
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self._save)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_5, SPACE_5, SPACE_5, SPACE_5), SPACE_3)
        layout.addWidget(title)
        layout.addWidget(scroll, 1)
        layout.addLayout(buttons)
        room = self.screen().availableSize()
        self.resize(min(theme().px(_WIDTH), room.width()), min(theme().px(_HEIGHT), room.height()))
        self._id.edit.setFocus()


def _is_limit(text: str) -> bool:
    return text.isascii() and text.isdigit() and 1 <= int(text) <= LONGEST_TIME_LIMIT_S
