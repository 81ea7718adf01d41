"""A card that says something else while it waits: in place, guarded anew, and nothing that was done to it is lost."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.gate.events import InputRevised
from desktop.domain.gate.pending import Answer, GrantOffer
from desktop.domain.updates import EditChecked, SessionOpened
from tests.ui.card_scenes import SESSION, approval, asked, envelope, resolved

LEFT = Qt.MouseButton.LeftButton
LONG = "\n".join(f"echo {n}" for n in range(80))
NOW_ASKS = {"rule": "rule_ask", "reason": "The rule “npm” (this project) asks.", "would_not_ask": "Removing that rule."}


def revised(seq, request, **changes):
    return envelope(seq, InputRevised(input_id="inp_1", request=request.model_copy(update=changes)))


def test_the_new_reason_stands_in_place_and_a_press_waits_for_the_guard(scene):
    request = approval()
    scene.ask(request, approval(title="Another"))
    scene.settle()
    scene.composer.setText("half a messa")
    scene.hear([revised(3, request, **NOW_ASKS)])
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    assert scene.sink.answers == []
    scene.settle()
    assert scene.get("approval_reason").text() == NOW_ASKS["reason"]
    assert scene.get("tray_position").text() == "1 of 2"
    assert scene.get("approval_card").property("item_id") == "inp_1"
    assert scene.composer.hasFocus()
    QTest.mouseClick(scene.get("approval_allow_once"), LEFT)
    assert [command.input_id for command in scene.sink.answers] == ["inp_1"]


def test_why_names_the_new_rule_mode_and_sandbox(scene):
    request = approval(sandbox="full", network="off", subject="command")
    scene.ask(request)
    scene.settle()
    QTest.mouseClick(scene.get("approval_why"), LEFT)
    scene.hear([revised(2, request, **NOW_ASKS, mode=PermissionMode.FULL_AUTO, sandbox="none", network="open")])
    scene.settle()
    panel = scene.visible("approval_why_panel")
    said = " ".join(label.text() for label in panel.findChildren(type(scene.get("approval_reason"))))
    assert "rule_ask" in said
    assert "Removing that rule." in said
    assert "Full auto" in said
    assert "No sandbox on this machine" in scene.get("approval_sandbox").text()


def test_a_grant_that_is_not_offered_any_more_is_gone_and_one_that_is_now_is_there(scene):
    request = approval()
    scene.ask(request)
    scene.settle()
    assert scene.find("approval_allow_session") is not None
    once = (GrantOffer(scope="once", covers="this call"),)
    scene.hear([revised(2, request, grants=once)])
    assert scene.find("approval_allow_session") is None
    scene.hear([revised(3, request)])
    assert scene.find("approval_allow_session") is not None


def test_evidence_that_was_seen_and_a_reason_that_was_typed_are_kept(scene, qtbot):
    request = approval(text=LONG)
    scene.ask(request)
    scene.settle()
    qtbot.waitUntil(scene.get("approval_show_all").isVisible)
    QTest.mouseClick(scene.get("approval_show_all"), LEFT)
    scene.settle()
    QTest.mouseClick(scene.get("approval_decline"), LEFT)
    QTest.keyClicks(scene.visible("approval_decline_reason"), "not like this")
    scene.hear([revised(2, request, **NOW_ASKS)])
    scene.settle()
    field = scene.visible("approval_decline_reason")
    assert field.text() == "not like this"
    assert field.hasFocus()
    QTest.keyClick(field, Qt.Key.Key_Escape)
    scene.settle()
    assert scene.get("approval_allow_once").isEnabled()


def test_evidence_that_changed_must_be_seen_again(scene, qtbot):
    request = approval(text=LONG)
    scene.ask(request)
    scene.settle()
    qtbot.waitUntil(scene.get("approval_show_all").isVisible)
    QTest.mouseClick(scene.get("approval_show_all"), LEFT)
    scene.settle()
    assert scene.get("approval_allow_once").isEnabled()
    scene.hear([revised(2, request, card=approval(text=f"{LONG}\nrm -r x").card)])
    scene.settle()
    assert not scene.get("approval_allow_once").isEnabled()


def test_a_checked_change_counts_no_more_but_its_text_is_kept(scene):
    request = approval(arguments={"command": "npm test"}, editable=("command",))
    scene.ask(request)
    scene.settle()
    QTest.mouseClick(scene.get("approval_edit"), LEFT)
    field = scene.visible("approval_edit_field")
    field.selectAll()
    QTest.keyClicks(field, "npm run lint")
    scene.settle()
    QTest.mouseClick(scene.visible("approval_edit_check"), LEFT)
    edited = {"command": "npm run lint"}
    mine = request.model_copy(update={"arguments": edited, "digest": "cd" * 32, "edited_from": request.digest})
    scene.hear([EditChecked(session_id=SESSION, input_id="inp_1", edited_input=edited, request=mine)])
    scene.settle()
    scene.hear([revised(2, request, **NOW_ASKS, digest="ef" * 32)])
    scene.settle()
    QTest.mouseClick(scene.visible("approval_allow_once"), LEFT)
    (answer,) = scene.sink.answers
    assert (answer.answer.edited_input, answer.digest) == (None, "ef" * 32)
    scene.hear([revised(3, request, **NOW_ASKS)])
    assert "npm run lint" in scene.get("approval_edit_field").toPlainText()


def test_a_chat_that_is_opened_later_shows_the_card_as_it_is_now(scene):
    request = approval()
    log = (asked(1, request), revised(2, request, **NOW_ASKS))
    scene.hear([SessionOpened(session_id=SESSION, envelopes=log)])
    assert scene.get("approval_reason").text() == NOW_ASKS["reason"]
    scene.hear([resolved(3, "inp_1", Answer(outcome="reject"))])
    assert not scene.tray.isVisible()
