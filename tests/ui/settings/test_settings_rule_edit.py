"""Changing a rule in place, in Settings: it keeps its identity, and what it loosens is asked about once."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLineEdit

from desktop.domain.commands import SaveRule
from desktop.domain.gate.rules import Bind, Rule, RuleFile, RuleState
from desktop.domain.updates import CommandFailed, RulesListed
from desktop.ui.settings.permissions.rules_list import RulesList
from tests.ui.settings_place import Place
from tests.ui.shell_samples import ago

NAME = "settings_permissions"
BUILD = Rule(
    id="r-1", decision="allow", kind="command", tokens=("npm", "run", "a b"), created_at=ago(days=9),
    created_by="card", request_id="inp_7", expires_at=ago(days=-9), lane="ln_1", reason="Building.",
    match=("npm run 'a b'",), not_match=("npm test",), binds=(Bind(path="package.json", sha256="ab" * 32),),
)  # fmt: skip
PUSH = Rule(id="r-2", decision="deny", kind="command", tokens=("git", "push"), scope="user")
DOCS = Rule(id="r-3", decision="ask", kind="path", glob="docs/**", ops=("write",))
HOST = Rule(id="r-4", decision="ask", kind="network", host="example.org")
SHARED = Rule(id="r-5", decision="deny", kind="command", tokens=("make",), scope="shared")
FILES = (
    RuleFile(scope="user", path="/u.toml", rules=(RuleState(rule=PUSH),)),
    RuleFile(
        scope="project", path="/p.toml", rules=(RuleState(rule=BUILD), RuleState(rule=DOCS), RuleState(rule=HOST))
    ),
    RuleFile(scope="shared", path="/s.toml", rules=(RuleState(rule=SHARED),)),
)


@pytest.fixture
def place(qtbot):
    place = Place(qtbot, "permissions")
    place.apply(RulesListed(files=FILES))
    return place


def view(place):
    return place.get(f"{NAME}_rules", RulesList)


def middle(place, rule):
    at = next(i for i, row in enumerate(view(place).rules.rows) if row.rule == rule)
    return view(place).visualRect(view(place).rules.index(at, 0)).center()


def choose(place, rule):
    QTest.mouseClick(view(place).viewport(), Qt.MouseButton.LeftButton, pos=middle(place, rule))


def saved(place):
    return [sent.rule for sent in place.sink.sent if isinstance(sent, SaveRule)]


def test_the_form_holds_the_rule_and_changes_it_in_its_place(place):
    choose(place, BUILD)
    place.click(f"{NAME}_edit")
    assert place.text(f"{NAME}_new_title") == "Change the rule"
    assert place.get(f"{NAME}_new_command", QLineEdit).text() == "npm run 'a b'"
    assert place.get(f"{NAME}_new_reason", QLineEdit).text() == "Building."
    assert not place.shown(f"{NAME}_new_scope_user")
    place.get(f"{NAME}_new_reason", QLineEdit).setText("For releases.")
    place.click(f"{NAME}_new_save")
    assert saved(place) == [BUILD.model_copy(update={"reason": "For releases."})]
    place.apply(RulesListed(files=FILES))
    assert not place.shown(f"{NAME}_new_command")


def test_another_command_drops_what_was_checked_for_the_old_one_and_keeps_the_rest(place):
    choose(place, BUILD)
    place.click(f"{NAME}_edit")
    place.get(f"{NAME}_new_command", QLineEdit).setText("npm run lint")
    place.click(f"{NAME}_new_save")
    (rule,) = saved(place)
    assert (rule.id, rule.tokens, rule.scope) == ("r-1", ("npm", "run", "lint"), "project")
    assert (rule.match, rule.not_match, rule.binds) == ((), (), ())
    assert (rule.created_by, rule.request_id, rule.expires_at, rule.lane) == (
        "card", "inp_7", BUILD.expires_at, "ln_1",
    )  # fmt: skip


@pytest.mark.parametrize("how", ["enter", "double click"])
def test_enter_and_a_double_click_open_it_too(place, how):
    choose(place, DOCS)
    if how == "enter":
        QTest.keyClick(view(place), Qt.Key.Key_Return)
    else:
        QTest.mouseDClick(view(place).viewport(), Qt.MouseButton.LeftButton, pos=middle(place, DOCS))
    assert place.get(f"{NAME}_new_path", QLineEdit).text() == "docs/**"
    assert place.get(f"{NAME}_new_ops_write", QAbstractButton).isChecked()
    assert place.get(f"{NAME}_new_decision_ask", QAbstractButton).isChecked()


def test_loosening_a_deny_rule_asks_once_and_names_the_effect(place):
    choose(place, PUSH)
    place.click(f"{NAME}_edit")
    place.click(f"{NAME}_new_decision_ask")
    place.click(f"{NAME}_new_save")
    assert saved(place) == []
    place.click(f"{NAME}_new_loosen_go")
    assert saved(place) == [PUSH.model_copy(update={"decision": "ask"})]


def test_keeping_it_sends_nothing_and_leaves_the_form(place):
    choose(place, DOCS)
    place.click(f"{NAME}_edit")
    place.get(f"{NAME}_new_path", QLineEdit).setText("docs/a/**")
    place.click(f"{NAME}_new_save")
    place.click(f"{NAME}_new_loosen_keep")
    assert saved(place) == []
    assert place.shown(f"{NAME}_new_path")


def test_tightening_is_not_asked_about(place):
    choose(place, DOCS)
    place.click(f"{NAME}_edit")
    place.click(f"{NAME}_new_decision_deny")
    place.click(f"{NAME}_new_save")
    assert [rule.decision for rule in saved(place)] == ["deny"]


@pytest.mark.parametrize("rule", [HOST, SHARED], ids=["no fields for it", "the repository's own"])
def test_what_the_form_cannot_show_or_the_file_does_not_take_has_no_edit(place, rule):
    choose(place, rule)
    assert not place.shown(f"{NAME}_edit")
    QTest.keyClick(view(place), Qt.Key.Key_Return)
    assert not place.shown(f"{NAME}_new_command")


def test_a_change_that_is_refused_keeps_the_form_and_a_new_rule_begins_empty_after_it(place):
    choose(place, BUILD)
    place.click(f"{NAME}_edit")
    place.get(f"{NAME}_new_command", QLineEdit).setText("bash")
    place.click(f"{NAME}_new_save")
    sent = place.sink.sent[-1]
    place.apply(CommandFailed(command_id=sent.command_id, code="failed", text="Too broad."))
    assert place.text(f"{NAME}_new_command_problem") == "Too broad."
    place.click(f"{NAME}_new_cancel")
    assert view(place).hasFocus()
    place.click(f"{NAME}_add")
    assert place.text(f"{NAME}_new_title") == "Add a rule"
    assert place.get(f"{NAME}_new_command", QLineEdit).text() == ""
    assert place.shown(f"{NAME}_new_scope_user")
    QTest.keyClicks(place.get(f"{NAME}_new_command", QLineEdit), "npm test")
    place.click(f"{NAME}_new_save")
    assert (saved(place)[-1].id, saved(place)[-1].tokens) == ("", ("npm", "test"))
