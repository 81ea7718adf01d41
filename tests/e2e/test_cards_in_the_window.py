"""Cards in the window with its engine: redrawn while they wait, plans changed and approved in full auto."""

from desktop.domain.commands import SaveRule, SetMode
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.gate.rules import Rule
from tests.fakes.fake_model_api import text_turn, tool_turn

ASK = Rule(id="", decision="ask", kind="command", scope="project", tokens=("touch",), created_by="settings")


def test_a_rule_that_is_made_elsewhere_is_on_the_open_card_at_once(start, model_api):
    model_api.script(tool_turn("bash", command="touch one"), text_turn("All done."))
    desk = start()
    desk.send("Touch it")
    reason = desk.see("approval_reason").text()
    assert desk.find("approval_allow_session") is not None
    desk.bridge.send(SaveRule(rule=ASK))
    desk.until(lambda: desk.see("approval_reason").text() != reason, what="another reason")
    assert "touch" in desk.see("approval_reason").text()
    desk.gone("approval_allow_session")
    desk.answer("approval_allow_once")
    desk.gone("approval_card")
    desk.until(lambda: "All done." in desk.transcript_text())


def test_a_changed_plan_is_approved_in_full_auto_after_the_dialog_that_names_the_gaps(
    start, model_api, tmp_path, monkeypatch
):
    monkeypatch.setattr("desktop.services.processes.sandbox.bubblewrap.SYSTEM_FOLDERS", str(tmp_path))
    monkeypatch.setattr("desktop.services.processes.sandbox.sandbox.LEAST_ABI", 10_000)
    desk = start()
    model_api.script(text_turn("Hello there."))
    desk.send("Hello")
    desk.until(lambda: "Hello there." in desk.transcript_text())
    desk.idle()
    desk.bridge.send(SetMode(session_id=desk.window.page.session_id, mode=PermissionMode.PLAN))
    desk.until(lambda: desk.window.page.facts.mode is PermissionMode.PLAN, what="plan mode")
    model_api.script(
        tool_turn("exit_plan_mode", plan="1. touch it"), tool_turn("bash", command="touch one"), text_turn("All done.")
    )
    desk.send("Plan it")
    desk.answer("plan_edit")
    desk.see("plan_edit_text").setPlainText("1. touch one file")
    desk.answer("plan_edit_use")
    desk.answer("plan_approve_full_auto")
    desk.see("full_auto_dialog")
    assert desk.find("plan_card") is not None
    desk.click("full_auto_without_sandbox")
    desk.gone("plan_card")
    desk.until(lambda: desk.window.page.facts.mode is PermissionMode.FULL_AUTO, what="full auto")
    desk.until(lambda: "All done." in desk.transcript_text())
    assert "1. touch one file" in str(model_api.requests[-2].body)
