"""A press that comes too early is dropped, and says so without moving anything."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from desktop.ui.gate.cards.guard import DROPPED, GUARD_S, CardButton, CardGuard, DroppedNote
from desktop.ui.theme.stylesheet import install_theme


def test_a_dropped_press_flashes_and_is_told_and_the_next_one_counts(qtbot):
    install_theme(QApplication.instance())
    now = [0.0]
    card = QWidget()
    qtbot.addWidget(card)
    guard = CardGuard(card, lambda: now[0])
    button = CardButton("Run once", "approval_allow_once", guard, card)
    QVBoxLayout(card).addWidget(button)
    pressed = []
    button.clicked.connect(lambda: pressed.append(True))
    card.show()
    card.activateWindow()
    qtbot.waitUntil(card.isActiveWindow)
    size = button.size()
    for press in (
        lambda: QTest.mouseClick(button, Qt.MouseButton.LeftButton),
        lambda: QTest.keyClick(button, Qt.Key.Key_Return),
    ):
        press()
        assert pressed == []
        assert button.property("dropped") == "true"
        (note,) = card.findChildren(DroppedNote)
        assert (note.isVisible(), note.text(), button.size()) == (True, DROPPED, size)
        qtbot.waitUntil(lambda: button.property("dropped") == "")
    now[0] += GUARD_S
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert pressed == [True]
    assert button.property("dropped") == ""
    assert len(card.findChildren(DroppedNote)) == 1
