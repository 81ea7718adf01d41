"""DatabaseCard: one database that agents may query: what it is in two lines, and its fields when it is edited."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.config.databases import DatabaseConnection
from desktop.domain.display.surfaces import path_text
from desktop.domain.display.text import display_text
from desktop.language import tr
from desktop.ui.core.requests import Requests
from desktop.ui.settings.databases.target import DIALECTS, TargetFields
from desktop.ui.settings.databases.test import ConnectionTest
from desktop.ui.settings.fields import ChoiceField, TextField
from desktop.ui.settings.password_field import KEPT_IN_KEYRING, KEPT_IN_MEMORY, PasswordField
from desktop.ui.settings.saver import SettingsSaver
from desktop.ui.theme.tokens import SPACE_1, SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.chip import Chip
from desktop.ui.widgets.elided_label import ElidedLabel
from desktop.ui.widgets.layouts.gaps import set_gaps

_NAME = "settings_databases"
_YES, _NO = "yes", "no"
_ALL, _HERE = "all", "here"


class DatabaseCard(QFrame):
    """`item_id` is the name of the connection. The signals carry it: the person wants it removed, its password
    forgotten, or the production mark taken away."""

    remove_asked = Signal(str)
    password_remove_asked = Signal(str)
    unmark_asked = Signal(str)

    def __init__(
        self, connection: DatabaseConnection, saver: SettingsSaver, requests: Requests, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.connection = connection.name
        self._saver = saver
        self.setObjectName(f"{_NAME}_connection")
        self.setProperty("kind", "card")
        self._title = ElidedLabel("", self)
        self._title.setProperty("kind", "title")
        self._dialect = Chip(DIALECTS[connection.dialect], "neutral", self)
        self._production = Chip(tr("production"), "danger", self)
        self._read_only = Chip(tr("reads only"), "neutral", self)
        self._target = ElidedLabel("", self)
        self._target.setProperty("kind", "muted")
        self._test = ConnectionTest(_NAME, requests, self)
        self._edit = push_button(tr("Edit"), f"{_NAME}_edit", self)
        self._remove = push_button(tr("Remove…"), f"{_NAME}_remove", self)
        self._details = QWidget(self)
        self._name = TextField(tr("Name"), f"{_NAME}_name", self._details, tr("Agents use it in their calls."))
        self._where = TargetFields(_NAME, self._details)
        self.password = PasswordField(connection.name, requests, self._details)
        self.hearing = self.password.hearing
        self._mark = self._choice(
            tr("Production"),
            "production",
            [(_NO, tr("No")), (_YES, tr("Yes"))],
            tr("What is not proven to read only then needs a confirm word, and previews need a click."),
        )
        self._access = self._choice(
            tr("Statements"),
            "read_only",
            [(_NO, tr("Read and write")), (_YES, tr("Read only"))],
            tr("Read only: everything else is refused before anybody is asked."),
        )
        self._limit = TextField(tr("Time limit"), f"{_NAME}_time_limit", self._details, tr("In seconds, 1 to 600."))
        project = saver.facts.project
        here = tr("Only {name}", name=display_text(project.name)) if project is not None else tr("Only this project")
        self._used = self._choice(tr("Used in"), "projects", [(_ALL, tr("All projects")), (_HERE, here)], "")
        self._others = plain_label(self._details, "caption", f"{_NAME}_other_projects")
        self._lay_out()
        self._connect()
        self._show_details(False)
        self.refresh()

    def refresh(self) -> None:
        """Show the connection as the settings have it."""
        connection = self._saver.settings.database(self.connection)
        if connection is None:
            return
        name = display_text(connection.name)
        self.setProperty("item_id", connection.name)
        self.setAccessibleName(name)
        self._title.set_full_text(name)
        self._target.set_full_text(path_text(connection.target))
        self._production.setVisible(connection.production)
        self._read_only.setVisible(connection.read_only)
        for button, does in ((self._test.button, tr("Test")), (self._edit, tr("Edit")), (self._remove, tr("Remove"))):
            button.setAccessibleName(f"{does} {name}")
        self._name.set_value(connection.name)
        self._where.show_connection(connection)
        facts = self._saver.facts
        kept = connection.name in facts.passwords
        self.password.setVisible(connection.dialect != "sqlite")
        self.password.set_connection(connection.name)
        self.password.set_kept((KEPT_IN_MEMORY if facts.keyring_problem else KEPT_IN_KEYRING) if kept else "")
        self._mark.set_value(_YES if connection.production else _NO)
        self._access.set_value(_YES if connection.read_only else _NO)
        self._limit.set_value(str(connection.time_limit_s))
        self._show_projects(connection)

    def unmark(self) -> None:
        """Take the production mark away."""
        self._saver.change_database(self.connection, self._mark, production=False)

    # what a person does

    def _on_test(self) -> None:
        for field in self._where.fields.values():
            field.commit()
        connection = self._saver.settings.database(self.connection)
        if connection is not None:
            self._test.run(connection)

    def _on_edit(self) -> None:
        self._show_details(self._details.isHidden())

    def _on_name(self, text: str) -> None:
        before, self.connection = self.connection, text.strip()
        if not self._saver.change_database(before, self._name, name=text.strip()):
            self.connection = before

    def _on_target(self, key: str, text: str) -> None:
        value = text if key != "port" or text else 0
        if self._saver.change_database(self.connection, self._where.fields[key], **{key: value}):
            self._test.forget()

    def _on_mark(self, value: str) -> None:
        if value == _NO:
            self.unmark_asked.emit(self.connection)
        else:
            self._saver.change_database(self.connection, self._mark, production=True)

    def _on_access(self, value: str) -> None:
        self._saver.change_database(self.connection, self._access, read_only=value == _YES)

    def _on_limit(self, text: str) -> None:
        self._saver.change_database(self.connection, self._limit, time_limit_s=text.strip())

    def _on_used(self, value: str) -> None:
        connection, project = self._saver.settings.database(self.connection), self._saver.facts.project
        if connection is None or project is None:
            return
        projects = tuple(dict.fromkeys((*connection.enabled_projects, project.path))) if value == _HERE else ()
        self._saver.change_database(self.connection, self._used, enabled_projects=projects)

    def _show_projects(self, connection: DatabaseConnection) -> None:
        project = self._saver.facts.project
        path = project.path if project is not None else ""
        others = [path_text(one) for one in connection.enabled_projects if one != path]
        set_off(self._used, "" if project is not None else tr("Open a repository first."))
        limited = _HERE if path in connection.enabled_projects else ""
        self._used.set_value(limited if connection.enabled_projects else _ALL)
        named = ", ".join(others)
        words = tr("Also in {projects}", projects=named) if limited else tr("Only in {projects}", projects=named)
        say(self._others, words if others else "")

    def _show_details(self, shown: bool) -> None:
        self._details.setVisible(shown)
        self._edit.setText(tr("Done") if shown else tr("Edit"))

    # making

    def _choice(self, label: str, part: str, choices: list[tuple[str, str]], help_text: str) -> ChoiceField:
        return ChoiceField(label, f"{_NAME}_{part}", choices, self._details, help_text)

    def _lay_out(self) -> None:
        words = QHBoxLayout()
        set_gaps(words, spacing=SPACE_2)
        words.addWidget(self._title, 1)
        for button in (self._test.button, self._edit, self._remove):
            words.addWidget(button)
        head = QVBoxLayout()
        set_gaps(head, spacing=SPACE_1)
        head.addLayout(words)
        marks = QHBoxLayout()
        set_gaps(marks, spacing=SPACE_2)
        for chip in (self._dialect, self._production, self._read_only):
            marks.addWidget(chip)
        marks.addWidget(self._target, 1)
        head.addLayout(marks)
        head.addWidget(self._test.result)
        inside = QVBoxLayout(self._details)
        inside.setContentsMargins(0, 0, 0, 0)
        set_gaps(inside, spacing=SPACE_3)
        for part in (self._name, self._where, self.password, self._mark, self._access, self._limit, self._used):
            inside.addWidget(part)
        inside.addWidget(self._others)
        layout = QVBoxLayout(self)
        set_gaps(layout, (SPACE_4, SPACE_3, SPACE_4, SPACE_4), SPACE_3)
        layout.addLayout(head)
        layout.addWidget(self._details)

    def _connect(self) -> None:
        self._test.button.clicked.connect(self._on_test)
        self._edit.clicked.connect(self._on_edit)
        self._remove.clicked.connect(lambda: self.remove_asked.emit(self.connection))
        self._name.entered.connect(self._on_name)
        self._where.entered.connect(self._on_target)
        self.password.remove_asked.connect(lambda: self.password_remove_asked.emit(self.connection))
        self._mark.chosen.connect(self._on_mark)
        self._access.chosen.connect(self._on_access)
        self._limit.entered.connect(self._on_limit)
        self._used.chosen.connect(self._on_used)
