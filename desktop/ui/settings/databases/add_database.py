"""AddDatabase: the form for one more database."""

from collections.abc import Collection

from pydantic import SecretStr, ValidationError
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.config.databases import DatabaseConnection, Dialect
from desktop.language import tr
from desktop.ui.core.requests import Requests
from desktop.ui.settings.databases.target import DIALECTS, TargetFields
from desktop.ui.settings.databases.test import ConnectionTest
from desktop.ui.settings.fields import ChoiceField, Field, TextField
from desktop.ui.settings.reasons import reason
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.layouts.gaps import set_gaps

_NAME = "settings_databases_new"
_NAMELESS = tr("Write a name.")
_TAKEN = tr("Each database needs a name of its own.")


class AddDatabase(QFrame):
    """`offered` carries a DatabaseConnection that is valid by itself and its password, a SecretStr or None;
    `cancelled`: nothing is to be added."""

    offered = Signal(object, object)
    cancelled = Signal()

    def __init__(self, requests: Requests, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(_NAME)
        self.setAccessibleName(tr("Add a database"))
        self.setProperty("kind", "card")
        self._dialect: Dialect = "sqlite"
        self._taken: Collection[str] = ()
        title = plain_label(self, "title")
        title.setText(tr("Add a database"))
        self._kind = ChoiceField(tr("Kind"), f"{_NAME}_dialect", list(DIALECTS.items()), self)
        self.name = TextField(
            tr("Name"), f"{_NAME}_name", self, tr("Agents use it in their calls, such as shop or shop_copy.")
        )
        self._where = TargetFields(_NAME, self)
        self._password = TextField(
            tr("Password"), f"{_NAME}_password", self, tr("Kept in the system keyring, never in a file.")
        )
        self._password.edit.setEchoMode(QLineEdit.EchoMode.Password)
        self._mark = ChoiceField(tr("Production"), f"{_NAME}_production", [("no", tr("No")), ("yes", tr("Yes"))], self)
        self._test = ConnectionTest(_NAME, requests, self)
        self._add = push_button(tr("Add"), f"{_NAME}_add", self)
        self._add.setProperty("kind", "primary")
        self._cancel = push_button(tr("Cancel"), f"{_NAME}_cancel", self)
        self._lay_out(title)
        self._kind.chosen.connect(self._on_kind)
        self._mark.chosen.connect(self._mark.set_value)
        self._test.button.clicked.connect(self._on_test)
        self._add.clicked.connect(self._on_add)
        self._cancel.clicked.connect(self._on_cancel)

    def begin(self, taken: Collection[str]) -> None:
        """Empty the form; `taken` are the names that are in use."""
        self._taken = taken
        self._clear()
        self._on_kind("sqlite")
        self._mark.set_value("no")
        self.show()
        self.name.edit.setFocus()

    def _on_kind(self, dialect: str) -> None:
        self._dialect = next(one for one in DIALECTS if one == dialect)
        self._kind.set_value(dialect)
        self._where.show_dialect(self._dialect)
        self._password.setVisible(self._dialect != "sqlite")
        self._test.forget()

    def _on_test(self) -> None:
        connection = self._connection()
        if connection is not None:
            self._test.run(connection, self._secret() or SecretStr(""))

    def _on_add(self) -> None:
        connection = self._connection()
        if connection is not None:
            self.offered.emit(connection, self._secret())

    def _secret(self) -> SecretStr | None:
        text = self._password.edit.text() if self._dialect != "sqlite" else ""
        return SecretStr(text) if text else None

    def _connection(self) -> DatabaseConnection | None:
        """What stands in the form, None when something in it is not valid; that is said below the field then."""
        for field in (self.name, *self._where.fields.values()):
            field.set_problem("")
        name = self.name.edit.text().strip()
        if not name or name in self._taken:
            self.name.set_problem(_TAKEN if name else _NAMELESS)
            return None
        production = self._mark.value == "yes"
        values = {"name": name, "dialect": self._dialect, "production": production, **self._where.values()}
        try:
            return DatabaseConnection.model_validate(values)
        except ValidationError as error:
            self._field_of(error).set_problem(reason(error))
            return None

    def _field_of(self, error: ValidationError) -> Field:
        place = error.errors()[0]["loc"]
        if place and place[0] == "name":
            return self.name
        if place and str(place[0]) in self._where.fields:
            return self._where.fields[str(place[0])]
        empty = (field for field in self._where.fields.values() if not field.isHidden() and not field.edit.text())
        shown = next((field for field in empty if field is not self._where.fields["port"]), None)
        return shown or (self._where.file if self._dialect == "sqlite" else self._where.fields["host"])

    def _on_cancel(self) -> None:
        self._clear()
        self.cancelled.emit()

    def _clear(self) -> None:
        self._where.clear()
        self._test.forget()
        for field in (self.name, self._password):
            field.edit.clear()
            field.discard()

    def _lay_out(self, title: QWidget) -> None:
        buttons = QHBoxLayout()
        set_gaps(buttons, spacing=SPACE_2)
        buttons.addWidget(self._test.button)
        buttons.addStretch(1)
        buttons.addWidget(self._cancel)
        buttons.addWidget(self._add)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_3, SPACE_4, SPACE_4), SPACE_3)
        for part in (title, self._kind, self.name, self._where, self._password, self._mark, self._test.result):
            layout.addWidget(part)
        layout.addLayout(buttons)
