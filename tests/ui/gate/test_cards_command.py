"""What a card says of a command, a file and a database beside its evidence, and why it asks."""

from datetime import UTC, datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from desktop.domain.gate.pending import Answer, ShownCommand
from desktop.ui.gate.cards.evidence.command_words import CommandWords
from desktop.ui.gate.cards.evidence.evidence_list import base_state
from desktop.ui.gate.cards.wording import once_text
from desktop.ui.theme.theme import theme
from tests.ui.card_requests import command, drop, fetching, protected_file, sql, workflow_edit
from tests.ui.card_scenes import Scene, approval, press

LEFT = Qt.MouseButton.LeftButton
UNTIL = datetime(2026, 12, 22, 12, tzinfo=UTC)


def labels(widget):
    return [label.text() for label in widget.findChildren(QLabel) if label.text()]


def test_the_words_of_each_command_and_its_state_are_said(scene):
    scene.ask(command())
    words = scene.get("approval_commands")
    assert words.sentences() == ("git status --short, reads only", "npm run build -- --minify, asks")
    assert words.accessibleDescription() == "\n".join(words.sentences())


def test_a_reason_of_its_own_stands_with_the_command():
    command = ShownCommand(words=("rm", "", "a b"), reason="It deletes “a b”.")
    assert CommandWords([command], "Another.", None).sentences() == ("rm '' a b, asks: it deletes “a b”",)


def test_the_caption_counts_lines_characters_and_commands(scene):
    scene.ask(command())
    assert "1 line · 47 characters · 2 commands" in labels(scene.get("approval_card"))


def test_of_many_commands_those_that_ask_are_shown_first_and_all_on_demand(scene):
    reads = [ShownCommand(words=("cat", f"{n}.txt"), state="read") for n in range(60)]
    asks = ShownCommand(words=("make", "all"), reason="No rule covers make all.")
    scene.ask(command(commands=(*reads, asks)))
    words = scene.get("approval_commands")
    assert words.sentences() == ("make all, asks: no rule covers make all",)
    press(scene, "approval_words_all")
    assert len(words.sentences()) == 61
    assert scene.get("approval_words_all").isHidden()


def test_a_long_word_wraps_and_is_not_cut(scene):
    short = CommandWords([ShownCommand(words=("x",))], "", None)
    long = CommandWords([ShownCommand(words=("x" * 500,))], "", None)
    assert long.heightForWidth(300) > 3 * short.heightForWidth(300)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"sandbox": "full", "network": "off"}, "Sandbox: full · no network"),
        ({"sandbox": "full", "network": "open"}, "Sandbox: full · network open"),
        (
            {"sandbox": "full", "network": "hosts", "hosts": ("a.org", ".b.org")},
            "Sandbox: full · reaches 2 named hosts",
        ),
        ({"sandbox": "limited", "network": "off"}, "Sandbox: limited · no network"),
        ({"sandbox": "none", "network": "open"}, "No sandbox on this machine"),
    ],
)
def test_the_sandbox_line_says_what_holds_this_command(scene, fields, words):
    scene.ask(command(**fields))
    assert scene.get("approval_sandbox").text() == words


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"undoable": "yes", "undo_until": UNTIL}, "Can be undone: yes, until 22 Dec 2026"),
        ({"undoable": "partly", "undo_how": "How."}, "Can be undone: partly"),
        (
            {"undoable": "partly", "irreversible": True, "confirm_word": "push"},
            "Files of the lane can be put back. The rest cannot be undone.",
        ),
        (
            {"undoable": "partly", "undo_how": "The pushed commits stay known to others.", "subject": "other"},
            "Can be undone: partly. The pushed commits stay known to others.",
        ),
        (
            {"undoable": "yes", "undo_how": "The reply is deleted.", "subject": "other", "category": "external"},
            "Can be undone: yes. The reply is deleted.",
        ),
        ({"undoable": "no", "undo_how": "Checks that ran have run."}, "Can be undone: no. Checks that ran have run."),
    ],
)
def test_whether_it_can_be_undone_stands_on_the_card(scene, fields, words):
    scene.ask(command(**fields))
    assert scene.get("approval_undo").text() == words


