"""The window as a person meets it at 200 % in a small window, and the way from "to review" to what is meant."""

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from desktop.domain.commands import SetMode
from desktop.domain.core.permissions import PermissionMode
from desktop.ui.audit.model import TO_REVIEW
from desktop.ui.audit.panel import AuditPanel
from desktop.ui.changes.panel import NO_CHANGES
from desktop.ui.theme.theme import theme
from desktop.ui.window.inspector import Inspector
from tests.fakes.fake_model_api import text_turn, tool_turn


def test_the_chip_of_what_is_to_be_reviewed_opens_it_in_the_audit_tab(start, model_api):
    desk = start()
    model_api.script(text_turn("Hello there."))
    desk.send("Hello")
    desk.until(lambda: "Hello there." in desk.transcript_text())
    desk.idle()
    session_id = desk.window.page.session_id
    desk.bridge.send(SetMode(session_id=session_id, mode=PermissionMode.FULL_AUTO, without_sandbox=True))
    model_api.script(
        tool_turn("read_file", file_path="app.py"), tool_turn("write_file", file_path="new.txt", content="x\n"),
        text_turn("All done."),
    )  # fmt: skip
    desk.until(lambda: desk.window.page.facts.mode is PermissionMode.FULL_AUTO, what="full auto")
    desk.send("Write it")
    desk.until(lambda: "All done." in desk.transcript_text())
    desk.idle()
    desk.click("header_review")
    inspector = desk.window.findChild(Inspector)
    desk.until(inspector.of(AuditPanel).isVisible, what="the Audit tab")
    decision = desk.see("audit_decision")
    assert isinstance(decision, QComboBox)
    assert decision.currentText() == TO_REVIEW
    shown = inspector.of(AuditPanel).table.model()
    desk.until(lambda: shown.rowCount() == 1, what="the one row to review")


def test_the_inspector_tells_of_the_chat_of_the_pane_to_which_one_goes(start, model_api):
    desk = start()
    model_api.script(tool_turn("read_file", file_path="app.py"), text_turn("It is 41."))
    desk.send("What is the total?")
    desk.until(lambda: "It is 41." in desk.transcript_text())
    desk.idle()
    first = desk.window.page.session_id
    desk.window.new_chat()
    model_api.script(text_turn("Hello there."))
    desk.send("Hello")
    desk.until(lambda: "Hello there." in desk.transcript_text())
    desk.idle()
    desk.window.sidebar.chat_action.emit(first, "beside")
    desk.until(lambda: "It is 41." in desk.transcript_text())
    desk.window.page.action_asked.emit("other_pane")
    desk.until(lambda: "Hello there." in desk.transcript_text(), what="the other pane")
    desk.window.page.action_asked.emit("other_pane")
    desk.window.page.action_asked.emit("toggle_inspector")
    desk.until(lambda: NO_CHANGES in labels(desk.window.findChild(Inspector)), what="that there are no changes")
    desk.window.page.action_asked.emit("tab_audit")
    audit = desk.window.findChild(Inspector).of(AuditPanel).table.model()
    desk.until(lambda: audit.rowCount() == 1, what="the decision of that chat")


def labels(part: QWidget) -> list[str]:
    """What can be read there."""
    return [one.text() for one in part.findChildren(QLabel) if one.isVisible()]


def test_at_200_percent_in_a_small_window_all_of_the_composer_is_in_view(start, qtbot):
    desk = start()
    before = theme().zoom
    try:
        theme().choose(theme().choice, 200)
        desk.window.resize(1024, 700)
        desk.window.new_chat()
        for name in ("composer_text", "composer_send", "composer_mode", "composer_model"):
            widget = desk.see(name)
            desk.until(lambda part=widget: inside(desk.window, part), what=f"{name} in view")
        assert desk.see("chat_page").height() <= desk.window.height()
    finally:
        theme().choose(theme().choice, round(before * 100))


def inside(window: QWidget, part: QWidget) -> bool:
    """Whether nothing of it is cut off."""
    place = QRect(part.mapTo(window, QPoint(0, 0)), part.size())
    return window.rect().contains(place) and part.visibleRegion().boundingRect().size() == part.size()
