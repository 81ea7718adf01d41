"""ChosenAgent: one agent of others in the settings: where it is or how it is installed, a test of it, what is set."""

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.domain.display.text import display_text
from desktop.domain.guests.updates import GuestListing, GuestSignedIn, GuestTested
from desktop.language import tr
from desktop.ui.settings.agents.fields import AgentFields
from desktop.ui.settings.agents.sign_ins import SignIns
from desktop.ui.settings.agents.words import found_lines, sign_in_command, tested_lines
from desktop.ui.settings.listing.row_list import button_row
from desktop.ui.settings.listing.waiting import Evidence
from desktop.ui.settings.saver import SettingsSaver
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_4
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.layouts.gaps import set_gaps

_NAME = "settings_agents"
_MISSING = tr("It is not installed. Banksman installs nothing; this command does:")
_NO_COMMAND = tr("It is not installed, and its table names no command that installs it.")
_SIGN_IN = tr("Banksman types nothing into its sign-in and reads no token of it. In a terminal of your own, run:")
_TESTING = tr("Starting it…")


class ChosenAgent(QWidget):
    """Of the agent of this id. `sign_in_asked`: in a terminal, by the way of that id, "" for the usual one;
    `way_asked`: by itself; `cancel_asked`: not any more."""

    test_asked = Signal(str)
    sign_in_asked = Signal(str, str)
    way_asked = Signal(str, str)
    cancel_asked = Signal(str)

    def __init__(self, saver: SettingsSaver, parent: QWidget) -> None:
        super().__init__(parent)
        self._listed: GuestListing | None = None
        self._told: GuestTested | None = None
        self._title = plain_label(self, "heading", f"{_NAME}_title")
        self._found = plain_label(self, "muted", f"{_NAME}_found")
        self._missing = plain_label(self, "", f"{_NAME}_missing")
        self._install = CommandLine(
            f"{_NAME}_install", tr("Command that installs it"), tr("Copy the command that installs it"), self
        )
        self._signs_in = plain_label(self, "muted", f"{_NAME}_sign_in_words")
        self._signs_in.setText(_SIGN_IN)
        self._sign_in = CommandLine(
            f"{_NAME}_sign_in",
            tr("Command that signs you in to it"),
            tr("Copy the command that signs you in to it"),
            self,
        )
        self._test = push_button(tr("Test"), f"{_NAME}_test", self, self._on_test)
        self._test.setToolTip(tr("Starts it in an empty folder, lets it introduce itself, and ends it."))
        self._tested = plain_label(self, "muted", f"{_NAME}_tested")
        self._fields = AgentFields(saver, self)
        facts = QVBoxLayout()
        set_gaps(facts, spacing=SPACE_3)
        for widget in (self._title, self._found, self._missing):
            facts.addWidget(widget)
        facts.addWidget(self._install)
        self._sign_in_here = push_button(tr("Sign in…"), f"{_NAME}_sign_in_here", self, self._on_sign_in)
        self._sign_in_here.setToolTip(tr("Opens a terminal in its own home folder and sandbox, in which you sign in."))
        facts.addLayout(button_row(self._test, self._sign_in_here))
        self._ways = SignIns(self)
        self._ways.terminal_asked.connect(lambda way: self._emit(self.sign_in_asked, way))
        self._ways.asked.connect(lambda way: self._emit(self.way_asked, way))
        self._ways.cancelled.connect(lambda: self._emit(self.cancel_asked))
        for shown in (self._tested, self._ways, self._signs_in, self._sign_in):
            facts.addWidget(shown)
        column = QVBoxLayout(self)
        set_gaps(column, (0, 0, 0, 0), SPACE_4)
        column.addLayout(facts)
        column.addWidget(self._fields)

    def show_agent(self, listed: GuestListing | None) -> None:
        """Show this one; None: there is none."""
        if listed is None or self._listed is None or listed.id != self._listed.id:
            say(self._tested, "")
            self._told = None
            self._ways.show_ways(())
            set_off(self._test, "")
        self._listed = listed
        self.setVisible(listed is not None)
        if listed is None:
            return
        here = bool(listed.program)
        self._title.setText(display_text(listed.label))
        say(self._found, found_lines(listed))
        say(self._missing, "" if here else _MISSING if listed.install else _NO_COMMAND)
        self._install.show_command("" if here else listed.install)
        self._show_sign_in()
        self._test.setVisible(here)
        self._sign_in_here.setVisible(here and not listed.endpoint_id)
        self._fields.setVisible(here)
        if here:
            self._fields.show_agent(listed)

    def show_tested(self, tested: GuestTested) -> None:
        """What came of the test, if it is still this agent."""
        if self._listed is not None and tested.guest_id == self._listed.id:
            self._told = tested
            self.show_test_end(tested_lines(tested), good=tested.ok)
            self._show_ways()
            self._show_sign_in()

    def show_signed_in(self, ended: GuestSignedIn) -> None:
        """What came of a sign-in, if it is still this agent."""
        if self._listed is not None and ended.guest_id == self._listed.id:
            self._ways.show_end(ended)

    def show_not_signed_in(self, text: str) -> None:
        """It could not begin. The text must have passed display_text()."""
        self._ways.show_problem(text)

    def show_test_end(self, text: str, *, good: bool) -> None:
        """What came of a test. The text must have passed display_text()."""
        set_off(self._test, "")
        restyle(self._tested, kind="", role="success" if good else "danger")
        say(self._tested, text)

    def _on_test(self) -> None:
        if self._listed is not None:
            set_off(self._test, UNDER_WAY)
            restyle(self._tested, kind="muted", role="")
            say(self._tested, _TESTING)
            self.test_asked.emit(self._listed.id)

    def _on_sign_in(self) -> None:
        self._emit(self.sign_in_asked, "")

    def _emit(self, asked: SignalInstance, *more: str) -> None:
        if self._listed is not None:
            asked.emit(self._listed.id, *more)

    def _show_ways(self) -> None:
        """Those that it told of, where it signs in by itself."""
        own = self._listed is not None and not self._listed.endpoint_id
        self._ways.show_ways(self._told.sign_ins if self._told is not None and own else ())

    def _show_sign_in(self) -> None:
        text = sign_in_command(self._listed, self._told) if self._listed is not None else ""
        self._signs_in.setVisible(bool(text))
        self._sign_in.show_command(text)


class CommandLine(QWidget):
    """A command that a person runs, and a button that copies it: `title` and `copies` are their names. Hidden while
    there is none."""

    def __init__(self, name: str, title: str, copies: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._line = Evidence(name, title, self)
        self._copy = push_button(tr("Copy"), f"{name}_copy", self, self._on_copy)
        self._copy.setAccessibleName(copies)
        row = QHBoxLayout(self)
        set_gaps(row, (0, 0, 0, 0), SPACE_2)
        row.addWidget(self._line, 1)
        row.addWidget(self._copy, 0, Qt.AlignmentFlag.AlignTop)

    def show_command(self, command: str) -> None:
        """Show this one, "" for none. It may be foreign text."""
        text = display_text(command)
        if text != self._line.toPlainText():
            self._copy.setText(tr("Copy"))
            self._line.setPlainText(text)
        self.setVisible(bool(text))

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._line.toPlainText())
        self._copy.setText(tr("Copied"))