def test_code_of_the_lane_is_named_and_what_is_not_there_is_not(scene):
    scene.ask(command(runs_lane_code=True))
    assert scene.get("approval_lane_code").text() == "Runs code from this lane that the agent can change"
    scene.tray.model.drop("inp_1")
    scene.ask(approval(), first_seq=5)
    for name in ("approval_lane_code", "approval_sandbox", "approval_commands", "approval_risk", "approval_undo"):
        assert scene.find(name) is None, name


@pytest.mark.promise("gate-G27")
@pytest.mark.parametrize(
    ("button", "outcome", "scope"),
    [("once", "allow_once", "once"), ("session", "allow_always", "session"), ("project", "allow_always", "project")],
)
def test_a_command_is_run_with_its_host_from_a_row_that_says_what_that_means(scene, button, outcome, scope):
    scene.ask(fetching())
    assert scene.get("approval_network").text() == "Run with network for example.org…"
    press(scene, "approval_network")
    assert scene.get("approval_network_says").text().startswith("It may reach example.org. It can send")
    assert scene.sink.answers == []
    press(scene, f"approval_network_{button}")
    (sent,) = scene.sink.answers
    assert (sent.answer.outcome, sent.answer.scope, sent.digest) == (outcome, scope, "d" * 64)
    assert sent.answer.edited_input == fetching().network_offer.edited_input


def test_several_hosts_are_counted_on_the_button(scene):
    offer = fetching().network_offer.model_copy(update={"hosts": ("a.example", "b.example")})
    scene.ask(fetching(network_offer=offer))
    assert scene.get("approval_network").text() == "Run with network for a.example and 1 more…"


def test_from_the_third_answer_alike_the_card_says_that_a_rule_would_do(scene):
    scene.ask(command(allowed_like=2))
    assert scene.find("approval_like") is None
    scene.tray.model.drop("inp_1")
    scene.ask(command(allowed_like=3), first_seq=5)
    assert scene.get("approval_like").text() == "You allowed this 3 times in this chat: a rule would answer it"


def test_what_keeps_a_command_from_a_lasting_grant_is_named_once(scene):
    scene.ask(command(no_grant="tests/*.py holds a pattern or an expansion."))
    assert scene.get("approval_no_grant").text() == "Only once: tests/*.py holds a pattern or an expansion."
    scene.tray.model.drop("inp_1")
    scene.ask(command(no_grant="It names /etc.", reason="It names /etc. Look twice."), first_seq=5)
    assert scene.find("approval_no_grant") is None


def test_the_risk_stands_in_words(scene):
    scene.ask(command(risk="high"))
    assert scene.get("approval_risk").accessibleName() == "high risk"


def test_warnings_of_the_request_stand_under_the_evidence(scene):
    scene.ask(command(warnings=("A command follows a comment.",)))
    assert scene.get("approval_warning").text().startswith("A command follows a comment.")
    assert scene.get("approval_allow_once").isEnabled() or not scene.get("approval_evidence").seen


def test_a_protected_read_says_that_the_content_goes_to_the_model(scene):
    scene.ask(protected_file())
    assert scene.get("approval_to_model").text() == "The content goes to the model"
    assert scene.get("approval_evidence").toPlainText() == ".env.production"
    assert "protected" in labels(scene.get("approval_chips"))


def test_a_change_of_a_file_says_its_base_state_and_its_notes(scene):
    scene.ask(workflow_edit())
    assert ".github/workflows/test.yml  +3 −1 · changes the file" in labels(scene.get("approval_card"))
    assert "hard link" in scene.get("approval_reason").text()


@pytest.mark.parametrize(
    ("unified", "state"),
    [
        ("@@ -0,0 +1,2 @@\n+a\n+b", "new file"),
        ("@@ -1,2 +0,0 @@\n-a\n-b", "deletes the file"),
        ("@@ -1 +1 @@\n-a\n+b", "changes the file"),
    ],
)
def test_the_base_state_follows_from_the_difference(unified, state):
    assert base_state(unified) == state


def test_allowing_in_this_chat_sends_the_words_that_were_offered(scene):
    scene.ask(command())
    press(scene, "approval_allow_session")
    answer = Answer(outcome="allow_always", scope="session", tokens=(("npm", "run", "build"),))
    assert scene.sink.answers[0].answer == answer


