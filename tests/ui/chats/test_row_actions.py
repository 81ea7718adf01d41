"""What the transcript's rows ask for, carried out: continue, stop trying, full outputs, links, tabs."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLabel, QPlainTextEdit

from desktop.domain.updates import BlobLoaded, SessionOpened
from desktop.ui.changes.tab import ChangesTab
from desktop.ui.window.build import PANELS
from desktop.ui.window.inspector import Inspector
from tests.ui.shell_samples import IDLE, begun, chat_window, envelopes, find, said

SHA = "a" * 64


@pytest.fixture
def window(qtbot, tmp_path, sink):
    window = chat_window(qtbot, tmp_path, sink)
    log = tuple(envelopes(IDLE.session_id, begun(), said("Explain it")))
    window.apply_updates([SessionOpened(session_id=IDLE.session_id, envelopes=log)])
    return window


@pytest.mark.parametrize(
    ("action", "command"),
    [("continue", "continue_turn"), ("retry_now", "retry_now"), ("retry_stop", "interrupt")],
)
def test_a_button_of_a_row_sends_its_command(window, sink, action, command):
    window.page.transcript.row_action.emit("row:1", action)
    assert (sink.last().type, sink.last().session_id) == (command, IDLE.session_id)


def test_replacing_a_refused_key_leads_to_the_providers(window, qtbot):
    with qtbot.waitSignal(window.settings_asked) as asked:
        window.page.transcript.row_action.emit("row:1", "replace_key")
    assert asked.args == ["providers"]


def test_details_are_copied_as_text(window):
    key = window.page.transcript.model.rows[-1].key
    window.page.transcript.row_action.emit(key, "copy_details")
    assert "Explain it" in QGuiApplication.clipboard().text()
    assert find(window, "toast").accessibleName() == "Copied"


def test_a_full_output_is_asked_for_and_shown_when_it_arrives(window, sink, qtbot):
    window.page.transcript.open_full_output.emit("Run <b>tests</b>", SHA)
    assert (sink.last().type, sink.last().sha256) == ("load_blob", SHA)
    window.apply_updates([BlobLoaded(session_id=IDLE.session_id, sha256=SHA, text="line 1\nline\u202e 2")])
    viewer = find(window, "output_viewer")
    assert find(viewer, "output_text", QPlainTextEdit).toPlainText() == "line 1\nline⟦U+202E⟧ 2"
    assert "Run <b>tests</b>" in [label.text() for label in viewer.findChildren(QLabel)]
    qtbot.mouseClick(find(viewer, "output_close"), Qt.MouseButton.LeftButton)


def test_an_outside_link_is_asked_about_and_a_script_is_not_followed(window, qtbot):
    window.page.transcript.link_activated.emit("javascript:alert(1)")
    assert window.page.findChild(QLabel, "link_dialog") is None
    window.page.transcript.link_activated.emit("https://example.org/\u202ex")
    dialog = find(window, "link_dialog")
    assert "https://example.org/⟦U+202E⟧x" in [label.text() for label in dialog.findChildren(QLabel)]
    qtbot.mouseClick(find(dialog, "link_cancel"), Qt.MouseButton.LeftButton)


@pytest.mark.parametrize("hidden", [True, False], ids=["hidden", "folded"])
@pytest.mark.parametrize("name", ["audit", "changes"])
def test_a_tab_is_shown_from_a_row_and_by_its_keys_even_if_the_inspector_was_not(window, qtbot, name, hidden):
    inspector = find(window, "inspector", Inspector)
    if hidden:
        inspector.of(ChangesTab).counted.emit(1)
        qtbot.waitUntil(inspector.isVisible)
        qtbot.mouseClick(find(window, "top_inspector_toggle"), Qt.MouseButton.LeftButton)
        inspector.of(ChangesTab).counted.emit(0)
    assert not inspector.isVisible()
    window.page.transcript.row_action.emit("row:1", f"show_{name}")
    assert inspector.isVisible()
    assert inspector.tab == name.capitalize()
    for number, tab in enumerate([spec.title for spec in PANELS], 1):
        qtbot.keyClick(window, Qt.Key.Key_0 + number, Qt.KeyboardModifier.AltModifier)
        assert inspector.tab == tab


def test_a_table_is_exported_to_the_file_that_was_chosen(window, sink, tmp_path):
    window.page.transcript.export_asked.emit("id,note\r\n7,paid\r\n")
    dialog = window.page.findChild(QFileDialog, "csv_export_dialog")
    dialog.fileSelected.emit(str(tmp_path / "orders.csv"))
    dialog.close()
    sent = sink.last()
    assert (sent.type, sent.path, sent.text) == ("save_text", str(tmp_path / "orders.csv"), "id,note\r\n7,paid\r\n")
