"""The settings dialog over a window, its facts and what it sends, for tests of its pages."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QLabel, QLineEdit, QWidget

from desktop.config.settings import Settings
from desktop.domain.core.work import Project
from desktop.domain.updates import EngineReady, ProjectOpened, SettingsChanged
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.requests import Requests
from desktop.ui.settings.dialog import SettingsDialog
from desktop.ui.theme.stylesheet import install_theme
from tests.ui.shell_samples import NOW

LEFT = Qt.MouseButton.LeftButton
PROJECT = Project(id="prj_1", name="shop-api", path="/srv/shop-api", branch="main")


class Sink:
    """Keeps what was sent."""

    def __init__(self):
        self.sent = []

    def send(self, command):
        self.sent.append(command)

    def kinds(self):
        return [command.type for command in self.sent]


class Place:
    """A dialog at one page; `facts` are fed first, as the window does."""

    def __init__(self, qtbot, page, settings=None):
        install_theme(QApplication.instance())
        self.sink, self.facts = Sink(), EngineFacts()
        self.requests = Requests(self.sink)
        self.window = QWidget()
        self.window.resize(1360, 840)
        qtbot.addWidget(self.window)
        self.window.show()
        self.facts.hearing.take([EngineReady(settings=settings or Settings()), ProjectOpened(project=PROJECT)])
        self.dialog = SettingsDialog(self.requests, self.facts, self.window, clock=lambda: NOW)
        self.dialog.open()
        self.dialog.show_page(page)

    def apply(self, *updates):
        self.facts.hearing.take(updates)
        self.requests.deliver(updates, self.dialog.hearing)

    def saved(self):
        """Let the engine save the last settings that were sent."""
        last = [command for command in self.sink.sent if command.type == "save_settings"][-1]
        self.apply(SettingsChanged(settings=last.settings))

    def get(self, name, kind=QWidget, root=None):
        found = (root or self.dialog).findChildren(kind, name)
        assert found, name
        return next((widget for widget in found if widget.isVisible()), found[0])

    def shown(self, name, root=None):
        return any(widget.isVisible() for widget in (root or self.dialog).findChildren(QWidget, name))

    def card(self, item_id):
        return next(w for w in self.dialog.findChildren(QWidget) if w.property("item_id") == item_id)

    def click(self, name, root=None):
        QTest.mouseClick(self.get(name, QAbstractButton, root), LEFT)

    def write(self, name, text, root=None):
        edit = self.get(name, QLineEdit, root)
        edit.setFocus()
        edit.selectAll()
        QTest.keyClick(edit, Qt.Key.Key_Delete)
        QTest.keyClicks(edit, text)
        QTest.keyClick(edit, Qt.Key.Key_Return)

    def text(self, name, root=None):
        return self.get(name, QLabel, root).text()

    def asked(self, name):
        return next((d for d in self.dialog.findChildren(QDialog, name) if d.isVisible()), None)

    def all_texts(self):
        """Everything that a person or an assistive program can read."""
        return "\n".join(
            f"{widget.accessibleName()}\n{widget.accessibleDescription()}\n{widget.toolTip()}\n"
            + (widget.text() if isinstance(widget, QLabel | QLineEdit | QAbstractButton) else "")
            for widget in self.dialog.findChildren(QWidget)
        )
