"""ChosenAgent: one agent of others in the settings: where it is or how it is installed, a test of it, what is set."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.guests.updates import GuestListing, GuestTested
from desktop.ui.settings.agents.fields import AgentFields
from desktop.ui.settings.agents.words import found_lines, tested_lines
from desktop.ui.settings.listing.row_list import button_row
from desktop.ui.settings.saver import SettingsSaver
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.layouts.gaps import set_gaps

_NAME = "settings_agents"
_MISSING = "It is not installed. Banksman installs nothing; this command does:"
_NO_COMMAND = "It is not installed, and its table names no command that installs it."
_TESTING = "Starting it…"


class ChosenAgent(QWidget):
    """`test_asked`: of the agent of this id."""

    test_asked = Signal(str)

    def __init__(self, saver: SettingsSaver, parent: QWidget) -> None:
        super().__init__(parent)
        self._listed: GuestListing | None = None
        self._title = plain_label(self, "heading", f"{_NAME}_title")
        self._found = plain_label(self, "muted", f"{_NAME}_found")
        self._missing = plain_label(self, "", f"{_NAME}_missing")
        self._command = QLineEdit(self)
        self._command.setObjectName(f"{_NAME}_install")
        self._command.setAccessibleName("Command that installs it")
        self._command.setReadOnly(True)
        self._command.setFont(theme().mono())
        self._copy = push_button("Copy", f"{_NAME}_copy", self, self._on_copy)
        self._test = push_button("Test", f"{_NAME}_test", self, self._on_test)
        self._test.setToolTip("Starts it in an empty folder, lets it introduce itself, and ends it.")
        self._tested = plain_label(self, "muted", f"{_NAME}_tested")
        self._fields = AgentFields(saver, self)
        install = QHBoxLayout()
        set_gaps(install, spacing=SPACE_2)
        install.addWidget(self._command, 1)
        install.addWidget(self._copy)
        facts = QVBoxLayout()
        set_gaps(facts, spacing=SPACE_3)
        for widget in (self._title, self._found, self._missing):
            facts.addWidget(widget)
        facts.addLayout(install)
        facts.addLayout(button_row(self._test))
        facts.addWidget(self._tested)
        column = QVBoxLayout(self)
        set_gaps(column, (0, 0, 0, 0), SPACE_4)
        column.addLayout(facts)
        column.addWidget(self._fields)

    def show_agent(self, listed: GuestListing | None) -> None:
        """Show this one; None: there is none."""
        if listed is None or self._listed is None or listed.id != self._listed.id:
            say(self._tested, "")
            self._test.setEnabled(True)
        self._listed = listed
        self.setVisible(listed is not None)
        if listed is None:
            return
        here = bool(listed.program)
        self._title.setText(display_text(listed.label))
        say(self._found, found_lines(listed))
        say(self._missing, "" if here else _MISSING if listed.install else _NO_COMMAND)
        self._command.setText(display_text(listed.install))
        for widget in (self._command, self._copy):
            widget.setVisible(not here and bool(listed.install))
        self._copy.setText("Copy")
        self._test.setVisible(here)
        self._fields.setVisible(here)
        if here:
            self._fields.show_agent(listed)

    def show_tested(self, tested: GuestTested) -> None:
        """What came of the test, if it is still this agent."""
        if self._listed is not None and tested.guest_id == self._listed.id:
            self.show_test_end(tested_lines(tested), good=tested.ok)

    def show_test_end(self, text: str, *, good: bool) -> None:
        """What came of a test. The text must have passed display_text()."""
        self._test.setEnabled(True)
        restyle(self._tested, kind="", role="success" if good else "danger")
        say(self._tested, text)

    def _on_test(self) -> None:
        if self._listed is not None:
            self._test.setEnabled(False)
            restyle(self._tested, kind="muted", role="")
            say(self._tested, _TESTING)
            self.test_asked.emit(self._listed.id)

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._command.text())
        self._copy.setText("Copied")
