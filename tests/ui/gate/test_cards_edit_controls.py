"""Arguments that are no text have controls of their own on a card: ticks, numbers, choices."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLineEdit, QPlainTextEdit

from desktop.domain.commands import CheckEdit
from desktop.domain.gate.pending import EditField
from tests.ui.card_requests import command
from tests.ui.card_scenes import Scene, press

LEFT = Qt.MouseButton.LeftButton
FIELDS = (
    EditField(name="timeout_ms", kind="integer", least=1000, most=600_000, about="Time limit."),
    EditField(name="network", kind="boolean", about="Ask a person."),
    EditField(name="size", kind="choice", choices=("small", "large"), optional=True),
    EditField(name="ratio", kind="number", optional=True),
    EditField(name="names", kind="json"),
)
SENT = {"command": "npm test", "timeout_ms": 120_000, "network": False, "size": "small", "ratio": None, "names": ["a"]}


@pytest.fixture
def scene(qtbot, tmp_path):
    scene = Scene(tmp_path)
    qtbot.addWidget(scene.window)
    with qtbot.waitActive(scene.window):
        scene.window.show()
        scene.window.activateWindow()
    editing(scene)
    return scene


def editing(scene):
    names = tuple(field.name for field in FIELDS)
    scene.ask(command(arguments=SENT, editable=names, fields=FIELDS))
    press(scene, "approval_edit")


def control(scene, kind, name):
    found = scene.tray.findChildren(kind, "approval_edit_field")
    return next(widget for widget in found if widget.property("item_id") == name)


def checks(scene):
    return [sent.edited_input for sent in scene.sink.sent if isinstance(sent, CheckEdit)]


def type_in(field, text):
    field.setFocus()
    field.selectAll()
    if text.isascii():
        QTest.keyClicks(field, text)
    else:
        QApplication.clipboard().setText(text)
        field.paste()


def test_every_control_is_named_and_holds_what_the_agent_sent(scene):
    tick, size = control(scene, QCheckBox, "network"), control(scene, QComboBox, "size")
    assert (tick.accessibleName(), tick.accessibleDescription(), tick.isChecked()) == (
        "Reach the network", "Ask a person.", False,
    )  # fmt: skip
    assert (size.accessibleName(), size.currentText()) == ("Size", "small")
    assert [size.itemText(row) for row in range(size.count())] == ["(not set)", "small", "large"]
    assert control(scene, QLineEdit, "timeout_ms").text() == "120000"
    assert control(scene, QLineEdit, "ratio").text() == ""
    assert control(scene, QPlainTextEdit, "names").toPlainText() == '["a"]'
    assert not scene.get("approval_edit_check").isEnabled()


def test_what_is_sent_has_the_kind_that_the_tool_wants(scene):
    control(scene, QCheckBox, "network").setFocus()
    QTest.keyClick(control(scene, QCheckBox, "network"), Qt.Key.Key_Space)
    type_in(control(scene, QLineEdit, "timeout_ms"), "30,000")
    type_in(control(scene, QLineEdit, "ratio"), "0.25")
    QTest.keyClick(control(scene, QComboBox, "size"), Qt.Key.Key_Down)
    type_in(control(scene, QPlainTextEdit, "names"), '["a", "b"]')
    press(scene, "approval_edit_check")
    assert checks(scene) == [
        {**SENT, "timeout_ms": 30_000, "network": True, "size": "large", "ratio": 0.25, "names": ["a", "b"]}
    ]


def test_nothing_can_be_chosen_where_the_tool_allows_it(scene):
    QTest.keyClick(control(scene, QComboBox, "size"), Qt.Key.Key_Up)
    press(scene, "approval_edit_check")
    assert [sent["size"] for sent in checks(scene)] == [None]


@pytest.mark.parametrize("typed", ["soon", "999", "600001", "1.5", "", "१२३४", "1_000_0", "nan", "-5000"])
def test_a_number_out_of_bounds_is_not_sent_and_the_bounds_are_said(scene, typed):
    field = control(scene, QLineEdit, "timeout_ms")
    type_in(field, typed or "1")
    if not typed:
        QTest.keyClick(field, Qt.Key.Key_Backspace)
    press(scene, "approval_edit_check")
    assert checks(scene) == []
    errors = [label.text() for label in scene.tray.findChildren(type(scene.get("approval_edit_error")))]
    assert "A whole number from 1,000 to 600,000." in errors
    assert field.property("invalid") == "true"


def test_back_to_what_the_agent_sent_leaves_nothing_to_check(scene):
    tick = control(scene, QCheckBox, "network")
    tick.click()
    assert scene.get("approval_edit_check").isEnabled()
    tick.click()
    assert not scene.get("approval_edit_check").isEnabled()


def test_the_wheel_scrolls_the_card_and_changes_no_choice(scene):
    box = control(scene, QComboBox, "size")
    at = QPointF(box.rect().center())
    wheel = QWheelEvent(
        at, box.mapToGlobal(at), QPoint(0, -40), QPoint(0, -120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(box, wheel)
    assert box.currentText() == "small"


def test_half_made_changes_are_there_when_the_card_is_drawn_again(scene):
    control(scene, QCheckBox, "network").click()
    type_in(control(scene, QLineEdit, "timeout_ms"), "5000")
    QTest.keyClick(control(scene, QComboBox, "size"), Qt.Key.Key_Down)
    press(scene, "approval_edit_check")
    scene.tray.show_session("ses_other", "")
    scene.tray.show_session("ses_1", "")
    editing(scene)
    assert control(scene, QCheckBox, "network").isChecked()
    assert control(scene, QLineEdit, "timeout_ms").text() == "5000"
    assert control(scene, QComboBox, "size").currentText() == "large"
    press(scene, "approval_edit_discard")
    press(scene, "approval_edit")
    assert not control(scene, QCheckBox, "network").isChecked()
    assert control(scene, QComboBox, "size").currentText() == "small"