def test_why_says_what_would_not_ask_what_was_read_and_the_sandbox_report(scene):
    scene.ask(command())
    press(scene, "approval_why")
    words = labels(scene.get("approval_why_panel"))
    assert "A rule that covers the command, a command that only reads, or Full auto." in words
    assert ".env" in words
    assert "full · report sbx-20261121" in words


def test_a_command_is_copied_as_a_test_of_a_rule(scene):
    scene.ask(command(arguments={"command": 'echo "a"\nls'}))
    press(scene, "approval_why")
    QTest.mouseClick(scene.get("approval_copy_test"), LEFT)
    assert QApplication.clipboard().text() == 'match = ["echo \\"a\\"\\nls"]'
    assert scene.get("approval_copy_test").text() == "Copied"


def test_why_leads_to_the_audit(scene, qtbot):
    scene.ask(sql())
    press(scene, "approval_why")
    assert scene.find("approval_copy_test") is None
    with qtbot.waitSignal(scene.tray.audit_asked):
        QTest.mouseClick(scene.get("approval_show_audit"), LEFT)


@pytest.mark.parametrize(
    ("kinds", "tables", "words"),
    [
        (("DROP TABLE",), ("orders",), "Drop table orders"),
        (("DELETE",), ("sessions",), "Delete from sessions"),
        (("TRUNCATE",), ("a", "b", "c"), "Truncate a and 2 more"),
        (("DELETE", "DROP TABLE"), ("a", "b"), "Run on shop-live"),
        (("UPDATE",), ("t" * 80,), "Update " + "t" * 40 + "…"),
    ],
)
def test_the_button_of_what_cannot_be_undone_reads_the_effect(kinds, tables, words):
    request = drop()
    assert request.sql is not None
    shown = request.sql.model_copy(update={"kinds": kinds, "tables": tables})
    assert once_text(request.model_copy(update={"sql": shown})) == words


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("zoom", [100, 150, 200])
def test_no_part_of_a_full_card_is_wider_than_the_card(qtbot, tmp_path, look, zoom):
    theme().choose(look, zoom)
    try:
        scene = Scene(tmp_path, size=(520, 560))
        qtbot.addWidget(scene.window)
        scene.window.show()
        scene.ask(command(commands=(ShownCommand(words=("x" * 300, "y"), reason="z" * 200),)))
        scene.settle()
        card = scene.get("approval_card")
        for name in ("approval_evidence", "approval_commands", "approval_facts", "approval_reason", "approval_why"):
            part = scene.get(name)
            assert part.mapTo(card, part.rect().topRight()).x() < card.width(), name
        for name in ("approval_allow_once", "approval_save_rule", "approval_edit", "approval_decline"):
            button: QWidget = scene.get(name)
            assert button.visibleRegion().boundingRect() == button.rect(), name
    finally:
        theme().choose("light", 100)


@pytest.mark.parametrize("opens", ["", "approval_save_rule", "approval_edit", "approval_why", "approval_decline"])
def test_every_control_has_a_name_of_its_own_whatever_is_open(scene, opens):
    scene.ask(command(warnings=("Look.",)))
    if opens:
        press(scene, opens)
    for control in scene.tray.findChildren(QWidget):
        if not isinstance(control, QAbstractButton | QLineEdit | QPlainTextEdit | QAbstractItemView):
            continue
        reader = QAccessible.queryAccessibleInterface(control)
        assert reader.text(QAccessible.Text.Name), f"{control} has no name"
        assert control.objectName(), f"{control} has no object name"
    names = [w.objectName() for w in scene.tray.findChildren(QAbstractButton) if w.isVisible()]
    assert len(names) == len(set(names))


def test_tab_goes_through_the_rule_editor_in_reading_order(scene):
    scene.ask(command())
    press(scene, "approval_save_rule")
    press(scene, "rule_token_remove")
    scene.get("rule_scope_project").setFocus()
    seen = []
    for _ in range(3):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        seen.append(QApplication.focusWidget().objectName())
    assert seen == ["rule_token_remove", "rule_token_add", "rule_back"]


def test_a_reason_that_a_warning_says_is_not_said_twice(scene):
    why = "is protected: other programs run or trust this file on sight."
    scene.ask(workflow_edit().model_copy(update={"reason": f"'.envrc' {why}", "warnings": (f"This path {why}",)}))
    assert scene.get("approval_warning").text() == f"This path {why}"
    assert scene.get("approval_reason").text() == ""
