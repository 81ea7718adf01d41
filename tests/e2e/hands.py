"""A person's hands on the whole window: press, tick, choose, type; and which buttons they touched and saw."""

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QObject, QPoint, Qt, QUrl, Slot
from PySide6.QtGui import QAction, QDesktopServices, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QComboBox,
    QDialog,
    QFileDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QMenu,
    QPlainTextEdit,
    QRadioButton,
    QWidget,
)

from desktop.domain.lanes.lane import Lane
from desktop.ui.changes.tab import ChangesTab
from desktop.ui.widgets.pick_list import PickList
from desktop.ui.window.inspector import Inspector
from tests.e2e.conftest import Desk
from tests.e2e.offered import AREA, offered, plain

T = TypeVar("T", bound=QWidget)


class Opened(QObject):
    """While it is entered it takes what would be given to the system's file manager, or browser. `urls`: the paths."""

    def __init__(self, scheme: str = "file") -> None:
        super().__init__()
        self.scheme = scheme
        self.urls: list[str] = []

    def __enter__(self) -> "Opened":
        QDesktopServices.setUrlHandler(self.scheme, self, "take")
        return self

    def __exit__(self, *_error: object) -> None:
        QDesktopServices.unsetUrlHandler(self.scheme)

    @Slot(QUrl)
    def take(self, url: QUrl) -> None:
        """Take note of it."""
        self.urls.append(url.toLocalFile() or url.toString())


