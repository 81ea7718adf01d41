"""Full auto by what the sandbox stops, the chips of the header, the list of escapes, and the mark of what was read."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QDialog, QLabel, QWidget

from desktop.config.web import WebSettings
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.core.service_kinds import ServiceKind
from desktop.domain.events import InputRequested, ModeChanged
from desktop.domain.gate.events import SessionTainted, TaintCleared
from desktop.domain.gate.pending import ApprovalRequest
from desktop.domain.mcp.updates import McpServersListed
from desktop.domain.updates import CommandFailed, EngineReady, SandboxReported, SessionOpened, SettingsChanged
from desktop.ui.widgets.icon_label import IconLabel
from tests.ui.mcp_samples import CHANGED, DOWN, NEW, READY
from tests.ui.shell_samples import (
    IDLE,
    IN_LANE,
    SETTINGS,
    begun,
    card_events,
    envelopes,
    find,
    make_window,
    sandbox,
    show_active,
    started,
)

LEFT = Qt.MouseButton.LeftButton
FULL_AUTO = PermissionMode.FULL_AUTO


@pytest.fixture
def window(qtbot, tmp_path, sink):
    window = make_window(tmp_path, sink)
    show_active(qtbot, window)
    window.apply_updates(started(IDLE, IN_LANE))
    return window


def show(window, chat, *events):
    window.open_chat(chat.session_id)
    window.apply_updates(
        [
            SessionOpened(
                session_id=chat.session_id, envelopes=tuple(envelopes(chat.session_id, *(events or (begun(),))))
            )
        ]
    )


def report(window, level, **changes):
    window.apply_updates([SandboxReported(report=sandbox(level, **changes))])


def dialog(window, name="full_auto_dialog"):
    return next((d for d in window.findChildren(QDialog, name) if d.isVisible()), None)


def texts(widget):
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible()]


def click(qtbot, root, name):
    (button,) = [b for b in root.findChildren(QAbstractButton, name) if b.isVisible()]
    qtbot.mouseClick(button, LEFT)


def test_full_auto_with_a_full_sandbox_asks_nothing(window, qtbot, sink):
    report(window, "full")
    show(window, IDLE)
    click(qtbot, window, "composer_mode_full_auto")
    assert dialog(window) is None
    assert (sink.last().type, sink.last().mode, sink.last().without_sandbox) == ("set_mode", FULL_AUTO, False)


def test_a_limited_sandbox_is_named_with_each_gap_and_staying_has_the_focus(window, qtbot, sink):
    report(window, "limited")
    show(window, IDLE)
    click(qtbot, window, "composer_mode_full_auto")
    asked = dialog(window)
    assert asked.windowTitle() == "Full auto with the limited sandbox?"
    shown = texts(asked)
    assert "A command can reach servers on this computer." in shown
    assert "Not tried: A command can mount file systems." in shown
    seen, untried = (icon.pixmap().toImage() for icon in asked.findChildren(IconLabel))
    assert seen != untried
    stay = asked.findChild(QAbstractButton, "full_auto_stay")
    qtbot.waitUntil(stay.hasFocus)
    assert "set_mode" not in sink.kinds()
    go = asked.findChild(QAbstractButton, "full_auto_with_limited_sandbox")
    assert go.text() == "Run with the limited sandbox"
    qtbot.mouseClick(go, LEFT)
    assert (sink.last().mode, sink.last().without_sandbox) == (FULL_AUTO, True)


def test_without_a_sandbox_the_dialog_gives_the_reason(window, qtbot):
    report(window, "none")
    show(window, IDLE)
    click(qtbot, window, "composer_mode_full_auto")
    (said,) = [text for text in texts(dialog(window)) if "Permission denied" in text]
    assert "your own rights" in said


def test_a_sandbox_that_got_worse_is_asked_about_with_the_fresh_report(window, qtbot, sink):
    report(window, "full")
    show(window, IDLE)
    click(qtbot, window, "composer_mode_full_auto")
    sent = sink.last()
    failed = CommandFailed(command_id=sent.command_id, code="no_sandbox", text="No.", session_id=IDLE.session_id)
    window.apply_updates([SandboxReported(report=sandbox("limited")), failed])
    assert "A command can reach servers on this computer." in texts(dialog(window))
    click(qtbot, dialog(window), "full_auto_with_limited_sandbox")
    assert (sink.last().session_id, sink.last().without_sandbox) == (IDLE.session_id, True)


def test_before_the_first_report_the_engine_is_asked_and_its_sentence_shown(window, qtbot, sink):
    show(window, IDLE)
    click(qtbot, window, "composer_mode_full_auto")
    assert dialog(window) is None
    window.apply_updates([CommandFailed(command_id=sink.last().command_id, code="no_sandbox", text="Nothing works.")])
    assert any("Nothing works." in text for text in texts(dialog(window)))


def test_a_new_chat_in_full_auto_is_asked_about_when_it_is_chosen(window, qtbot, sink):
    report(window, "none")
    window.new_chat()
    click(qtbot, window, "composer_mode_full_auto")
    click(qtbot, dialog(window), "full_auto_without_sandbox")
    window.page.composer.set_text("Do it")
    click(qtbot, window, "composer_send")
    command = sink.sent[-1]
    assert (command.type, command.mode, command.without_sandbox) == ("new_session", FULL_AUTO, True)


def test_a_new_chat_that_the_engine_holds_back_keeps_its_text_and_starts_on_yes(window, qtbot, sink):
    report(window, "full")
    window.new_chat()
    click(qtbot, window, "composer_mode_full_auto")
    window.page.composer.set_text("Do it")
    click(qtbot, window, "composer_send")
    first = sink.sent[-1]
    assert not first.without_sandbox
    failed = CommandFailed(command_id=first.command_id, code="no_sandbox", text="No.", session_id=first.session_id)
    window.apply_updates([SandboxReported(report=sandbox("none")), failed])
    assert window.page.composer.text.toPlainText() == "Do it"
    assert not find(window, "composer_error").isVisible()
    click(qtbot, dialog(window), "full_auto_without_sandbox")
    again = sink.sent[-1]
    assert (again.text, again.without_sandbox, again.session_id) == ("Do it", True, first.session_id)
    assert again.command_id != first.command_id


@pytest.mark.promise("gate-L1")
@pytest.mark.parametrize(("level", "words"), [("none", "No sandbox"), ("limited", "Sandbox: limited"), ("full", "")])
def test_the_chip_says_what_the_report_says_and_only_in_full_auto(window, level, words):
    report(window, level)
    show(window, IDLE, begun(FULL_AUTO))
    chip = find(window, "header_sandbox", QAbstractButton)
    assert chip.isVisible() == bool(words)
    if words:
        assert chip.text() == words
    window.apply_updates(
        envelopes(IDLE.session_id, ModeChanged(mode=PermissionMode.EDIT, previous=FULL_AUTO, by="person"), first=1)
    )
    assert not chip.isVisible()


def test_a_new_report_changes_the_chip_at_once(window):
    report(window, "none")
    show(window, IDLE, begun(FULL_AUTO))
    report(window, "limited")
    assert find(window, "header_sandbox", QAbstractButton).text() == "Sandbox: limited"


def test_the_chip_opens_the_list_of_escapes_and_tries_again(window, qtbot, sink):
    report(window, "limited")
    show(window, IDLE, begun(FULL_AUTO))
    click(qtbot, window, "header_sandbox")
    opened = dialog(window, "sandbox_dialog")
    rows = [row.accessibleName() for row in opened.findChildren(QWidget, "sandbox_probe")]
    assert rows[0] == "Connect to a server (TCP): not stopped. A command can reach servers on this computer."
    assert rows[1].startswith("Mount a file system: not tried")
    assert rows[2:] == ["Write to the home folder: stopped", "Write beside the lane: stopped"]
    assert "2 of 4 escapes stopped, tried at" in " ".join(texts(opened))
    click(qtbot, opened, "sandbox_again")
    again = opened.findChild(QAbstractButton, "sandbox_again")
    assert sink.last().type == "probe_sandbox"
    assert not again.isEnabled()
    report(window, "full")
    assert again.isEnabled()
    assert "Sandbox: full" in texts(opened)
    click(qtbot, opened, "sandbox_close")


def test_a_probe_that_cannot_be_made_says_why(window, qtbot, sink):
    report(window, "none")
    show(window, IDLE, begun(FULL_AUTO))
    click(qtbot, window, "header_sandbox")
    opened = dialog(window, "sandbox_dialog")
    click(qtbot, opened, "sandbox_again")
    window.apply_updates([CommandFailed(command_id=sink.last().command_id, code="failed", text="It is not there.")])
    assert "It is not there." in texts(opened)


@pytest.mark.parametrize(
    ("reasons", "words"),
    [
        (("secret",), "Has read secrets"),
        (("outside",), "Has read outside data"),
        (("untrusted",), "Has read untrusted content"),
        (("untrusted", "secret"), "Has read secrets and more"),
    ],
)
def test_what_the_chat_has_read_is_on_a_chip_until_it_is_cleared(window, qtbot, sink, reasons, words):
    events = [SessionTainted(reason=reason, source=f"<b>{reason}</b> source") for reason in reasons]
    show(window, IDLE, begun(), *events)
    chip = find(window, "header_taint", QAbstractButton)
    assert chip.text() == words
    click(qtbot, window, "header_taint")
    asked = dialog(window, "taint_dialog")
    assert {f"<b>{reason}</b> source" for reason in reasons} <= set(texts(asked))
    qtbot.waitUntil(asked.findChild(QAbstractButton, "taint_keep").hasFocus)
    click(qtbot, asked, "taint_clear")
    assert (sink.last().type, sink.last().session_id) == ("clear_taint", IDLE.session_id)
    assert chip.isVisible()
    window.apply_updates(envelopes(IDLE.session_id, TaintCleared(), first=1 + len(events)))
    assert not chip.isVisible()


@pytest.mark.promise("guests-M31")
def test_servers_that_wait_for_a_person_are_counted_and_lead_to_the_settings(window, qtbot):
    show(window, IDLE, begun())
    chip = find(window, "header_mcp", QAbstractButton)
    window.apply_updates([McpServersListed(servers=(READY,))])
    assert not chip.isVisible()
    window.apply_updates([McpServersListed(servers=(READY, NEW, CHANGED, DOWN))])
    assert chip.text() == "MCP: 1 down, 1 changed, 1 new"
    assert "shop-db: down; docs: changed; tracker: new" in chip.toolTip()
    with qtbot.waitSignal(window.page.settings_asked) as asked_for:
        click(qtbot, window, "header_mcp")
    assert asked_for.args == ["mcp"]
    window.apply_updates([McpServersListed(servers=(READY,))])
    assert not chip.isVisible()


@pytest.mark.promise("guests-W8")
def test_searches_at_the_vendor_are_said_while_they_are_offered(window, qtbot):
    kind = ServiceKind(name="anthropic", label="Anthropic", searches=True)
    settings = SETTINGS.model_copy(update={"web": WebSettings(enabled=True, vendor_search="on")})
    window.apply_updates([EngineReady(settings=settings, service_kinds=(kind,))])
    show(window, IDLE, begun())
    chip = find(window, "header_vendor", QAbstractButton)
    assert (chip.isVisible(), chip.text()) == (True, "Searches at the vendor")
    with qtbot.waitSignal(window.page.settings_asked) as asked_for:
        click(qtbot, window, "header_vendor")
    assert asked_for.args == ["web"]
    tainted = SessionTainted(reason="untrusted", source="web")
    window.apply_updates(envelopes(IDLE.session_id, tainted, first=1))
    assert not chip.isVisible()
    always = settings.model_copy(update={"web": WebSettings(enabled=True, vendor_search="always")})
    window.apply_updates([SettingsChanged(settings=always)])
    assert chip.isVisible()
    window.apply_updates([SettingsChanged(settings=SETTINGS)])
    assert not chip.isVisible()


def test_calls_to_look_back_on_are_counted_and_lead_to_the_reviews(window, qtbot):
    asked = card_events()[-1]
    request = asked.request.model_copy(update={"blocking": False})
    assert isinstance(request, ApprovalRequest)
    records = [InputRequested(input_id=f"inp_{n:032x}", call_id=f"call_{n}", request=request) for n in (7, 8)]
    show(window, IDLE, begun(FULL_AUTO), *records)
    chip = find(window, "header_review", QAbstractButton)
    assert chip.text() == "2 to review"
    with qtbot.waitSignal(window.page.tab_asked) as asked_for:
        click(qtbot, window, "header_review")
    assert asked_for.args == ["reviews"]