class Hands:
    """`pressed`: names of what was pressed; `seen`: of what could be seen on the way. A press waits until it can be
    made, and fails if that never comes."""

    RETURN = Qt.Key.Key_Return

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.pressed: set[str] = set()
        self.seen: set[str] = set()

    def until(self, true: Callable[[], bool], what: str) -> None:
        """Wait until something is so; what a person would see instead is said where it does not come."""
        try:
            self.desk.until(true, what)
        except AssertionError as error:
            raise AssertionError(f"{error}; {self._why_not(what)}") from None

    def check(self, declared: frozenset[str]) -> None:
        """Exactly these were pressed, and nothing of these parts of the window is unknown to the list of them all."""
        assert self.pressed == declared, f"missing {declared - self.pressed}, new {self.pressed - declared}"
        assert not (unknown := self.seen - offered() - self.pressed), unknown

    # pressing

    def press(self, name: str) -> None:
        """Click a button once it can be seen and is on; the newest one of that name."""
        self.until(lambda: any(one.isEnabled() for one in self._buttons(name)), name)
        button = [one for one in self._buttons(name) if one.isEnabled()][-1]
        self._note(name)
        button.click()

    def tick(self, name: str, *, on: bool = True) -> None:
        """Press a box or a choice until it is on, or off."""
        self.until(lambda: any(one.isEnabled() for one in self._buttons(name)), name)
        button = self._buttons(name)[-1]
        assert isinstance(button, QCheckBox | QRadioButton), name
        if button.isChecked() is not on:
            self.press(name)
        self._note(name)
        assert button.isChecked() is on

    def act(self, action: str) -> None:
        """What a key or the palette does."""
        found = self.desk.window.findChild(QAction, f"action_{action}")
        assert isinstance(found, QAction), action
        self.desk.until(found.isEnabled, f"action {action}")
        self._note(f"action_{action}")
        found.trigger()

    def menu(self, lane: Lane, entry: str) -> None:
        """Open the menu of a lane and choose an entry."""

        def can_be_chosen() -> bool:
            for old in self.desk.window.findChildren(QMenu, "lane_menu"):
                old.close()
            self.desk.window.lane_host.show_menu(lane.id, self.desk.window.mapToGlobal(QPoint(40, 40)))
            action = self._entry(f"lane_menu_{entry}")
            return action is not None and action.isEnabled()

        self.until(can_be_chosen, f"{entry} in the menu of {lane.name}")
        self.pick(f"lane_menu_{entry}")

    def pick(self, name: str) -> None:
        """Choose an entry of the menu that is open."""
        self.until(lambda: (one := self._entry(name)) is not None and one.isEnabled(), f"entry {name}")
        action = self._entry(name)
        assert action is not None
        self._note(name)
        menus = [menu for menu in self._widgets(QMenu) if action in menu.actions()]
        for menu in menus:
            menu.close()
        action.trigger()

    def from_menu(self, button: str, entry: str) -> None:
        """Press a button that opens a menu, and choose an entry of it."""
        self.press(button)
        self.pick(entry)

    def choose(self, name: str, words: str) -> None:
        """Open the list of a button and choose the entry with these words."""
        self.press(name)

        def listed() -> PickList | None:
            """The list, opened anew when the dialog took another size meanwhile."""
            found = self.desk.find(f"{name}_list")
            if not isinstance(found, PickList):
                self._buttons(name)[-1].click()
                return None
            return found if any(words in f"{one.title} {one.detail}" for one in found.items) else None

        self.until(lambda: listed() is not None, f"{words} in the list of {name}")
        entries = listed()
        assert entries is not None
        row = next(row for row, one in enumerate(entries.items) if words in f"{one.title} {one.detail}")
        entries.setCurrentIndex(entries.model().index(row, 0))
        QTest.keyClick(self.desk.see(f"{name}_search"), self.RETURN)
        self.desk.gone(f"{name}_popup")

    def hit(self, name: str) -> None:
        """Click what is painted under this name in the diff."""
        view = self.inspector.of(ChangesTab).pane.view

        def place() -> QPoint | None:
            for row in range(len(view.rows) if view.isVisible() else 0):
                for hit in view.hits(row):
                    if hit.name == name:
                        view.show_row(row)
                        return hit.rect.center() + QPoint(0, view.row_top(row))
            return None

        self.until(lambda: place() is not None, f"{name} in the diff")
        at = place()
        assert at is not None
        self._note(name)
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)

    def folder(self, dialog_name: str, path: str) -> None:
        """Give a dialog that asks for a folder this one."""
        dialog = self.desk.see(dialog_name)
        assert isinstance(dialog, QFileDialog)
        dialog.setDirectory(path)
        field = dialog.findChild(QLineEdit, "fileNameEdit")
        assert isinstance(field, QLineEdit)
        field.setText(path)
        dialog.accept()

    def combo(self, name: str, words: str) -> None:
        """Choose an entry of a combination box."""
        box = self.desk.see(name)
        assert isinstance(box, QComboBox)
        box.setCurrentIndex(box.findText(words))

    def write(self, name: str, words: str) -> None:
        """Write words in place of what is in a field, as an input method does: keys of the test library are ASCII."""
        field = self.desk.see(name)
        assert isinstance(field, QLineEdit | QPlainTextEdit), name
        field.clear()
        event = QInputMethodEvent()
        event.setCommitString(words)
        QApplication.sendEvent(field, event)

    def key(self, name: str, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Press a key on something."""
        widget = self.desk.see(name)
        widget.setFocus()
        QTest.keyClick(widget, key, modifiers)

    def check_all(self, name: str, but: int = 0) -> None:
        """Tick every entry of a list, but for some at its end."""
        listed = self.desk.see(name)
        assert isinstance(listed, QListWidget)
        self.until(lambda: listed.count() > 0, f"entries in {name}")
        for row in range(listed.count() - but):
            listed.item(row).setCheckState(Qt.CheckState.Checked)

    def hide_menus(self) -> None:
        """Close the menus that are open."""
        self.look()
        for menu in self._widgets(QMenu):
            menu.close()

    # looking

    def is_on(self, name: str) -> bool:
        """Whether it can be pressed."""
        return any(one.isEnabled() for one in self._buttons(name))

    def shows(self, name: str) -> bool:
        """Whether it can be seen."""
        return self.desk.find(name) is not None

    def text(self, name: str) -> str:
        """The words of a label or field, "" while it is not there."""
        widget = self.desk.find(name)
        if isinstance(widget, QPlainTextEdit):
            return widget.toPlainText()
        return widget.text() if isinstance(widget, QLabel | QLineEdit | QAbstractButton) else ""

    def rows(self, name: str) -> str:
        """The words of a list's entries."""
        listed = self.desk.see(name)
        assert isinstance(listed, QListWidget)
        return "\n".join(listed.item(row).text() for row in range(listed.count()))

    def told(self) -> str:
        """What toasts say."""
        return "\n".join(one.accessibleName() for one in self._widgets(QWidget, "toast"))

    def until_told(self, words: str) -> None:
        """Wait for a toast."""
        self.until(lambda: words in self.told(), f"a toast with {words}")

    def lane(self, name: str) -> Lane:
        """The lane of that name, once it can be used."""

        def found() -> Lane | None:
            lanes = self.desk.window.lane_host.lanes()
            return next((one for one in lanes if one.name == name and one.state != "creating"), None)

        self.until(lambda: found() is not None, f"lane {name}")
        lane = found()
        assert lane is not None
        return lane

    def again(self, lane: Lane) -> Lane:
        """The lane as it is now."""
        found = self.desk.window.lane_host.lane(lane.id)
        assert found is not None
        return found

    def state(self, lane: Lane) -> str:
        """The state of a lane, "" when it is gone."""
        found = self.desk.window.lane_host.lane(lane.id)
        return found.state if found is not None else ""

    @property
    def inspector(self) -> Inspector:
        """The region at the right."""
        found = self.desk.window.findChild(Inspector)
        assert isinstance(found, Inspector)
        return found

    def names(self) -> list[str]:
        """Of all buttons that can be seen."""
        return [one.objectName() for one in self._widgets(QAbstractButton)]

    def look(self) -> None:
        """Take note of everything that could be pressed now."""
        buttons = {one.objectName() for one in self._widgets(QAbstractButton)}
        entries = {action.objectName() for menu in self._widgets(QMenu) for action in menu.actions()}
        view = self.inspector.of(ChangesTab).pane.view
        painted = {hit.name for row in range(len(view.rows)) for hit in view.hits(row)} if view.isVisible() else set()
        self.seen |= {plain(name) for name in buttons | entries | painted if AREA.fullmatch(name)}

    def _why_not(self, name: str) -> str:
        """What a person would see where a button cannot be pressed."""
        off = [f"{name} is off: {one.toolTip()}" for one in self._buttons(name)]
        labels = [one.text() for one in self._widgets(QLabel) if isinstance(one.window(), QDialog)]
        book = self.desk.window.lane_host
        lanes = [
            f"{one.name}: {one.state} {found.text if (found := book.finding(one.id)) else ''}" for one in book.lanes()
        ]
        return "\n".join([*off, self.told(), *labels, *lanes])

    def _note(self, name: str) -> None:
        self.look()
        self.pressed.add(plain(name))

    def _buttons(self, name: str) -> list[QAbstractButton]:
        return self._widgets(QAbstractButton, name)

    def _entry(self, name: str) -> QAction | None:
        entries = (action for menu in self._widgets(QMenu) for action in menu.actions())
        return next((action for action in entries if action.objectName() == name), None)

    def _widgets(self, kind: type[T], name: str = "") -> list[T]:
        """Those that can be seen, of this name where one is given: Qt finds it in a fiftieth of the time."""
        found = self.desk.window.findChildren(kind, name) if name else self.desk.window.findChildren(kind)
        return [one for one in found if one.isVisible()]
